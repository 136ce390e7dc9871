/** How far sources of one price may be apart before money is spent by none of them, in basis points of the lower. */
export const MAX_DISAGREEMENT_BPS = 500;

/** Whether two prices are farther apart than so many basis points of the lower. */
export function areApart(one: number, other: number, bps: number): boolean {
  return Math.abs(one - other) * 10_000 > Math.min(one, other) * bps;
}
