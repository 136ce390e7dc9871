import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Keypair } from '@slipway/wire';
import { createClient } from '../../areas/trigger-v2/testing.js';
import { ChainUnavailable, createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { silent } from '../../routing/aggregator/testing.js';
import { accountOfWallet } from '../../store/event-accounts.js';
import { deleteNeverPaid } from '../../store/ledger-cleaning.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import { findTriggerOrder, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { lostDepositsChore } from '../lost-deposits.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE = 60_000;
const KEPT = 7 * 24 * 60 * MINUTE;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
});
after(() => world?.close());

/** A deposit that is called lost: a node denies that it has landed, or (`isSent` false) never sends it. */
async function loseDeposit({ isSent = true, ...terms }: { isSent?: boolean; orderType?: 'single' | 'otoco' } = {}) {
  const { rpc } = world.world;
  let denied = 0;
  const lying: Rpc = {
    ...rpc,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'sendTransaction' && !isSent) return '1'.repeat(64) as T;
      const answer = await rpc.call<T>(method, params);
      if (method === 'getTransaction') return null as T;
      if (method !== 'getSignatureStatuses') return answer;
      denied += 1;
      return { ...answer, value: (answer as { value: unknown[] }).value.map(() => null) };
    },
  };
  const chain = createChain({ rpc: lying, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  const landing = world.newLanding([lying], { chain });
  const deceived = createClient({ ...world, landing, prices: world.priced });
  const wallet = await deceived.register();
  await world.fund(wallet.address, world.sold, AMOUNT);
  const mints = { inputMint: world.sold.mint, outputMint: world.bought.mint, triggerMint: world.sold.mint };
  const exits = terms.orderType === 'otoco' ? { tpPriceUsd: 0.95, slPriceUsd: 0.1 } : {};
  const order = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9, ...mints, ...exits } as const;
  let isTold = false;
  const body = await deceived.bodyFor(wallet, AMOUNT, { ...order, ...terms });
  const told = deceived.post(wallet, body).finally(() => {
    isTold = true;
  });
  told.catch(() => {});
  while (!isTold) {
    if (denied > 0) await rpc.call('localnet_advanceClock', [60]);
    await sleep(20);
  }
  await assert.rejects(told, /expired.*craft a new deposit/);
  const { rows } = await world.store.query<{ id: string }>('select id from orders where wallet = $1', [wallet.address]);
  return { wallet, body, row: await world.rowOf(rows[0]!.id) };
}

const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;
const depositOf = async ({ wallet, id, depositRequestId }: TriggerOrderRow) =>
  (await triggerOrderEvents(world.store, wallet, [id])).find((event) => event.id === depositRequestId);

/** What the wallet of an order hears of it. */
async function toldOf({ wallet }: TriggerOrderRow): Promise<string[]> {
  const { rows } = await world.store.query<{ page: string }>(
    `select page from event_outbox, unnest(accounts, pages) as t(account, page) where account = $1 order by id`,
    [accountOfWallet(wallet)],
  );
  const events = rows.flatMap(({ page }) => JSON.parse(page) as { kind: string }[]);
  return events.map(({ kind }) => kind).filter((kind) => kind.startsWith('order.'));
}

