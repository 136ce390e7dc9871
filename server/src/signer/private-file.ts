import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { takeLock } from '@slipway/localnet/lock';
import { syncFolder } from '../lib/sync-folder.js';

/** A file that should hold a secret cannot be used. The message names the file and what to do, never its content. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
}

/**
 * Reads a file that only its owner may read.
 *
 * @returns the bytes, or undefined when there is no such file.
 * @throws PrivateFileError when it is not a regular file, or when group or others have any right on it.
 */
export async function readPrivateFile(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new PrivateFileError(`${path} cannot be read (${error.code ?? 'unknown error'})`, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat().then((stat) => {
      if (!stat.isFile()) throw new PrivateFileError(`${path} is not a regular file`);
      return stat;
    });
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new PrivateFileError(`${path} is open to other users (mode ${shown}): run "chmod 600 ${path}"`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Writes a file of mode 0600 that did not exist, whole or not at all: a reader, or the next start after a crash, sees
 * either no file or every byte of it.
 *
 * @returns false when the file exists already; it is then left as it is.
 */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = temporaryFor(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    // link, because rename would replace a file that another process has created in the meantime.
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await file.close();
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(folder);
  return true;
}

/**
 * Puts other content in the place of a private file, whole or not at all: whenever the process or the machine dies, the
 * name stands for every byte of the old content, or of the new one. What earlier attempts have left beside it is removed.
 *
 * @param check is given what was read back from the disk; where it throws, the file stays as it was.
 * @throws PrivateFileError when there is no such file.
 */
export async function replacePrivateFile(
  path: string,
  content: string,
  check: (written: string) => Promise<void>,
): Promise<void> {
  // A link stays a link.
  const file = await realpath(path).catch((error: Error) => {
    throw new PrivateFileError(`${path} does not exist`, { cause: error });
  });
  await removeLeftovers(file);
  const temporary = temporaryFor(file);
  try {
    await writeBeside(temporary, content, file);
    await check(await readFile(temporary, 'utf8'));
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

/**
 * Reads, changes and replaces a private file while no other command of this machine does: of two at once the second
 * would undo what the first has said that it did.
 *
 * @throws PrivateFileError when another one is at it, or there is no such file.
 */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const file = await realpath(path).catch((error: Error) => {
    throw new PrivateFileError(`${path} does not exist`, { cause: error });
  });
  const lock = takeLock(`${file}.lock`);
  if ('heldBy' in lock) {
    throw new PrivateFileError(`another command changes ${path} (process ${lock.heldBy}): wait until it has ended`);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** The new file belongs to whom the old one belongs to: an administrator may change it for the user of the signer. */
async function writeBeside(temporary: string, content: string, file: string): Promise<void> {
  const { uid, gid } = await stat(file);
  const handle = await open(temporary, 'wx', 0o600);
  try {
    const own = await handle.stat();
    if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function temporaryFor(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

async function removeLeftovers(file: string): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)];
  const left = (await readdir(folder)).filter(
    (each) => each.startsWith(`${name}.`) && /^\.[0-9a-f]{12}\.tmp$/.test(each.slice(name.length)),
  );
  for (const each of left) await unlink(join(folder, each));
}

/**
 * The secret in a file of ours (the sandbox's signer passphrase, the admin token): 256 random bits, created with the
 * file at first use. Whitespace around it is ignored, so that an operator may write the file by hand.
 *
 * @throws PrivateFileError when the file is open to others or empty.
 */
export async function readOrCreateSecret(path: string): Promise<string> {
  const existing = await readPrivateFile(path);
  if (existing === undefined) {
    const secret = randomBytes(32).toString('base64url');
    return (await createPrivateFile(path, `${secret}\n`)) ? secret : readOrCreateSecret(path);
  }
  const secret = existing.toString('utf8').trim();
  if (secret === '') throw new PrivateFileError(`${path} is empty: delete it, and a new secret is made`);
  return secret;
}
