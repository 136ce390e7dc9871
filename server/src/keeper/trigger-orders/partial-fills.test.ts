import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ORDER_ENGINE_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  type Keypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemTransfer,
  tokenSyncNative,
} from '@slipway/wire';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import { openAggregator, unhurried, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import { fillPercent } from '../../trigger-orders/order.js';
import { expireTriggerOrders } from '../expire-trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const WHOLE = 1_000_000n;
const DEEP = 10n ** 13n;
const RENT = rentExemptLamports(165);
const MINUTE_MS = 60_000;

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
  world.setPrice(world.sold.mint, 1);
  world.setPrice(world.bought.mint, 1);
  await pools(DEEP);
});

const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
const later = (ms: number) => world.clock.setOffset(world.clock.offsetMs + ms);
const tokens: typeof world.held = (...args) => world.held(...args);
const reserves = async () => Promise.all(world.pool.vaults.map((vault) => world.world.amount(vault)));
const exists = (account: string) => world.exists(account);
const open = (terms?: Partial<TestTerms>) => world.deposit(client, terms);
const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;

describe('a market that is too shallow for an order', () => {
  it('fills the largest part that the slippage allows, and the rest when there is more', async () => {
    await pools(400n * WHOLE);
    const { wallet, id } = await open({ slippageBps: 500 });
    const [, wasOut] = await reserves();
    await keeper.runDue();
    const part = (await world.rowOf(id)).progress;
    assert.equal(part.state, 'partial_fill_success');
    const { initial, remaining, received } = part.entry;
    const used = initial - remaining;
    const [nowIn, nowOut] = await reserves();
    assert.deepEqual([nowIn, nowOut], [400n * WHOLE + used, wasOut! - received]);
    assert.deepEqual(
      [await tokens(wallet.address), await world.world.amount((await world.rowOf(id)).inputAccount as Address)],
      [received, remaining],
    );
    // 5 % for all that was sold, of which the pool keeps 0.3 %: about 19.7 tokens, and not much less.
    assert.ok(received * 10_000n >= used * 9_500n, `${used} for ${received}`);
    assert.ok(used > 19n * WHOLE && used < 20n * WHOLE, `${used}`);
    // To six digits, rounded down.
    assert.equal(fillPercent(part), Number((used * 1_000_000n) / AMOUNT) / 1_000_000);
    const [fill] = await triggerOrderEvents(world.store, wallet.address, [id]);
    assert.deepEqual([fill?.type, fill?.state, fill?.amount, fill?.outputAmount], ['fill', 'success', used, received]);

    // Nothing more is to be had: it waits, and gives nothing away.
    later(MINUTE_MS);
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.entry.remaining, remaining);
    await pools(DEEP);
    later(10 * MINUTE_MS);
    await keeper.runDue();
    const row = await world.rowOf(id);
    assert.deepEqual([row.progress.state, row.progress.entry.remaining], ['fill_success', 0n]);
    assert.equal(await tokens(wallet.address), row.progress.entry.received);
    assert.equal(await exists(row.inputAccount), false);
  });

  it('leaves no rest of less than 5 USD, and sells no part of less', async () => {
    await pools(1_990n * WHOLE);
    const { id } = await open({ slippageBps: 500 });
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.entry.remaining, 5n * WHOLE);
    await pools(80n * WHOLE);
    const other = await open({ slippageBps: 500 });
    await keeper.runDue();
    const { progress } = await world.rowOf(other.id);
    assert.deepEqual([progress.state, progress.entry.remaining], ['open', AMOUNT]);
    await client.withdraw(other.wallet, other.id);
  });

  it('sells the rest by whichever leg of the two is reached next', async () => {
    for (const [usd, leg] of [
      [1, 'take_profit'],
      [0.4, 'stop_loss'],
    ] as const) {
      for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
      await pools(400n * WHOLE);
      const { wallet, id } = await open({ orderType: 'oco', tpPriceUsd: 1, slPriceUsd: 0.5, tpSlippageBps: 500 });
      await keeper.runDue();
      const { remaining } = (await world.rowOf(id)).progress.entry;
      assert.equal(await stateOf(id), 'partial_fill_success');
      await pools(DEEP);
      world.setPrice(world.sold.mint, 0.9);
      later(10 * MINUTE_MS);
      await keeper.runDue();
      assert.equal((await world.rowOf(id)).progress.entry.remaining, remaining);
      world.setPrice(world.sold.mint, usd);
      await keeper.runDue();
      const { state, fired, entry } = (await world.rowOf(id)).progress;
      assert.deepEqual([state, fired, entry.remaining], ['fill_success', leg, 0n]);
      assert.equal(await tokens(wallet.address), entry.received);
      const fills = await triggerOrderEvents(world.store, wallet.address, [id]);
      assert.deepEqual(
        fills.filter(({ type }) => type === 'fill').map(({ context }) => context),
        [leg, 'take_profit'],
      );
    }
  });

  it('fills an order of a wallet without an account for the output whole, at no rent of the keeper, or not at all', async () => {
    const { wallet, id } = await open({ slippageBps: 500 });
    const { mint, tokenProgram } = world.bought;
    const output = associatedTokenAddress(wallet.address, mint, tokenProgram);
    await world.world.remove(output);
    await pools(400n * WHOLE);
    await keeper.runDue();
    assert.deepEqual([await stateOf(id), await exists(output)], ['open', false]);
    await pools(DEEP);
    const old = await world.world.lamports(world.payer);
    later(10 * MINUTE_MS);
    await keeper.runDue();
    assert.deepEqual([await stateOf(id), await exists(output)], ['fill_success', true]);
    // Two signatures and the compute: far less than a rent.
    assert.ok(old - (await world.world.lamports(world.payer)) < 100_000n);
  });

  it('a keeper that starts anew knows the rest', async () => {
    await pools(400n * WHOLE);
    const { id } = await open({ slippageBps: 500 });
    await keeper.runDue();
    assert.equal(await stateOf(id), 'partial_fill_success');
    await pools(DEEP);
    later(MINUTE_MS);
    await (await world.newKeeper()).runDue();
    assert.equal(await stateOf(id), 'fill_success');
  });
});

