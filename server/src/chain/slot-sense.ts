/** No two nodes are this many slots apart: about seven minutes. */
const MAX_SLOTS_AHEAD = 1_000;

/** Where the chain is, by the median of the latest answers to our requests. */
export function createSlotSense() {
  let last: number[] = [];
  return {
    add(slot: number): void {
      last = [slot, ...last].slice(0, 3);
    },
    /** Whether a slot is further ahead than one node can be of another. */
    isAbsurd(slot: number): boolean {
      const usual = last.toSorted((a, b) => a - b)[(last.length - 1) >> 1];
      return usual !== undefined && slot > usual + MAX_SLOTS_AHEAD;
    },
  };
}
