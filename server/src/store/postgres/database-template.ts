import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
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
  copyFolder(template, draft);
  await rename(draft, dir);
}

/**
 * `cpSync` asks so much about each of six hundred files that it takes four times as long. Synchronous, because nothing
 * else runs in the database's thread yet.
 */
function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else copyFileSync(source, target);
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
