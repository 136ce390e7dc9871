import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, decodeTransaction } from '@slipway/wire';
import type { TestPool } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const DEEP = 10n ** 13n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

it('attack: somebody who moves pools makes so many that look best and fail on the chain that a fill has no more tries: they are left out, and the order is filled', async () => {
  const { sold, bought, pool } = world;
  const better = [];
  for (let more = 2n; more < 7n; more++) {
    better.push(await world.world.pool(sold, bought, [DEEP, (DEEP * (100n + more)) / 100n]));
  }
  await world.aggregator.discover();
  for (const { poolMint } of better) await world.world.remove(poolMint);
  const keeper = await world.newKeeper();
  const { id, wallet } = await world.deposit(world.newClient());
  for (let turns = 0; turns < 20 && (await world.rowOf(id)).progress.state !== 'fill_success'; turns++) {
    await keeper.runDue();
    world.clock.setOffset(world.clock.offsetMs + 10_000);
    await sleep(100);
  }
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await world.world.amount(pool.vaults[0]), DEEP + AMOUNT);
  assert.ok((await world.held(wallet.address)) > (AMOUNT * 99n) / 100n);
});

it('attack: somebody who moves pools makes one that looks best and fails on the chain, for the orders of wallets that have closed their account: it is left out, and the fill makes the account', async () => {
  const { sold, bought, pool } = world;
  const before = await world.world.amount(pool.vaults[0]);
  const better = await world.world.pool(sold, bought, [DEEP, (DEEP * 102n) / 100n]);
  await world.aggregator.discover();
  await world.world.remove(better.poolMint);
  const keeper = await world.newKeeper();
  const { id, wallet } = await world.deposit(world.newClient());
  await world.world.remove(world.accountOf(wallet.address));
  await keeper.runDue();
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await world.world.amount(pool.vaults[0]), before + AMOUNT);
  assert.ok((await world.held(wallet.address)) > (AMOUNT * 99n) / 100n);
  await world.world.remove(better.address);
  await world.aggregator.discover();
});

it('attack: somebody who moves pools sends a unit to those that fail, again and again, so that they have changed and come back: they stay left out while trades with them fail, and the order is filled', async () => {
  const { sold, bought, pool } = world;
  const before = await world.world.amount(pool.vaults[0]);
  const better: TestPool[] = [];
  for (let more = 2n; more < 9n; more++) {
    better.push(await world.world.pool(sold, bought, [DEEP, (DEEP * (100n + more)) / 100n]));
  }
  await world.aggregator.discover();
  for (const { poolMint } of better) await world.world.remove(poolMint);
  const keeper = await world.newKeeper();
  const { id } = await world.deposit(world.newClient());
  for (let turn = 1n; turn <= 10n && (await world.rowOf(id)).progress.state !== 'fill_success'; turn++) {
    await keeper.runDue();
    for (const [i, each] of better.entries()) {
      await world.world.setReserves(each, [DEEP + turn, (DEEP * (102n + BigInt(i))) / 100n]);
    }
    await world.live.refresh(better.flatMap(({ vaults }) => vaults));
    world.clock.setOffset(world.clock.offsetMs + 10_000);
    await sleep(100);
  }
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
  assert.equal(await world.world.amount(pool.vaults[0]), before + AMOUNT);
  for (const { address } of better) await world.world.remove(address);
  await world.aggregator.discover();
});

it('attack: somebody who moves pools makes many that take more compute units together than a transaction has: orders go over one of them', async () => {
  const { sold, bought } = world;
  const depth = 20n * AMOUNT;
  const costly: Address[] = [];
  for (let more = 0n; more < 8n; more++) {
    costly.push((await world.world.pool(sold, bought, [depth, (depth * (1_100n + more)) / 1_000n])).address);
  }
  await world.aggregator.discover();
  const { rpc } = world.world;
  const { call } = rpc;
  let refused = 0;
  // The venues whose trades cost so much are other companies' programs.
  rpc.call = (method: string, params: unknown[]) => {
    if (method !== 'simulateTransaction') return call.call(rpc, method, params) as never;
    const { accounts, instructions } = decodeTransaction(Buffer.from(params[0] as string, 'base64')).decoded;
    if (accounts.filter((each) => costly.includes(each)).length < 2) return call.call(rpc, method, params) as never;
    refused++;
    const err = { InstructionError: [instructions.length - 1, 'ProgramFailedToComplete'] };
    const logs = [`Program ${TOKEN_SWAP_PROGRAM} failed: exceeded CUs meter at BPF instruction`];
    const value = { err, logs, unitsConsumed: 1_400_000, accounts: null };
    return Promise.resolve({ context: { slot: 10 ** 9 }, value }) as never;
  };
  const keeper = await world.newKeeper();
  const { id } = await world.deposit(world.newClient(), { slippageBps: 2_000 });
  await keeper.runDue();
  rpc.call = call;
  for (const each of costly) await world.world.remove(each);
  await world.aggregator.discover();
  assert.ok(refused > 0);
  assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
});

describe('a fired order whose best pools fail on the chain', () => {
  it('is filled over the others, and waits where none is left', async () => {
    const { sold, bought, pool } = world;
    const before = await world.world.amount(pool.vaults[0]);
    const better = [await world.world.pool(sold, bought, [DEEP, (DEEP * 102n) / 100n])];
    better.push(await world.world.pool(sold, bought, [DEEP, (DEEP * 103n) / 100n]));
    await world.aggregator.discover();
    // The program needs the mint of a pool's shares, which no quote depends on.
    for (const { poolMint } of better) await world.world.remove(poolMint);
    const keeper = await world.newKeeper();
    const { id } = await world.deposit(world.newClient());
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.equal(await world.world.amount(pool.vaults[0]), before + AMOUNT);
    for (const { vaults } of better) assert.equal(await world.world.amount(vaults[0]), DEEP);

    await world.world.remove(pool.poolMint);
    const waiting = await world.deposit(world.newClient());
    await keeper.runDue();
    const { state, entry } = (await world.rowOf(waiting.id)).progress;
    assert.notEqual(state, 'fill_success');
    assert.equal(entry.remaining, AMOUNT);
  });
});
