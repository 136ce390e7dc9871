/**
 * What a search may still spend, in microseconds that this takes roughly. It is counted by what is done, so that the same
 * question gets the same answer.
 */
export interface Effort {
  left: number;
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
