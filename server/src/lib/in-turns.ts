import type { Guest } from './places.js';

/** In which order those go that are in a line: guests take turns, those that share something have one turn together, and take turns in that. */
export function inTurns<Item>(line: readonly Item[], guestOf: (item: Item) => Guest | undefined): Item[] {
  const ofEach = byTurns(line, (item) => guestOf(item)?.id);
  return byTurns(ofEach, (item) => guestOf(item)?.together ?? guestOf(item)?.id);
}

function byTurns<Item>(line: readonly Item[], nameOf: (item: Item) => string | undefined): Item[] {
  const had = new Map<string | undefined, number>();
  const placed = line.map((item) => {
    const name = nameOf(item);
    const turn = had.get(name) ?? 0;
    had.set(name, turn + 1);
    return { item, turn };
  });
  return placed.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
}
