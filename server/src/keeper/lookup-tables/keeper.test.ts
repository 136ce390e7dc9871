import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, it } from 'node:test';
import { type Address, lookupTableAddress, rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { newAddress, type TestPool } from '../../routing/aggregator/testing.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../../routing/router.js';
import { openSigner } from '../../signer/index.js';
import { deriveCheaply } from '../../signer/testing.js';
import { createMortal, until } from '../testing.js';
import { openTableWorld, type TableWorld } from './testing.js';

const DEEP = 10n ** 12n;
const FEE = 5_000n;
/** So many in a row must have found no table. */
const LOOKS = 24;
const rentOf = (addresses: number) => rentExemptLamports(56 + 32 * addresses);
const some = (count: number): Address[] => Array.from({ length: count }, newAddress);

let w: TableWorld;
before(async () => {
  w = await openTableWorld();
});
beforeEach(() => w.forgetAll());
after(() => w?.close());

/** Four tokens in a row with a deep pool between neighbors, and one of a worse price from the first to the last. */
async function openMarket(): Promise<{ from: Token; to: Token; direct: TestPool }> {
  const tokens = await Promise.all(Array.from({ length: 4 }, () => w.world.token()));
  for (const [i, token] of tokens.slice(1).entries()) await w.world.pool(tokens[i]!, token, [DEEP, DEEP]);
  const [from, to] = [tokens[0]!, tokens[3]!];
  return { from, to, direct: await w.world.pool(from, to, [DEEP, (DEEP * 9n) / 10n]) };
}

function quoted(answer: Quote | object): Quote {
  if (isRefused(answer)) assert.fail(answer.reason);
  return answer as Quote;
}

it('makes the table that the best route needs, which is then offered and executes to the unit', async () => {
  const { from, to, direct } = await openMarket();
  const owner = await w.world.wallet();
  const [source, destination] = [
    await w.world.holding(from, owner.address, 10n ** 9n),
    await w.world.holding(to, owner.address),
  ];
  const request: QuoteRequest = {
    mode: 'exact-in',
    input: from,
    output: to,
    amount: 10n ** 6n,
    owner: owner.address,
    excludeVenues: new Set(),
  };
  const { aggregator } = await w.newAggregator({ tableBook: w.bookOf(true) });
  const ask = async (changes: Partial<QuoteRequest> = {}) =>
    aggregator.quote({ ...request, ...changes }, AbortSignal.timeout(PATIENCE_MS));
  const worse = quoted(await ask());
  assert.deepEqual(
    worse.hops.map(({ venue }) => venue),
    [direct.address],
  );
  const refused = await ask({ excludePools: new Set([direct.address]) });
  assert.ok(isRefused(refused) && refused.refused === 'too-large');

  const had = await w.lamports();
  const { keeper } = w.newKeeper();
  await keeper.runDue();
  assert.equal(await w.lamports(), had, 'nobody has wished for anything yet');
  await aggregator.exchangeTables();
  await keeper.runDue();
  const [table, ...others] = await w.tables();
  assert.deepEqual(others, []);
  assert.equal(table!.state, 'ready');
  assert.deepEqual((await w.onChain()).get(table!.address), table!.addresses);
  assert.equal(had - (await w.lamports()), rentOf(table!.addresses.length) + FEE);
  assert.equal(await w.spent(), rentOf(table!.addresses.length) + FEE);

  await aggregator.exchangeTables();
  await w.advance(30);
  let best = worse;
  await until(async () => {
    best = quoted(await ask());
    return best.hops.length === 3;
  });
  assert.ok(best.outAmount > worse.outAmount);
  const parties = {
    owner: owner.address,
    receiver: owner.address,
    feePayer: owner.address,
    rentPayer: owner.address,
    source,
    destination,
    minOut: best.outAmount,
    absentSigners: new Set<Address>(),
  };
  const built = await best.build(parties);
  if (isRefused(built)) return assert.fail(built.reason);
  assert.deepEqual(
    built.lookupTables.map(({ address }) => address),
    [table!.address],
  );
  assert.equal(await w.world.run([owner], built.instructions, built.lookupTables), null);
  assert.equal(await w.world.amount(destination), best.outAmount);
  assert.equal(await w.world.amount(source), 10n ** 9n - best.inAmount);

  const spent = await w.spent();
  await aggregator.exchangeTables();
  await keeper.runDue();
  assert.equal(await w.spent(), spent, 'what it has is enough');
});

it('records no wishes and sends nothing where there is no budget', async () => {
  const { from, to } = await openMarket();
  const { aggregator } = await w.newAggregator({ tableBook: w.bookOf(false) });
  const request = {
    mode: 'exact-in' as const,
    input: from,
    output: to,
    amount: 10n ** 6n,
    excludeVenues: new Set<string>(),
  };
  quoted(await aggregator.quote(request, AbortSignal.timeout(PATIENCE_MS)));
  await aggregator.exchangeTables();
  assert.equal((await w.store.query('select from lookup_table_wishes')).rowCount, 0);
  await w.wish('from another copy', some(20));
  const had = await w.lamports();
  await w.newKeeper({ budget: 0n }).keeper.runDue();
  assert.equal(await w.lamports(), had);
  assert.deepEqual(await w.tables(), []);
});

it('fulfills a large wish in several transactions, and further ones in the same table', async () => {
  const [first, second] = [some(60), some(100)];
  await w.wish('first', first, 9);
  await w.wish('second', second, 5);
  await w.wish('of both', [first[0]!, second[0]!]);
  const had = await w.lamports();
  await w.newKeeper().keeper.runDue();
  const [table, ...others] = await w.tables();
  assert.deepEqual(others, []);
  assert.deepEqual(table!.addresses, [...first, ...second]);
  assert.deepEqual((await w.onChain()).get(table!.address), table!.addresses);
  const cost = had - (await w.lamports());
  assert.equal(cost, rentOf(160) + 7n * FEE);
  assert.equal(await w.spent(), cost);
  // The address of a table follows from the slot, and this one's would be the first one's.
  await w.advance(1);
  await w.wish('too much for it', some(100));
  await w.newKeeper().keeper.runDue();
  assert.deepEqual((await w.tables()).map(({ addresses }) => addresses.length).sort(), [100, 160]);
});

it('spends no more in a day than the budget, all instances together, and goes on the next day', async () => {
  const budget = rentOf(10) + FEE;
  await w.wish('dear', some(11), 2);
  await w.wish('cheap', some(10));
  await w.wish('cheap, too', some(10));
  const had = await w.lamports();
  await Promise.all([1, 2].map(() => w.newKeeper({ budget }).keeper.runDue()));
  assert.equal((await w.tables()).length, 1);
  assert.equal(had - (await w.lamports()), budget);
  for (let n = 0; n < 2; n++) await w.newKeeper({ budget }).keeper.runDue();
  assert.equal(had - (await w.lamports()), budget);
  await w.advance(24 * 60 * 60);
  const wished = some(1);
  await w.wish('small', wished);
  await w.newKeeper({ budget }).keeper.runDue();
  assert.deepEqual(
    (await w.tables()).flatMap(({ addresses }) => addresses).filter((one) => wished.includes(one as Address)),
    wished,
  );
});

it('makes one table where several keepers see the same wish', async () => {
  const wished = some(20);
  await w.wish('of all', wished);
  const known = (await w.onChain()).size;
  const keepers = [1, 2, 3, 4].map(() => w.newKeeper().keeper);
  await Promise.all(keepers.map((keeper) => keeper.runDue()));
  // Even if a lease has run out while its holder was at work.
  await w.store.query(`delete from settings where key like 'lease.%'`);
  await Promise.all(keepers.map((keeper) => keeper.runDue()));
  assert.deepEqual(
    (await w.tables()).map(({ addresses }) => addresses),
    [wished],
  );
  assert.equal((await w.onChain()).size, known + 1);
});

it('neither loses a table nor makes two, wherever a keeper is killed', async () => {
  const others = new Set((await w.onChain()).keys());
  for (let fatal = 1, isKilled = true; isKilled; fatal++) {
    await w.forgetAll();
    const wished = some(30);
    await w.wish('of a killed keeper', wished);
    const had = await w.lamports();
    const mortal = createMortal(fatal);
    const killed = w.newKeeper({ mortal });
    const done = killed.keeper.runDue().catch(() => {});
    await Promise.race([done, mortal.died]);
    isKilled = mortal.isDead();
    mortal.kill();
    // Its lease runs out.
    await w.store.query(`delete from settings where key like 'lease.%'`);
    const next = w.newKeeper();
    await until(async () => {
      // Again each time: a statement that was under way as it was killed may take effect after the first.
      await next.landing.resume({ all: true });
      await next.keeper.runDue();
      return (await w.tables()).some(({ addresses }) => addresses.length === wished.length);
    });
    const stored = await w.tables();
    const made = new Map([...(await w.onChain())].filter(([address]) => !others.has(address)));
    assert.deepEqual(new Map(stored.map(({ address, addresses }) => [address, addresses])), made, `call ${fatal}`);
    assert.equal(made.size, 1, `call ${fatal}`);
    assert.deepEqual([...made.values()][0], wished);
    assert.equal(await w.spent(), had - (await w.lamports()), `call ${fatal}`);
    for (const address of made.keys()) others.add(address);
    await next.close();
  }
});

it('gives up a table that nothing has used for a month, and gets its rent back', async () => {
  await w.wish('passing', some(10));
  const { keeper } = w.newKeeper();
  await keeper.runDue();
  const [made] = await w.tables();
  const { address } = made!;
  await w.advance(29 * 24 * 60 * 60);
  await keeper.runDue();
  assert.equal((await w.tables())[0]?.state, 'ready');
  await w.advance(2 * 24 * 60 * 60);
  const had = await w.lamports();
  const steps = async () => {
    for (let n = 0; n < 3; n++) await keeper.runDue();
  };
  await steps();
  assert.equal((await w.tables())[0]?.state, 'retiring');
  assert.ok((await w.onChain()).has(address), 'transactions that name it may be under way');
  await w.advance(1_001 * 0.4 + 1);
  await steps();
  assert.ok(!(await w.onChain()).has(address));
  assert.equal((await w.lamports()) - had, rentOf(10) - 2n * FEE);
});

/** A keeper, which looks once in ten minutes for a table that is not there, and how often its node has hidden this one. */
function newKeeperHiding(table: string, most: number) {
  let [now, hidden] = [0, 0];
  const own = createMortal();
  const rpc = (honest: Rpc): Rpc => ({
    ...honest,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      const answer = await honest.call<T>(method, params);
      const at = method === 'getMultipleAccounts' ? (params[0] as string[]).indexOf(table) : -1;
      if (at < 0 || hidden >= most) return answer;
      hidden += 1;
      return { ...answer, value: (answer as { value: unknown[] }).value.with(at, null) };
    },
  });
  const { keeper } = w.newKeeper({ mortal: { ...own, rpc }, steadyNow: () => now });
  const look = async () => {
    for (let n = 0; n < 3; n++) await keeper.runDue();
    now += 10 * 60_000;
  };
  return { look, hidden: () => hidden };
}

