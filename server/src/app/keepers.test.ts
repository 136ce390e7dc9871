import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { initializeOrder, LIMIT_ORDER_ADDRESSES, limitOrderAddress } from '@slipway/programs';
import { WRAPPED_SOL_MINT } from '@slipway/wire';
import { Registry } from 'prom-client';
import { type KeeperWorld, openKeeperWorld } from '../keeper/limit-orders/testing.js';
import { KeeperWallet } from '../keeper/wallet.js';
import { steadyNow } from '../lib/clock.js';
import { createSandboxPrices, openPrices } from '../prices/index.js';
import { DEFAULT_PRICES } from '../prices/testing.js';
import { silent, WRAPPED_SOL } from '../routing/aggregator/testing.js';
import type { Token } from '../routing/router.js';
import { type KeepersDeps, openLimitOrderKeeper } from './keepers.js';
import { poolPriceOf } from './routers.js';

let w: KeeperWorld;
const closing: (() => Promise<void>)[] = [];
before(async () => {
  w = await openKeeperWorld();
});
after(async () => {
  for (const close of closing.reverse()) await close();
  await w?.close();
});

const DEEP = 10n ** 12n;
const MAKING = 10n ** 9n;

/** The keeper as the service has it: fixed prices of SOL and the given tokens, then what the pools say. */
async function openKeeper(usdc: Token) {
  const { store, chain, clock, aggregator } = w;
  const defaults = new Map([
    [WRAPPED_SOL_MINT, 150],
    [usdc.mint, 1],
  ]);
  const stored = await createSandboxPrices({ store, clock, defaults });
  const settings = { ...DEFAULT_PRICES, sources: ['fixed', 'pools'] as const };
  const prices = await openPrices({
    settings,
    stored,
    clock,
    log: silent,
    poolPrice: poolPriceOf(aggregator, usdc.mint),
  });
  const [loop] = openLimitOrderKeeper({
    chain,
    clock,
    aggregator,
    prices,
    log: silent,
    landing: w.newLanding(),
    config: { sandbox: true, programs: w.programs },
    store,
    steadyNow,
    signer: w.signer,
    metrics: { registry: new Registry() },
    live: { onChange: () => {} },
    node: { sendRpcsFor: () => [] },
    limitOrders: { addresses: LIMIT_ORDER_ADDRESSES },
    stops: { list: async () => [], require: async () => {} },
    keeperWallet: new KeeperWallet({ chain, address: w.taker, steadyNow, log: silent }),
  } as unknown as KeepersDeps);
  closing.push(
    () => stored.close(),
    () => prices.close(),
    () => loop!.close(),
  );
  return { keeper: loop!, prices };
}

/** An order whose maker has no account of the output; what it costs the keeper is the account's rent. */
async function openWithoutOutput(input: Token, output: Token, uniqueId: bigint, takingAmount: bigint) {
  const maker = await w.world.wallet();
  const terms = {
    payer: maker.address,
    maker: maker.address,
    uniqueId,
    makingAmount: MAKING,
    takingAmount,
    makerInputMintAccount: await w.world.holding(input, maker.address, MAKING),
    inputMint: input.mint,
    inputTokenProgram: input.tokenProgram,
    outputMint: output.mint,
    outputTokenProgram: output.tokenProgram,
  };
  assert.equal(await w.world.run([maker], [initializeOrder(terms)]), null);
  return limitOrderAddress(maker.address, uniqueId).address;
}

test('nobody gets SOL of the keeper for tokens and pools of their own making', async () => {
  const [x, y, usdc] = [await w.world.token(), await w.world.token(), await w.world.token()];
  await w.world.pool(x, y, [DEEP, DEEP]);
  await w.world.pool(WRAPPED_SOL, usdc, [DEEP, 150n * 10n ** 9n]);
  // 1,000 of each against 0.01 SOL.
  for (const token of [x, y]) await w.world.pool(token, WRAPPED_SOL, [1_000_000_000n, 10_000_000n]);
  await w.aggregator.discover();
  const { keeper, prices } = await openKeeper(usdc);
  assert.ok(prices.usd(y.mint)! > 0, 'the pools have a price for it');
  const order = await openWithoutOutput(x, y, 900n, 1n);
  // It does not help either to create the accounts for the keeper, or to let an order expire that the pools call
  // expensive.
  const [u, v] = [await w.world.token(), await w.world.token()];
  await w.world.pool(u, v, [DEEP, DEEP]);
  for (const token of [u, v]) await w.world.pool(token, WRAPPED_SOL, [1_000_000_000n, 10_000_000_000n]);
  await w.aggregator.discover();
  for (const token of [u, v]) await w.holding(token, w.taker);
  const expiredAt = BigInt(Math.floor(w.clock.now() / 1_000)) + 60n;
  const orders = [await w.open(u, v, 1n), await w.open(u, v, DEEP, { expiredAt })];
  const before = await w.world.lamports(w.taker);
  await keeper.runDue();
  w.clock.setOffset(120_000);
  await w.world.rpc.call('localnet_advanceClock', [120]);
  w.chain.forget();
  await keeper.runDue();
  for (const each of [order, ...orders.map(({ address }) => address)])
    assert.ok(await w.chain.account(each), 'it is left alone');
  assert.equal(await w.world.lamports(w.taker), before);
});

test('of a token that only pools have a price for, what is sold for a trusted one is filled, at no loss', async () => {
  const [x, usdc] = [await w.world.token(), await w.world.token()];
  await w.world.pool(x, usdc, [DEEP, DEEP]);
  await w.aggregator.discover();
  await w.holding(usdc, w.taker);
  const { keeper } = await openKeeper(usdc);
  const order = await openWithoutOutput(x, usdc, 901n, 900_000_000n);
  const before = await w.world.lamports(w.taker);
  await keeper.runDue();
  assert.equal(await w.chain.account(order), undefined);
  const spent = before - (await w.world.lamports(w.taker));
  const got = await w.world.amount(w.ata(w.taker, usdc));
  assert.ok(spent > 2n * 2_039_280n, 'the accounts of the maker and the keeper');
  // At 150 USD for SOL and 1 USD for a token of 6 decimals.
  assert.ok(got * 1_000n >= spent * 150n, `${spent} lamports for ${got} units`);
});
