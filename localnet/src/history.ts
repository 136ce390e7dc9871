import { type Address, base58Decode, base58Encode, writeAddress } from '@slipway/wire';
import { rawKey } from './bytes.js';
import { FrameMemory, type Frames } from './frame-file.js';
import { decodeRecord, encodeRecord, type IndexedPart, readIndexedPart } from './history-codec.js';
import type { SignatureRow, SignatureStatus, StoredTransaction } from './types.js';

/** Transactions that are kept; a tenth more may be there before the oldest go. */
export const HISTORY_LIMIT = 500_000;

interface Entry extends Omit<IndexedPart, 'keys' | 'wire'> {
  sequence: number;
  offset: number;
}

/** All executed transactions, by signature and by account. Their bytes stay in the frames until they are asked for. */
export class History {
  readonly #limit: number;
  readonly #onDrop: (offset: number) => void;
  readonly #bySignature = new Map<string, Entry>();
  readonly #byAccount = new Map<string, number[]>();
  #frames: Frames = new FrameMemory();
  #entries: Entry[] = [];
  #sequence = 0;

  constructor(limit: number, onDrop: (offset: number) => void = () => {}) {
    this.#limit = limit;
    this.#onDrop = onDrop;
  }

  /** Where the records are: a file is indexed while it is opened, and read from afterwards. */
  set frames(frames: Frames) {
    this.#frames = frames;
  }

  /** The offset of the oldest transaction kept; the frames before it are not needed. */
  get firstOffset(): number {
    return this.#entries[0]?.offset ?? this.#frames.size;
  }

  /** Takes a record that is in the frames already into the index. */
  index(record: Buffer, offset: number): void {
    const { keys, wire, ...part } = readIndexedPart(record);
    const entry: Entry = { ...part, offset, sequence: this.#sequence++ };
    this.#entries.push(entry);
    this.#bySignature.set(entry.signature, entry);
    for (let position = 0; position < keys.length; position += 32) {
      const key = rawKey(keys, position);
      const sequences = this.#byAccount.get(key);
      if (sequences) sequences.push(entry.sequence);
      else this.#byAccount.set(key, [entry.sequence]);
    }
    if (this.#entries.length > this.#limit * 1.1) this.#dropOldest();
  }

  /** Stores a transaction. It is not in the index before `index` is called with what this answers. */
  store(transaction: StoredTransaction, accounts: Address[], memo: string | null): { record: Buffer; offset: number } {
    const record = encodeRecord(transaction, accounts, memo);
    return { record, offset: this.#frames.append(record) };
  }

  status(signature: string): SignatureStatus | undefined {
    const entry = this.#find(signature);
    return entry && { slot: BigInt(entry.slot), err: entry.err };
  }

  transaction(signature: string): StoredTransaction | undefined {
    const entry = this.#find(signature);
    return entry && decodeRecord(this.#frames.read(entry.offset));
  }

  /** Newest first; `before` and `until` are signatures and do not belong to the answer themselves. */
  signaturesFor(
    account: Address,
    options: { before?: string; until?: string; limit: number },
    blockTime: (slot: bigint) => bigint,
  ): SignatureRow[] {
    const before = options.before === undefined ? Number.POSITIVE_INFINITY : this.#find(options.before)?.sequence;
    if (before === undefined) return [];
    const until = options.until === undefined ? -1 : (this.#find(options.until)?.sequence ?? -1);
    const sequences = this.#byAccount.get(keyOf(account)) ?? [];
    const rows: SignatureRow[] = [];
    for (let i = sequences.length - 1; i >= 0 && rows.length < options.limit; i--) {
      const sequence = sequences[i]!;
      if (sequence >= before) continue;
      if (sequence <= until) break;
      const entry = this.#entries[sequence - this.#entries[0]!.sequence]!;
      const slot = BigInt(entry.slot);
      const signature = base58Encode(Buffer.from(entry.signature, 'latin1'));
      rows.push({ signature, slot, err: entry.err, memo: entry.memo, blockTime: blockTime(slot) });
    }
    return rows;
  }

  /** The bytes of the transactions since a slot, newest first. */
  *wiresSince(slot: bigint): Generator<{ wire: Uint8Array; slot: bigint }> {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!;
      if (BigInt(entry.slot) < slot) return;
      yield { wire: readIndexedPart(this.#frames.read(entry.offset)).wire, slot: BigInt(entry.slot) };
    }
  }

  /** All records, oldest first. */
  *records(): Generator<Buffer> {
    for (const { offset } of this.#entries) yield this.#frames.read(offset);
  }

  #find(signature: string): Entry | undefined {
    const bytes = base58Decode(signature);
    return bytes?.length === 64 ? this.#bySignature.get(Buffer.from(bytes).toString('latin1')) : undefined;
  }

  #dropOldest(): void {
    const dropped = this.#entries.splice(0, this.#entries.length - this.#limit);
    for (const { signature, offset } of dropped) {
      this.#bySignature.delete(signature);
      this.#onDrop(offset);
    }
    const first = this.#entries[0]!.sequence;
    for (const [key, sequences] of this.#byAccount) {
      if (sequences[0]! >= first) continue;
      const kept = sequences.filter((sequence) => sequence >= first);
      if (kept.length > 0) this.#byAccount.set(key, kept);
      else this.#byAccount.delete(key);
    }
  }
}

const scratch = Buffer.alloc(32);

function keyOf(address: Address): string {
  writeAddress(address, scratch, 0);
  return rawKey(scratch);
}
