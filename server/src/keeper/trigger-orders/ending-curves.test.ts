import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DBC_PROGRAM } from '@slipway/checks';
import {
  type Address,
  decodeMessage,
  type Keypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { type TestPool, tableOf, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { type EndingCurve, writeEndingCurve } from '../../routing/aggregator/venues/testing/ending-curve.js';
import type { Token } from '../../routing/router.js';
import { openTestStore } from '../../store/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const SOL = 1_000_000_000n;
const DEEP = 10n ** 13n;
/** What a stranger leaves of the curve before a fill lands: the rest of the order is more than any rent. */
const LEFT = (AMOUNT * 75n) / 100n;
/** What the curve takes of an order then, with its fee of 1 %. */
const TAKEN = (LEFT * 100n + 98n) / 99n;
const RENT = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
/** Of two signatures. */
const FEE = 10_000n;
const TERMS = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9, slippageBps: 2_900 } as const;

type TriggerWorld = Awaited<ReturnType<typeof openTriggerWorld>>;
let world: TriggerWorld;
let tables: Address[];
beforeEach(async () => {
  tables = [];
  world = await openTriggerWorld(tables, openTestStore);
  await world.world.setReserves(world.pool, [1_000n, 1_000n]);
});
afterEach(() => world?.close());

describe('a curve that is nearly complete', () => {
  let curve: EndingCurve;
  let [held, counted] = [0n, 0n];
  let beforeLanding: () => Promise<void>;
  beforeEach(() => {
    beforeLanding = async () => {};
  });
  /** What the last fill that was raced names in full. */
  let named: readonly Address[] = [];

  /** The curve is paid in this token, and takes all of an order. */
  async function write(paid: Token): Promise<void> {
    curve = await writeEndingCurve(world.world, world.bought, paid, AMOUNT);
    // So that a unit of SOL is worth a unit of the other tokens.
    world.setPrice(WRAPPED_SOL.mint, 1_000);
    await world.aggregator.discover();
    [held, counted] = [await world.world.amount(curve.vault), await curve.counted()];
  }

  /** What was given to the curve beyond what it has counted and its fee of 1 %. */
  async function givenAway(): Promise<bigint> {
    const [gained, traded] = [(await world.world.amount(curve.vault)) - held, (await curve.counted()) - counted];
    return gained - (traded * 100n + 98n) / 99n;
  }

  /** A keeper, and a stranger who buys the curve each time between the simulation and the landing. */
  async function raced() {
    const landing = world.newLanding();
    return world.newKeeper({
      landing: {
        vouchesForOrder: (order) => landing.vouchesForOrder(order),
        unlandedAt: (row, said) => landing.unlandedAt(row, said),
        async execute(...fill) {
          return landing.execute(...fill);
        },
        async send(...fill) {
          named = decodeMessage(fill[1].message).accounts;
          await beforeLanding();
          await curve.leave(LEFT);
          counted = await curve.counted();
          return landing.send(...fill);
        },
      },
    });
  }

  /** Of a wallet that has no account for what it buys. */
  async function deposit(input: Token): Promise<{ wallet: Keypair; id: string; lamports: bigint }> {
    const client = world.newClient();
    const wallet = await client.register();
    await world.fund(wallet.address, world.sold, AMOUNT);
    await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), SOL);
    const mints = { inputMint: input.mint, outputMint: world.bought.mint, triggerMint: input.mint };
    const id = await client.open(wallet, AMOUNT, { ...TERMS, ...mints });
    await world.world.remove(await world.accountOf(wallet.address));
    return { wallet, id, lamports: await world.world.lamports(wallet.address) };
  }

  const later = () => world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);

  it('attack: a stranger on the chain buys a curve until only what an order must get is left: nothing of the order is given to the curve', async () => {
    await write(world.sold);
    await curve.leave(LEFT);
    const { wallet, id } = await world.deposit(world.newClient(), { slippageBps: 2_900 });
    await (await world.newKeeper()).runDue();
    const { progress, inputAccount } = await world.rowOf(id);
    const sold = AMOUNT - progress.entry.remaining;
    assert.equal(progress.state, 'partial_fill_success');
    assert.equal(sold, TAKEN);
    assert.equal(await givenAway(), 0n);
    assert.equal(await world.world.amount(inputAccount as Address), AMOUNT - sold);
    assert.equal(await world.held(wallet.address), progress.entry.received);
  });

  it('attack: a stranger on the chain buys a curve between the simulation of a fill and its landing: the fill fails, and the next one sells what the curve takes', async () => {
    await write(world.sold);
    const { id } = await world.deposit(world.newClient(), { slippageBps: 2_900 });
    const keeper = await raced();
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.entry.remaining, AMOUNT);
    assert.equal(await world.world.amount(curve.vault), held);
    later();
    await keeper.runDue();
    const { progress, inputAccount } = await world.rowOf(id);
    assert.equal(progress.state, 'partial_fill_success');
    assert.equal(await givenAway(), 0n);
    assert.equal(await world.world.amount(inputAccount as Address), progress.entry.remaining);
  });

  it('attack: a stranger on the chain buys a curve before the fill of a wallet without an account lands: the SOL that is left is the wallet’s, not the keeper’s', async () => {
    await write(WRAPPED_SOL);
    const { wallet, id, lamports } = await deposit(WRAPPED_SOL);
    const before = await world.world.lamports(world.payer);
    await (await raced()).runDue();
    const { progress } = await world.rowOf(id);
    assert.equal(progress.state, 'fill_success');
    const sold = AMOUNT - progress.entry.remaining;
    assert.equal(sold, TAKEN);
    assert.equal(await givenAway(), 0n);
    assert.equal((await world.world.lamports(wallet.address)) - lamports, AMOUNT - sold);
    assert.ok((await world.world.lamports(world.payer)) < before, 'the keeper has paid the fee');
    assert.equal(await world.held(wallet.address), progress.entry.received);
  });

  it('an order of SOL whose account somebody has sent more SOL than it sells, uncounted, is recorded by what it has sold', async () => {
    await write(WRAPPED_SOL);
    const { wallet, id } = await deposit(WRAPPED_SOL);
    const { inputAccount } = await world.rowOf(id);
    const gift = systemTransfer({ from: wallet.address, to: inputAccount as Address, lamports: 2n * AMOUNT });
    assert.equal(await world.world.run([wallet], [gift]), null);
    await (await raced()).runDue();
    const { progress } = await world.rowOf(id);
    assert.equal(progress.state, 'fill_success');
    assert.equal(AMOUNT - progress.entry.remaining, TAKEN);
  });

  for (const made of ['before', 'by others before it lands', 'by the keeper'] as const) {
    it(`an order of SOL is recorded by what it has sold where the account of its wallet, which others have sent SOL, is made ${made}`, async () => {
      await write(WRAPPED_SOL);
      const { wallet, id } = await deposit(WRAPPED_SOL);
      const account = await world.accountOf(wallet.address);
      const make = async () => void (await world.world.holding(world.bought, wallet.address, 0n, account));
      if (made === 'before') await make();
      const gift = systemTransfer({ from: wallet.address, to: account, lamports: 1_000_000n });
      assert.equal(await world.world.run([wallet], [gift]), null);
      if (made === 'by others before it lands') beforeLanding = make;
      await (await raced()).runDue();
      const { progress } = await world.rowOf(id);
      assert.equal(progress.state, 'fill_success');
      assert.equal(AMOUNT - progress.entry.remaining, TAKEN);
    });
  }

  it('attack: a stranger on the chain buys a curve until only a part of an order of SOL is left: where the wallet has no account, the keeper closes none for itself', async () => {
    await write(WRAPPED_SOL);
    await curve.leave(LEFT);
    const { wallet, id, lamports } = await deposit(WRAPPED_SOL);
    const before = await world.world.lamports(world.payer);
    const keeper = await world.newKeeper();
    await keeper.runDue();
    const { progress, inputAccount } = await world.rowOf(id);
    assert.equal(progress.entry.remaining, AMOUNT);
    assert.equal(await world.world.amount(inputAccount as Address), AMOUNT);
    assert.equal(await world.world.lamports(world.payer), before);
    assert.equal(await world.world.lamports(wallet.address), lamports);
  });

  describe('of a token on the way', () => {
    /** The order's token brings what the curve is paid in. A transaction has no room for both pools without a table. */
    async function writeWay(between: Token): Promise<TestPool> {
      await write(between);
      const { world: chain, sold, bought, aggregator } = world;
      const first = await chain.pool(sold, between, [DEEP, DEEP]);
      tables.push(
        await chain.lookupTable([...new Set([...tableOf([first]), ...curve.written, bought.mint, DBC_PROGRAM])]),
      );
      await aggregator.discover();
      await aggregator.exchangeTables();
      return first;
    }

    /** Of a wallet with an account for what it buys or without; and the lamports of both who may have some. */
    async function ordered(hasAccount: boolean) {
      const { wallet, id, lamports } = await deposit(world.sold);
      if (hasAccount)
        await world.world.holding(world.bought, wallet.address, 0n, await world.accountOf(wallet.address));
      const { inputAccount } = await world.rowOf(id);
      const before = await world.world.lamports(world.payer);
      return {
        wallet: wallet.address,
        id,
        source: inputAccount as Address,
        gains: async () => ({
          wallet: (await world.world.lamports(wallet.address)) - lamports,
          keeper: (await world.world.lamports(world.payer)) - before,
        }),
      };
    }

    const wallets = [
      ['of a wallet with an account', true],
      ['of a wallet without an account', false],
    ] as const;

    describe('attack: a stranger on the chain buys a curve before a fill over SOL lands: the SOL that is left on the way is the wallet’s, not the keeper’s', () => {
      for (const [which, hasAccount] of wallets) {
        it(which, async () => {
          const first = await writeWay(WRAPPED_SOL);
          const { wallet, id, source, gains } = await ordered(hasAccount);
          await (await raced()).runDue();
          const { state, entry } = (await world.rowOf(id)).progress;
          assert.deepEqual([state, entry.remaining], ['fill_success', 0n]);
          assert.ok(!named.includes(WRAPPED_SOL.mint), 'its signer takes a mint of a table for that of SOL');
          const brought = DEEP - (await world.world.amount(first.vaults[1]));
          assert.equal((await world.world.amount(curve.vault)) - held, TAKEN);
          assert.equal(await givenAway(), 0n);
          // The rent of the order's account is the wallet's, or has paid for the account that it had not.
          const rent = hasAccount ? RENT : 0n;
          assert.deepEqual(await gains(), { wallet: brought - TAKEN + rent, keeper: -FEE });
          assert.ok(entry.received > 0n);
          assert.equal(await world.held(wallet), entry.received);
          assert.equal(await world.world.lamports(source), 0n);
        });
      }
    });

    describe('attack: a stranger on the chain buys a curve before a fill over another token lands: nothing is left on the way, and without him the order is filled', () => {
      for (const [which, hasAccount] of wallets) {
        for (const [kind, program] of [
          ['SPL Token', TOKEN_PROGRAM],
          ['Token-2022', TOKEN_2022_PROGRAM],
        ] as const) {
          it(`${which}, of ${kind}`, async () => {
            await writeWay(await world.world.token({ program }));
            const { wallet, id, source, gains } = await ordered(hasAccount);
            await (await raced()).runDue();
            assert.equal((await world.rowOf(id)).progress.entry.remaining, AMOUNT);
            assert.equal(await world.world.amount(source), AMOUNT);
            assert.deepEqual(await gains(), { wallet: 0n, keeper: 0n });
            await curve.leave(AMOUNT);
            later();
            await (await world.newKeeper()).runDue();
            const { state, entry } = (await world.rowOf(id)).progress;
            assert.deepEqual([state, entry.remaining], ['fill_success', 0n]);
            assert.deepEqual(await gains(), { wallet: hasAccount ? RENT : 0n, keeper: -FEE });
            assert.ok(entry.received > 0n);
            assert.equal(await world.held(wallet), entry.received);
            assert.equal(await world.world.lamports(source), 0n);
          });
        }
      }
    });
  });
});
