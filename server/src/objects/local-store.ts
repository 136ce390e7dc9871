import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Outage } from '../errors/index.js';
import { type Clock, createClock } from '../lib/clock.js';
import { syncFolder } from '../lib/sync-folder.js';
import { INCOMING, type ObjectStore, requireKey, requireSize, type StoredObject } from './object-store.js';
import { type PutGrant, signPut, verifyPut } from './put-signature.js';

interface LocalStoreDeps {
  /** Created at first use. Nothing else may be in it. */
  readonly dir: string;
  /** Signs the URLs; must stay the same after a restart, or the URLs given out before become invalid. */
  readonly secret: string;
  /** The service's own URL, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Ends the URLs. */
  readonly clock: Clock;
  /** The time of this machine, by which files have their age; for tests. */
  readonly wallNow?: () => number;
}

/** Objects as files. Every file begins with a line of content type and SHA-256, so that both change with its bytes. */
export interface LocalStore extends ObjectStore {
  readonly kind: 'local';
  /** What a request to PUT this key may do; a string says why it may do nothing. */
  permits(key: string, query: URLSearchParams): PutGrant | 'not signed by this service' | 'expired';
  /** A stored object, ready to be sent; the caller closes the file. */
  open(key: string): Promise<OpenObject | undefined>;
}

export interface OpenObject {
  readonly contentType: string;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly size: number;
  readonly file: FileHandle;
  /** Where the bytes begin in the file. */
  readonly start: number;
}

const HEADER = /^([ -~]{1,100}) ([0-9a-f]{64})\n/;
const MAX_HEADER = 166;
const HOUR_MS = 60 * 60_000;
/** An upload that has not been published by then is deleted. */
const KEEP_UPLOADS_MS = 24 * HOUR_MS;

/** Opens the folder for one process; removes what a killed one left unfinished. */
export function createLocalStore({
  dir,
  secret,
  publicUrl,
  clock,
  wallNow = createClock().now,
}: LocalStoreDeps): LocalStore {
  const temporary = join(dir, '.unfinished');
  const pathOf = (key: string): string => join(dir, ...requireKey(key).split('/'));
  const urlOf = (key: string): string => `${publicUrl()}/objects/${requireKey(key)}`;
  let tidiedAt = wallNow();
  rmSync(temporary, { recursive: true, force: true });

  /** Runs every hour; a file that cannot be deleted does not block uploads. */
  async function tidy(): Promise<void> {
    if (wallNow() - tidiedAt < HOUR_MS) return;
    tidiedAt = wallNow();
    await deleteOlder(join(dir, INCOMING), tidiedAt - KEEP_UPLOADS_MS).catch(() => {});
  }

  return {
    kind: 'local',
    publicUrl: urlOf,
    open: async (key) => openFile(pathOf(key)),
    async presignPut({ key, contentType, length, expiresInSeconds, uploader = '' }) {
      const expiresUnixSeconds = Math.floor(clock.now() / 1000) + expiresInSeconds;
      const grant = { key, contentType, length, expiresUnixSeconds, uploader: nameOf(uploader) };
      return `${urlOf(key)}?${signPut(secret, grant)}`;
    },
    permits(key, query) {
      const grant = verifyPut(secret, key, query);
      if (!grant) return 'not signed by this service';
      return clock.now() < grant.expiresUnixSeconds * 1000 ? grant : 'expired';
    },
    async put(key, object) {
      const path = pathOf(key);
      await reaching('write', async () => {
        await tidy();
        const folders = [temporary, dirname(path)];
        for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeWhole(join(temporary, randomBytes(12).toString('hex')), path, object);
      });
    },
    async head(key) {
      const found = await openFile(pathOf(key));
      await found?.file.close();
      return found && { contentType: found.contentType, size: found.size };
    },
    async get(key, maxBytes) {
      const found = await openFile(pathOf(key));
      if (!found) return undefined;
      try {
        requireSize(found.size, maxBytes);
        const bytes = await reaching('read', () => readRest(found));
        return { contentType: found.contentType, bytes };
      } finally {
        await found.file.close();
      }
    },
    async delete(key) {
      const path = pathOf(key);
      await reaching('delete', () => unlink(path).catch(unlessMissing));
    },
    close: async () => {},
  };
}

/** The URL of an upload goes to whoever has the file, who need not know the id of the key. */
function nameOf(uploader: string): string {
  return createHash('sha256').update(uploader).digest('base64url').slice(0, 16);
}

/** The caller closes the file. */
function openFile(path: string): Promise<OpenObject | undefined> {
  return reaching('read', async () => {
    const file = await open(path, 'r').catch(unlessMissing);
    if (!file) return undefined;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0);
      const [header, contentType, hash] = HEADER.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
      if (header === undefined) throw new Error(`${path} does not begin with a content type and a hash`);
      const size = (await file.stat()).size - header.length;
      return { contentType: contentType!, hash: hash!, size, file, start: header.length };
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}

/** Readers see all of the old bytes or all of the new ones, even after a crash of the machine. */
async function writeWhole(temporary: string, path: string, { contentType, bytes }: StoredObject): Promise<void> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${contentType} ${hash}\n`);
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close();
    await unlink(temporary).catch(unlessMissing);
    throw error;
  }
  await syncFolder(dirname(path));
}

async function readRest({ file, start, size }: OpenObject): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, start);
  return bytes.subarray(0, bytesRead);
}

async function deleteOlder(folder: string, before: number): Promise<void> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(unlessMissing)) ?? [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(unlessMissing);
    if (found && found.mtimeMs < before) await unlink(path).catch(unlessMissing);
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function reaching<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Outage('STORAGE_UNAVAILABLE', `the folder of objects: cannot ${what} (${message})`, {
      cause: error,
      told: code === 'ENOSPC' ? 'The storage of files is full' : undefined,
    });
  }
}
