import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Address, decodeTransaction, rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import { createClient, type TestTerms } from '../../areas/trigger-v2/testing.js';
import type { Rpc } from '../../chain/index.js';
import { WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { expireTriggerOrders } from '../expire-trigger-orders.js';
import { createFillWrites } from './fill-writes.js';
import { releaseAbandoned } from './recovery.js';
import { openTriggerWorld } from './testing.js';

/** What somebody does to one leg of an order, and what the other does then. */
const WHOLE = 1_000_000n;
const AMOUNT = 1_000n * WHOLE;
const DEPTH = 100_000n * WHOLE;
const SOL = 1_000_000_000n;
const RENT = rentExemptLamports(165);
const MONTH_MS = 30 * 86_400_000;
/** Wallet, vault and tracker sign. */
const WITHDRAWAL_FEE = 15_000n;
type Reserves = readonly [sold: bigint, bought: bigint];

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
let keeper: Awaited<ReturnType<typeof world.newKeeper>>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  keeper = await world.newKeeper();
});
after(() => world?.close());
beforeEach(async () => {
  world.setPrice(world.bought.mint, 1);
  await market(1);
});

/** The pool at a price of what is sold. */
const at = (usd: number): Reserves => [DEPTH, BigInt(Math.round(Number(DEPTH) * usd))];

/** The price of the feed, and what the pool says. */
async function market(usd: number, reserves = at(usd)): Promise<void> {
  world.setPrice(world.sold.mint, usd);
  await world.world.setReserves(world.pool, [...reserves]);
}

const later = (seconds: number) => world.clock.setOffset(world.clock.offsetMs + seconds * 1_000);

async function open(terms: Partial<TestTerms>, [input, output] = [world.sold, world.bought]) {
  const wallet = await client.register();
  await world.fund(wallet.address, input, AMOUNT);
  const expiresAt = world.clock.now() + MONTH_MS;
  const mints = { inputMint: input.mint, outputMint: output.mint, triggerMint: world.sold.mint };
  const id = await client.open(wallet, AMOUNT, { ...mints, expiresAt, ...terms } as TestTerms);
  return { wallet, id };
}

const progressOf = async (id: string) => (await world.rowOf(id)).progress;

/** What a pool gives, at its fee of 0.3 %. */
function given([from, to]: Reserves, amount: bigint): bigint {
  const taken = amount - (amount * 30n) / 10_000n;
  return (to * taken) / (from + taken);
}

/** A pool after somebody has sold so much into it that `most` gets less than its slippage allows, and what it costs to undo that. */
function pushed(before: Reserves, worth: number, slippageBps: number, most: bigint): { pool: Reserves; cost: bigint } {
  for (let sold = 0n; ; sold += 5n * WHOLE) {
    const got = given(before, sold);
    const pool: Reserves = [before[0] + sold, before[1] - got];
    if (Number(given(pool, most)) >= Number(most) * worth * (1 - slippageBps / 10_000)) continue;
    return { pool, cost: sold - given([pool[1], pool[0]], got) };
  }
}

it('attack: somebody who moves pools for the moment of one fill has only a part of a take profit sold, for a few USD: what is left keeps its stop-loss', async () => {
  for (const tpSlippageBps of [50, 300]) {
    await market(1);
    const { wallet, id } = await open({ orderType: 'oco', tpPriceUsd: 1.1, slPriceUsd: 0.9, tpSlippageBps });
    const { pool, cost } = pushed(at(1.1), 1.1, tpSlippageBps, 40n * WHOLE);
    assert.ok(cost < 10n * WHOLE, `${cost}`);
    await market(1.1, pool);
    await keeper.runDue();
    const part = await progressOf(id);
    assert.deepEqual([part.state, part.fired], ['partial_fill_success', 'take_profit']);
    assert.ok(part.entry.remaining > 950n * WHOLE);
    later(60);
    await market(0.85);
    await keeper.runDue();
    const { state, fired, entry } = await progressOf(id);
    assert.deepEqual([state, fired, entry.remaining], ['fill_success', 'stop_loss', 0n]);
    assert.equal(await world.held(wallet.address), entry.received);
    assert.ok(entry.received > 830n * WHOLE, `${entry.received}`);
  }
});

