import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { encodeTokenAccount, rentExemptLamports, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { wrappedOrderId } from '../../crafting/limit-order.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { type PricedToken, trustedUsd } from '../../prices/index.js';
import { turnOn, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import type { LimitOrderDeps } from './deps.js';
import { type KeeperWorld, openKeeperWorld, type TestOrder } from './testing.js';

let w: KeeperWorld;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());
afterEach(() => w.reset());

const MILLION = 10n ** 12n;
const MAKING = 1_000_000_000n;
const TOKEN_RENT = rentExemptLamports(165);
const ORDER_RENT = rentExemptLamports(372);
/** What the chain takes for a transaction with one signature, when nobody offers more. */
const FEE = 5_000n;

/** A pair of which the keeper has accounts already, so that a fill costs it the network fee alone. */
async function pair(reserves: [bigint, bigint], tokens: [Token?, Token?] = []) {
  const made = await w.pair(reserves, tokens);
  for (const token of made.slice(0, 2) as Token[]) {
    if (token.mint !== WRAPPED_SOL.mint) await w.holding(token, w.taker, 77n);
  }
  return made;
}

const lamports = () => w.world.lamports(w.taker);
const tokens = (token: Token) => w.world.amount(w.ata(w.taker, token));
const isOpen = async (order: TestOrder) => (await w.stateOf(order)) !== undefined;

/** What the market gives for the whole of an order. */
async function quote(input: Token, output: Token): Promise<bigint> {
  const request = { mode: 'exact-in', input, output, amount: MAKING, excludeVenues: new Set<string>() } as const;
  const answer = await w.aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS));
  assert.ok('outAmount' in answer);
  return answer.outAmount;
}

/** The most that can be asked so that it is no more than `out` with the fee of 10 basis points. */
function mostFor(out: bigint): bigint {
  let asked = (out * 10_000n) / 10_010n;
  while (asked + 1n + (asked + 1n) / 1_000n <= out) asked++;
  return asked;
}

test('an order waits for its price, and then its maker is paid to the unit', async () => {
  const [a, b, pool] = await pair([MILLION, MILLION]);
  const order = await w.open(a, b, 1_500_000_000n);
  const keeper = w.newKeeper();
  const before = await lamports();
  await keeper.runDue();
  assert.equal((await w.stateOf(order))?.makingAmount, MAKING, 'the price is not there yet');

  await w.moveTo(pool, [MILLION, 2n * MILLION]);
  const makerBefore = await w.world.lamports(order.maker.address);
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
  assert.equal(await w.world.amount(order.output), 1_500_000_000n);
  assert.equal(await w.world.amount(order.feeAccount), 1_500_000n);
  assert.equal((await w.world.lamports(order.maker.address)) - makerBefore, ORDER_RENT + TOKEN_RENT);
  assert.equal(await tokens(a), 77n);
  assert.ok((await tokens(b)) > 400_000_000n, 'what the market gives beyond that stays with the keeper');
  assert.equal(before - (await lamports()), FEE);
});

test('it is filled from the unit on that pays the maker, the fee and the network, and not before', async () => {
  for (const more of [1n, 0n]) {
    const [a, b] = await pair([MILLION, MILLION]);
    // At 150 USD for SOL and 1 USD for the token, the network takes 750 units.
    const asked = mostFor((await quote(a, b)) - 750n) + more;
    const order = await w.open(a, b, asked);
    await w.newKeeper().runDue();
    assert.equal(await isOpen(order), more > 0n);
    assert.equal((await w.world.amount(order.output)) === asked, more === 0n);
  }
});

test('of a large order, the part that the market pays for is filled, and later the rest', async () => {
  const [a, b, pool] = await pair([MILLION / 100n, MILLION / 100n]);
  const asked = 950_000_000n;
  const order = await w.open(a, b, asked);
  const keeper = w.newKeeper();
  await keeper.runDue();
  const { makingAmount: left, takingAmount } = (await w.stateOf(order))!;
  const filled = MAKING - left;
  // 48.6 % of it move the price to what it asks.
  assert.ok(filled > 480_000_000n && filled < 486_000_000n, `${filled} were filled`);
  const paid = (filled * asked + MAKING - 1n) / MAKING;
  assert.equal(await w.world.amount(order.output), paid);
  assert.equal(takingAmount, asked - paid);
  assert.ok((await tokens(b)) >= 77n);
  assert.equal(await tokens(a), 77n);

  await w.moveTo(pool, [MILLION, MILLION]);
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
  const rest = (left * asked + MAKING - 1n) / MAKING;
  assert.equal(await w.world.amount(order.output), paid + rest);
});

