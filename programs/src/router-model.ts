import type { Address } from '@slipway/wire';
import type { Route, RouteHop } from './router.js';

/** What a venue does with an amount: what it takes and pays; undefined where it refuses. */
type Venue = (hop: RouteHop, amount: bigint) => { paid: bigint; received: bigint } | undefined;

/**
 * The router's rules, written down a second time: changes the balances of token accounts as the route would, and says
 * what arrives in the destination; undefined where a venue refuses or nothing comes out of one.
 */
export function modelRoute(route: Route, balances: Map<Address, bigint>, venue: Venue): bigint | undefined {
  const before = new Map(balances);
  const balance = (account: Address) => balances.get(account) ?? 0n;
  const change = (account: Address, by: bigint) => balances.set(account, balance(account) + by);
  const received = (account: Address) =>
    balance(account) - (before.get(account) ?? 0n) + (account === route.source ? route.amountIn : 0n);
  const takeFee = () => {
    const { fee } = route;
    if (!fee) return;
    const amount = (received(fee.from) * BigInt(fee.bps)) / 10_000n;
    change(fee.from, -amount);
    change(fee.account, amount);
  };

  let feeIsDue = route.fee !== undefined;
  let whole = 0n;
  for (const [i, hop] of route.hops.entries()) {
    if (feeIsDue && hop.from === route.fee?.from) {
      takeFee();
      feeIsDue = false;
    }
    if (route.hops[i - 1]?.from !== hop.from) whole = received(hop.from);
    const isLast = route.hops[i + 1]?.from !== hop.from;
    const amount = isLast ? received(hop.from) : (whole * BigInt(hop.shareBps)) / 10_000n;
    if (amount === 0n) continue;
    const trade = venue(hop, amount);
    if (!trade || trade.received === 0n) return undefined;
    change(hop.from, -trade.paid);
    change(hop.to, trade.received);
    if (!hop.rest) continue;
    change(hop.rest.account, received(hop.from));
    change(hop.from, -received(hop.from));
  }
  if (feeIsDue) takeFee();
  return received(route.destination);
}
