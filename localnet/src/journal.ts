import type { Address } from '@slipway/wire';
import { type AccountChange, AccountReader, encodeChanges, readChange } from './account-codec.js';
import { type ChainState, decodeState, encodeState } from './chain-state.js';
import { FrameFile } from './frame-file.js';
import type { Account } from './types.js';

const START = 0;
const CHANGES = 1;
const STATE = 2;
const CHANGES_HEAD = 1 + 1 + 8 + 8;

/** One commit: accounts that were written together, by a transaction or otherwise. */
interface Commit {
  slot: bigint;
  transaction: boolean;
  /** Where the history ends once this is done: what stands behind it was never confirmed. */
  historyEnd: number;
  changes: AccountChange[];
}

/** What replaying a journal does. */
interface JournalVisitor {
  lookup(address: Address): Account | undefined;
  set(address: Address, account: Account | undefined): void;
  commit(commit: Omit<Commit, 'changes'>): void;
  state(state: ChainState): void;
}

/** Everything that happened since the snapshot of the same generation. A record counts whole or not at all. */
export class Journal {
  readonly #file: FrameFile;

  private constructor(file: FrameFile) {
    this.#file = file;
  }

  /** Begins an empty journal at `path`, where there must be no file. */
  static create(path: string, generation: number): Journal {
    const file = FrameFile.open(path, () => false);
    const start = Buffer.alloc(5);
    start.writeUInt8(START);
    start.writeUInt32LE(generation, 1);
    file.append(start);
    return new Journal(file);
  }

  /** Replays a journal up to the first record that is torn; undefined when it does not belong to the generation. */
  static open(path: string, generation: number, visitor: JournalVisitor): Journal | undefined {
    let belongs = false;
    const file = FrameFile.open(path, (payload, offset) => {
      if (offset > 0) replay(payload, visitor);
      else belongs = payload[0] === START && payload.readUInt32LE(1) === generation;
      return belongs;
    });
    if (belongs) return new Journal(file);
    file.close();
    return undefined;
  }

  get size(): number {
    return this.#file.size;
  }

  commit({ slot, transaction, historyEnd, changes }: Commit): void {
    const head = Buffer.alloc(CHANGES_HEAD);
    head.writeUInt8(CHANGES);
    head.writeUInt8(transaction ? 1 : 0, 1);
    head.writeBigUInt64LE(slot, 2);
    head.writeBigUInt64LE(BigInt(historyEnd), 10);
    this.#file.append(Buffer.concat([head, encodeChanges(changes)]));
  }

  state(state: ChainState): void {
    this.#file.append(Buffer.concat([Buffer.of(STATE), encodeState(state)]));
  }

  assertWritable(): void {
    this.#file.assertWritable();
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}

function replay(payload: Buffer, visitor: JournalVisitor): void {
  if (payload[0] === STATE) {
    visitor.state(decodeState(payload.subarray(1)));
    return;
  }
  const reader = new AccountReader(payload, CHANGES_HEAD);
  while (reader.position < payload.length) {
    const { address, account } = readChange(reader, visitor.lookup);
    visitor.set(address, account);
  }
  visitor.commit({
    transaction: payload[1] === 1,
    slot: payload.readBigUInt64LE(2),
    historyEnd: Number(payload.readBigUInt64LE(10)),
  });
}
