import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LIMIT_ORDER_PURSE, LOSS_WINDOW_MS } from '../../landing/purses.js';
import { createClock } from '../../lib/clock.js';
import type { TestPool } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import { guardKeys, type LossLimits, SANDBOX_PROGRAMS } from '../../signer/index.js';
import { claimMany, insertCrafted, type LedgerRow, settleMany } from '../../store/ledger.js';
import { barLosses } from '../../store/losses.js';
import { openTestStore } from '../../store/testing.js';
import { LIMIT_ORDER_AREA, limitOrderSettlement } from './settlement.js';
import { type KeeperWorld, openKeeperWorld } from './testing.js';

const DEEP: [bigint, bigint] = [10n ** 15n, 10n ** 15n];
const RENT = 2_039_280n;
const FEE = 5_000n;

let w: KeeperWorld;
before(async () => {
  w = await openKeeperWorld();
});
after(() => w?.close());

/** The signer of the world, and what it has counted for each signature of the keeper. */
function countingSigner() {
  const counted: bigint[] = [];
  const limits: Pick<LossLimits, 'take'> = {
    async take(_, losses) {
      counted.push(losses.reduce((sum, { lamports }) => sum + lamports, 0n));
    },
  };
  const { publicKey, sign } = w.signer;
  const { cosign } = guardKeys({ publicKey, sign }, { programs: SANDBOX_PROGRAMS, clock: createClock(), limits });
  return { counted, signer: { ...w.signer, cosign } };
}

/** Orders of new makers over a mint without a price: the fill makes the keeper's account of it, and the maker's. */
async function openMaking(mine: Token, output: Token) {
  const order = await w.open(mine, output, 1_000n);
  await w.world.remove(order.output);
  return order;
}

/** A node before which somebody moves the pool whenever the keeper sends. */
const movedBefore = (pool: TestPool): typeof w.world.rpc => ({
  ...w.world.rpc,
  async call<T>(method: string, params: unknown[]) {
    if (method === 'sendTransaction') await w.world.setReserves(pool, [DEEP[0], 10n ** 6n]);
    return w.world.rpc.call<T>(method, params);
  },
});

test('attack: a stranger on the chain has ever more fills fail that would make token accounts, which the signer counts though none is made: beyond 0.15 SOL an hour none is signed, and whose fill makes none is filled', async () => {
  const [other, output, honestPool] = await w.pair(DEEP);
  for (const token of [other, output]) await w.holding(token, w.taker, 77n);
  const [mine, , pool] = await w.pair(DEEP, [undefined, output]);
  w.usd.delete(mine.mint);
  const { counted, signer } = countingSigner();
  const chain = { ...w.chain, computeUnitPrice: async () => 0n };
  const failing = w.newLanding({ signer, sendRpcs: [movedBefore(pool)] });
  const lost = async () => {
    const { rows } = await w.store.query<{ rents: string | null }>(`select rents from ledger where state = 'failed'`);
    return rows.map(({ rents }) => BigInt(rents ?? 0));
  };
  for (let tries = 0; tries < 2; tries++) {
    await w.moveTo(pool, DEEP);
    const order = await openMaking(mine, output);
    await w.newKeeper({ landing: failing, chain }).runDue();
    assert.ok(await w.stateOf(order), 'fails');
    await w.world.remove(order.address);
  }
  assert.deepEqual(counted, [2n * RENT + FEE, 2n * RENT + FEE]);
  assert.deepEqual(await lost(), [2n * RENT, 2n * RENT], 'as the signer counts it');

  await w.moveTo(pool, DEEP);
  const barred = await openMaking(mine, output);
  const landing = w.newLanding({ signer });
  const requireUnsigned = async () => {
    for (let copies = 0; copies < 2; copies++) await w.newKeeper({ landing, chain }).runDue();
    assert.ok(await w.stateOf(barred));
    assert.equal(counted.length, 2, 'nothing more is signed');
  };
  const first = 'id = (select min(id) from ledger)';
  // As after nine accounts for fills of this order, which count as its own.
  await w.store.query(`update ledger set rents = 18000000, wallet = $1 where ${first}`, [barred.address]);
  await requireUnsigned();
  // As after 72 accounts, of ever other makers.
  await w.store.query(`update ledger set rents = 147000000, wallet = id where ${first}`);
  await requireUnsigned();
  const honest = await w.open(other, output, 900_000_000n);
  await w.moveTo(honestPool, DEEP);
  await w.newKeeper({ landing, chain }).runDue();
  assert.equal(await w.stateOf(honest), undefined, 'is filled');
  assert.deepEqual(counted.slice(2), [FEE]);

  w.clock.setOffset(3_601_000);
  await w.newKeeper({ landing, chain }).runDue();
  assert.equal(await w.stateOf(barred), undefined, 'is filled an hour later');
});

