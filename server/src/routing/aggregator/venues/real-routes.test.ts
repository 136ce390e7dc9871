import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, type Keypair, TOKEN_PROGRAM } from '@slipway/wire';
import { PATIENCE_MS } from '../../../lib/testing.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../../router.js';
import { openAggregator, openWorld, type Routing, type World } from '../testing.js';
import { missingPrograms, ROW_PROGRAMS, writeRow } from './testing/row.js';

const skip = missingPrograms(...ROW_PROGRAMS);
/** Each has a pool of its own, in a row. */
const NEIGHBORS = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 4],
  [4, 5],
] as const;
const HAS = 10n ** 12n;

describe('routes over the real programs of different venues', { skip, timeout: 300_000 }, () => {
  let world: World;
  let routing: Routing;
  let plain: Routing;
  let owner: Keypair;
  let tokens: Token[];
  let accounts: Address[];

  before(async () => {
    world = await openWorld({ programsDir: process.env.SLIPWAY_PROGRAMS_DIR! });
    const row = writeRow();
    for (const [address, { owner: program, data, lamports }] of row.accounts)
      await world.put(address, program, data, lamports);
    ({ tokens } = row);
    owner = await world.wallet();
    accounts = await Promise.all(tokens.map((token) => world.holding(token, owner.address, HAS)));
    routing = await openAggregator(world, { lookupTables: [await world.lookupTable(row.table)] });
    plain = await openAggregator(world, { programs: { tokenSwap: TOKEN_PROGRAM } });
  });
  after(async () => {
    routing?.close();
    plain?.close();
    await world?.close();
  });

  const request = (from: number, to: number, amount: bigint): QuoteRequest => ({
    mode: 'exact-in',
    input: tokens[from]!,
    output: tokens[to]!,
    amount,
    owner: owner.address,
    excludeVenues: new Set(),
  });

  async function quoted({ aggregator }: Routing, asked: QuoteRequest): Promise<Quote> {
    let quote = await aggregator.quote(asked, AbortSignal.timeout(PATIENCE_MS));
    // A price that has moved to other ticks has other accounts, which are read then.
    if (isRefused(quote)) await aggregator.discover();
    if (isRefused(quote)) quote = await aggregator.quote(asked, AbortSignal.timeout(PATIENCE_MS));
    if (isRefused(quote)) assert.fail(quote.reason);
    return quote;
  }

  const partiesOf = (from: number, to: number, minOut: bigint) => ({
    owner: owner.address,
    source: accounts[from]!,
    destination: accounts[to]!,
    receiver: owner.address,
    minOut,
    feePayer: owner.address,
    rentPayer: owner.address,
    absentSigners: new Set<Address>(),
  });

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
