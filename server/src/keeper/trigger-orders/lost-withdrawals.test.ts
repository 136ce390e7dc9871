import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, type Keypair, transactionSignature } from '@slipway/wire';
import { createClient, signed, type TestTerms } from '../../areas/trigger-v2/testing.js';
import { createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { silent } from '../../routing/aggregator/testing.js';
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

/** A turn of the keeper, so long after the end; and how often it has read accounts of the order. */
async function look(id: string, minutes: number, chain: Pick<typeof world.chain, 'account'> = world.chain) {
  const row = await world.rowOf(id);
  let read = 0;
  const account = (address: Address) => {
    if (address === row.inputAccount || address === row.outputAccount) read += 1;
    return chain.account(address);
  };
  const agreedNow = async () => row.updatedAt.getTime() + minutes * MINUTE;
  await lostDepositsChore({ ...world, chain: { account }, agreedNow, log: silent, keepEndedMs: KEPT })(() => false);
  return read;
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

it('attack: a node swallows a withdrawal and calls it landed: a keeper finds what is left five minutes later, and its owner withdraws it', async () => {
  const { wallet, id } = await loseWithdrawal();
  assert.equal(await look(id, 4), 0);
  assert.equal(await stateOf(id), 'cancelled');
  await look(id, 6);
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
  const hiding = { account: async () => undefined };
  for (const minutes of [6, 61, 359]) await look(id, minutes, hiding);
  assert.equal(await stateOf(id), 'cancelled');
  await look(id, 361);
  await bringsAllHome(wallet, id);
});

it('attack: a node hides the empty account of a cancelled order that has two: its rent comes home, too', async () => {
  const terms: Partial<TestTerms> = { orderType: 'otoco', triggerPriceUsd: 1_000, tpPriceUsd: 2_000, slPriceUsd: 500 };
  const { wallet, id } = await world.deposit(client, terms);
  const { outputAccount } = await world.rowOf(id);
  const chain: typeof world.chain = {
    ...world.chain,
    account: async (address) => (address === outputAccount ? undefined : world.chain.account(address)),
  };
  await createClient({ ...world, chain, landing: world.newLanding(), prices: world.priced }).withdraw(wallet, id);
  assert.deepEqual([await stateOf(id), await world.exists(outputAccount!)], ['cancelled', true]);
  await look(id, 6);
  assert.deepEqual(await eventsOf(wallet, id), ['cancelled failed', 'withdrawal success']);
  await bringsAllHome(wallet, id);
  assert.equal(await world.exists(outputAccount!), false);
});

it('attack: a node shows once, or for a moment, what a withdrawal has brought home: the order stays cancelled', async () => {
  const { wallet, id } = await world.deposit(client, { triggerPriceUsd: 1_000 });
  const { inputAccount } = await world.rowOf(id);
  const old = await world.chain.account(inputAccount as Address);
  await client.withdraw(wallet, id);
  let left = 1;
  const once: typeof world.chain = {
    ...world.chain,
    account: async (address) => (address === inputAccount && left-- > 0 ? old : world.chain.account(address)),
  };
  await look(id, 6, once);
  left = 100;
  const behind = createClient({ ...world, chain: once, landing: world.newLanding(), prices: world.priced });
  await assert.rejects(behind.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
  assert.equal(await stateOf(id), 'cancelled');
});

it('a cancelled order is looked at three times, and never again', async () => {
  const { wallet, id } = await world.deposit(client, { triggerPriceUsd: 1_000 });
  await client.withdraw(wallet, id);
  const reads = [];
  for (const minutes of [4, 6, 7, 61, 62, 361, 362, KEPT / MINUTE]) reads.push(await look(id, minutes));
  assert.deepEqual(reads, [0, 1, 0, 1, 0, 1, 0, 0]);
});
