import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeLimitOrder, LIMIT_ORDER_PROGRAM, LIMIT_ORDER_SIZE } from '@slipway/programs';
import { encodeTokenAccount, rentExemptLamports } from '@slipway/wire';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { ChainUnavailable, createLocalRpc } from '../../chain/index.js';
import { wrappedOrderId } from '../../crafting/limit-order.js';
import { newAddress, type TestPool, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import type { Router, Token } from '../../routing/router.js';
import { endLeases, openTestStore } from '../../store/testing.js';
import { type KeeperWorld, openKeeperWorld, type TestOrder } from './testing.js';

let w: KeeperWorld;
let a: Token;
let b: Token;
let pool: TestPool;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());
beforeEach(async () => {
  [a, b, pool] = await w.pair([MILLION, MILLION]);
  for (const token of [a, b]) await w.holding(token, w.taker, 77n);
});
afterEach(() => w.reset());

const MILLION = 10n ** 15n;
const MAKING = 1_000_000_000n;
const FEE = 5_000n;
const TOKEN_RENT = rentExemptLamports(165);

const lamports = () => w.world.lamports(w.taker);
const isOpen = async (order: TestOrder) => (await w.stateOf(order)) !== undefined;

test('of several keepers, one fills an order, and no other pays for trying', async () => {
  const orders = await Promise.all([1, 2, 3, 4].map(() => w.open(a, b, 900_000_000n)));
  const before = await lamports();
  const keepers = [w.newKeeper(), w.newKeeper(), w.newKeeper()];
  await Promise.all(keepers.map((keeper) => keeper.runDue()));
  for (const order of orders) {
    assert.equal(await isOpen(order), false);
    assert.equal(await w.world.amount(order.output), 900_000_000n);
  }
  assert.equal(before - (await lamports()), FEE * BigInt(orders.length));
});

test('two keepers that know nothing of each other fill an order once: the chain decides', async () => {
  const orders = [await w.open(a, b, 900_000_000n), await w.open(a, b, 900_000_000n)];
  const other = await openTestStore();
  const stranger = w.newKeeper({ store: other.store, landing: w.newLanding({ store: other.store }) });
  await Promise.all([w.newKeeper().runDue(), stranger.runDue()]);
  for (const order of orders) {
    assert.equal(await isOpen(order), false);
    assert.equal(await w.world.amount(order.output), 900_000_000n);
  }
  await stranger.close();
  await other.close();
});

test('a keeper with an empty database fills what is open on the chain', async () => {
  const order = await w.open(a, b, 900_000_000n);
  const other = await openTestStore();
  const keeper = w.newKeeper({ store: other.store, landing: w.newLanding({ store: other.store }) });
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
  await other.close();
});

test('a copy that dies before it has sent holds an order up for no longer than its lease', async () => {
  const order = await w.open(a, b, 900_000_000n);
  const dead = w.newKeeper({ landing: { execute: () => new Promise(() => {}) } });
  assert.equal(await dead.tick(), 1);
  const next = w.newKeeper();
  await next.runDue();
  assert.equal(await isOpen(order), true, 'another copy may be about to send');
  await endLeases(w.store);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
});

test('an order whose end no node tells keeps no others from its pools, nor itself', async () => {
  const landing = w.newLanding();
  const first = await w.open(a, b, 900_000_000n);
  let sent = 0;
  const execute: typeof landing.execute = (...args) =>
    sent++ === 0 ? new Promise(() => {}) : landing.execute(...args);
  const keeper = w.newKeeper({ landing: { execute } }, { longestSendMs: 20 });
  await keeper.runDue();
  assert.equal(sent, 1);
  const second = await w.open(a, b, 900_000_000n);
  const areOpen = async () => (await isOpen(first)) || (await isOpen(second));
  // On a busy machine what was sent takes longer than is waited for it here, and lands by itself.
  for (let round = 0; round < 100 && (await areOpen()); round++) {
    await keeper.runDue();
    await sleep(20);
  }
  assert.equal(await areOpen(), false);
});

test('what a copy was sending when it died is landed by the next one, and not sent twice', async () => {
  const order = await w.open(a, b, 900_000_000n);
  const before = await lamports();
  const nowhere = createLocalRpc(async () => {
    throw new ChainUnavailable('the network is gone');
  });
  const landing = w.newLanding({ sendRpcs: [nowhere] });
  const dying = w.newKeeper({ landing });
  assert.equal(await dying.tick(), 1);
  while ((await sending()) === 0) await new Promise(setImmediate);
  landing.close();
  await dying.close();
  assert.equal(await isOpen(order), true);
  const next = w.newLanding();
  assert.equal(await next.resume({ all: true }), 1);
  while ((await sending()) > 0) await sleep(20);
  assert.equal(await isOpen(order), false);
  await w.newKeeper({ landing: next }).runDue();
  assert.equal(before - (await lamports()), FEE);
  assert.equal(await w.world.amount(order.output), 900_000_000n);
});