/** An order whose entry somebody has kept from buying more than some nine tenths; what its wallet had then, and what it cost him. */
async function partlyEntered(terms: Partial<TestTerms> = {}) {
  await market(1);
  const exits = { tpPriceUsd: 1.2, slPriceUsd: 0.8, tpSlippageBps: 300, slippageBps: 300 };
  const entry = { triggerCondition: 'below', triggerPriceUsd: 0.95 } as const;
  const opened = await open({ orderType: 'otoco', ...entry, ...exits, ...terms }, [world.bought, world.sold]);
  const lamports = await world.world.lamports(opened.wallet.address);
  const [sold, bought] = at(0.95);
  const { pool, cost } = pushed([bought, sold], 1 / 0.95, 300, 950n * WHOLE);
  await market(0.95, [pool[1], pool[0]]);
  await keeper.runDue();
  const { state, stage, entry: trade } = await progressOf(opened.id);
  assert.deepEqual([state, stage], ['partial_fill_success', 'entry']);
  assert.ok(trade.remaining > 5n * WHOLE && trade.received > 800n * WHOLE);
  return { ...opened, lamports, cost, part: trade };
}
type Entered = Awaited<ReturnType<typeof partlyEntered>>;

/** All that the order had is the wallet's: what is left of the deposit, with what the exit has brought, and what is not sold. */
async function assertAllHome({ wallet, id, lamports, part }: Entered, fees = 0n): Promise<void> {
  const { inputAccount, outputAccount, progress } = await world.rowOf(id);
  const { received, remaining } = progress.exit ?? { received: 0n, remaining: part.received };
  assert.equal(await world.held(wallet.address), part.remaining + received);
  assert.equal(await world.held(wallet.address, world.sold), remaining);
  assert.deepEqual(await Promise.all([inputAccount, outputAccount!].map(world.exists)), [false, false]);
  assert.equal(await world.world.lamports(wallet.address), lamports + 2n * RENT - fees);
}

it('attack: somebody who moves pools for the moment of one fill has only a part of an entry bought, for a few USD: what that has bought is sold at the take profit and at the stop-loss, and the rest of the deposit comes home', async () => {
  for (const [triggerCondition, usd, leg, least] of [
    ['below', 1.25, 'take_profit', 1_180n],
    ['above', 1.25, 'take_profit', 1_180n],
    ['below', 0.78, 'stop_loss', 730n],
  ] as const) {
    const order = await partlyEntered({ triggerCondition, triggerPriceUsd: 0.95 });
    assert.ok(order.cost < 10n * WHOLE, `${order.cost}`);
    await market(usd);
    await keeper.runDue();
    const { state, fired, entry, exit } = await progressOf(order.id);
    assert.deepEqual([state, fired, exit?.remaining, entry], ['fill_success', leg, 0n, order.part]);
    assert.ok(exit!.received > least * WHOLE, `${exit!.received}`);
    await assertAllHome(order);
  }
});

