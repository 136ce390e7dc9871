// Pools that pay less than they seem to: a search that took them at their word would not look at others.
import type { Address } from '@slipway/wire';
import { type Effort, isSpent, spend } from './effort.js';
import type { Scored, SearchOptions } from './found.js';
import { bestFirst, isShort, liveLegs, paidBy, wholeOut } from './legs.js';
import { ALL_BPS, type Plan } from './plan.js';

/** A plan whose outcome is worse than its estimate by this share is looked at again, pool by pool. */
const WORTH_A_LOOK = 0.002;

interface Look {
  /** What an exact output takes by estimate. */
  guess: number;
  /** The plan's score. */
  estimate: number;
  /** Undefined where it cannot be calculated. */
  exact: Scored | undefined;
}

/** A pool that is looked at, in microseconds, roughly. */
const LOOK = 1;

/**
 * Adds the pools of a plan that pay less than they seem to, and the others of their pairs that do: first those that seem to pay
 * the most, as far as the effort goes.
 */
export function noteShort(
  { steps }: Plan,
  { guess, estimate, exact }: Look,
  { market, request, now }: Pick<SearchOptions, 'market' | 'request' | 'now'>,
  short: Set<Address>,
  effort: Effort,
): void {
  if (exact && exact.score >= estimate - Math.abs(estimate) * WORTH_A_LOOK) return;
  const { mode, fee } = request;
  const offered = mode === 'exact-in' ? request.amount : wholeOf(guess);
  let amount = offered - (fee?.side === 'input' ? (offered * BigInt(fee.bps)) / BigInt(ALL_BPS) : 0n);
  for (const { input, output, parts } of steps) {
    let [left, received] = [amount, 0n];
    for (const [i, part] of parts.entries()) {
      const own = i === parts.length - 1 ? left : (amount * BigInt(part.bps)) / BigInt(ALL_BPS);
      // A plan that nothing was left to calculate says nothing about its pools.
      if (isSpent(effort)) return;
      const paid = paidBy(part, own, effort);
      left -= own;
      received += paid;
      if (!isShort(part, own, paid)) continue;
      short.add(part.pool.address);
      for (const { leg, out } of bestFirst(liveLegs(market.pair(input, output), now, request), own)) {
        if (wholeOut(out) <= Number(paid)) break;
        if (short.has(leg.pool.address)) continue;
        if (!spend(effort, LOOK)) return;
        if (isShort(leg, own, paidBy(leg, own, effort))) short.add(leg.pool.address);
      }
    }
    amount = received;
  }
}

const wholeOf = (guess: number): bigint => (guess < 2 ** 64 ? BigInt(Math.ceil(guess)) : 0n);
