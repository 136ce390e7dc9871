import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chained, chained, whyBroken } from '../lib/hash-chain.js';
import { PrivateFileError } from './private-file.js';
import type { StoppedHere } from './stop-file.js';

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
  /** What the copies of this caller have said to be stopped, and why. */
  stopped?: StoppedHere;
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

/**
 * The append-only record of what a signer has done, chained by hashes. An entry is in the file when `append` returns, and on
 * the disk within a second. Once the disk has not taken one, nothing is appended any more: what it has dropped, no later
 * flush would find.
 */
export class SignerRecord {
  readonly #folder: string;
  readonly #refusals = new Map<string, { at: number; unlisted: number }>();
  readonly #syncing: NodeJS.Timeout;
  #end: RecordEnd | undefined;
  /** The day whose file is written: one before would stand in the wrong order. */
  #day: string;
  #file: { day: string; fd: number } | undefined;
  #isUnsynced = false;
  /** The file, while it goes to the disk. */
  #flushing: { fd: number } | undefined;
  #fault: string | undefined;
  /** Why the last entry is not in the file; the next one may be. */
  #whyUnwritten: string | undefined;
  readonly #failed: (why: string) => void;

  private constructor(
    folder: string,
    { end, day, failed }: { end: RecordEnd | undefined; day: string; failed: (why: string) => void },
  ) {
    this.#folder = folder;
    this.#end = end;
    this.#day = day;
    this.#failed = failed;
    this.#syncing = setInterval(() => this.#sync(), SYNC_MS);
    this.#syncing.unref();
  }

