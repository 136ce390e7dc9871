import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chained, chained, whyBroken } from '../lib/hash-chain.js';
import { syncFolder } from '../lib/sync-folder.js';
import { PrivateFileError } from './private-file.js';

/** Something that a signer has done, or refused. A field that does not apply is left out. */
export interface SignerAct {
  /** In UTC, as ISO 8601 writes it. */
  at: string;
  /** Who has asked, by the name in the settings of the signer. */
  caller: string;
  act: string;
  /** The request that the caller says this is for. */
  request?: string;
  /** SHA-256, in hex, of the bytes that were signed. */
  digest?: string;
  /** By the name of each key, in base58: what finds the transaction on the chain. */
  signatures?: Readonly<Record<string, string>>;
  /** Of a login, or an order's seal. */
  wallet?: string;
  /** The key whose policy does not allow it. */
  key?: string;
  /** Why it was not done. */
  refused?: string;
  /** Refusals of this caller before this entry that have none of their own: see `REFUSAL_MS`. */
  unlisted?: number;
}

/** The last entry that a reader or writer has seen. */
export interface RecordEnd {
  seq: number;
  hash: string;
}

/** A file a day, so that an operator can take old ones away. */
const NAME = /^record-\d{4}-\d\d-\d\d\.jsonl$/;
const MOST_LINE_BYTES = 64 * 1024;
const SYNC_MS = 1_000;
/** A caller that was broken into can be refused as often as it likes: one entry in this time. */
const REFUSAL_MS = 1_000;

type Line = Chained<SignerAct>;

interface Waiting {
  act: SignerAct;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * The append-only record of what a signer has done, chained by hashes. An entry is in the file before `append` resolves,
 * and on the disk within a second.
 */
export class SignerRecord {
  readonly #folder: string;
  readonly #refusals = new Map<string, { at: number; unlisted: number }>();
  #end: RecordEnd | undefined;
  /** The day whose file is written: one before would stand in the wrong order. */
  #day: string;
  #file: { name: string; handle: FileHandle; length: number } | undefined;
  #waiting: Waiting[] = [];
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #isUnsynced = false;
  readonly #sync: NodeJS.Timeout;

  private constructor(folder: string, end: RecordEnd | undefined, day: string) {
    this.#folder = folder;
    this.#end = end;
    this.#day = day;
    this.#sync = setInterval(() => void this.#syncNow().catch(() => {}), SYNC_MS);
    this.#sync.unref();
  }

  /** Goes on with the record in a folder. @throws PrivateFileError when its last entry cannot be read */
  static async open(folder: string): Promise<SignerRecord> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const newest = (await filesOf(folder)).at(-1);
    return new SignerRecord(folder, await endOf(folder), newest?.slice('record-'.length, -'.jsonl'.length) ?? '');
  }

