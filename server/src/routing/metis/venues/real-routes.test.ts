import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, type Keypair, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  DLMM_PROGRAM,
  IMMUTABLE_WHIRLPOOL_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
} from '../../../crafting/venue-swaps.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../../router.js';
import { openMetis, openWorld, type Routing, type World } from '../testing.js';
import { Lab, missingPrograms } from './testing/lab.js';
import { writeDammPool } from './testing/meteora-damm-v2.js';
import { writeDbcPool } from './testing/meteora-dbc.js';
import { writePair } from './testing/meteora-dlmm.js';
import { writeCpmmPool } from './testing/raydium-cpmm.js';
import { writeWhirlpool } from './testing/whirlpool.js';

const PROGRAMS = [...[RAYDIUM_CPMM_PROGRAM, DAMM_V2_PROGRAM, DBC_PROGRAM, IMMUTABLE_WHIRLPOOL_PROGRAM, DLMM_PROGRAM]];
const skip = missingPrograms(...PROGRAMS);
/** Each has a pool of its own, in a row. */
const NEIGHBORS = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 4],
  [4, 5],
] as const;
const ONE = 1n << 64n;
const DEEP = 10n ** 13n;
const HAS = 10n ** 12n;
const AUTHORITIES = 3;

describe('routes over the real programs of different venues', { skip, timeout: 120_000 }, () => {
  let world: World;
  let routing: Routing;
  let plain: Routing;
  let owner: Keypair;
  let tokens: Token[];
  let accounts: Address[];

  before(async () => {
    world = await openWorld({ programsDir: process.env.SLIPWAY_PROGRAMS_DIR! });
    const lab = new Lab();
    const tokenPrograms = NEIGHBORS.flatMap(() => [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]).slice(0, NEIGHBORS.length + 1);
    const mints = tokenPrograms.map((tokenProgram) => lab.vm.mint({ tokenProgram }));
    const pair = (a: number, b: number) => ({
      mints: [mints[a]!, mints[b]!] as [Address, Address],
      tokenPrograms: [tokenPrograms[a]!, tokenPrograms[b]!] as [Address, Address],
    });
    const pools = [
      ...[cpmm(lab, pair(0, 1)), damm(lab, pair(1, 2)), dbc(lab, pair(3, 2))],
      ...[whirlpool(lab, pair(3, 4)), dlmm(lab, pair(4, 5))],
    ];
    const written = [...new Set(pools.flatMap((pool) => pool.written))];
    for (const address of written) {
      const { owner: program, data, lamports } = lab.account(address)!;
      await world.put(address, program, data, lamports);
    }
    tokens = mints.map((mint, i) => ({ mint, tokenProgram: tokenPrograms[i]!, decimals: 6 }));
    owner = await world.wallet();
    accounts = await Promise.all(tokens.map((token) => world.holding(token, owner.address, HAS)));
    const bare = await openMetis(world);
    const named = await namedAccounts(bare);
    bare.close();
    const table = await world.lookupTable([
      ...new Set([...written, ...PROGRAMS, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ...named]),
    ]);
    routing = await openMetis(world, { lookupTables: [table] });
    plain = await openMetis(world, { programs: { tokenSwap: TOKEN_PROGRAM } });
  });
  after(async () => {
    routing?.close();
    plain?.close();
    await world?.close();
  });

  const request = (from: number, to: number, amount: bigint): QuoteRequest => ({
    ...{ mode: 'exact-in', input: tokens[from]!, output: tokens[to]!, amount, owner: owner.address },
    excludeVenues: new Set(),
  });

  async function quoted({ metis }: Routing, asked: QuoteRequest): Promise<Quote> {
    let quote = await metis.quote(asked, AbortSignal.timeout(10_000));
    // A price that has moved to other ticks has other accounts, which are read then.
    if (isRefused(quote)) await metis.discover();
    if (isRefused(quote)) quote = await metis.quote(asked, AbortSignal.timeout(10_000));
    if (isRefused(quote)) assert.fail(quote.reason);
    return quote;
  }

  const partiesOf = (from: number, to: number, minOut: bigint) => ({
    ...{ owner: owner.address, source: accounts[from]!, destination: accounts[to]!, receiver: owner.address, minOut },
    ...{ feePayer: owner.address, rentPayer: owner.address, absentSigners: new Set<Address>() },
  });

  /** What the venues' instructions name beside what was written: their authorities, and ticks that have no account yet. */
  async function namedAccounts(bare: Routing): Promise<Address[]> {
    const named = new Set<Address>();
    for (const [from, to] of NEIGHBORS) {
      const quote = await quoted(bare, request(from, to, 1_000n));
      const built = await quote.build(partiesOf(from, to, 1n));
      if (isRefused(built)) assert.fail(built.reason);
      for (const { accounts: metas } of built.instructions) for (const { address } of metas) named.add(address);
    }
    assert.ok(named.size > AUTHORITIES);
    named.delete(owner.address);
    return [...named];
  }

  async function execute(own: Routing, from: number, to: number, amount: bigint): Promise<Quote> {
    const quote = await quoted(own, request(from, to, amount));
    const built = await quote.build(partiesOf(from, to, quote.outAmount));
    if (isRefused(built)) assert.fail(built.reason);
    const [source, destination] = [accounts[from]!, accounts[to]!];
    const before = [await world.amount(source), await world.amount(destination)] as const;
    assert.equal(await world.run([owner], built.instructions, built.lookupTables), null);
    assert.equal(before[0] - (await world.amount(source)), quote.inAmount);
    assert.equal((await world.amount(destination)) - before[1], quote.outAmount);
    return quote;
  }

  it('go through all three in one transaction with a lookup table, there and back', async () => {
    const there = await execute(routing, 0, 3, 5_000_000_000n);
    const labels = ['Raydium CP', 'Meteora DAMM v2', 'Dynamic Bonding Curve'];
    assert.deepEqual(
      there.hops.map(({ label }) => label),
      labels,
    );
    const back = await execute(routing, 3, 0, there.outAmount / 2n);
    assert.deepEqual(
      back.hops.map(({ label }) => label),
      labels.toReversed(),
    );
  });

  it('go through the concentrated liquidity of two and a launch curve', async () => {
    const there = await execute(routing, 2, 5, 1_000_000_000n);
    const labels = ['Dynamic Bonding Curve', 'Whirlpool', 'Meteora DLMM'];
    assert.deepEqual(
      there.hops.map(({ label }) => label),
      labels,
    );
    const back = await execute(routing, 5, 2, there.outAmount / 2n);
    assert.deepEqual(
      back.hops.map(({ label }) => label),
      labels.toReversed(),
    );
  });

  it('go over one pool without the router program', async () => {
    for (const [from, to] of NEIGHBORS.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
      const { hops } = await execute(plain, from, to, 123_456_789n);
      assert.equal(hops.length, 1);
    }
  });

  it('are sized for an output, and one unit less is not enough', async () => {
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 2],
      [3, 4],
      [5, 4],
      [0, 3],
      [2, 5],
    ] as const) {
      const wanted = 77_777_777n;
      const { inAmount } = await quoted(routing, { ...request(from, to, wanted), mode: 'exact-out' });
      assert.ok((await quoted(routing, request(from, to, inAmount))).outAmount >= wanted);
      assert.ok((await quoted(routing, request(from, to, inAmount - 1n))).outAmount < wanted);
    }
  });

  it('are refused by the chain when less than the least output would come out', async () => {
    for (const [own, from, to] of [
      [routing, 0, 3],
      [plain, 0, 1],
      [plain, 1, 2],
      [plain, 2, 3],
      [plain, 3, 4],
      [plain, 4, 5],
    ] as const) {
      const quote = await quoted(own, request(from, to, 1_000_000n));
      const built = await quote.build(partiesOf(from, to, quote.outAmount + 1n));
      if (isRefused(built)) assert.fail(built.reason);
      assert.notEqual(await world.run([owner], built.instructions, built.lookupTables), null);
    }
  });
});