test('where the best pool fails on the chain, what another one pays for is filled', async () => {
  const [a, b, pool] = await pair([MILLION, 3n * MILLION]);
  const other = await w.world.pool(a, b, [MILLION, 2n * MILLION]);
  await w.aggregator.discover();
  // The program needs the mint of a pool's shares, which no quote depends on.
  await w.world.remove(pool.poolMint);
  const order = await w.open(a, b, 1_500_000_000n);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
  assert.equal(await w.world.amount(order.output), 1_500_000_000n);
  assert.equal(await w.world.amount(other.vaults[0]), MILLION + MAKING);
  assert.equal(await w.world.amount(pool.vaults[0]), MILLION);
});

test('where a transaction has no room for the best route, what a simpler one pays for is filled', async () => {
  const [a, b] = await pair([MILLION / 100n, MILLION / 100n]);
  await w.world.pool(a, b, [MILLION / 100n, MILLION / 100n]);
  await w.aggregator.discover();
  // Over both pools the whole of it would do, over one less than a half.
  const order = await w.open(a, b, 940_000_000n);
  const keeper = w.newKeeper();
  await keeper.runDue();
  assert.equal(await isOpen(order), false, 'one part after the other');
  assert.equal(await tokens(a), 77n);
  assert.ok((await tokens(b)) >= 77n);
});

test('a maker who accepts less gets the asked amount where the market gives it, else what it gives', async () => {
  const [a, b] = await pair([MILLION, MILLION]);
  const kind = { slippageBps: 100 };
  const [full, less, tooMuch] = [
    await w.open(a, b, 900_000_000n, kind),
    await w.open(a, b, 1_001_000_000n, kind),
    await w.open(a, b, 1_020_000_000n, kind),
  ];
  await w.newKeeper().runDue();
  assert.equal(await w.world.amount(full.output), 900_000_000n);
  const got = await w.world.amount(less.output);
  assert.ok(got >= 990_990_000n && got < 1_001_000_000n, `${got}`);
  assert.equal(await isOpen(tooMuch), true);
});

for (const [name, kinds] of [
  ['of Token-2022', [TOKEN_2022_PROGRAM, TOKEN_2022_PROGRAM]],
  ['of SOL for a token', ['sol', undefined]],
  ['of a token for SOL', [undefined, 'sol']],
] as const) {
  test(`an order ${name} is filled to the unit, and the keeper loses nothing but the network fee`, async () => {
    const token = (kind?: string) =>
      kind === 'sol' ? WRAPPED_SOL : w.world.token(kind === undefined ? {} : { program: TOKEN_2022_PROGRAM });
    const [a, b] = await pair([MILLION, 2n * MILLION], [await token(kinds[0]), await token(kinds[1])]);
    const order = await w.open(a, b, 1_900_000_000n);
    const [before, maker] = [await lamports(), await w.world.lamports(order.maker.address)];
    const fees = await w.world.amount(order.feeAccount);
    await w.newKeeper().runDue();
    assert.equal(await isOpen(order), false);
    assert.equal((await w.world.amount(order.feeAccount)) - fees, 1_900_000n);
    const gained = (await w.world.lamports(order.maker.address)) - maker;
    const rent = ORDER_RENT + rentExemptLamports(a.tokenProgram === TOKEN_2022_PROGRAM ? 170 : 165);
    if (kinds[1] === 'sol') {
      assert.equal(gained, rent + 1_900_000_000n);
      assert.ok((await lamports()) > before, 'the surplus is SOL');
    } else {
      assert.equal(gained, rent);
      assert.equal(await w.world.amount(order.output), 1_900_000_000n);
      assert.equal(before - (await lamports()), FEE);
    }
  });
}