  /** @throws Error when it cannot be written: then it must not be done either */
  append(act: SignerAct): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act, resolve, reject });
      if (!this.#isWriting) this.#written = this.#writeAll();
    });
  }

  /** Appends a refusal, or counts it where the caller has had one a moment ago. @throws like `append` */
  async refuse(act: SignerAct): Promise<void> {
    const now = performance.now();
    const before = this.#refusals.get(act.caller);
    if (before && now - before.at < REFUSAL_MS) {
      before.unlisted++;
      return;
    }
    this.#refusals.set(act.caller, { at: now, unlisted: 0 });
    await this.append(before?.unlisted ? { ...act, unlisted: before.unlisted } : act);
  }

  async close(): Promise<void> {
    clearInterval(this.#sync);
    await this.#written;
    await this.#syncNow();
    await this.#file?.handle.close();
    this.#file = undefined;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const day = dayOf(this.#waiting[0]!.act);
      // Those of one day: they go into one file.
      const next = this.#waiting.findIndex(({ act }) => dayOf(act) !== day);
      const group = this.#waiting.splice(0, next < 0 ? this.#waiting.length : next);
      if (day > this.#day) this.#day = day;
      try {
        await this.#write(`record-${this.#day}.jsonl`, group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error as Error);
      }
    }
    this.#isWriting = false;
  }

  async #write(name: string, group: readonly Waiting[]): Promise<void> {
    const file = await this.#open(name);
    const lines: Line[] = [];
    for (const { act } of group) lines.push(chained(act, lines.at(-1) ?? this.#end));
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    try {
      await file.handle.appendFile(bytes);
    } catch (error) {
      // Part of it may be there. Should this fail too, the next one tries it again.
      this.#file = undefined;
      await file.handle.truncate(file.length).catch(() => {});
      await file.handle.close().catch(() => {});
      throw error;
    }
    file.length += bytes.length;
    this.#end = lines.at(-1);
    this.#isUnsynced = true;
  }

  async #open(name: string): Promise<{ handle: FileHandle; length: number }> {
    if (this.#file?.name === name) return this.#file;
    await this.#syncNow();
    await this.#file?.handle.close();
    this.#file = undefined;
    const path = join(this.#folder, name);
    await cutTorn(path);
    const handle = await open(path, 'a', 0o600);
    const { size } = await handle.stat();
    if (size === 0) await syncFolder(this.#folder);
    this.#file = { name, handle, length: size };
    return this.#file;
  }

  async #syncNow(): Promise<void> {
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    await this.#file?.handle.datasync();
  }
}

/** SHA-256 in hex, as an entry names what was signed. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The entries of the record in a folder, the oldest first. @throws PrivateFileError for a line that is no entry */
export async function* readRecord(folder: string): AsyncGenerator<Line> {
  for (const name of await filesOf(folder)) {
    let [at, rest] = [0, ''];
    for await (const chunk of createReadStream(join(folder, name), 'utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield parseLine(line, `line ${++at} of ${name}`);
    }
    if (rest !== '') yield parseLine(rest, `line ${++at} of ${name}`);
  }
}

/**
 * Reads the whole record: what is wrong with it, if anything, and with which entries it begins and ends. Old files may be
 * taken away, so that it may begin with any number.
 * @param noted an entry that must be in it
 */
export async function verifyRecord(
  folder: string,
  noted?: RecordEnd,
): Promise<{ fault?: string; first?: number; end?: RecordEnd }> {
  let [first, end]: [number | undefined, RecordEnd | undefined] = [undefined, undefined];
  let isNoted = noted === undefined;
  const result = (fault?: string) => ({
    ...(fault !== undefined && { fault }),
    ...(first !== undefined && { first }),
    ...(end && { end: { seq: end.seq, hash: end.hash } }),
  });
  try {
    for await (const line of readRecord(folder)) {
      first ??= line.seq;
      const before = end ?? (line.seq > 1 ? { seq: line.seq - 1, hash: line.prev } : undefined);
      const fault = whyBroken(line, before);
      if (fault !== undefined) return result(fault);
      isNoted ||= line.seq === noted?.seq && line.hash === noted.hash;
      end = line;
    }
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return result(error.message);
  }
  return result(isNoted ? undefined : `it does not have number ${noted!.seq} as it was noted`);
}

const dayOf = ({ at }: SignerAct): string => at.slice(0, 10);

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new PrivateFileError(`${folder} cannot be read (${error.code ?? 'unknown error'})`, { cause: error });
  });
  return names.filter((name) => NAME.test(name)).sort();
}

/** The last entry of the newest file that has one. */
async function endOf(folder: string): Promise<RecordEnd | undefined> {
  for (const name of (await filesOf(folder)).reverse()) {
    const path = join(folder, name);
    await cutTorn(path);
    const last = await lastLineOf(path);
    if (last === undefined) continue;
    const { seq, hash } = parseLine(last, `the last line of ${name}`);
    return { seq, hash };
  }
  return undefined;
}

/** Cuts off a line that the machine did not finish before it stopped. */
async function cutTorn(path: string): Promise<void> {
  const handle = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    const { tail, from } = await tailOf(handle);
    const whole = tail.lastIndexOf(0x0a) + 1;
    if (whole < tail.length) await handle.truncate(from + whole);
  } finally {
    await handle.close();
  }
}

async function lastLineOf(path: string): Promise<string | undefined> {
  const handle = await open(path, 'r');
  try {
    const lines = (await tailOf(handle)).tail.toString('utf8').split('\n');
    return lines.at(-2);
  } finally {
    await handle.close();
  }
}

async function tailOf(handle: FileHandle): Promise<{ tail: Buffer; from: number }> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - MOST_LINE_BYTES);
  const tail = Buffer.alloc(size - from);
  await handle.read(tail, 0, tail.length, from);
  return { tail, from };
}

function parseLine(line: string, place: string): Line {
  try {
    const { seq, prev, hash, entry } = JSON.parse(line) as Partial<Line>;
    const isEntry = Number.isSafeInteger(seq) && typeof prev === 'string' && typeof hash === 'string';
    if (isEntry && typeof entry === 'object' && entry !== null) return { seq: seq!, prev, hash, entry };
  } catch {}
  throw new PrivateFileError(`${place} is no entry of a record`);
}
