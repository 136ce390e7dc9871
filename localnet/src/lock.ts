import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChainError } from './chain-error.js';

/**
 * Takes a folder for this process alone; answers the function that gives it back. Throws a ChainError of the kind
 * `data` when another live process has it.
 */
export function lockFolder(folder: string): () => void {
  const lock = takeLock(join(folder, 'lock'));
  if (!('heldBy' in lock)) return lock.release;
  const pid = lock.heldBy;
  const todo = `stop it (kill ${pid}), or set SLIPWAY_DATA_DIR to another folder, and other ports`;
  throw new ChainError('data', `the data folder ${folder} is in use by process ${pid}: ${todo}`);
}

/**
 * Makes a lock file that names this process, or answers which live process of this machine has it. A process that was
 * killed leaves its lock behind, which counts for nothing.
 */
export function takeLock(path: string): { release(): void } | { heldBy: number } {
  const mine = `${process.pid} ${processStatus(process.pid)?.startTime ?? ''}`;
  // Written beside and linked into place, so that the lock is never seen half written.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    while (!tryLink(draft, path)) {
      const holder = read(path);
      if (holder === undefined) continue;
      const pid = Number.parseInt(holder, 10);
      if (isAlive(holder, pid)) return { heldBy: pid };
      removeStale(path, holder);
    }
  } finally {
    unlinkSync(draft);
  }
  return {
    release() {
      if (read(path) === mine) unlinkSync(path);
    },
  };
}

/** Takes a dead process's lock away, unless somebody else did and has its own there already. */
function removeStale(path: string, holder: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (read(aside) !== holder) tryLink(aside, path);
  unlinkSync(aside);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isAlive(holder: string, pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  const status = processStatus(pid);
  // After a restart of a container the same number belongs to another process.
  return status === undefined || (status.state !== 'Z' && holder === `${pid} ${status.startTime}`);
}

/** A process's state (Z: it has ended) and when it started, in ticks; undefined where the system does not tell. */
function processStatus(pid: number): { state: string; startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