interface Pair {
  mints: [Address, Address];
  tokenPrograms: [Address, Address];
}

const cpmm = (lab: Lab, pair: Pair) =>
  writeCpmmPool(lab, {
    ...pair,
    ...{
      balances: [DEEP, 3n * DEEP],
      tradeFee: 2_500n,
      owed: [
        [1n, 2n],
        [3n, 4n],
      ],
      status: 0,
      openTime: 0n,
    },
  });

/** 0.3 %. */
const FEE = 3_000_000n;

function damm(lab: Lab, pair: Pair) {
  const baseFee = Buffer.alloc(32);
  baseFee.writeBigUInt64LE(FEE, 0);
  return writeDammPool(lab, {
    ...pair,
    ...{ liquidity: DEEP << 64n, price: ONE, range: [ONE / 2n, ONE * 2n], startPrice: ONE },
    ...{ baseFee, dynamicFee: Buffer.alloc(96), collectFeeMode: 0, compoundingBps: 0, feeVersion: 1 },
    ...{ layoutVersion: 1, activation: { type: 1, point: 0n }, status: 0 },
  });
}

function dbc(lab: Lab, pair: Pair) {
  const points = [2n, 3n, 4n].map((times, i) => ({ price: ONE * times, liquidity: (DEEP << 64n) / BigInt(i + 1) }));
  return writeDbcPool(lab, {
    ...pair,
    ...{ start: ONE, points, end: ONE * 4n, price: (ONE * 3n) / 2n, dynamicFee: Buffer.alloc(96), collectFeeMode: 0 },
    ...{ baseFee: { start: FEE, first: 0, second: 0n, third: 0n, mode: 0 }, activation: { type: 1, point: 0n } },
  });
}

function whirlpool(lab: Lab, pair: Pair) {
  return writeWhirlpool(lab, {
    ...pair,
    ...{ tickSpacing: 64, feeRate: 3_000, protocolFeeRate: 1_300, sqrtPrice: ONE, tick: 0 },
    positions: [
      { lower: -6_400, upper: 6_400, liquidity: DEEP },
      { lower: -64, upper: 128, liquidity: 5n * DEEP },
    ],
    ...{ balances: [DEEP, DEEP], isDynamic: (start) => start < 0 },
  });
}

function dlmm(lab: Lab, pair: Pair) {
  const [sold, bought] = [(id: number) => (id >= 7 ? DEEP : 0n), (id: number) => (id <= 7 ? DEEP : 0n)];
  return writePair(lab, {
    mints: pair.mints,
    is2022: [pair.tokenPrograms[0] === TOKEN_2022_PROGRAM, pair.tokenPrograms[1] === TOKEN_2022_PROGRAM],
    ...{ binStep: 25, baseFactor: 10_000, baseFeePower: 0, filterPeriod: 30, decayPeriod: 600, reductionFactor: 5_000 },
    ...{ variableFeeControl: 40_000, maxVolatility: 350_000, volatility: 0, volatilityReference: 0, indexReference: 7 },
    ...{ lastUpdate: 0n, purpose: 2, feeInY: false, activeId: 7, activation: { byTime: true, point: 0n } },
    bins: Array.from({ length: 100 }, (_, i) => ({ id: i - 43, x: sold(i - 43), y: bought(i - 43) })),
  });
}
