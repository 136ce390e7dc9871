import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { slipwayProgram, startService } from './service.js';

/** By where they will be. */
const making = new Map<string, Promise<void>>();

/** Followed by the number of the process that uses the folder. */
const PREFIX = 'slipway-testing-';

type Env = Readonly<Record<string, string>>;

/** A new folder with the state of a sandbox that has just been started for the first time. */
export async function freshFolder(env: Env): Promise<string> {
  const template = await templatePath(env);
  if (!existsSync(template)) {
    const made = making.get(template) ?? makeTemplate(template, env).finally(() => making.delete(template));
    making.set(template, made);
    await made;
  }
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  copyFolder(template, folder);
  return folder;
}

/** Node's own copies ask three times about each of hundreds of files, and take four times as long. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

/**
 * Runners of tests kill their workers, which then remove nothing: the next start does, by the process in the name. Never a
 * folder of another user, who could put a link to one of ours in the place of a part of it meanwhile.
 */
export async function removeAbandoned(parent = tmpdir(), user = process.getuid?.()): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = name.startsWith(PREFIX) && Number.parseInt(name.slice(PREFIX.length), 10);
    if (!owner || isAlive(owner)) continue;
    const folder = join(parent, name);
    // Windows has no such numbers, and temporary files of each user in a folder of his own.
    const isOwn = await lstat(folder).then(
      (found) => found.isDirectory() && (user === undefined || found.uid === user),
      () => false,
    );
    if (isOwn) await removeFolder(folder).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
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