it('attack: a node hides a table that is given up for all looks but one, over hours: its rent comes back with that one', async () => {
  await w.wish('hidden', some(10));
  await w.newKeeper().keeper.runDue();
  const { address } = (await w.tables())[0]!;
  await w.advance(31 * 24 * 60 * 60);
  const had = await w.lamports();
  const { look, hidden } = newKeeperHiding(address, LOOKS - 1);
  for (let looks = 1; looks < LOOKS; looks++) {
    await look();
    assert.deepEqual([hidden(), (await w.tables())[0]?.state], [looks, 'retiring']);
  }
  await look();
  await w.advance(1_001 * 0.4 + 1);
  await look();
  assert.ok(!(await w.onChain()).has(address));
  assert.equal((await w.lamports()) - had, rentOf(10) - 2n * FEE);
});

it('forgets tables that are gone when it has not seen them for hours, and gives up others meanwhile', async () => {
  await w.wish('passing', some(10));
  await w.newKeeper().keeper.runDue();
  const given = (await w.tables())[0]!.address;
  await w.advance(31 * 24 * 60 * 60);
  const { address: gone } = lookupTableAddress(w.wallet, 1n);
  const insert = 'insert into lookup_tables values ($1, $2, $3, $4, $5)';
  await w.store.query(insert, [gone, w.wallet, some(5), 'retiring', new Date(0)]);
  const { look } = newKeeperHiding(gone, 0);
  const known = async () => (await w.tables()).map(({ address }) => address);
  await look();
  await w.advance(1_001 * 0.4 + 1);
  await look();
  assert.ok(!(await w.onChain()).has(given));
  for (let looks = 2; looks < LOOKS; looks++) {
    assert.deepEqual(await known(), [gone, given]);
    await look();
  }
  assert.deepEqual(await known(), [given]);
  await look();
  assert.deepEqual(await known(), []);
});

