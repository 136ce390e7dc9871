/**
 * What a search may still spend, in microseconds that this takes roughly. It is counted by what is done, so that the same
 * question gets the same answer.
 */
export interface Effort {
  left: number;
}

/** What one of several may take of what is left, so that something stays for the others, however many there are. */
const SHARE = 1 / 4;

/** That much of it: what is spent of the share is spent of the whole. */
export function shareOf(whole: Effort): Effort {
  const kept = whole.left * (1 - SHARE);
  return {
    get left() {
      return whole.left - kept;
    },
    set left(left) {
      whole.left = left + kept;
    },
  };
}

/** Of what is done once. */
export const WITHOUT_END: Effort = { left: Number.POSITIVE_INFINITY };

export const isSpent = ({ left }: Effort): boolean => left <= 0;

/** False where nothing is left. */
export function spend(effort: Effort, microseconds: number): boolean {
  if (isSpent(effort)) return false;
  effort.left -= microseconds;
  return true;
}