describe('attack: somebody who moves pools has the take profit of an order rest by tries in vain: its stop-loss is sold as soon as one that stands alone', () => {
  /** A pair whose take profit has a narrow slippage, and a stop; the price falls below both, and what they have got for it is told. */
  async function fallAfter(vain: (id: string) => Promise<void>): Promise<Awaited<ReturnType<typeof progressOf>>[]> {
    const pair = await open({ orderType: 'oco', tpPriceUsd: 1.1, slPriceUsd: 0.9, tpSlippageBps: 50 });
    const single = await open({ orderType: 'single', triggerCondition: 'below', triggerPriceUsd: 0.9 });
    await vain(pair.id);
    const { progress, retryAt } = await world.rowOf(pair.id);
    assert.deepEqual([progress.state, progress.fired, progress.entry.received], ['open', 'take_profit', 0n]);
    assert.ok(retryAt!.getTime() > world.clock.now() + 60_000, 'its take profit rests');
    await market(0.88);
    await keeper.runDue();
    return Promise.all([pair, single].map(({ id }) => progressOf(id)));
  }

  function assertBothSold(orders: Awaited<ReturnType<typeof fallAfter>>): void {
    assert.deepEqual(
      orders.map(({ state, fired }) => [state, fired]),
      [
        ['fill_success', 'stop_loss'],
        ['fill_success', 'entry'],
      ],
    );
    for (const { entry } of orders) assert.ok(entry.received > 840n * WHOLE, `${entry.received}`);
  }

  it('after ten minutes in which a pool stands 1 % below the price', async () => {
    assertBothSold(
      await fallAfter(async () => {
        for (let seconds = 0; seconds < 600; seconds += 10) {
          await market(1.1, at(1.09));
          await keeper.runDue();
          later(10);
        }
      }),
    );
  });

  it('after a dozen fills that have failed on the chain', async () => {
    let failed = 0;
    assertBothSold(
      await fallAfter(async (id) => {
        const account = (await world.rowOf(id)).inputAccount as Address;
        const rpc: Rpc = {
          ...world.world.rpc,
          async call<T>(method: string, params: unknown[]): Promise<T> {
            if (method === 'sendTransaction') {
              const { decoded } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
              if (decoded.accounts.includes(account)) {
                failed += 1;
                await world.world.setReserves(world.pool, [...at(1.08)]);
              }
            }
            return world.world.rpc.call<T>(method, params);
          },
        };
        const pushing = await world.newKeeper({ landing: world.newLanding([rpc]) });
        for (let tries = 0; failed < 12; tries++) {
          assert.ok(tries < 200);
          // Ten of a thousand tokens move the price less than the slippage.
          await market(1.1, at(1.125));
          await pushing.runDue();
          later(30);
        }
      }),
    );
  });
});

describe('an entry that an exit has ended, which could not sell', () => {
  /** The pool gives less than the take profit accepts. */
  async function endedInVain(): Promise<Entered> {
    const order = await partlyEntered();
    await market(1.25, at(1.2));
    await keeper.runDue();
    const { state, stage, entry, exit, held } = await progressOf(order.id);
    assert.deepEqual([state, stage, exit?.remaining, held], ['open', 'exit', order.part.received, 0n]);
    assert.deepEqual(entry, order.part);
    return order;
  }

  it('buys nothing more', async () => {
    const order = await endedInVain();
    later(3_600);
    await market(0.94);
    await keeper.runDue();
    assert.deepEqual((await progressOf(order.id)).entry, order.part);
    await market(0.8);
    await keeper.runDue();
    await assertAllHome(order);
  });

  it('can be edited as one that is entered, and gives all back when it is cancelled', async () => {
    const order = await endedInVain();
    const { address } = order.wallet;
    await client.edit(address, order.id, { orderType: 'otoco', tpPriceUsd: 1.4 });
    await assert.rejects(
      client.edit(address, order.id, { orderType: 'otoco', triggerPriceUsd: 0.7 }),
      /the order has been entered already/,
    );
    await client.withdraw(order.wallet, order.id);
    assert.equal((await progressOf(order.id)).state, 'cancelled');
    await assertAllHome(order, WITHDRAWAL_FEE);
  });

  it('gives all back when it has expired', async () => {
    const order = await endedInVain();
    later(MONTH_MS / 1_000);
    await expireTriggerOrders(world.store, new Date(world.clock.now()));
    assert.equal((await world.rowOf(order.id)).funded, true);
    await client.withdraw(order.wallet, order.id);
    await assertAllHome(order, WITHDRAWAL_FEE);
  });

  it('goes on where its keeper has died between the two', async () => {
    const order = await partlyEntered();
    const [claimed] = await Promise.all([createFillWrites(world).claim({ id: order.id, leg: 'take_profit' })]);
    assert.deepEqual([claimed?.progress.state, claimed?.progress.stage], ['ready_execute', 'exit']);
    await releaseAbandoned(world, { alone: true });
    assert.equal((await progressOf(order.id)).state, 'open');
    await market(1.25);
    await (await world.newKeeper()).runDue();
    assert.equal((await progressOf(order.id)).state, 'fill_success');
    await assertAllHome(order);
  });
});