it('uses what a key made that the wallet had before, adds to a table of its own, and gives the old one up for its own gain', async () => {
  await deriveCheaply();
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tables-'));
  const signer = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  const own = await openTableWorld(signer);
  try {
    const [held, wished] = [some(10), some(4)];
    await own.wish('before', held);
    const { keeper } = own.newKeeper();
    await keeper.runDue();
    const old = (await own.tables())[0]!;
    for (const step of ['make', 'use', 'retire'] as const) await signer.rotate('keeper', step);
    const now = signer.address('keeper');
    await own.world.rpc.call('requestAirdrop', [now, 10_000_000_000]);
    await own.wish('before', held);
    await own.wish('afterwards', [...held, ...wished]);
    for (let n = 0; n < 3; n++) await keeper.runDue();
    const made = (await own.tables()).find(({ address }) => address !== old.address)!;
    assert.deepEqual([made.authority, made.addresses], [now, [...held, ...wished]]);
    assert.deepEqual((await own.tables()).length, 2);
    await own.advance(31 * 24 * 60 * 60);
    await own.store.query('update lookup_tables set used_at = $1 where address = $2', [
      new Date(own.clock.now()),
      made.address,
    ]);
    const had = await own.world.lamports(now);
    for (let n = 0; n < 3; n++) await keeper.runDue();
    await own.advance(1_001 * 0.4 + 1);
    for (let n = 0; n < 3; n++) await keeper.runDue();
    assert.ok(!(await own.onChain()).has(old.address));
    assert.equal((await own.world.lamports(now)) - had, rentOf(10) - 2n * 2n * FEE);
  } finally {
    await own.close();
    rmSync(folder, { recursive: true });
  }
});

