/** Where a trade takes one more step: passes a tick with liquidity, or goes on to the next bin. */
export interface StepPoint {
  /** What has come in when the price gets there, from the present price on; behind that price it is negative. */
  at: number;
  /** The natural logarithm of how far the price has moved there, either way. */
  change: number;
}

/**
 * How many steps more than now an amount may take, where the price may move by this share (0 to 1) before: the trade
 * then begins anywhere around, and liquidity there may lie in smaller parts.
 */
export function moreSteps(
  behind: readonly StepPoint[],
  ahead: readonly StepPoint[],
  amount: number,
  share: number,
): number {
  const points = [...behind.toReversed(), ...ahead];
  const reach = share < 1 ? -Math.log(1 - share) : Number.POSITIVE_INFINITY;
  const length = amount * (1 + share);
  const most = (start: number, at: number) => {
    let end = start;
    while (end < points.length && points[end]!.at <= at + length) end++;
    return end - start;
  };
  const now = ahead.filter(({ at }) => at <= amount).length;
  let worst = most(behind.length, 0);
  for (const [i, { at, change }] of points.entries()) {
    if (change <= reach) worst = Math.max(worst, most(i, at));
  }
  // The farthest beginnings lie between two points.
  const [back, forth] = [behind, ahead].map((side) => endOf(side, reach));
  if (back) worst = Math.max(worst, most(behind.length - back.passed, back.at));
  if (forth) worst = Math.max(worst, most(behind.length + forth.passed, forth.at));
  return worst - now;
}

/** Where the reach ends on one side, and how many points lie before; undefined where it goes beyond all of them. */
function endOf(side: readonly StepPoint[], reach: number): { at: number; passed: number } | undefined {
  const passed = side.findIndex(({ change }) => change > reach);
  if (passed < 0) return undefined;
  const [from, to] = [side[passed - 1] ?? { at: 0, change: 0 }, side[passed]!];
  return { at: from.at + ((to.at - from.at) * (reach - from.change)) / (to.change - from.change), passed };
}
