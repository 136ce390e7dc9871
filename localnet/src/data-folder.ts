import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '@slipway/wire';
import type { AccountChange } from './account-codec.js';
import { ChainError } from './chain-error.js';
import type { ChainState } from './chain-state.js';
import { FrameFile } from './frame-file.js';
import { HISTORY_LIMIT, History } from './history.js';
import { Journal } from './journal.js';
import { lockFolder } from './lock.js';
import { readSnapshot, syncFolder, writeSnapshot } from './snapshot.js';
import type { ChainContents, Execution, Storage } from './storage.js';
import type { Account } from './types.js';

/** Bytes of the journal from which on it is time for a new snapshot. */
const LONG_JOURNAL = 128 << 20;
/** At a start and at the end a shorter journal is worth a snapshot: it is what the next start has to replay. */
const LONG_JOURNAL_AT_REST = 16 << 20;

const HISTORY_NAME = /^transactions-(\d+)\.bin$/;

/** What a folder held. */
export interface LoadedChain extends ChainContents {
  accounts: Map<Address, Account>;
  deleted: Set<Address>;
}

/**
 * A chain's state in a folder:
 *
 * - `snapshot.bin`: all accounts at one moment;
 * - `journal.bin`: every commit since then, in order. A commit is done when its record is written, with one call;
 * - `transactions-<n>.bin`: all executed transactions. A record here is written before the journal's, which says
 *   where this file ends: what a crash has left behind that place was never confirmed, and is cut off;
 * - `lock`: the process that has the folder.
 *
 * A new snapshot replaces the old one by a rename; from then on the old journal does not belong to it (it carries
 * another generation) and counts for nothing, so a crash between any two steps is safe.
 */
export class DataFolder implements Storage {
  readonly #path: string;
  readonly #historyLimit: number;
  readonly #unlock: () => void;
  #historyFrames: FrameFile;
  #historyFile: number;
  #history: History;
  #generation: number;
  #journal: Journal | undefined;

  private constructor(path: string, historyLimit: number, unlock: () => void, files: OpenFiles) {
    this.#path = path;
    this.#historyLimit = historyLimit;
    this.#unlock = unlock;
    this.#generation = files.generation;
    this.#historyFile = files.historyFile;
    this.#historyFrames = files.historyFrames;
    this.#history = files.history;
    this.#journal = files.journal;
  }

