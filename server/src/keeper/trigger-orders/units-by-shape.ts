import { LRUCache } from 'lru-cache';
import type { Swap } from '../../crafting/swap.js';
import type { SeenUnits } from '../../landing/index.js';

/** Shapes that are remembered, some 300 bytes each: more than a keeper fills by within minutes. */
const MAX_SHAPES = 1_000;

/**
 * What fills have consumed, by their shape: a hint, so that most fills are simulated once and not twice. Whatever it
 * says, a fill is sent only if it succeeds when it is simulated.
 */
export class UnitsByShape {
  readonly #seen = new LRUCache<string, SeenUnits>({ max: MAX_SHAPES });

  of(swap: Swap): SeenUnits {
    const shape = shapeOf(swap);
    const seen = this.#seen.get(shape) ?? { units: undefined };
    this.#seen.set(shape, seen);
    return seen;
  }
}

/** The programs with the sizes of their calls, and what happens to the accounts. */
function shapeOf({ trade, input, output }: Swap): string {
  const calls = trade.instructions.map(({ program, accounts, data }) => [program, accounts.length, data.length]);
  return JSON.stringify([calls, 'closeTo' in input, output.create, output.place.kind, output.tokenProgram]);
}
