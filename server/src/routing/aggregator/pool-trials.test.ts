import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, encodeTokenAccount, TOKEN_PROGRAM } from '@slipway/wire';
import { type ChainAccount, createChain, createLiveAccounts, type LiveAccounts } from '../../chain/index.js';
import type { Token } from '../router.js';
import { FOUND_MINTS } from './mint-scans.js';
import { FAILS, PoolTrials } from './pool-trials.js';
import { Pools } from './pools.js';
import { newAddress, openWorld, silent, type TestPool, type World } from './testing.js';
import type { PoolToken } from './venue.js';
import { allVenues, tokenSwapVenue } from './venues/index.js';
import { Lab } from './venues/testing/lab.js';
import { missingPrograms, PAIR_WRITERS, ROW_PROGRAMS, writeCurve } from './venues/testing/row.js';

const DEEP = 10n ** 12n;
const MINUTE = 60_000;
const PAUSE = 10_000;

describe('a pool at which an order has failed', { timeout: 300_000 }, () => {
  const venue = tokenSwapVenue(TOKEN_SWAP_PROGRAM);
  let world: World;
  let live: LiveAccounts;
  let pools: Pools;
  let trials: PoolTrials;
  let payer: Address;
  let tokens: [Token, Token];
  let healthy: TestPool;
  let broken: TestPool;
  let poolMint: ChainAccount;
  const simulations = Object.assign(new EventEmitter(), { count: 0 });
  /** What somebody else does before a simulation. */
  let meanwhile = async () => {};
  /** By how much the node that simulates is ahead of what it says of accounts. */
  let ahead = 0;
  let time = 0;

  before(async () => {
    world = await openWorld();
    tokens = [await world.token(), await world.token()];
    [healthy, broken] = [await world.pool(...tokens, [DEEP, DEEP]), await world.pool(...tokens, [DEEP, DEEP])];
    const { rpc } = world;
    const steadyNow = () => time;
    live = createLiveAccounts({ rpc, steadyNow, log: silent });
    const deps = { rpc, live, steadyNow, log: silent };
    pools = new Pools({
      ...deps,
      venues: [venue],
      configured: [],
      maxPools: 100,
      byMint: false,
      hubs: [],
      mints: FOUND_MINTS,
    });
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
    // The program needs the mint of a pool's shares, which no quote depends on.
    poolMint = (await chain.account(broken.poolMint))!;
    await world.remove(broken.poolMint);
    payer = (await world.wallet()).address;
    const simulate: typeof chain.simulate = async (...wanted) => {
      simulations.count += 1;
      await meanwhile();
      const outcome = await chain.simulate(...wanted).finally(() => simulations.emit('end'));
      return { ...outcome, slot: outcome.slot! + ahead };
    };
    trials = new PoolTrials({ ...deps, pools, chain: { ...chain, simulate }, payer: () => payer });
    await pools.discover();
  });
  after(async () => {
    pools?.close();
    live?.close();
    await world?.close();
  });

  const isOpen = ({ address }: TestPool) =>
    pools
      .market()
      .pools.find((one) => one.address === address)
      ?.state(time);
  /** Reads what has changed, and waits for the trial that follows from it. */
  async function refreshAndTry(): Promise<void> {
    const tried = once(simulations, 'end');
    await refresh();
    await tried;
    await setImmediate();
  }
  const refresh = () => live.refresh([healthy, broken].flatMap(({ address, vaults }) => [address, ...vaults]));

  it('is left out for a minute and counted where trades with it fail for everybody', async () => {
    assert.ok(isOpen(broken));
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(isOpen(broken), undefined);
    assert.deepEqual(pools.skipped(venue), { [FAILS]: 1 });
    time += MINUTE;
    await refresh();
    assert.ok(isOpen(broken));
    assert.deepEqual(pools.skipped(venue), {});
  });

  it('comes back before that when it has changed and trades with it work again, not by a change alone', async () => {
    await trials.suspect(broken.address, tokens[1].mint);
    assert.equal(isOpen(broken), undefined);
    await world.setReserves(broken, [DEEP + 1n, DEEP]);
    await refreshAndTry();
    assert.equal(isOpen(broken), undefined);
    assert.deepEqual(pools.skipped(venue), { [FAILS]: 1 });
    await world.put(broken.poolMint, poolMint.owner, poolMint.data, poolMint.lamports);
    time += PAUSE;
    await world.setReserves(broken, [DEEP, DEEP]);
    await refreshAndTry();
    assert.ok(isOpen(broken));
    assert.deepEqual(pools.skipped(venue), {});
    await world.remove(broken.poolMint);
    time += MINUTE;
    await refresh();
  });

  it('attack: somebody who moves pools has one work and fail in turn: it is left out again as soon as an order fails, and comes back so once a minute', async () => {
    await trials.suspect(broken.address, tokens[1].mint);
    assert.equal(isOpen(broken), undefined);
    await world.put(broken.poolMint, poolMint.owner, poolMint.data, poolMint.lamports);
    await world.setReserves(broken, [DEEP + 2n, DEEP]);
    await refreshAndTry();
    assert.ok(isOpen(broken));
    await world.remove(broken.poolMint);
    await trials.suspect(broken.address, tokens[1].mint);
    assert.equal(isOpen(broken), undefined, 'no moment passes in which orders fail and nothing is tried');
    await world.put(broken.poolMint, poolMint.owner, poolMint.data, poolMint.lamports);
    time += PAUSE;
    await world.setReserves(broken, [DEEP, DEEP]);
    const { count } = simulations;
    await refresh();
    await setImmediate();
    assert.equal(simulations.count, count);
    await world.remove(broken.poolMint);
    time += MINUTE;
    await refresh();
  });

  it('stays where it works, whoever says that it has failed', async () => {
    await trials.suspect(healthy.address, tokens[0].mint);
    assert.ok(isOpen(healthy));
    time += MINUTE;
    await refresh();
    // A wallet without SOL cannot pay, which says nothing about a pool.
    const funded = payer;
    payer = newAddress();
    await trials.suspect(broken.address, tokens[0].mint);
    payer = funded;
    assert.ok(isOpen(broken));
    assert.deepEqual(pools.skipped(venue), {});
  });

  it('attack: somebody who moves pools has the tokens taken away with which another one is tried: that says nothing of it', async () => {
    await world.put(broken.poolMint, poolMint.owner, poolMint.data, poolMint.lamports);
    time += MINUTE;
    await refresh();
    const { count } = simulations;
    await world.setReserves(healthy, [DEEP / 100_000n, DEEP]);
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(simulations.count, count + 1);
    assert.ok(isOpen(broken));
    await world.setReserves(healthy, [DEEP, DEEP]);
    await world.remove(broken.poolMint);
    time += MINUTE;
    await refresh();
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(isOpen(broken), undefined);
    time += MINUTE;
    await refresh();
  });

  it('attack: somebody who moves pools has one elsewhere at each trial, where a trade that was made before fails: it is not left out', async () => {
    await world.put(broken.poolMint, poolMint.owner, poolMint.data, poolMint.lamports);
    assert.ok(isOpen(broken));
    const { count } = simulations;
    let moves = 0;
    meanwhile = () => {
      const by = 3n ** BigInt(++moves);
      return world.setReserves(broken, [by * DEEP, DEEP / by]);
    };
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(simulations.count, count + 3, 'it is looked at again, and not without an end');
    assert.ok(isOpen(broken));
    assert.deepEqual(pools.skipped(venue), {});
    time += PAUSE;
    await world.setReserves(broken, [DEEP, DEEP]);
    await refresh();
    moves = 0;
    meanwhile = async () => {
      if (moves++ === 0) await world.setReserves(broken, [3n * DEEP, DEEP / 3n]);
    };
    await trials.suspect(broken.address, tokens[0].mint);
    assert.ok(isOpen(broken));
    assert.equal(moves, 2, 'what stands still at the second look works');
    meanwhile = async () => {};
    await world.remove(broken.poolMint);
    await world.setReserves(broken, [DEEP, DEEP]);
    time += MINUTE;
    await refresh();
  });

  it('attack: somebody who moves pools sends a unit to a broken one at each trial: that does not explain the failure, and it is left out', async () => {
    assert.ok(isOpen(broken));
    const { count } = simulations;
    let units = 0n;
    meanwhile = () => world.setReserves(broken, [DEEP + ++units, DEEP]);
    await trials.suspect(broken.address, tokens[0].mint);
    meanwhile = async () => {};
    assert.equal(isOpen(broken), undefined);
    assert.ok(simulations.count <= count + 3);
    await world.setReserves(broken, [DEEP, DEEP]);
    time += MINUTE;
    await refresh();
  });

  it('is left out where it moves while it is tried, and fails also where it stands still', async () => {
    assert.ok(isOpen(broken));
    let moves = 0;
    meanwhile = async () => {
      if (moves++ === 0) await world.setReserves(broken, [3n * DEEP, DEEP / 3n]);
    };
    await trials.suspect(broken.address, tokens[0].mint);
    meanwhile = async () => {};
    assert.equal(moves, 2);
    assert.equal(isOpen(broken), undefined);
    await world.setReserves(broken, [DEEP, DEEP]);
    time += MINUTE;
    await refresh();
  });

  it('is looked at again where nodes are at other slots, and left out where it fails each time', async () => {
    for (ahead of [-1_000, 1_000]) {
      assert.ok(isOpen(broken));
      const { count } = simulations;
      await trials.suspect(broken.address, tokens[0].mint);
      assert.equal(simulations.count, count + 3);
      assert.equal(isOpen(broken), undefined);
      time += MINUTE;
      await refresh();
    }
    ahead = 0;
  });

  it('is not tried where it cannot be seen that the tokens for it are there', async (t) => {
    t.mock.method(pools, 'knownMint', () => undefined);
    const mint = t.mock.method(pools, 'mint', async () => undefined);
    const { count } = simulations;
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(simulations.count, count);
    assert.ok(isOpen(broken));
    time += MINUTE;
    await refresh();
    // One that is not remembered is read again.
    mint.mock.restore();
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(isOpen(broken), undefined);
    time += MINUTE;
    await refresh();
  });

  it('is not tried out again at once', async () => {
    const funded = payer;
    payer = newAddress();
    await trials.suspect(broken.address, tokens[0].mint);
    payer = funded;
    await trials.suspect(broken.address, tokens[0].mint);
    assert.ok(isOpen(broken), 'the trial before was a moment ago');
    time += MINUTE;
    await refresh();
    await trials.suspect(broken.address, tokens[0].mint);
    assert.equal(isOpen(broken), undefined);
  });
});