test('SOL stays wrapped where the order’s number says so, in an account that is there and the maker’s', async () => {
  const [a, b] = await pair([MILLION, 2n * MILLION], [undefined, WRAPPED_SOL]);
  const wrapped = () => ({ uniqueId: wrappedOrderId(7n) });
  const [paid, without, foreign] = [
    await w.open(a, b, 1_900_000_000n, wrapped()),
    await w.open(a, b, 1_900_000_000n, wrapped()),
    await w.open(a, b, 1_900_000_000n, wrapped()),
  ];
  await w.holding(b, paid.maker.address);
  await w.world.holding(b, w.taker, 0n, foreign.output);
  const before = await w.world.lamports(paid.maker.address);
  const others = [await w.world.lamports(without.maker.address), await w.world.lamports(foreign.maker.address)];
  await w.newKeeper().runDue();
  assert.equal(await w.world.amount(paid.output), 1_900_000_000n);
  const rent = ORDER_RENT + TOKEN_RENT;
  assert.equal((await w.world.lamports(paid.maker.address)) - before, rent);
  for (const [at, { maker }] of [without, foreign].entries())
    assert.equal((await w.world.lamports(maker.address)) - others[at]!, rent + 1_900_000_000n);
});

test('the accounts of others that are missing are made where the market pays for them, too', async () => {
  const [a, b] = await w.pair([1_000n * MILLION, 1_000n * MILLION]);
  const order = await w.open(a, b, 900_000_000n);
  // The account's rent is worth 305,892 units.
  const tooDear = await w.open(a, b, mostFor((await quote(a, b)) - 300_000n));
  for (const { output } of [order, tooDear]) await w.world.remove(output);
  await w.world.remove(order.feeAccount);
  const before = await lamports();
  await w.newKeeper().runDue();
  assert.deepEqual([await isOpen(order), await isOpen(tooDear)], [false, true]);
  assert.equal(await w.world.amount(order.output), 900_000_000n);
  assert.equal(await w.world.amount(order.feeAccount), 900_000n);
  // Two accounts are the keeper's own.
  assert.equal(before - (await lamports()), FEE + 4n * TOKEN_RENT);
  await w.holding(b, tooDear.maker.address);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(tooDear), false);
});

test('what strangers send to the reserve does not stop the last fill', async () => {
  const [a, b] = await pair([MILLION, MILLION]);
  const order = await w.open(a, b, 900_000_000n);
  const { inputMintReserve } = (await w.stateOf(order))!;
  await w.world.holding(a, order.address, MAKING + 5n, inputMintReserve);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
  assert.equal(await tokens(a), 82n);
});

test('an order that cannot be paid for stops no other, and is filled when it can be', async () => {
  const [a, b] = await pair([MILLION, MILLION]);
  const referral = await w.world.holding(b, w.signer.address('gas'));
  const [frozen, foreign, gone, good] = [
    await w.open(a, b, 900_000_000n),
    await w.open(a, b, 900_000_000n),
    await w.open(a, b, 900_000_000n, { referral }),
    await w.open(a, b, 900_000_000n),
  ];
  const account = (state: 'frozen' | 'initialized') =>
    encodeTokenAccount({
      mint: b.mint,
      owner: frozen.maker.address,
      amount: 0n,
      state,
      delegatedAmount: 0n,
      isNative: false,
    });
  await w.world.put(frozen.output, b.tokenProgram, account('frozen'));
  await w.world.holding(b, w.taker, 0n, foreign.output);
  await w.world.remove(referral);
  const reasons = new Map<string, string>();
  const info = ({ order, reason }: { order: string; reason: string }) => void (reason && reasons.set(order, reason));
  const keeper = w.newKeeper({ log: { info, debug: info } as unknown as LimitOrderDeps['log'] });
  await keeper.runDue();
  assert.equal(await isOpen(foreign), true);
  for (const { address } of [frozen, foreign])
    assert.equal(
      reasons.get(address),
      "the maker's output account is frozen, requires memos, is not the maker's, or is of SOL and somebody else may close it",
    );
  assert.equal(reasons.get(gone.address), "the order's fee account is gone");
  assert.deepEqual([await isOpen(frozen), await isOpen(gone), await isOpen(good)], [true, true, false]);
  await w.world.put(frozen.output, b.tokenProgram, account('initialized'));
  await keeper.runDue();
  assert.deepEqual([await isOpen(frozen), await isOpen(gone)], [false, true]);
});

