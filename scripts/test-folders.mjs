// Where the folders of tests are: in memory, where there is room.
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

/** A file system in memory that Linux has. */
const MEMORY = '/dev/shm';
/** More than all that run at once fill, with the log of PostgreSQL; as much memory is left to the tests themselves. */
const ROOM = 4 * 2 ** 30;

/**
 * Each database has six hundred files. To create and remove them on a disk takes up to a second of processor time, and
 * what tests write waits for the disk, though nobody ever reads it.
 */
export function useMemoryForFolders() {
  if (process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = MEMORY;
}

function isUsable() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    // Tests start programs in their folders.
    const [options = ''] = readFileSync('/proc/mounts', 'utf8').match(/(?<= \/dev\/shm \S+ )\S+/) ?? [];
    const hasRoom = bavail * bsize >= ROOM && process.availableMemory() >= 2 * ROOM;
    return hasRoom && !options.split(',').includes('noexec');
  } catch {
    return false;
  }
}