describe('an order that is partly filled and then cancelled or expired', () => {
  it('gives the rest back, with the rent', async () => {
    await pools(400n * WHOLE);
    const { wallet, id } = await open({ slippageBps: 500 });
    await keeper.runDue();
    const { remaining } = (await world.rowOf(id)).progress.entry;
    await client.withdraw(wallet, id);
    assert.equal(await tokens(wallet.address, world.sold), remaining);
    assert.equal(await stateOf(id), 'cancelled');
    assert.equal(await exists((await world.rowOf(id)).inputAccount), false);
  });

  it('as the entry of an OTOCO order makes no exits, and gives both tokens back', async () => {
    await pools(400n * WHOLE);
    const terms = { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1, slippageBps: 500 } as const;
    const { wallet, id } = await open(terms);
    await keeper.runDue();
    const part = await world.rowOf(id);
    assert.deepEqual([part.progress.state, part.progress.stage], ['partial_fill_success', 'entry']);
    const { remaining, received } = part.progress.entry;
    assert.equal(await world.world.amount(part.outputAccount as Address), received);
    assert.equal(await tokens(wallet.address), 0n);
    // The exits' price is there, and they are not.
    later(2 * 60 * MINUTE_MS);
    await expireTriggerOrders(world.store, new Date(world.clock.now()));
    await keeper.runDue();
    assert.equal(await stateOf(id), 'expired');
    await client.withdraw(wallet, id);
    assert.deepEqual([await tokens(wallet.address, world.sold), await tokens(wallet.address)], [remaining, received]);
    for (const account of [part.inputAccount, part.outputAccount!]) assert.equal(await exists(account), false);
  });
});

