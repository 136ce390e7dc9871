import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import { type Chain, RpcError } from '../../chain/index.js';
import { AppError } from '../../errors/index.js';
import type { SandboxPrices } from '../../prices/index.js';
import { holdLease, releaseLease } from '../../store/leases.js';
import type { Store } from '../../store/sql.js';
import { chainInfo } from '../chain-info.js';
import { rebalance, type Trader } from './rebalance.js';

const LEASE_MS = 30_000;
const LEASE_POLL_MS = 25;
const LONGEST_WAIT_MS = 20_000;

/** Sets the USD price of one whole token of the sandbox; resolves when everything that follows the price has moved. */
export type PriceMover = (mint: Address, usd: number) => Promise<void>;

interface PriceMoverDeps {
  chain: Chain;
  store: Store;
  steadyNow: () => number;
  stored: SandboxPrices;
  /** Moves the pools. */
  trader: Trader;
  /** Makes the sandbox's market maker quote around a price. */
  quoteAt?: (mint: Address, usd: number) => void | Promise<void>;
}

/**
 * Moves the chain's own pools of the mint, then the makers, then the stored price, whose tick goes out with it. One
 * move runs at a time, across all instances of the service. If a step fails, the price stays as it was, and the pools
 * are moved back to it as far as possible.
 */
export function createPriceMover(deps: PriceMoverDeps): PriceMover {
  let turn: Promise<unknown> = Promise.resolve();
  return (mint, usd) => {
    const moved = turn.then(() => withLease(deps, () => move(deps, mint, usd)));
    turn = moved.catch(() => {});
    return moved;
  };
}

async function move(deps: PriceMoverDeps, mint: Address, usd: number): Promise<void> {
  const { chain, trader, stored, quoteAt } = deps;
  const { pools, faucet } = await chainInfo(chain);
  await stored.reload();
  const before = stored.usd(mint);
  const moveTo = (price: number) =>
    rebalance({ chain, trader, pools, faucet, mint, usd: price, usdOf: (other) => stored.usd(other) });
  try {
    await moveTo(usd);
    await quoteAt?.(mint, usd);
    await stored.set(mint, usd);
  } catch (error) {
    // This error comes before anything has moved.
    if (error instanceof AppError && error.code === 'INVALID_REQUEST') throw error;
    if (before !== undefined) await Promise.allSettled([moveTo(before), (async () => quoteAt?.(mint, before))()]);
    if (!(error instanceof RpcError)) throw error;
    const message = `The chain refused a trade that moves the pools, and the price stays as it was: ${error.message}`;
    throw new AppError('CONFLICT', { message });
  }
}

async function withLease({ store, steadyNow }: PriceMoverDeps, work: () => Promise<void>): Promise<void> {
  const lease = { name: 'prices', holder: randomUUID() };
  const giveUpAt = steadyNow() + LONGEST_WAIT_MS;
  const take = () => store.transaction((tx) => holdLease(tx, lease, LEASE_MS));
  while (!(await take())) {
    if (steadyNow() > giveUpAt) {
      throw new AppError('CONFLICT', { message: 'Another price is being moved at the moment; try again' });
    }
    await sleep(LEASE_POLL_MS);
  }
  try {
    await work();
  } finally {
    await store.transaction((tx) => releaseLease(tx, lease));
  }
}