test('attack: a stranger on the chain has fills of many makers due at once that would make token accounts, where there is room for one: none is signed in vain', async () => {
  await w.store.query(`delete from ledger where id <> (select min(id) from ledger)`);
  await w.store.query(`update ledger set rents = 142000000, settled_at = $1`, [new Date(w.clock.now())]);
  const { counted, signer } = countingSigner();
  const chain = { ...w.chain, computeUnitPrice: async () => 0n };
  let asked = 0;
  const slow: typeof signer = {
    ...signer,
    async cosign(request) {
      // Those that would be signed beside the first have the time to come.
      if (asked++ === 0) for (let waits = 0; waits < 50 && asked === 1; waits++) await wait(20);
      return signer.cosign(request);
    },
  };
  const landing = w.newLanding({ signer: slow });
  for (let makers = 0; makers < 4; makers++) {
    const [other, bought] = await w.pair(DEEP);
    w.usd.delete(other.mint);
    await openMaking(other, bought);
  }
  await w.newKeeper({ landing, chain }).runDue();
  const { rows } = await w.store.query<{ state: string }>(`select state from ledger where state = 'landed'`);
  assert.ok(rows.length > 0);
  assert.equal(counted.length, rows.length);
});

test('attack: a wallet has fills of ever more limit orders of its own fail that would make two accounts each: nine orders use up what such fills of all may sign for, with 36 fees, and a fill that makes none goes on', async () => {
  const { store, close } = await openTestStore();
  const now = new Date(0);
  const since = new Date(-LOSS_WINDOW_MS);
  const { wallet, most, rents } = LIMIT_ORDER_PURSE;
  const all = {
    areas: [LIMIT_ORDER_AREA],
    allSince: since,
    allMost: most,
    stillMost: 1,
    paceSince: since,
    paceMost: 0,
    ...(rents && { rents }),
  };
  const bounds = { ...all, walletSince: since, walletMost: wallet.most };
  let number = 0;
  /** Claims a fill, which fails unless it is barred; answers why it is. */
  const fill = (maker: string, order: string, making: bigint) =>
    store.transaction(async (tx) => {
      const id = `fill ${number++}`;
      const made = { cosigners: ['keeper'], lastValidBlockHeight: 1n, createdAt: now, expiresAt: now };
      const row = { id, area: LIMIT_ORDER_AREA, wallet: maker, messageHash: Buffer.from(id), payload: { order } };
      await insertCrafted(tx, [{ ...row, ...made }]);
      await claimMany(tx, [{ id, signature: id, wire: Buffer.alloc(1), sentAt: now, rents: making }]);
      const bar = (await barLosses(tx, [id], bounds)).get(id);
      if (bar) await tx.query('delete from ledger where id = $1', [id]);
      else {
        await settleMany(tx, [{ id, event: 'failed', slot: 1n, error: null, settledAt: now }]);
        await limitOrderSettlement.settle!(tx, [{ id, state: 'failed', slot: 1n } as LedgerRow]);
      }
      return bar;
    });
  let failed = 0;
  let orders = 0;
  for (let bar: string | undefined; bar !== 'rents-of-all'; orders++) {
    for (bar = undefined; bar === undefined; ) {
      bar = await fill('maker', `order ${orders}`, 2n * RENT);
      if (bar === undefined) failed++;
    }
  }
  assert.deepEqual([orders - 1, failed], [9, 36], 'the tenth has none');
  assert.equal(await fill('another maker', 'an order', 2n * RENT), 'rents-of-all');
  assert.equal(await fill('another maker', 'an order', 0n), undefined);
  await close();
});