test('an order whose maker is paid to an account that requires memos is left alone, and filled when it requires none', async () => {
  const [a, b] = await pair([MILLION, MILLION], [undefined, await w.world.token({ program: TOKEN_2022_PROGRAM })]);
  const order = await w.open(a, b, 900_000_000n);
  await turnOn(w.world, order.maker, order.output, 'memo');
  let simulations = 0;
  const simulate: typeof w.chain.simulate = (...parameters) => {
    simulations++;
    return w.chain.simulate(...parameters);
  };
  const keeper = w.newKeeper({ chain: { ...w.chain, simulate } });
  await keeper.runDue();
  assert.deepEqual([await isOpen(order), simulations], [true, 0]);
  await w.holding(b, order.maker.address);
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
});

test('what asks for a token without a price is not filled: nothing would repay the network fee', async () => {
  const [, b] = await pair([MILLION, MILLION]);
  const unpriced = await w.world.token();
  await w.world.pool(b, unpriced, [MILLION, MILLION]);
  await w.aggregator.discover();
  await w.holding(unpriced, w.taker);
  const order = await w.open(b, unpriced, 900_000_000n);
  const before = await lamports();
  const keeper = w.newKeeper();
  await keeper.runDue();
  assert.equal(await isOpen(order), true);
  assert.equal(await lamports(), before);
  w.usd.set(unpriced.mint, 1);
  await keeper.runDue();
  assert.equal(await isOpen(order), false);
});

test('attack: an issuer of a token multiplies what wallets show of it, which its feed counts and no account does: nothing is repaid by that feed', async () => {
  const extensions = new Uint8Array(60);
  const view = new DataView(extensions.buffer);
  view.setUint16(0, 25, true);
  view.setUint16(2, 56, true);
  const scaled = await w.world.token({ program: TOKEN_2022_PROGRAM, extensions });
  const [a] = await pair([MILLION, MILLION], [undefined, scaled]);
  await w.holding(scaled, w.taker);
  const order = await w.open(a, scaled, 900_000_000n);
  const by = (source: 'hermes' | 'fixed') => ({
    usd: (token: PricedToken) =>
      trustedUsd({ quote: () => ({ usd: 1, confidence: 0, publishedAt: 0, source, stale: false }) }, token),
  });
  await w.newKeeper(by('hermes')).runDue();
  assert.equal(await isOpen(order), true);
  await w.newKeeper(by('fixed')).runDue();
  assert.equal(await isOpen(order), false);
});

test('when the market moves before the sending so that the cost is not repaid, nothing is sent', async () => {
  for (const moved of [700n, 1_000n]) {
    const [a, b, pool] = await pair([MILLION, MILLION]);
    // Of what the market gives, 750 units are the network's.
    const order = await w.open(a, b, mostFor((await quote(a, b)) - 1_600n));
    const landing = w.newLanding();
    const keeper = w.newKeeper({
      landing: {
        async execute(request, transaction, detail) {
          // A unit of the order is a thousandth of the pool's.
          await w.world.setReserves(pool, [MILLION, MILLION - moved * 1_000n]);
          return landing.execute(request, transaction, detail);
        },
      },
    });
    await keeper.tick();
    await keeper.runDue();
    assert.equal(await isOpen(order), moved > 850n, `${moved}`);
  }
});

test('a keeper without SOL waits', async () => {
  const [a, b] = await pair([MILLION, MILLION]);
  const order = await w.open(a, b, 900_000_000n);
  const poor = {
    ...w.chain,
    account: async (address: typeof w.taker) => {
      const account = await w.chain.account(address);
      return account && address === w.taker ? { ...account, lamports: 19_999_999n } : account;
    },
  };
  await w.newKeeper({ chain: poor }).runDue();
  assert.equal(await isOpen(order), true);
  await w.newKeeper().runDue();
  assert.equal(await isOpen(order), false);
});
