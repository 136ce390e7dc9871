import { parsePoolSwap, parseRoute, type Route, type RouteHop } from '@slipway/programs/formats';
import {
  type Address,
  type Instruction,
  parseInitializeAccount3,
  parseTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { parseVenueSwap, type VenueSwap } from './venue-swaps.js';

/** Where the amount is in the data: after a byte, or after Anchor's eight. */
const AFTER_BYTE = 1;
const AFTER_DISCRIMINATOR = 8;

/**
 * Whether a hop of a route is a swap of a venue that we know, or a transfer, from and to the accounts that the route
 * names. The taker's signature goes to the program of each hop, and the router watches only tokens and SOL: any other
 * program could use it for the taker's stake, nonces or mints. What the venue leaves may go to the pool alone: how much
 * that is nobody can say beforehand, and to any other account it would be a payment.
 */
export function isKnownHop(hop: RouteHop, taker: Address, tokenSwap: Address): boolean {
  const known = readHop(hop, tokenSwap);
  const isBetween = known?.authority === taker && known.source === hop.from && known.destination === hop.to;
  return isBetween && (!hop.rest || known.vaults.includes(hop.rest.account));
}

/** Whether a route of known hops leaves nothing of what it takes from an account. */
export function leavesNothing({ hops }: Route, from: Address, tokenSwap: Address): boolean {
  const lasts = hops.filter((hop, i) => hop.from === from && hops[i + 1]?.from !== from);
  return lasts.every((hop) => hop.rest || readHop(hop, tokenSwap)?.takesAll);
}

/** Accounts on the way of a route of known hops that it may leave something in. */
export function leftOnTheWay(route: Route, tokenSwap: Address): Address[] {
  const between = new Set(route.hops.map(({ from }) => from).filter((from) => from !== route.source));
  return [...between].filter((from) => !leavesNothing(route, from, tokenSwap));
}

type KnownHop = Omit<VenueSwap, 'amountIn' | 'minimumAmountOut'>;

/** The router writes the amount over what the data says there. */
function readHop({ amountOffset, ...call }: RouteHop, tokenSwap: Address): KnownHop | undefined {
  if (amountOffset === AFTER_DISCRIMINATOR) return parseVenueSwap(call);
  if (amountOffset !== AFTER_BYTE) return undefined;
  const transfer = parseTransferChecked(call);
  if (transfer) return { ...transfer, vaults: [], takesAll: true };
  const swap = parsePoolSwap(call, tokenSwap);
  // It takes only as much as what it gives, which is rounded down, is worth.
  return swap && { ...swap, vaults: [swap.vaultIn, swap.vaultOut], takesAll: false };
}

/**
 * The mints of accounts on the way of routes that may leave something there, where they are not of SOL: a signer, which looks
 * nothing up, takes an account of an unknown mint for one of SOL.
 */
export function mintsLeft(
  instructions: readonly Instruction[],
  { router, tokenSwap }: { router?: Address | undefined; tokenSwap: Address },
): Address[] {
  const routes = instructions.flatMap((each) => (router && parseRoute(each, router)) || []);
  const left = new Set(routes.flatMap((route) => leftOnTheWay(route, tokenSwap)));
  return instructions.flatMap((each) => {
    const made = parseInitializeAccount3(each);
    return made && made.mint !== WRAPPED_SOL_MINT && left.has(made.account) ? [made.mint] : [];
  });
}

/**
 * The programs that routes among these instructions call. Where a key of the service is the taker, they stand in the
 * transaction in full: its signer looks nothing up.
 */
export function calledPrograms(instructions: readonly Instruction[], router: Address | undefined): Address[] {
  const hops = instructions.flatMap((each) => (router && parseRoute(each, router)?.hops) || []);
  return hops.flatMap(({ program, rest }) => (rest ? [program, rest.tokenProgram] : [program]));
}
