import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { slipwayProgram, startService } from './service.js';

/** By where they will be. */
const making = new Map<string, Promise<void>>();

type Env = Readonly<Record<string, string>>;

/** A new folder with the state of a sandbox that has just been started for the first time. */
export async function freshFolder(env: Env): Promise<string> {
  const template = await templatePath(env);
  if (!existsSync(template)) {
    const made = making.get(template) ?? makeTemplate(template, env).finally(() => making.delete(template));
    making.set(template, made);
    await made;
  }
  const folder = await mkdtemp(join(tmpdir(), 'slipway-testing-'));
  await cp(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Where a state is kept that a program makes under these settings. Another program has another one. */
async function templatePath(env: Env): Promise<string> {
  const program = dirname(dirname(slipwayProgram()));
  const code = await readFile(join(program, 'dist', 'bundle', 'start.js'));
  const key = createHash('sha256')
    .update(code)
    .update(JSON.stringify(Object.entries(env).sort()))
    .digest('hex');
  return join(process.cwd(), 'node_modules', '.cache', 'slipway-testing', key.slice(0, 16));
}

/** Several processes may do it at once; the first one's is kept. */
async function makeTemplate(template: string, env: Env): Promise<void> {
  await mkdir(dirname(template), { recursive: true });
  const draft = await mkdtemp(`${template}-`);
  try {
    const service = await startService(draft, env);
    await service.end('SIGTERM');
    await rename(draft, template).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(template)) throw error;
    });
  } finally {
    await removeFolder(draft);
  }
}