it('does not lose a table that the node has not seen yet, and corrects itself when it is gone for good', async () => {
  const authority = w.wallet;
  const { address } = lookupTableAddress(authority, 1n);
  const insert = 'insert into lookup_tables values ($1, $2, $3, $4, $5)';
  await w.store.query(insert, [address, authority, some(5), 'ready', new Date(w.clock.now())]);
  const wished = some(5);
  await w.wish('more', wished);
  let now = 0;
  const { keeper } = w.newKeeper({ steadyNow: () => now });
  for (let n = 0; n < 3; n++, now += 10 * 60_000) await keeper.tick();
  assert.deepEqual(
    (await w.tables()).map((table) => table.address),
    [address],
  );
  for (let n = 0; n < 6; n++, now += 10 * 60_000) await keeper.tick();
  await keeper.runDue();
  const [made, ...others] = await w.tables();
  assert.deepEqual(others, []);
  assert.notEqual(made!.address, address);
  assert.deepEqual((await w.onChain()).get(made!.address), wished);
});

it('leaves the last lamports of the wallet to fills', async () => {
  const had = await w.lamports();
  const set = (lamports: bigint) => w.world.put(w.wallet, SYSTEM_PROGRAM, new Uint8Array(0), lamports);
  await w.wish('dear', some(20));
  const { keeper } = w.newKeeper();
  await set(100_000_000n + rentOf(20) + FEE - 1n);
  await keeper.runDue();
  assert.deepEqual(await w.tables(), []);
  await set(100_000_000n + rentOf(20) + FEE);
  await keeper.runDue();
  assert.equal((await w.tables()).length, 1);
  assert.equal(await w.lamports(), 100_000_000n);
  await set(had);
});
