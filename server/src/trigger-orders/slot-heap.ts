interface Numbers {
  [slot: number]: number;
}

/** A min-heap of slots by their key in the table. The table also stores each slot's position in its heap. */
export class SlotHeap {
  private readonly slots: number[] = [];

  constructor(private readonly table: { readonly key: Numbers; readonly position: Numbers }) {}

  /** The slot with the least key. */
  get first(): number | undefined {
    return this.slots[0];
  }

  /** The slots that `isIn` takes, in no order. It must take whatever has a lesser key than one that it takes. */
  *upTo(isIn: (slot: number) => boolean): Generator<number> {
    const places = [0];
    for (const at of places) {
      const slot = this.slots[at];
      if (slot === undefined || !isIn(slot)) continue;
      yield slot;
      places.push(2 * at + 1, 2 * at + 2);
    }
  }

  /** @throws RangeError where its key is NaN, which has no place among others */
  add(slot: number): void {
    if (Number.isNaN(this.table.key[slot])) throw new RangeError(`slot ${slot} has no key`);
    this.slots.push(slot);
    this.rise(this.slots.length - 1, slot);
  }

  /** Removes a slot, which must be in this heap. */
  remove(slot: number): void {
    const at = this.table.position[slot]!;
    const last = this.slots.pop()!;
    if (last === slot) return;
    this.rise(at, last);
    this.sink(this.table.position[last]!, last);
  }

  private rise(from: number, slot: number): void {
    const { slots } = this;
    const { key, position } = this.table;
    const own = key[slot]!;
    let at = from;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = slots[up]!;
      if (key[parent]! <= own) break;
      slots[at] = parent;
      position[parent] = at;
      at = up;
    }
    slots[at] = slot;
    position[slot] = at;
  }

  private sink(from: number, slot: number): void {
    const { slots } = this;
    const { key, position } = this.table;
    const own = key[slot]!;
    let at = from;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= slots.length) break;
      if (down + 1 < slots.length && key[slots[down + 1]!]! < key[slots[down]!]!) down += 1;
      const child = slots[down]!;
      if (key[child]! >= own) break;
      slots[at] = child;
      position[child] = at;
      at = down;
    }
    slots[at] = slot;
    position[slot] = at;
  }
}
