/** Items that wait for their turn. Each group gets as many turns as any other, however many items it has. */
export class FairQueue<Item> {
  /** The group whose turn was the longest ago comes first. */
  readonly #groups = new Map<string, Map<string, Item>>();
  readonly #groupOf = new Map<string, string>();

  get size(): number {
    return this.#groupOf.size;
  }

  has(id: string): boolean {
    return this.#groupOf.has(id);
  }

  /** Adds an item at the end of its group. One that waits already keeps its place. */
  add(id: string, item: Item, group: string): void {
    const known = this.#groupOf.get(id);
    if (known !== undefined && known !== group) this.delete(id);
    this.#groupOf.set(id, group);
    const items = this.#groups.get(group);
    if (items) items.set(id, item);
    else this.#groups.set(group, new Map([[id, item]]));
  }

  delete(id: string): void {
    const group = this.#groupOf.get(id);
    if (group === undefined) return;
    this.#groupOf.delete(id);
    const items = this.#groups.get(group)!;
    items.delete(id);
    if (items.size === 0) this.#groups.delete(group);
  }

  /**
   * Removes and returns the first item of the group with the fewest items under way. Looks at no more groups than have
   * one under way, and one.
   */
  take(underWay: (group: string) => number): Item | undefined {
    let next: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const group of this.#groups.keys()) {
      const count = underWay(group);
      if (count < least) [next, least] = [group, count];
      if (count === 0) break;
    }
    if (next === undefined) return undefined;
    const items = this.#groups.get(next)!;
    const [id, item] = items.entries().next().value!;
    this.delete(id);
    if (this.#groups.delete(next)) this.#groups.set(next, items);
    return item;
  }
}