describe('an entry that sells SOL, of which a part is filled', () => {
  let pool: Awaited<ReturnType<typeof world.world.pool>>;
  const reserves = (each: bigint, usd = 1) =>
    world.world.setReserves(pool, [each * SOL, BigInt(Math.round(Number(each) * usd)) * WHOLE]);
  before(async () => {
    pool = await world.world.pool(WRAPPED_SOL, world.bought, [400n * SOL, 400n * WHOLE]);
    await world.aggregator.discover();
  });

  async function entered() {
    world.setPrice(WRAPPED_SOL.mint, 1);
    await reserves(400n);
    const wallet = await client.register();
    await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 200n * SOL);
    const id = await client.open(wallet, 100n * SOL, {
      orderType: 'otoco',
      inputMint: WRAPPED_SOL.mint,
      outputMint: world.bought.mint,
      triggerMint: WRAPPED_SOL.mint,
      triggerCondition: 'above',
      triggerPriceUsd: 0.9,
      slippageBps: 500,
      tpPriceUsd: 1.5,
      slPriceUsd: 0.5,
      tpSlippageBps: 50,
    });
    const lamports = await world.world.lamports(wallet.address);
    await keeper.runDue();
    const { state, entry } = await progressOf(id);
    assert.equal(state, 'partial_fill_success');
    later(60);
    const row = await world.rowOf(id);
    return { wallet, id, lamports, part: entry, accounts: [row.inputAccount, row.outputAccount!] };
  }

  it('has the rest of the deposit and both rents come home after the exit, to the lamport', async () => {
    const { wallet, id, lamports, part, accounts } = await entered();
    world.setPrice(WRAPPED_SOL.mint, 1.6);
    await reserves(1_000_000n, 1.6);
    await keeper.runDue();
    const { state, exit } = await progressOf(id);
    assert.deepEqual([state, exit?.remaining], ['fill_success', 0n]);
    assert.deepEqual(await Promise.all(accounts.map(world.exists)), [false, false]);
    const back = part.remaining + exit!.received + 2n * RENT;
    assert.equal(await world.world.lamports(wallet.address), lamports + back);
    assert.equal(await world.held(wallet.address), 0n);
  });

  it('attack: a node hides the account of the deposit when an order is cancelled whose exit has ended such an entry: the withdrawal of what it has bought does not end it', async () => {
    const { wallet, id, lamports, part, accounts } = await entered();
    world.setPrice(WRAPPED_SOL.mint, 1.6);
    await reserves(1_000_000n, 1.65);
    await keeper.runDue();
    assert.deepEqual([(await progressOf(id)).state, (await progressOf(id)).stage], ['open', 'exit']);
    const accountReading = async (address: Address) => {
      const told = await world.chain.accountReading(address);
      return address === accounts[0] ? { ...told, account: undefined } : told;
    };
    const chain = { ...world.chain, accountReading };
    await createClient({ ...world, chain, landing: world.newLanding(), prices: world.priced }).withdraw(wallet, id);
    assert.equal((await progressOf(id)).state, 'ready_to_cancel');
    await client.withdraw(wallet, id);
    assert.equal((await progressOf(id)).state, 'cancelled');
    assert.equal(await world.held(wallet.address), part.received);
    const back = part.remaining + 2n * RENT - 2n * WITHDRAWAL_FEE;
    assert.equal(await world.world.lamports(wallet.address), lamports + back);
  });
});
