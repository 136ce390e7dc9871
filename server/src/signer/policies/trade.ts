import { isKnownHop, leavesNothing, leftOnTheWay, parseVenueSwap } from '@slipway/checks';
import { parsePoolSwap, parseRoute } from '@slipway/programs/formats';
import type { Address, Instruction } from '@slipway/wire/formats';
import { allow } from './refusal.js';

/** The programs that the signer knows by their addresses. */
export interface KnownPrograms {
  router?: Address | undefined;
  tokenSwap: Address;
  limitOrder: Address;
  invite: Address;
}

/** What a trade takes and gives in the worst case; token accounts, and amounts in their smallest units. */
export interface ReadTrade {
  source: Address;
  destination: Address;
  most: bigint;
  least: bigint;
  /** Whether all of `most` leaves the source, or else the trade fails: some venues take less than they are offered. */
  takesAll: boolean;
  /** Accounts on the way of a route that it may leave something in. */
  left: readonly Address[];
}

/**
 * Reads an instruction that trades for one of our keys: a route over swaps of known venues, without a fee, or one such
 * swap. Undefined for any other instruction.
 * @throws NotAllowed for a route that hands the signature to a program that is not known
 */
export function readTrade(
  instruction: Instruction,
  taker: Address,
  { router, tokenSwap }: KnownPrograms,
): ReadTrade | undefined {
  const route = router && parseRoute(instruction, router);
  if (route) {
    const foreign = route.hops.find((hop) => !isKnownHop(hop, taker, tokenSwap));
    allow(!foreign, `a hop of ${foreign?.program} that is no swap of a known venue, or leaves something to another`);
    allow(route.taker === taker && !route.fee, 'a route of another taker, or one that pays a fee');
    const takesAll = leavesNothing(route, route.source, tokenSwap);
    return {
      source: route.source,
      destination: route.destination,
      most: route.amountIn,
      least: route.minOut,
      takesAll,
      left: leftOnTheWay(route, tokenSwap),
    };
  }
  const pool = parsePoolSwap(instruction, tokenSwap);
  const swap = pool ? { ...pool, takesAll: false } : parseVenueSwap(instruction);
  if (!swap) return undefined;
  allow(swap.authority === taker, 'a trade of another taker');
  const { source, destination, amountIn: most, minimumAmountOut: least, takesAll } = swap;
  return { source, destination, most, least, takesAll, left: [] };
}
