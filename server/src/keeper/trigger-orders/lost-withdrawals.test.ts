import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, type Keypair, transactionSignature } from '@slipway/wire';
import { createClient, signed, type TestTerms } from '../../areas/trigger-v2/testing.js';
import { createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { silent } from '../../routing/aggregator/testing.js';
import { endSlotOf } from '../../store/lost-deposits.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
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

const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;
const eventsOf = async ({ address }: Keypair, id: string) =>
  (await triggerOrderEvents(world.store, address, [id]))
    .filter(({ type }) => type !== 'deposit')
    .map(({ type, state }) => `${type} ${state}`)
    .sort();

/** A client of a node that takes transactions, passes none on, and calls them landed. */
function swallowing() {
  const swallowed = new Set<string>();
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
        const signature = transactionSignature(transaction);
        swallowed.add(signature);
        return signature as T;
      }
      if (method === 'getSignaturesForAddress')
        return [...swallowed].map((signature) => ({ signature, slot: 5, err: null })) as T;
      const answer = await world.world.rpc.call<T>(method, params);
      if (method !== 'getSignatureStatuses') return answer;
      const { context, value } = answer as { context: { slot: number }; value: unknown[] };
      const landed = { slot: context.slot, err: null, confirmations: 3, confirmationStatus: 'confirmed' };
      const told = value.map((each, index) => (swallowed.has((params[0] as string[])[index]!) ? landed : each));
      return { context, value: told } as T;
    },
  };
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  return world.newClient(world.newLanding([rpc], { chain }));
}

/** An order whose withdrawal was swallowed, and called landed. */
async function loseWithdrawal() {
  const { wallet, id } = await world.deposit(client, { triggerPriceUsd: 1_000 });
  const { transaction, requestId: cancelRequestId } = await client.cancel(wallet.address, id);
  const posted = { cancelRequestId, signedTransaction: signed(wallet, transaction) };
  const { orderState } = await swallowing().confirm(wallet.address, id, posted);
  assert.equal(orderState, 'cancelled');
  const row = await world.rowOf(id);
  assert.equal(await world.world.amount(row.inputAccount as Address), AMOUNT);
  // The same withdrawal with the same blockhash would be the same transaction, which has landed, says the ledger.
  const { blockhash } = await world.chain.latestBlockhash();
  while ((await world.chain.latestBlockhash()).blockhash === blockhash) await sleep(50);
  return { wallet, id, row, posted };
}

type Read = Awaited<ReturnType<typeof world.chain.accountReading>>;
type Reader = (address: Address) => Promise<Read>;
let reader: Reader | undefined;
let read: string[] = [];
let now = 0;
let chore: ReturnType<typeof lostDepositsChore> | undefined;

/** A turn of the keeper, so long after the end; and how often it has read accounts of the order. */
async function look(id: string, minutes: number, by: Reader = world.chain.accountReading) {
  const row = await world.rowOf(id);
  const { updatedAt, inputAccount, outputAccount } = row;
  const end = (await endSlotOf(world.store, row)) ?? 0n;
  while ((await world.chain.accountReading(inputAccount as Address)).slot < end) await sleep(50);
  [reader, read, now] = [by, [], updatedAt.getTime() + minutes * MINUTE];
  const accountReading: Reader = (address) => {
    read.push(address);
    return reader!(address);
  };
  const chain = { ...world.chain, accountReading };
  chore ??= lostDepositsChore({ ...world, chain, agreedNow: async () => now, log: silent, keepEndedMs: KEPT });
  await chore(() => false);
  return read.filter((address) => address === inputAccount || address === outputAccount).length;
}

/** What a node says that is stuck at what it tells of these accounts now; of others, as it is. */
async function stuckNow(...accounts: string[]): Promise<Reader> {
  const old = new Map<string, Read>();
  for (const account of accounts) old.set(account, await world.chain.accountReading(account as Address));
  return async (address) => old.get(address) ?? world.chain.accountReading(address);
}

/** The same, but that it claims to be where the chain is. */
const claimingNow =
  (by: Reader): Reader =>
  async (address) => {
    const { slot } = await world.chain.accountReading(address);
    return { ...(await by(address)), slot };
  };

