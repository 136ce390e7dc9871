/** Slots: nodes behind one address are seldom further apart, because from 128 on they say of themselves that they are behind. */
export const NODES_APART = 150n;
/** Slots, of 8 s: most are not even this far apart. */
const USUALLY_APART = 20;
/** No two nodes are this many slots apart: about seven minutes. */
const ABSURD = 1_000;
/** Answers: each of a few nodes has given some of so many. */
const KEPT = 20;
const SLOT_MS = 400;

/** Where the chain is, in slots or in blocks, by the latest answers to our requests and the time since then: one of them may be false. */
export function createSlotSense(steadyNow: () => number) {
  const passed = () => steadyNow() / SLOT_MS;
  /** The newest first, each as of the same moment. */
  let last: number[] = [];
  /** What two of so many have reached. */
  const reached = (answers: number): number => {
    const [first = Number.POSITIVE_INFINITY, second = first] = last.slice(0, answers).sort((a, b) => b - a);
    return second + passed();
  };
  return {
    add(slot: number | bigint): void {
      last = [Number(slot) - passed(), ...last].slice(0, KEPT);
    },
    /** Whether one answer alone is that far ahead, or no node of now is. */
    isAhead: (slot: number | bigint): boolean =>
      slot > Math.min(reached(KEPT) + USUALLY_APART, reached(3) + Number(NODES_APART)),
    isAbsurd: (slot: number): boolean => slot > reached(3) + ABSURD,
  };
}
