import { cpSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrationsDigest } from './migrate.js';

const templates = fileURLToPath(new URL('../../database-template', import.meta.url));

/**
 * The path of a template: an empty embedded database with the current schema, created when the service is built.
 * Creating and migrating a database takes seconds, copying one takes a tenth of that, and the first start should be
 * fast.
 */
export async function templatePath(): Promise<string> {
  return join(templates, await migrationsDigest());
}

/**
 * Copies the template to `dir`, where nothing must exist yet. Without a template, PGlite creates the database itself.
 */
export async function copyTemplate(dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  const template = await templatePath();
  if ((await exists(dir)) || !(await exists(template))) return;
  // Renamed into place once complete: an interrupted start leaves nothing that looks like a database.
  const draft = `${dir}.new`;
  await rm(draft, { recursive: true, force: true });
  // Twice as fast as the asynchronous version, and nothing else runs in the database's thread yet.
  cpSync(template, draft, { recursive: true });
  await rename(draft, dir);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