/** A client of a node that reads so, a few times; whose chain is as it is then. */
function clientOf(by: Reader, times = Number.POSITIVE_INFINITY) {
  let left = times;
  const accountReading: Reader = (address) => (left-- > 0 ? by(address) : world.chain.accountReading(address));
  const chain = { ...world.chain, accountReading, account: async (of: Address) => (await accountReading(of)).account };
  return createClient({ ...world, chain, landing: world.newLanding(), prices: world.priced });
}

async function bringsAllHome(wallet: Keypair, id: string) {
  await client.withdraw(wallet, id);
  const { inputAccount, progress } = await world.rowOf(id);
  assert.deepEqual([progress.state, await world.exists(inputAccount)], ['cancelled', false]);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
}

it('attack: a node swallows a withdrawal and calls it landed: two minutes later its owner cancels the order again, and has every unit back', async () => {
  const { wallet, id, posted } = await loseWithdrawal();
  assert.deepEqual(await eventsOf(wallet, id), ['cancelled success', 'withdrawal success']);
  await assert.rejects(client.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
  world.clock.setOffset(world.clock.offsetMs + 2 * MINUTE + 1);
  const { withdrawn } = await client.cancel(wallet.address, id);
  assert.deepEqual(withdrawn, [{ mint: world.sold.mint, amount: AMOUNT.toString() }]);
  assert.deepEqual(await eventsOf(wallet, id), ['cancelled failed', 'withdrawal failed']);
  assert.equal((await client.confirm(wallet.address, id, posted)).orderState, 'pending_withdraw');
  await bringsAllHome(wallet, id);
  assert.deepEqual(await eventsOf(wallet, id), [
    'cancelled failed',
    'cancelled success',
    'withdrawal failed',
    'withdrawal success',
  ]);
  world.clock.setOffset(world.clock.offsetMs + 2 * MINUTE + 1);
  await assert.rejects(client.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
});

it('attack: a node swallows a withdrawal and calls it landed: a keeper finds what is left five minutes later, and two minutes after that, and its owner withdraws it', async () => {
  const { wallet, id } = await loseWithdrawal();
  assert.equal(await look(id, 4), 0);
  assert.equal(await stateOf(id), 'cancelled');
  await look(id, 6);
  assert.deepEqual([await look(id, 7), await stateOf(id)], [0, 'cancelled']);
  await look(id, 8);
  const { progress, funded } = await world.rowOf(id);
  assert.deepEqual([progress.state, funded], ['ready_to_cancel', true]);
  const keeper = await world.newKeeper();
  await keeper.runDue();
  await keeper.close();
  await bringsAllHome(wallet, id);
  // That end is looked at anew.
  assert.equal(await look(id, 6), 1);
});

it('attack: a node hides the account of a withdrawal that it has swallowed from all looks but the last, six hours later: that one finds it', async () => {
  const { wallet, id } = await loseWithdrawal();
  const hiding: Reader = async (address) => ({ ...(await world.chain.accountReading(address)), account: undefined });
  for (const minutes of [6, 61, 359]) await look(id, minutes, hiding);
  assert.equal(await stateOf(id), 'cancelled');
  await look(id, 361);
  await look(id, 363);
  await bringsAllHome(wallet, id);
});

it('attack: a node hides the empty account of a cancelled order that has two: its rent comes home, too', async () => {
  const terms: Partial<TestTerms> = { orderType: 'otoco', triggerPriceUsd: 1_000, tpPriceUsd: 2_000, slPriceUsd: 500 };
  const { wallet, id } = await world.deposit(client, terms);
  const { outputAccount } = await world.rowOf(id);
  const hiding: Reader = async (address) => {
    const told = await world.chain.accountReading(address);
    return address === outputAccount ? { ...told, account: undefined } : told;
  };
  await clientOf(hiding).withdraw(wallet, id);
  assert.deepEqual([await stateOf(id), await world.exists(outputAccount!)], ['cancelled', true]);
  for (const minutes of [6, 8]) await look(id, minutes);
  assert.deepEqual(await eventsOf(wallet, id), ['cancelled failed', 'withdrawal success']);
  await bringsAllHome(wallet, id);
  assert.equal(await world.exists(outputAccount!), false);
});

/** Orders whose withdrawals have landed, and a node that is stuck at what was before. */
async function withdrawn(count: number) {
  const orders = [];
  for (let n = 0; n < count; n++) orders.push(await world.deposit(client, { triggerPriceUsd: 1_000 }));
  const accounts = await Promise.all(orders.map(async ({ id }) => (await world.rowOf(id)).inputAccount));
  const stuck = await stuckNow(...accounts);
  for (const { wallet, id } of orders) await client.withdraw(wallet, id);
  return { orders, stuck, last: orders.at(-1)! };
}

const HOME = ['cancelled success', 'withdrawal success'];

it('attack: a node shows once, or for a moment, what a withdrawal has brought home: the order stays cancelled', async () => {
  const { stuck, last } = await withdrawn(1);
  const { id, wallet } = last;
  await look(id, 6, claimingNow(stuck));
  await look(id, 8);
  await assert.rejects(clientOf(claimingNow(stuck)).cancel(wallet.address, id), /order in 'cancelled' state/);
  assert.deepEqual([await stateOf(id), await eventsOf(wallet, id)], ['cancelled', HOME]);
});

it('attack: a node that is stuck shows what the withdrawals of many orders have brought home since: all stay cancelled, and each is looked at once it knows', async () => {
  const { orders, stuck, last } = await withdrawn(3);
  for (const minutes of [6, 8, 10, 59]) assert.equal(await look(last.id, minutes, stuck), 1);
  world.clock.setOffset(world.clock.offsetMs + 3 * MINUTE);
  for (const { wallet, id } of orders) {
    await assert.rejects(clientOf(stuck).cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
    assert.deepEqual([await stateOf(id), await eventsOf(wallet, id)], ['cancelled', HOME]);
  }
  assert.deepEqual([await look(last.id, 59), await look(last.id, 60)], [1, 0]);
});

it('attack: a node shows its owner once what a withdrawal has brought home, at a slot of now: the order stays cancelled', async () => {
  const { stuck, last } = await withdrawn(1);
  const { id, wallet } = last;
  const { inputAccount } = await world.rowOf(id);
  world.clock.setOffset(world.clock.offsetMs + 3 * MINUTE);
  let left = 1;
  const once: Reader = (address) =>
    address === inputAccount && left-- > 0 ? claimingNow(stuck)(address) : world.chain.accountReading(address);
  await assert.rejects(clientOf(once).cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
  assert.deepEqual([await stateOf(id), await eventsOf(wallet, id)], ['cancelled', HOME]);
});

it('attack: a node shows twice what withdrawals have brought home, at slots of now: the orders are cancelled again when their owners cancel them, and their history is right', async () => {
  const { orders, stuck, last } = await withdrawn(2);
  for (const minutes of [6, 8]) await look(last.id, minutes, claimingNow(stuck));
  for (const { wallet, id } of orders) {
    assert.deepEqual(
      [await stateOf(id), await eventsOf(wallet, id)],
      ['ready_to_cancel', ['cancelled failed', 'withdrawal failed']],
    );
    const { inputAccount } = await world.rowOf(id);
    const hidden = { account: undefined, slot: 1n };
    const behind: Reader = async (address) => (address === inputAccount ? hidden : world.chain.accountReading(address));
    await assert.rejects(clientOf(behind).cancel(wallet.address, id), /are gone from the chain/);
    assert.equal(await stateOf(id), 'ready_to_cancel');
    await assert.rejects(client.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
    assert.deepEqual([await stateOf(id), await eventsOf(wallet, id)], ['cancelled', HOME]);
  }
});

it('attack: a node calls a withdrawal landed that it has swallowed, at a slot that never comes: its owner has every unit back', async () => {
  const { wallet, id } = await loseWithdrawal();
  await world.store.query(
    `update ledger set slot = 9000000000000 where id in (
       select split_part(id, ' ', 1) from order_events where order_id = $1 and type = 'cancelled')`,
    [id],
  );
  world.clock.setOffset(world.clock.offsetMs + 2 * MINUTE + 1);
  await bringsAllHome(wallet, id);
});

it('a cancelled order is looked at three times, and never again', async () => {
  const { wallet, id } = await world.deposit(client, { triggerPriceUsd: 1_000 });
  await client.withdraw(wallet, id);
  const reads = [];
  for (const minutes of [4, 6, 7, 61, 62, 361, 362, KEPT / MINUTE]) reads.push(await look(id, minutes));
  assert.deepEqual(reads, [0, 1, 0, 1, 0, 1, 0, 0]);
});