describe('the trial of a pool of another company', { skip: missingPrograms(...ROW_PROGRAMS), timeout: 300_000 }, () => {
  it('finds nothing wrong with any that works, in either direction, and what is wrong with one that does not', async (t) => {
    const world = await openWorld({ programsDir: process.env.SLIPWAY_PROGRAMS_DIR! });
    t.after(() => world.close());
    const lab = new Lab();
    const pair = {
      mints: [lab.vm.mint(), lab.vm.mint()] as [Address, Address],
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
    };
    const writers = [...PAIR_WRITERS, writeCurve];
    const [works, broken] = [writers.map((write) => write(lab, pair)), PAIR_WRITERS[0]!(lab, pair)];
    const { rpc } = world;
    let time = 0;
    const steadyNow = () => time;
    const deps = { rpc, live: createLiveAccounts({ rpc, steadyNow, log: silent }), steadyNow, log: silent };
    t.after(() => deps.live.close());
    const venues = allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM });
    const pools = new Pools({
      ...deps,
      venues,
      configured: [],
      maxPools: 100,
      byMint: false,
      hubs: [],
      mints: FOUND_MINTS,
    });
    t.after(() => pools.close());
    for (const address of [...works, broken].flatMap(({ written }) => written)) {
      const { owner, data, lamports } = lab.account(address)!;
      await world.put(address, owner, data, lamports);
    }
    // Its observations, which no quote depends on.
    await world.remove(broken.written[2]!);
    await pools.discover();
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
    const errors: unknown[] = [];
    const simulate: typeof chain.simulate = async (...wanted) => {
      const outcome = await chain.simulate(...wanted);
      errors.push(outcome.err);
      return outcome;
    };
    const { address: payer } = await world.wallet();
    const trials = new PoolTrials({ ...deps, pools, chain: { ...chain, simulate }, payer: () => payer });
    const refusalOf = (address: Address) =>
      pools
        .market()
        .pools.find((pool) => pool.address === address)!
        .refusal(time);
    for (const mint of pair.mints) {
      for (const { address } of works) {
        await trials.suspect(address, mint);
        assert.equal(refusalOf(address), undefined, address);
      }
      time += MINUTE;
      await deps.live.refresh(pools.market().pools.flatMap(({ accounts }) => accounts));
    }
    const all = new Array(2 * works.length).fill(null);
    assert.deepEqual(errors, all, 'all of them were tried');
    await trials.suspect(broken.address, pair.mints[0]);
    assert.equal(refusalOf(broken.address), FAILS);
  });
});