describe('SOL', () => {
  const SOL = 1_000_000_000n;
  const LATER_GIFT = 12_345n;
  let pool: Awaited<ReturnType<typeof world.world.pool>>;
  const deepen = (each: bigint) => world.world.setReserves(pool, [each * SOL, each * WHOLE]);
  before(async () => {
    pool = await world.world.pool(WRAPPED_SOL, world.bought, [400n * SOL, 400n * WHOLE]);
    await world.aggregator.discover();
  });
  beforeEach(async () => {
    world.setPrice(WRAPPED_SOL.mint, 1);
    await deepen(400n);
  });

  async function openWith(sells: boolean): Promise<{ wallet: Keypair; id: string; lamports: bigint }> {
    const [input, output] = sells ? [WRAPPED_SOL, world.bought] : [world.bought, WRAPPED_SOL];
    const wallet = await client.register();
    await world.fund(wallet.address, world.bought, AMOUNT);
    await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 200n * SOL);
    const id = await client.open(wallet, sells ? 100n * SOL : AMOUNT, {
      inputMint: input.mint,
      outputMint: output.mint,
      triggerMint: WRAPPED_SOL.mint,
      orderType: 'single',
      triggerCondition: 'above',
      triggerPriceUsd: 0.9,
      slippageBps: 500,
    });
    return { wallet, id, lamports: await world.world.lamports(wallet.address) };
  }

  /** Fills a part, and then the rest. */
  async function fillInParts(id: string, between: () => Promise<void>): Promise<void> {
    await keeper.runDue();
    assert.equal(await stateOf(id), 'partial_fill_success');
    await between();
    await deepen(1_000_000n);
    later(MINUTE_MS);
    await keeper.runDue();
    assert.equal(await stateOf(id), 'fill_success');
  }

  it('is sold in parts; what others have sent to its account is not sold, and is the wallet’s', async () => {
    const { wallet, id, lamports } = await openWith(true);
    const held = await tokens(wallet.address);
    const { inputAccount } = await world.rowOf(id);
    const giver = await world.world.wallet();
    const to = inputAccount as Address;
    await fillInParts(id, async () => {
      const gift = systemTransfer({ from: giver.address, to, lamports: LATER_GIFT });
      assert.equal(await world.world.run([giver], [gift]), null);
    });
    const { entry } = (await world.rowOf(id)).progress;
    assert.equal(entry.remaining, 0n);
    assert.equal(await tokens(wallet.address), held + entry.received);
    assert.equal(await world.world.lamports(wallet.address), lamports + RENT + LATER_GIFT);
    const fills = (await triggerOrderEvents(world.store, wallet.address, [id])).filter(({ type }) => type === 'fill');
    assert.equal(fills.length, 2);
    assert.equal(fills[0]!.amount! + fills[1]!.amount!, 100n * SOL);
    assert.equal(fills[0]!.outputAmount! + fills[1]!.outputAmount!, entry.received);
    assert.equal(await exists(inputAccount), false);
  });

  describe('attack: a wallet closes its account for what its SOL is sold for, so that nobody can record the fill: it is recorded', () => {
    /** Resolves to what has come back to the wallet, and what was not sold, in lamports. */
    async function closedBefore(filler: typeof keeper): Promise<[back: bigint, unsold: bigint]> {
      const { wallet, id, lamports } = await openWith(true);
      const { mint, tokenProgram } = world.bought;
      await world.world.remove(associatedTokenAddress(wallet.address, mint, tokenProgram));
      await deepen(1_000_000n);
      const payer = await world.world.lamports(world.payer);
      await filler.runDue();
      const { progress, inputAccount } = await world.rowOf(id);
      const { remaining } = progress.entry;
      assert.equal(progress.state, 'fill_success');
      assert.equal(await tokens(wallet.address), progress.entry.received);
      assert.ok(progress.entry.received > 90n * WHOLE);
      assert.equal(await exists(inputAccount), false);
      assert.ok(payer - (await world.world.lamports(world.payer)) < 100_000n);
      const events = await triggerOrderEvents(world.store, wallet.address, [id]);
      const fills = events.filter(({ type }) => type === 'fill');
      assert.deepEqual(
        fills.map(({ state, amount, outputAmount }) => [state, amount, outputAmount]),
        [['success', 100n * SOL - remaining, progress.entry.received]],
      );
      return [(await world.world.lamports(wallet.address)) - lamports, remaining];
    }

    it('at what it has brought, and its rent has paid for the new account', async () => {
      assert.deepEqual(await closedBefore(keeper), [0n, 0n]);
    });

    it('and what a venue did not take is the wallet’s, where no router program sees to that', async () => {
      const programs = { tokenSwap: TOKEN_SWAP_PROGRAM };
      const { aggregator } = await openAggregator(world.world, { live: world.live, programs });
      const alone = await world.newKeeper({
        router: unhurried(aggregator),
        programs: { ...programs, orderEngine: ORDER_ENGINE_PROGRAM },
      });
      // A unit of what is bought is worth a thousand lamports.
      const [back, unsold] = await closedBefore(alone);
      assert.ok(back > 0n && back < 2_000n, `${back}`);
      assert.equal(unsold, back);
      aggregator.close();
    });

    it('also where somebody sends SOL there before it lands', async () => {
      const giver = await world.world.wallet();
      const landing = world.newLanding();
      const given = new Set<string>();
      const generous = await world.newKeeper({
        landing: {
          vouchesForOrder: (order) => landing.vouchesForOrder(order),
          unlandedAt: (row, said) => landing.unlandedAt(row, said),
          execute: (...closing) => landing.execute(...closing),
          async send(...fill) {
            const [{ payload }] = fill;
            const to = (await world.rowOf((payload as { orderId: string }).orderId)).inputAccount as Address;
            if (!given.has(to)) {
              given.add(to);
              const gift = systemTransfer({ from: giver.address, to, lamports: LATER_GIFT });
              assert.equal(await world.world.run([giver], [gift, tokenSyncNative({ account: to })]), null);
            }
            return landing.send(...fill);
          },
        },
      });
      assert.deepEqual(await closedBefore(generous), [LATER_GIFT, 0n]);
      assert.equal(given.size, 1);
    });
  });

  it('is bought in parts, each to the lamport', async () => {
    const { wallet, id, lamports } = await openWith(false);
    let first = 0n;
    await fillInParts(id, async () => {
      first = (await world.world.lamports(wallet.address)) - lamports;
      assert.equal((await world.rowOf(id)).progress.entry.received, first);
    });
    const { entry } = (await world.rowOf(id)).progress;
    assert.ok(first > 0n && entry.received > first);
    assert.equal(await world.world.lamports(wallet.address), lamports + entry.received + RENT);
  });
});
