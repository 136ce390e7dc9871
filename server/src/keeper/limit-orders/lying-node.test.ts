import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { createMintOpinions } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import type { Token } from '../../routing/router.js';
import { type KeeperWorld, openKeeperWorld } from './testing.js';

let w: KeeperWorld;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());
afterEach(async () => {
  w.usd.set(WRAPPED_SOL_MINT, 150);
  await w.reset();
});

const ASKED = 994_000_000n;
/** What the market gives without the order's fee. */
const GIVEN = 995_000_000n;
const DEEP: [bigint, bigint] = [10n ** 13n, 10n ** 13n];

/** A pair of which the keeper has accounts, so that a fill costs the network fee, and an order that accepts a tenth less than it asks. */
async function openOrder(more = {}) {
  const [a, b] = await w.pair(DEEP);
  for (const token of [a, b]) await w.holding(token, w.taker);
  return { output: b, order: await w.open(a, b, ASKED, { slippageBps: 1_000, ...more }) };
}
type Open = Awaited<ReturnType<typeof openOrder>>;

/** The node says that a token has so many decimals more. */
const lying = (mint: Address, by: number) => ({
  ...w.chain,
  async mint(address: Address) {
    const facts = await w.chain.mint(address);
    return facts && address === mint ? { ...facts, decimals: facts.decimals + by } : facts;
  },
});

const paid = ({ order }: Open) => w.world.amount(order.output);
const kept = (output: Token) => w.world.amount(w.ata(w.taker, output));

/** Not filled, or at a hundredth less than all that is asked at most. */
async function assertBounded(opened: Open, what: string): Promise<void> {
  const got = await paid(opened);
  if (await w.stateOf(opened.order)) assert.equal(got, 0n, what);
  else assert.ok(got * 100n >= ASKED * 99n, `${what}: the maker got ${got}`);
  assert.ok((await kept(opened.output)) * 100n <= GIVEN, `${what}: the keeper has ${await kept(opened.output)}`);
}

test('attack: a node says that what limit orders buy has more decimals than it has, so that a fill seems to cost their makers thousands of times as much: a hundredth of it at most comes out of what a maker accepts', async () => {
  for (const by of [3, 4, 5, 6, 9]) {
    const opened = await openOrder();
    await w.newKeeper({ chain: lying(opened.output.mint, by) }).runDue();
    await assertBounded(opened, `${by} decimals more`);
    await w.newKeeper().runDue();
    assert.equal(await w.stateOf(opened.order), undefined, 'filled by the truth');
  }
});

test('attack: a node says that what limit orders buy has more decimals than it has; another one says so, and nothing is filled by it', async () => {
  const contradictions = createMintOpinions([w.world.rpc], steadyNow);
  const opened = await openOrder();
  await w.newKeeper({ chain: lying(opened.output.mint, 4), contradictions }).runDue();
  assert.ok(await w.stateOf(opened.order));
  await w.newKeeper({ contradictions }).runDue();
  assert.equal(await paid(opened), ASKED);
});

test('attack: a price feed says that SOL is worth thousands of times as much, or what limit orders buy as little, so that a fill seems to cost their makers as much: a hundredth of it at most comes out of what a maker accepts', async () => {
  for (const times of [1_000, 10_000, 100_000, 10_000_000]) {
    w.usd.set(WRAPPED_SOL_MINT, 150 * times);
    const bySol = await openOrder();
    await w.newKeeper().runDue();
    await assertBounded(bySol, `SOL times ${times}`);
    w.usd.set(WRAPPED_SOL_MINT, 150);
    const byToken = await openOrder();
    w.usd.set(byToken.output.mint, 1 / times);
    await w.newKeeper().runDue();
    await assertBounded(byToken, `the token by ${times}`);
    w.usd.set(byToken.output.mint, 1);
    await w.newKeeper().runDue();
    for (const { order } of [bySol, byToken]) assert.equal(await w.stateOf(order), undefined, 'filled by the truth');
  }
});
