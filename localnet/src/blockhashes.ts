import { hash } from 'node:crypto';
import { base58Encode } from '@slipway/wire';

/** A blockhash can be used in the slots up to this many after its own. */
export const MAX_BLOCKHASH_AGE = 150n;

const SLOT_HASHES = 512;
const ENTRY_LENGTH = 40;

/** The blockhashes of a chain: each follows from the chain's seed and the slot, so that they survive a restart. */
export class Blockhashes {
  readonly #seed: Uint8Array;
  readonly #slots = new Map<string, bigint>();
  #sysvar: Buffer = Buffer.alloc(8);
  #slot: bigint;
  #latest = '';

  constructor(seed: Uint8Array, slot: bigint) {
    this.#seed = seed;
    this.#slot = slot > BigInt(SLOT_HASHES) ? slot - BigInt(SLOT_HASHES) : -1n;
    this.moveTo(slot);
  }

  /** The hash of the current slot, in base58. */
  get latest(): string {
    return this.#latest;
  }

  /**
   * The bytes of the `SlotHashes` sysvar: the last 512 slots, newest first. The current one is among them: a client
   * that makes a lookup table names the slot it has just asked for, which validators have left behind by then.
   */
  get slotHashes(): Buffer {
    return this.#sysvar;
  }

  /** The slot of a blockhash that can still be used. */
  slotOf(blockhash: string): bigint | undefined {
    return this.#slots.get(blockhash);
  }

  /** Goes on to a later slot. */
  moveTo(slot: bigint): void {
    const gap = slot - this.#slot;
    const count = gap > SLOT_HASHES ? SLOT_HASHES : Number(gap);
    const entries = Buffer.alloc(count * ENTRY_LENGTH);
    for (let i = 0; i < count; i++) {
      const entrySlot = slot - BigInt(i);
      entries.writeBigUInt64LE(entrySlot, i * ENTRY_LENGTH);
      entries.set(this.#hashOf(entrySlot), i * ENTRY_LENGTH + 8);
    }
    const kept = Math.min(SLOT_HASHES - count, (this.#sysvar.length - 8) / ENTRY_LENGTH);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(count + kept));
    this.#sysvar = Buffer.concat([length, entries, this.#sysvar.subarray(8, 8 + kept * ENTRY_LENGTH)]);
    this.#slot = slot;
    this.#refreshUsable(entries);
  }

  #refreshUsable(entries: Buffer): void {
    const usable = Math.min(entries.length / ENTRY_LENGTH, Number(MAX_BLOCKHASH_AGE) + 1);
    // Oldest first, so that the map stays in the order of slots and the oldest can be dropped from its front.
    for (let i = usable - 1; i >= 0; i--) {
      const start = i * ENTRY_LENGTH;
      this.#latest = base58Encode(entries.subarray(start + 8, start + ENTRY_LENGTH));
      this.#slots.set(this.#latest, entries.readBigUInt64LE(start));
    }
    for (const [blockhash, slot] of this.#slots) {
      if (this.#slot - slot <= MAX_BLOCKHASH_AGE) break;
      this.#slots.delete(blockhash);
    }
  }

  #hashOf(slot: bigint): Buffer {
    const input = Buffer.alloc(this.#seed.length + 8);
    input.set(this.#seed);
    input.writeBigUInt64LE(slot, this.#seed.length);
    return hash('sha256', input, 'buffer');
  }
}
