import { parsePoolSwap, parseRoute, type RouteHop } from '@slipway/programs/formats';
import { type Address, type Instruction, parseTransferChecked } from '@slipway/wire/formats';
import { parseVenueSwap } from './venue-swaps.js';

/** Where the amount is in the data: after a byte, or after Anchor's eight. */
const AFTER_BYTE = 1;
const AFTER_DISCRIMINATOR = 8;

/**
 * Whether a hop of a route is a swap of a venue that we know, or a transfer, from and to the accounts that the route
 * names. The taker's signature goes to the program of each hop, and the router watches only tokens and SOL: any other
 * program could use it for the taker's stake, nonces or mints.
 */
export function isKnownHop({ from, to, amountOffset, ...call }: RouteHop, taker: Address, tokenSwap: Address): boolean {
  // The router writes the amount over what the data says there.
  let known: { authority: Address; source: Address; destination: Address } | undefined;
  if (amountOffset === AFTER_BYTE) known = parsePoolSwap(call, tokenSwap) ?? parseTransferChecked(call);
  if (amountOffset === AFTER_DISCRIMINATOR) known = parseVenueSwap(call);
  return known?.authority === taker && known.source === from && known.destination === to;
}

/**
 * The programs that routes among these instructions call. Where a key of the service is the taker, they stand in the
 * transaction in full: its signer looks nothing up.
 */
export function calledPrograms(instructions: readonly Instruction[], router: Address | undefined): Address[] {
  const hops = instructions.flatMap((each) => (router && parseRoute(each, router)?.hops) || []);
  return hops.flatMap(({ program, rest }) => (rest ? [program, rest.tokenProgram] : [program]));
}
