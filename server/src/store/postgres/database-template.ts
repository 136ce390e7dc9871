import { cpSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrationsDigest } from './migrate.js';

const templates = fileURLToPath(new URL('../../database-template', import.meta.url));

/**
 * Where an embedded database with the current schema and no rows is kept, made once when the service is built: making
 * and migrating one takes seconds, copying one a tenth of that, and the first start should not keep a newcomer waiting.
 */
export async function templatePath(): Promise<string> {
  return join(templates, await migrationsDigest());
}

/** Puts a copy of the template at `dir` where nothing is yet. Without a template PGlite makes the database itself. */
export async function copyTemplate(dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  const template = await templatePath();
  if ((await exists(dir)) || !(await exists(template))) return;
  // Renamed into place when it is whole: a start that is cut off leaves nothing that looks like a database.
  const draft = `${dir}.new`;
  await rm(draft, { recursive: true, force: true });
  // In half the time of the asynchronous one, and nothing else runs in the database's thread yet.
  cpSync(template, draft, { recursive: true });
  await rename(draft, dir);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
