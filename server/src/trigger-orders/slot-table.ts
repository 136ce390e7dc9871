import type { Leg } from './order.js';

const FIRST_CAPACITY = 1024;

/**
 * The data of all triggers, in columns: objects would take several times the memory at a million orders. A slot is a
 * row number; the slots of one order are linked by `next`.
 */
export class SlotTable {
  /** The sort key in a heap. */
  key = new Float64Array(FIRST_CAPACITY);
  /** The slot's position in its heap. */
  position = new Int32Array(FIRST_CAPACITY);
  /** The next slot of the same order, or -1; for a free slot, the next free one. */
  next = new Int32Array(FIRST_CAPACITY);
  readonly order: string[] = [];
  readonly leg: Leg[] = [];
  /** The heap or the trailing group that holds the slot. */
  readonly holder: ({ remove(slot: number): void } | undefined)[] = [];
  private firstFree = -1;
  private used = 0;

  allocate(order: string, leg: Leg, holder: { remove(slot: number): void }, next: number): number {
    let slot = this.firstFree;
    if (slot >= 0) this.firstFree = this.next[slot]!;
    else {
      slot = this.used;
      this.used += 1;
      if (slot === this.key.length) this.grow();
    }
    this.order[slot] = order;
    this.leg[slot] = leg;
    this.holder[slot] = holder;
    this.next[slot] = next;
    return slot;
  }

  free(slot: number): void {
    // A group that is empty must not stay for it.
    this.holder[slot] = undefined;
    this.next[slot] = this.firstFree;
    this.firstFree = slot;
  }

  private grow(): void {
    const capacity = 2 * this.key.length;
    const [key, position, next] = [new Float64Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
    key.set(this.key);
    position.set(this.position);
    next.set(this.next);
    Object.assign(this, { key, position, next });
  }
}
