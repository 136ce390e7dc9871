import type { Guest } from './places.js';

interface Group<Item> {
  waiting: number;
  /** By guest. What came first comes first. */
  readonly guests: Map<string, Set<Item>>;
}

/** Those whom nobody has sent. */
const OWN = '';

/**
 * A line in which guests take turns, however much each of them has waiting: those that share something have one turn together, and
 * take turns in that. What is of no guest has the turn of one.
 */
export class FairLine<Item> {
  readonly #most: number;
  /** In the order in which they came. */
  readonly #all = new Map<Item, readonly [group: string, guest: string]>();
  /** The one whose turn was the longest ago comes first. */
  readonly #groups = new Map<string, Group<Item>>();

  /** The most that wait. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#all.size;
  }

  /** What has waited for longest. */
  oldest(): Item | undefined {
    return this.#all.keys().next().value;
  }

  /** Adds an item. Returns what has to go for it, which may be itself: the last item of the guest who has the most waiting. */
  add(item: Item, guest: Guest | undefined): Item | undefined {
    const [name, id] = [guest?.together ?? guest?.id ?? OWN, guest?.id ?? OWN];
    const group = this.#groups.get(name) ?? { waiting: 0, guests: new Map() };
    const items = group.guests.get(id) ?? new Set();
    this.#groups.set(name, group);
    group.guests.set(id, items.add(item));
    group.waiting++;
    this.#all.set(item, [name, id]);
    if (this.#all.size <= this.#most) return undefined;
    const longest = longestOf(this.#groups.values(), group, ({ waiting }) => waiting);
    const last = [...longestOf(longest.guests.values(), items, ({ size }) => size)].at(-1)!;
    this.delete(last);
    return last;
  }

  /** Removes and returns the item whose turn it is, of those that may go. */
  take(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const [name, { guests }] of this.#groups) {
      for (const [id, items] of guests) {
        for (const item of items) {
          if (!mayGo(item)) continue;
          this.delete(item);
          toEnd(this.#groups, name);
          toEnd(guests, id);
          return item;
        }
      }
    }
    return undefined;
  }

  delete(item: Item): void {
    const path = this.#all.get(item);
    if (!path) return;
    const [name, id] = path;
    const group = this.#groups.get(name)!;
    const items = group.guests.get(id)!;
    this.#all.delete(item);
    items.delete(item);
    if (items.size === 0) group.guests.delete(id);
    if (--group.waiting === 0) this.#groups.delete(name);
  }
}

/** The one who comes has the most where others have only as much. `own` is one of them, or of another group. */
function longestOf<Each>(all: Iterable<Each>, own: Each, lengthOf: (each: Each) => number): Each {
  let longest: Each | undefined;
  for (const each of all) {
    const isLonger = longest === undefined || lengthOf(each) > lengthOf(longest);
    if (isLonger || (each === own && lengthOf(each) === lengthOf(longest!))) longest = each;
  }
  return longest!;
}

function toEnd<Value>(map: Map<string, Value>, name: string): void {
  const value = map.get(name);
  if (value === undefined) return;
  map.delete(name);
  map.set(name, value);
}