  /**
   * Goes on with the record in a folder. `failed` is told once why entries may not be on the disk.
   * @throws PrivateFileError when its last entry cannot be read
   */
  static async open(folder: string, failed: (why: string) => void): Promise<SignerRecord> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const newest = (await filesOf(folder)).at(-1);
    const day = newest?.slice('record-'.length, -'.jsonl'.length) ?? '';
    return new SignerRecord(folder, { end: await endOf(folder), day, failed });
  }

  /** Why nothing can be appended, if so: until the signer has started again, or until the disk takes entries again. */
  get fault(): string | undefined {
    return this.#fault ?? this.#whyUnwritten;
  }

  /** Where the last entry could not be written, tries to write another one: who hears of the fault may ask for none. */
  tryAgain(at: string): void {
    if (this.#fault !== undefined || this.#whyUnwritten === undefined) return;
    try {
      this.append({ at, caller: 'signer', act: 'go on' });
    } catch {
      // The fault says so.
    }
  }

  /** Opens the file that an entry of this time would go into. @throws Error when it would take none */
  ready(at: string): { fd: number } {
    if (this.#fault !== undefined) throw new Error(this.#fault);
    const day = at.slice(0, 10);
    if (day > this.#day) this.#day = day;
    try {
      return this.#fileOfDay();
    } catch (error) {
      throw this.#unwritten(error as Error);
    }
  }

  /** Waits for the file and not for the disk: that costs less than to come back to it. @throws Error when it cannot be written */
  append(act: SignerAct): void {
    const { fd } = this.ready(act.at);
    const line = chained(act, this.#end);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    } catch (error) {
      // Part of it may be there: it is cut off when the file is opened again, before anything else is written.
      this.#forgetFile();
      throw this.#unwritten(error as Error);
    }
    this.#whyUnwritten = undefined;
    this.#end = line;
    this.#isUnsynced = true;
  }

  /** Appends a refusal, or counts it where the caller has had one a moment ago. @throws like `append` */
  refuse(act: SignerAct): void {
    const now = performance.now();
    const before = this.#refusals.get(act.caller);
    if (before && now - before.at < REFUSAL_MS) {
      before.unlisted++;
      return;
    }
    this.#refusals.set(act.caller, { at: now, unlisted: 0 });
    this.append(before?.unlisted ? { ...act, unlisted: before.unlisted } : act);
  }

  close(): void {
    clearInterval(this.#syncing);
    try {
      this.#syncNow();
    } catch {
      // It was told.
    }
    this.#forgetFile();
  }

  #fileOfDay(): { fd: number } {
    if (this.#file?.day === this.#day) return this.#file;
    this.#syncNow();
    this.#forgetFile();
    const fd = openSync(join(this.#folder, `record-${this.#day}.jsonl`), 'a+', 0o600);
    try {
      cutTorn(fd);
      this.#file = { day: this.#day, fd };
      return this.#file;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  #forgetFile(): void {
    if (!this.#file) return;
    // Whoever opens the file again flushes what this did not.
    if (this.#flushing) this.#isUnsynced = true;
    this.#flushing = undefined;
    closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #sync(): void {
    const file = this.#file;
    if (!this.#isUnsynced || !file || this.#flushing) return;
    this.#isUnsynced = false;
    this.#flushing = file;
    fdatasync(file.fd, (error) => {
      // One that was closed meanwhile is flushed by whoever closed it.
      if (this.#flushing !== file) return;
      this.#flushing = undefined;
      if (error) this.#fail(error);
    });
  }

  /** @throws Error when the disk does not take it */
  #syncNow(): void {
    if (!this.#file || !(this.#isUnsynced || this.#flushing)) return;
    try {
      fdatasyncSync(this.#file.fd);
    } catch (error) {
      throw this.#fail(error as Error);
    }
    this.#isUnsynced = false;
    this.#flushing = undefined;
  }

  #unwritten(error: Error): Error {
    this.#whyUnwritten = `its record cannot be written (${error.message}): look at the disk`;
    return error;
  }

  #fail({ message }: Error): Error {
    if (this.#fault === undefined) {
      this.#fault = `its last entries may not be on the disk (${message}): look at the disk, and start the signer again`;
      this.#failed(this.#fault);
    }
    return new Error(this.#fault);
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
 * @throws PrivateFileError when there is no folder that can be read
 */
export async function verifyRecord(
  folder: string,
  noted?: RecordEnd,
): Promise<{ fault?: string; first?: number; end?: RecordEnd }> {
  let [first, end]: [number | undefined, RecordEnd | undefined] = [undefined, undefined];
  let isNoted = noted === undefined;
  await filesOf(folder);
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

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT' ? 'does not exist: a start of the signer makes it' : `cannot be read (${error.code})`;
    throw new PrivateFileError(`${folder} ${why}`, { cause: error });
  });
  return names.filter((name) => NAME.test(name)).sort();
}

/** The last entry of the newest file that has one. */
async function endOf(folder: string): Promise<RecordEnd | undefined> {
  for (const name of (await filesOf(folder)).reverse()) {
    const fd = openSync(join(folder, name), 'r+');
    try {
      const length = cutTorn(fd);
      const last = tailOf(fd, length).toString('utf8').split('\n').at(-2);
      if (last === undefined) continue;
      const { seq, hash } = parseLine(last, `the last line of ${name}`);
      return { seq, hash };
    } finally {
      closeSync(fd);
    }
  }
  return undefined;
}

/** Cuts off a line that was not finished, because the machine or the disk had no time or room. Returns the length. */
function cutTorn(fd: number): number {
  const { size } = fstatSync(fd);
  const tail = tailOf(fd, size);
  const length = size - tail.length + tail.lastIndexOf(0x0a) + 1;
  if (length < size) ftruncateSync(fd, length);
  return length;
}

function tailOf(fd: number, size: number): Buffer {
  const from = Math.max(0, size - MOST_LINE_BYTES);
  const tail = Buffer.alloc(size - from);
  readSync(fd, tail, 0, tail.length, from);
  return tail;
}

function parseLine(line: string, place: string): Line {
  try {
    const { seq, prev, hash, entry } = JSON.parse(line) as Partial<Line>;
    const isEntry = Number.isSafeInteger(seq) && typeof prev === 'string' && typeof hash === 'string';
    if (isEntry && typeof entry === 'object' && entry !== null) return { seq: seq!, prev, hash, entry };
  } catch {}
  throw new PrivateFileError(`${place} is no entry of a record`);
}
