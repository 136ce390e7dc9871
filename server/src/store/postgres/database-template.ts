import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';

/**
 * An empty embedded database, made once when the service is built: making one takes about two seconds, copying one a
 * tenth of that, and the first start should not keep a newcomer waiting.
 */
const template = fileURLToPath(new URL('../../database-template', import.meta.url));

/** Makes the template where it is missing. Part of the build. */
export async function makeTemplate(): Promise<void> {
  if (await exists(template)) return;
  const draft = `${template}.new`;
  await rm(draft, { recursive: true, force: true });
  const database = await PGlite.create({ dataDir: draft });
  await database.close();
  await rename(draft, template);
}

/** Puts a copy of the template at `dir` where nothing is yet. Without a template PGlite makes the database itself. */
export async function copyTemplate(dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  if ((await exists(dir)) || !(await exists(template))) return;
  // Renamed into place when it is whole: a start that is cut off leaves nothing that looks like a database.
  const draft = `${dir}.new`;
  await rm(draft, { recursive: true, force: true });
  await cp(template, draft, { recursive: true });
  await rename(draft, dir);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
