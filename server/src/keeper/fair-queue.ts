/** Items that wait, or groups of them, and how many of all that is below are under way. */
interface Group<Item> {
  readonly items: Map<string, Item>;
  /** The one whose turn was the longest ago comes first. */
  readonly groups: Map<string, Group<Item>>;
  waiting: number;
  underWay: number;
}

/** The names of an item's group, and of those that this one is in, the outermost first. */
export type GroupPath = readonly string[];

/**
 * Items that wait for their turn, in groups, which may be in groups themselves. At each level a group gets as many turns as any
 * other, however many items or groups it has: first those with the fewest items under way, then those whose turn was the longest ago.
 */
export class FairQueue<Item> {
  readonly #root: Group<Item> = newGroup();
  readonly #waiting = new Map<string, GroupPath>();
  readonly #underWay = new Map<string, GroupPath>();
  readonly #mostOfInnermost: number;

  /** The most items of an innermost group that are under way. */
  constructor(mostOfInnermost = Number.POSITIVE_INFINITY) {
    this.#mostOfInnermost = mostOfInnermost;
  }

  /** How many items wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether an item waits. */
  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Adds an item at the end of its group. One that waits already keeps its place. */
  add(id: string, item: Item, path: GroupPath): void {
    const known = this.#waiting.get(id);
    if (known && !isSame(known, path)) this.delete(id);
    if (!this.#waiting.has(id)) this.#count(path, 'waiting', 1);
    this.#waiting.set(id, path);
    this.#groupsOf(path).at(-1)!.items.set(id, item);
  }

  /** Removes an item that waits. */
  delete(id: string): void {
    const path = this.#waiting.get(id);
    if (!path) return;
    this.#waiting.delete(id);
    this.#groupsOf(path).at(-1)!.items.delete(id);
    this.#count(path, 'waiting', -1);
  }

  /**
   * Removes and returns the item whose turn it is, which is under way until it has `ended`. `room`: how many more may be under way.
   * No group gets more than it leaves to the others beside it: so there is room for one that comes later, whose items are
   * short, while those of others take long. Looks at no more groups of a level than have items under way, and one.
   */
  take(room: number): Item | undefined {
    const id = this.#next(this.#root, room);
    if (id === undefined) return undefined;
    const path = this.#waiting.get(id)!;
    const item = this.#groupsOf(path).at(-1)!.items.get(id)!;
    this.#count(path, 'underWay', 1);
    this.#underWay.set(id, path);
    this.delete(id);
    let group = this.#root;
    for (const name of path) {
      const next = group.groups.get(name)!;
      group.groups.delete(name);
      group.groups.set(name, next);
      group = next;
    }
    return item;
  }

  /** An item that was taken is under way no more. */
  ended(id: string): void {
    const path = this.#underWay.get(id);
    if (!path) return;
    this.#underWay.delete(id);
    this.#count(path, 'underWay', -1);
  }

  #next(group: Group<Item>, room: number): string | undefined {
    if (group.underWay < this.#mostOfInnermost) for (const id of group.items.keys()) return id;
    const busy: Group<Item>[] = [];
    for (const next of group.groups.values()) {
      if (next.waiting === 0 || next.underWay >= room) continue;
      if (next.underWay === 0) return this.#next(next, room);
      busy.push(next);
    }
    busy.sort((one, other) => one.underWay - other.underWay);
    for (const next of busy) {
      const id = this.#next(next, room - next.underWay);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** Makes the groups that are missing, and removes those in which nothing is left. */
  #count(path: GroupPath, what: 'waiting' | 'underWay', change: 1 | -1): void {
    let group = this.#root;
    for (const name of path) {
      const next = group.groups.get(name) ?? newGroup();
      next[what] += change;
      if (next.waiting + next.underWay > 0) group.groups.set(name, next);
      else group.groups.delete(name);
      group = next;
    }
  }

  #groupsOf(path: GroupPath): Group<Item>[] {
    const groups = [this.#root];
    for (const name of path) groups.push(groups.at(-1)!.groups.get(name)!);
    return groups;
  }
}

function newGroup<Item>(): Group<Item> {
  return { items: new Map(), groups: new Map(), waiting: 0, underWay: 0 };
}

const isSame = (one: GroupPath, other: GroupPath) =>
  one.length === other.length && one.every((name, index) => name === other[index]);