async function sending(): Promise<number> {
  const sql = "select count(*)::int as n from ledger where state = 'sending' and area = 'limit-orders'";
  return (await w.store.query<{ n: number }>(sql)).rows[0]!.n;
}

test('when the market moves between the quote and the sending, nothing is sent and nothing lost', async () => {
  const order = await w.open(a, b, 990_000_000n);
  const before = await lamports();
  const landing = w.newLanding();
  const keeper = w.newKeeper({
    // It rests for two seconds, in which this process may have no turn.
    steadyNow: () => 1_000_000,
    landing: {
      async execute(request, transaction, detail) {
        await w.world.setReserves(pool, [MILLION, MILLION / 2n]);
        return landing.execute(request, transaction, detail);
      },
    },
  });
  await keeper.runDue();
  assert.equal(await isOpen(order), true);
  assert.equal(await lamports(), before);
  await w.moveTo(pool, [MILLION, MILLION]);
  assert.equal(await keeper.tick(), 0, 'it is not tried again at once');
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
});

test('orders that the market nearly pays for are tried more and more seldom, and new ones before them', async () => {
  const [cheap, good] = [await w.open(a, b, 990_000_000n), await w.open(a, b, 900_000_000n)];
  let now = 1_000_000;
  const tried: string[] = [];
  // Known prices would do for each; a quote with an owner, for sending, is refused.
  let refuses = true;
  const router: Router = {
    ...w.aggregator,
    async quote(request, signal) {
      if (!request.owner || !refuses) return w.aggregator.quote(request, signal);
      tried.push('quote');
      return { refused: 'no-route', reason: 'test' };
    },
  };
  // While it is being sent, what trades with the same pool waits.
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const landing = w.newLanding();
  const execute: typeof landing.execute = (...args) => held.then(() => landing.execute(...args));
  const keeper = w.newKeeper({ router, steadyNow: () => now, landing: { execute } });
  const triedAt: number[] = [];
  for (; now < 1_040_000; now += 500) {
    tried.length = 0;
    await keeper.tick();
    if (tried.length > 0) triedAt.push((now - 1_000_000) / 1_000);
  }
  assert.deepEqual(triedAt, [0, 1, 3, 7, 15, 30]);
  const fresh = await w.open(a, b, 900_000_000n);
  refuses = false;
  now += 60_000;
  assert.equal(await keeper.tick(), 1, 'one at a time trades with a pool');
  await keeper.close();
  letGo();
  assert.deepEqual([await isOpen(cheap), await isOpen(good)], [true, true]);
  while (await isOpen(fresh)) await sleep(20);
  await w.newKeeper().runDue();
  assert.deepEqual([await isOpen(cheap), await isOpen(good)], [false, false]);
});

test('an expired order goes back to its maker: all of it, and the rent', async () => {
  const now = BigInt(Math.floor(w.clock.now() / 1_000));
  const terms = { expiredAt: now + 3_600n };
  const orders = [
    await w.open(a, b, 5_000_000_000n, terms),
    await w.open(WRAPPED_SOL, b, 5_000_000_000n, terms),
    // The market would pay for it.
    await w.open(a, b, 900_000_000n, terms),
  ];
  const gone = await w.open(a, b, 5_000_000_000n, terms);
  const eternal = await w.open(a, b, 5_000_000_000n);
  await w.world.remove(w.ata(gone.maker.address, a));
  const [before, makers] = [
    await lamports(),
    await Promise.all(orders.map((order) => w.world.lamports(order.maker.address))),
  ];
  await w.world.rpc.call('localnet_advanceClock', [3_700]);
  w.clock.setOffset(3_700_000);
  w.chain.forget();
  await w.newKeeper().runDue();
  const rent = rentExemptLamports(LIMIT_ORDER_SIZE) + rentExemptLamports(165);
  for (const [index, order] of orders.entries()) {
    assert.equal(await isOpen(order), false);
    const gained = (await w.world.lamports(order.maker.address)) - makers[index]!;
    assert.equal(gained, index === 1 ? rent + MAKING : rent);
    if (index !== 1) assert.equal(await w.world.amount(w.ata(order.maker.address, a)), MAKING);
    assert.equal(await w.world.amount(order.output), 0n);
  }
  assert.equal(await isOpen(gone), true, 'the keeper makes no account for a maker who has closed it');
  assert.equal(await isOpen(eternal), true);
  assert.equal(before - (await lamports()), 3n * FEE);
});

