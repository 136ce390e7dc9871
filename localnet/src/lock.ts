import { randomBytes } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ChainError } from './chain-error.js';

/** Whoever has a lock touches its file so often, for those who cannot see whether its process lives. */
const TOUCH_MS = 1_000;
/** One that nobody touches for so long is left behind. */
const SILENCE_MS = 5_000;
const LOOK_MS = 100;
/** By this clock: older than any pause of a process that lives. */
const LONG_AGO_MS = 60_000;

/**
 * Takes a folder for this process alone; answers the function that gives it back. Throws a ChainError of the kind
 * `data` when another live process has it.
 */
export function lockFolder(folder: string, silenceMs?: number): () => void {
  const lock = takeLock(join(folder, 'lock'), silenceMs);
  if (!('heldBy' in lock)) return lock.release;
  const pid = lock.heldBy;
  const where = lock.isElsewhere ? ' of another container or machine' : '';
  const how = lock.isElsewhere ? 'stop it there' : `stop it (kill ${pid})`;
  const todo = `${how}, or set SLIPWAY_DATA_DIR to another folder, and other ports`;
  throw new ChainError('data', `the data folder ${folder} is in use by process ${pid}${where}: ${todo}`);
}

/**
 * Makes a lock file that names this process, or answers which live process has it. A process that was killed leaves its
 * lock behind, which counts for nothing; where that was in another container, or this process may not see the one that has its
 * number now, it takes `silenceMs` to know.
 */
export function takeLock(
  path: string,
  silenceMs = SILENCE_MS,
): { release(): void } | { heldBy: number; isElsewhere: boolean } {
  const mine = `${process.pid} ${processStatus(process.pid)?.startTime ?? ''} ${OWN_PLACE}`;
  // Written beside and linked into place, so that the lock is never seen half written.
  const draft = ownName(path);
  writeFileSync(draft, mine);
  try {
    while (!tryLink(draft, path)) {
      const holder = read(path);
      if (holder === undefined) continue;
      const [pid = '', startTime = '', place = OWN_PLACE] = holder.split(' ');
      const isElsewhere = place !== OWN_PLACE;
      const isHeld = isElsewhere ? undefined : isAlive(Number(pid), startTime);
      if (isHeld ?? isTouched(path, silenceMs)) return { heldBy: Number(pid), isElsewhere };
      removeStale(path, holder);
    }
  } finally {
    unlinkSync(draft);
  }
  const touching = setInterval(() => touch(path), TOUCH_MS);
  touching.unref();
  return {
    release() {
      clearInterval(touching);
      if (read(path) === mine) unlinkSync(path);
    },
  };
}

/**
 * Where this process is: its number says nothing to another container or machine that has the folder, too. Empty where the
 * system does not tell.
 */
const OWN_PLACE = placeOfThis();

function placeOfThis(): string {
  try {
    const machine = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${machine}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // It is gone, or the disk takes nothing: then nobody else writes there either.
  }
}

/** Whether somebody touches a lock. Waits for that, because this clock may be another one than his. */
function isTouched(path: string, silenceMs: number): boolean {
  const first = touchedAt(path);
  if (first === undefined || first < Date.now() - LONG_AGO_MS) return false;
  for (let waited = 0; waited < silenceMs; waited += LOOK_MS) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    if (touchedAt(path) !== first) return touchedAt(path) !== undefined;
  }
  return false;
}

function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Takes a dead process's lock away, unless somebody else did and has its own there already. */
function removeStale(path: string, holder: string): void {
  const aside = ownName(path);
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (read(aside) !== holder) tryLink(aside, path);
  unlinkSync(aside);
}

/** Of no other process, also of none in another container that has the same number. */
const ownName = (path: string) => `${path}.${randomBytes(6).toString('hex')}`;

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

/** Whether the process that had this number at that time lives; undefined where the system keeps that from this one. */
function isAlive(pid: number, startTime: string): boolean | undefined {
  // Of a file that the disk had not taken when the power went; to the system, 0 is this process and those beside it.
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  const status = processStatus(pid);
  // Under ProtectProc=invisible this one sees only its own user's: any other one may have the number after a crash.
  if (status === undefined) return processStatus(process.pid) === undefined ? true : undefined;
  // After a restart of a container the same number belongs to another process.
  return status.state !== 'Z' && startTime === status.startTime;
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