  /**
   * Opens a folder, made when it is not there, and locks it. Throws a ChainError of the kind `data` when the folder is
   * in use or cannot be read. An empty one takes no commits before the first `compact`.
   */
  static open(path: string, historyLimit = HISTORY_LIMIT): { folder: DataFolder; loaded: LoadedChain | undefined } {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const unlock = lockFolder(path);
    try {
      const { files, loaded } = load(path, historyLimit);
      const folder = new DataFolder(path, historyLimit, unlock, files);
      if (loaded && !files.journal) folder.#startJournal();
      else if (loaded && folder.#isWorthASnapshot()) folder.compact(loaded);
      folder.#removeLeftovers();
      return { folder, loaded };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  get history(): History {
    return this.#history;
  }

  get isLong(): boolean {
    return this.#journal !== undefined && this.#journal.size > LONG_JOURNAL;
  }

  commit(slot: bigint, changes: AccountChange[], execution?: Execution): void {
    const journal = this.#openJournal();
    const historyStart = this.#historyFrames.size;
    let stored: { record: Buffer; offset: number } | undefined;
    try {
      if (execution) stored = this.#history.store(execution.transaction, execution.accounts, execution.memo);
      const historyEnd = this.#historyFrames.size;
      journal.commit({ slot, transaction: execution !== undefined, historyEnd, changes });
    } catch (error) {
      this.#historyFrames.truncate(historyStart);
      throw cannotWrite(error);
    }
    if (stored) this.#history.index(stored.record, stored.offset);
  }

  saveState(state: ChainState): void {
    this.#openJournal().state(state);
  }

  assertWritable(): void {
    try {
      this.#openJournal().assertWritable();
    } catch (error) {
      throw cannotWrite(error);
    }
  }

  compact(contents: ChainContents): void {
    this.#historyFrames.sync();
    const history = this.#shortenedHistory();
    const generation = this.#generation + 1;
    try {
      writeSnapshot(join(this.#path, 'snapshot.bin'), {
        ...contents,
        generation,
        historyFile: history?.file ?? this.#historyFile,
        historyEnd: (history?.frames ?? this.#historyFrames).size,
      });
    } catch (error) {
      history?.frames.close();
      throw error;
    }
    this.#journal?.close();
    this.#journal = undefined;
    this.#generation = generation;
    this.#startJournal();
    if (!history) return;
    this.#historyFrames.close();
    this.#historyFrames = history.frames;
    this.#history = history.history;
    this.#historyFile = history.file;
    this.#removeLeftovers();
  }

  close(contents: ChainContents): void {
    if (this.#isWorthASnapshot()) this.compact(contents);
    this.#historyFrames.sync();
    this.#journal?.sync();
    this.abandon();
  }

  /** Gives the folder back as it is. */
  abandon(): void {
    this.#journal?.close();
    this.#historyFrames.close();
    this.#unlock();
  }

  #isWorthASnapshot(): boolean {
    return this.#journal !== undefined && this.#journal.size > LONG_JOURNAL_AT_REST;
  }

  #openJournal(): Journal {
    if (!this.#journal) throw new Error('nothing can be written before the first snapshot');
    return this.#journal;
  }

  #startJournal(): void {
    const path = join(this.#path, 'journal.bin');
    rmSync(path, { force: true });
    this.#journal = Journal.create(path, this.#generation);
    syncFolder(this.#path);
  }

  /** Copies the transactions that are still wanted to a new file, where many at its beginning are not. */
  #shortenedHistory(): { frames: FrameFile; history: History; file: number } | undefined {
    const unwanted = this.#history.firstOffset;
    if (unwanted === 0 || unwanted < this.#historyFrames.size / 4) return undefined;
    const file = this.#historyFile + 1;
    const path = historyPath(this.#path, file);
    rmSync(path, { force: true });
    const frames = FrameFile.open(path, () => true);
    const history = new History(this.#historyLimit);
    history.frames = frames;
    try {
      for (const record of this.#history.records()) history.index(record, frames.append(record));
      frames.sync();
    } catch (error) {
      // On a full disk, say: else each further try would keep one more file open, and its space.
      frames.close();
      throw error;
    }
    return { frames, history, file };
  }

  #removeLeftovers(): void {
    for (const name of readdirSync(this.#path)) {
      const number = HISTORY_NAME.exec(name)?.[1];
      const isOldHistory = number !== undefined && Number(number) !== this.#historyFile;
      if (isOldHistory || name === 'snapshot.bin.new') rmSync(join(this.#path, name));
    }
  }
}

interface OpenFiles {
  generation: number;
  historyFile: number;
  historyFrames: FrameFile;
  history: History;
  journal: Journal | undefined;
}

function load(path: string, historyLimit: number): { files: OpenFiles; loaded: LoadedChain | undefined } {
  const snapshot = readSnapshot(join(path, 'snapshot.bin'));
  if (!snapshot) {
    // Whatever else is there was left by a start that did not get as far as its first snapshot.
    rmSync(historyPath(path, 0), { force: true });
    return {
      files: { generation: 0, historyFile: 0, journal: undefined, ...openHistory(path, 0, 0, historyLimit) },
      loaded: undefined,
    };
  }
  const { generation, historyFile } = snapshot;
  const loaded = { state: snapshot.state, accounts: snapshot.accounts, deleted: new Set(snapshot.deleted) };
  let { historyEnd } = snapshot;
  const journal = Journal.open(join(path, 'journal.bin'), generation, {
    lookup: (address) => loaded.accounts.get(address),
    set: (address, account) => setLoaded(loaded, address, account),
    commit(commit) {
      historyEnd = commit.historyEnd;
      if (commit.slot > loaded.state.lastSlot) loaded.state.lastSlot = commit.slot;
      if (commit.transaction) loaded.state.transactionCount += 1n;
    },
    state: (state) => {
      loaded.state = state;
    },
  });
  const files = { generation, historyFile, journal, ...openHistory(path, historyFile, historyEnd, historyLimit) };
  return { files, loaded };
}

function setLoaded(loaded: LoadedChain, address: Address, account: Account | undefined): void {
  if (account) {
    loaded.accounts.set(address, account);
    loaded.deleted.delete(address);
    return;
  }
  loaded.accounts.delete(address);
  // Only a fork must know what was deleted: everywhere else a missing account is one that is not there.
  if (loaded.state.fork) loaded.deleted.add(address);
}

function openHistory(
  path: string,
  file: number,
  end: number,
  limit: number,
): { historyFrames: FrameFile; history: History } {
  const history = new History(limit);
  const visit = (record: Buffer, offset: number) => {
    history.index(record, offset);
    return true;
  };
  const historyFrames = FrameFile.open(historyPath(path, file), visit, end);
  history.frames = historyFrames;
  return { historyFrames, history };
}

function historyPath(folder: string, file: number): string {
  return join(folder, `transactions-${file}.bin`);
}

/** Names no path: over HTTP everybody reads it. */
function cannotWrite(error: unknown): ChainError {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? message);
  return new ChainError('data', `the chain cannot write to its data folder: ${reason}`);
}