test('attack: a page has a wallet let it close its account of SOL, with what limit orders have paid into it: they are filled and sent back to the wallet itself', async () => {
  const [c] = await w.pair([MILLION, 2n * MILLION], [undefined, WRAPPED_SOL]);
  await w.holding(c, w.taker, 77n);
  const expiredAt = BigInt(Math.floor(w.clock.now() / 1_000)) + 3_600n;
  const [paid, back] = [
    await w.open(c, WRAPPED_SOL, 1_900_000_000n, { uniqueId: wrappedOrderId(7n) }),
    await w.open(WRAPPED_SOL, b, 5_000_000_000n, { uniqueId: wrappedOrderId(8n), expiredAt }),
  ];
  const held = { mint: WRAPPED_SOL.mint, amount: 0n, state: 'initialized', delegatedAmount: 0n } as const;
  const native = { isNative: true, rentExemptReserve: TOKEN_RENT, closeAuthority: newAddress() };
  const accounts = [paid, back].map(({ maker }) => w.ata(maker.address, WRAPPED_SOL));
  for (const [at, { maker }] of [paid, back].entries()) {
    const data = encodeTokenAccount({ ...held, ...native, owner: maker.address });
    await w.world.put(accounts[at]!, WRAPPED_SOL.tokenProgram, data, TOKEN_RENT);
  }
  const had = await Promise.all([paid, back].map(({ maker }) => w.world.lamports(maker.address)));
  await w.world.rpc.call('localnet_advanceClock', [3_700]);
  w.clock.setOffset(w.clock.offsetMs + 3_700_000);
  w.chain.forget();
  await w.newKeeper().runDue();
  const rents = rentExemptLamports(LIMIT_ORDER_SIZE) + TOKEN_RENT;
  for (const [at, [{ maker }, due]] of (
    [
      [paid, 1_900_000_000n],
      [back, MAKING],
    ] as const
  ).entries()) {
    assert.equal((await w.world.lamports(maker.address)) - had[at]!, rents + due);
    assert.equal(await w.world.lamports(accounts[at]!), TOKEN_RENT);
  }
});

test('accounts of the program with any bytes in them stop nobody', async () => {
  const good = await w.open(a, b, 900_000_000n);
  const state = (await w.stateOf(good))!;
  const put = (data: Uint8Array) => w.world.put(newAddress(), LIMIT_ORDER_PROGRAM, data);
  const random = fc.sample(fc.uint8Array({ minLength: LIMIT_ORDER_SIZE, maxLength: LIMIT_ORDER_SIZE }), 20);
  const start = encodeLimitOrder(state).subarray(0, 8);
  const forged = fc.sample(fc.uint8Array({ minLength: LIMIT_ORDER_SIZE - 8, maxLength: LIMIT_ORDER_SIZE - 8 }), 60);
  for (const data of random) await put(data);
  for (const data of forged) await put(Buffer.concat([start, data]));
  for (const changed of [
    { oriMakingAmount: 0n },
    { oriTakingAmount: 0n },
    { makingAmount: 0n },
    { borrowMakingAmount: 1n },
    { outputMint: state.inputMint },
    { feeBps: 65_535 },
    { inputMint: newAddress() },
    { outputMint: LIMIT_ORDER_PROGRAM },
    { inputMintReserve: newAddress() },
    { inputMintReserve: w.ata(w.taker, a) },
    { maker: newAddress() },
    { maker: w.taker },
    { feeAccount: w.ata(w.taker, b) },
    { feeAccount: newAddress() },
    { oriTakingAmount: 1n, takingAmount: 1n },
    { oriMakingAmount: 2n ** 64n - 1n, oriTakingAmount: 1n, makingAmount: 2n ** 64n - 1n },
    { expiredAt: -(2n ** 63n) },
  ]) {
    await put(encodeLimitOrder({ ...state, ...changed }));
  }
  const [before, tokens] = [await lamports(), await w.world.amount(w.ata(w.taker, b))];
  const registry = new Registry();
  await w.newKeeper({ registry }).runDue();
  assert.equal(await isOpen(good), false);
  assert.equal(before - (await lamports()), FEE);
  assert.ok((await w.world.amount(w.ata(w.taker, b))) > tokens);
  const counted = await registry.getSingleMetricAsString('slipway_limit_orders');
  assert.match(counted, /state="it was made with nothing"\} [2-9]/);
  assert.match(counted, /state="a loan is under way"\} \d/);
});