async function bringsAllHome(wallet: Keypair, { id, inputAccount }: TriggerOrderRow) {
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
  assert.deepEqual([await stateOf(id), await world.exists(inputAccount)], ['cancelled', false]);
  await assert.rejects(client.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
}

let [read, now, node] = [0, 0, 'honest'];
let of = '';
let chore: ReturnType<typeof lostDepositsChore> | undefined;

/** A turn of the keeper, so long after the loss; and how often it has read the account of the order. */
async function look(
  row: TriggerOrderRow,
  minutes: number,
  by: 'honest' | 'away' | 'hiding' = 'honest',
): Promise<number> {
  [read, now, node] = [0, row.updatedAt.getTime() + minutes * MINUTE, by];
  const accountReading: typeof world.chain.accountReading = async (address) => {
    if (node === 'away') throw new ChainUnavailable('away');
    if (address === row.inputAccount) read += 1;
    const told = await world.chain.accountReading(address);
    return node === 'hiding' ? { ...told, account: undefined } : told;
  };
  const chain = { ...world.chain, accountReading };
  // One for all turns of an order: it knows what it has seen.
  if (of !== row.id) {
    of = row.id;
    chore = lostDepositsChore({ ...world, chain, agreedNow: async () => now, log: silent, keepEndedMs: KEPT });
  }
  await chore!(() => false);
  return read;
}

/** Whether it is still there after all have been deleted that may be. */
async function isKept({ id }: TriggerOrderRow): Promise<boolean> {
  await world.store.transaction((tx) => deleteNeverPaid(tx, new Date(Date.now() + 2 * KEPT), 100));
  return (await findTriggerOrder(world.store, id)) !== undefined;
}

it('attack: a node denies a deposit that has landed until its blockhash is dead: its owner is told that it is lost, cancels the order, and has every unit back', async () => {
  const { wallet, body, row } = await loseDeposit();
  await assert.rejects(client.post(wallet, body), /did not land; craft a new deposit/);
  assert.deepEqual([row.progress.state, (await depositOf(row))?.state], ['deposit_failed', 'failed']);
  assert.equal(await world.world.amount(row.inputAccount as Address), AMOUNT);
  assert.equal(await isKept(row), true);
  await assert.rejects(client.cancel((await client.register()).address, row.id), /not yours/);
  const { withdrawn } = await client.cancel(wallet.address, row.id);
  assert.deepEqual(withdrawn, [{ mint: world.sold.mint, amount: AMOUNT.toString() }]);
  assert.equal(await stateOf(row.id), 'ready_to_cancel');
  const deposit = await depositOf(row);
  assert.deepEqual([deposit?.state, deposit?.signature !== null], ['success', true]);
  const { id, depositConfirmed } = await client.post(wallet, body);
  assert.deepEqual([id, depositConfirmed], [row.id, true]);
  await bringsAllHome(wallet, row);
});

it('attack: a node denies a deposit that has landed until its blockhash is dead: a keeper finds it five minutes later, and it is never traded', async () => {
  const { wallet, row } = await loseDeposit({ orderType: 'otoco' });
  assert.equal(await look(row, 4), 0);
  await assert.rejects(look(row, 6, 'away'), /away/);
  assert.equal(await stateOf(row.id), 'deposit_failed');
  assert.deepEqual([await look(row, 6), await look(row, 7), await look(row, 8)], [1, 0, 1]);
  const found = await world.rowOf(row.id);
  assert.deepEqual([found.progress.state, found.funded], ['ready_to_cancel', true]);
  assert.equal((await depositOf(row))?.state, 'success');
  const keeper = await world.newKeeper();
  await keeper.runDue();
  await keeper.close();
  assert.equal(await look(row, 2 * KEPT), 0);
  assert.equal(await isKept(row), true);
  await bringsAllHome(wallet, row);
  assert.deepEqual(await toldOf(row), ['order.failed', 'order.expired', 'order.cancelled']);
});

it('attack: a node calls a deposit lost that has landed, and hides its account from all looks but the last: that one finds it before its order is deleted', async () => {
  const { wallet, row } = await loseDeposit();
  for (const minutes of [6, 61]) await look(row, minutes, 'hiding');
  assert.equal(await look(row, 62), 0);
  assert.equal(await isKept(row), true);
  assert.deepEqual([await look(row, KEPT / MINUTE + 1), await look(row, KEPT / MINUTE + 3)], [1, 1]);
  await bringsAllHome(wallet, row);
});

it('an order whose deposit is lost is looked for three times, and deleted then', async () => {
  const { wallet, row } = await loseDeposit({ isSent: false });
  await assert.rejects(client.cancel(wallet.address, row.id), /Cannot cancel order in 'failed' state/);
  const later = KEPT / MINUTE + 1;
  const reads = [];
  for (const minutes of [6, 7, 61, 62, later, later]) reads.push(await look(row, minutes));
  assert.deepEqual(reads, [1, 0, 1, 0, 1, 0]);
  assert.equal(await stateOf(row.id), 'deposit_failed');
  assert.equal(await isKept(row), false);
});
