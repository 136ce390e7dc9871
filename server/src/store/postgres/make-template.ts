import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exists, templatePath } from './database-template.js';
import { openStore } from './open-store.js';

/** Creates the template of the current migrations if it is missing, and removes older ones. Part of the build. */
export async function makeTemplate(): Promise<void> {
  const template = await templatePath();
  if (await exists(template)) return;
  await rm(dirname(template), { recursive: true, force: true });
  const draft = `${template}.new`;
  const store = await openStore({ kind: 'embedded', dir: draft });
  await store.close();
  await rename(draft, template);
}