it('attack: a stranger on the chain has fills fail at ever other pools: each vault that others are tried with is read once, not for each of these', async () => {
  const mints = [newAddress(), newAddress()] as const;
  let reads = 0;
  const vaults = new Map<Address, { account: ChainAccount }>();
  const vaultOf = (mint: Address): PoolToken => {
    const vault = newAddress();
    const data = encodeTokenAccount({
      mint,
      owner: newAddress(),
      amount: DEEP,
      state: 'initialized',
      delegatedAmount: 0n,
      isNative: false,
    });
    const account = { owner: TOKEN_PROGRAM, lamports: 1n } as ChainAccount;
    const get = () => {
      reads += 1;
      return data;
    };
    Object.defineProperty(account, 'data', { get });
    vaults.set(vault, { account });
    return { mint, tokenProgram: TOKEN_PROGRAM, vault };
  };
  const watched = Array.from({ length: 100 }, () => {
    const state = { tokens: [vaultOf(mints[0]), vaultOf(mints[1])], reserves: [1e9, 1e9], quote: () => undefined };
    return { address: newAddress(), mints, accounts: [], state: () => state, stateForTrial: () => state };
  });
  const trials = new PoolTrials({
    pools: {
      market: () => ({ pools: watched }),
      watched: (address: Address) => watched.find((pool) => pool.address === address),
    } as unknown as Pools,
    live: { get: (address: Address) => vaults.get(address) } as unknown as LiveAccounts,
    chain: {
      latestBlockhash: () => assert.fail('it takes no amount'),
      simulate: () => assert.fail('it takes no amount'),
    },
    payer: newAddress,
    steadyNow: () => 0,
    log: silent,
  });
  for (const { address } of watched.slice(0, 2)) await trials.suspect(address, mints[0]);
  const known = reads;
  assert.ok(known >= vaults.size);
  for (const { address } of watched) await trials.suspect(address, mints[0]);
  assert.equal(reads, known);
});
