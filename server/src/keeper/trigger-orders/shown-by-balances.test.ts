import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, transactionSignature } from '@slipway/wire';
import { createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const SHALLOW = 4n * AMOUNT;
const DEEP = 10n ** 13n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());
beforeEach(async () => {
  await pools(DEEP);
  // What another test has left open fires nothing here.
  await world.store.query("update orders set state = 'expired' where state <> 'fill_success'");
});

const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
const chainOver = (rpc: Rpc) => createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
const progressOf = async (id: string) => (await world.rowOf(id)).progress;
const inAccount = async (account: string) =>
  (await world.exists(account)) ? world.world.amount(account as Address) : 0n;

/** Knows all but transactions, of which it tells nothing. */
const forgetful: Rpc = {
  name: 'forgetful',
  async call<T>(method: string, params: unknown[]) {
    if (method === 'getTransaction') return null as T;
    const answer = await world.world.rpc.call<T & object>(method, params);
    if (method !== 'getSignatureStatuses') return answer;
    return { ...answer, value: (params[0] as string[]).map(() => null) } as T;
  },
};

/** An order of a month. */
async function deposit() {
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
  const order = await world.deposit(world.newClient(), {
    slippageBps: 500,
    expiresAt: Date.now() + 29 * 1_440 * MINUTE_MS,
  });
  const { inputAccount } = await world.rowOf(order.id);
  return { ...order, inputAccount };
}

/** Has an order's fill land, of which its keeper records nothing, and the nodes forget it. */
async function landUnrecorded({ id, inputAccount }: { id: string; inputAccount: string }) {
  const there = await inAccount(inputAccount);
  const keeper = await world.newKeeper({ chain: { ...world.chain, rpc: forgetful } });
  await keeper.tick();
  await until(async () => (await inAccount(inputAccount)) < there && (await isTold(id)));
  await keeper.close();
  await outlive();
  return there - (await inAccount(inputAccount));
}

async function isTold(id: string): Promise<boolean> {
  const { rows } = await world.store.query<{ state: string }>(
    "select l.state from order_events e join ledger l using (id) where e.order_id = $1 and e.state = 'pending'",
    [id],
  );
  return rows[0]?.state === 'landed';
}

/** Has the blockhashes of all that was sent die. */
async function outlive(): Promise<void> {
  await world.world.rpc.call('localnet_advanceClock', [120]);
  world.chain.forget();
}

async function until(is: () => Promise<boolean>, meanwhile = async () => {}): Promise<void> {
  for (const end = steadyNow() + PATIENCE_MS; !(await is()); await sleep(10)) {
    assert.ok(steadyNow() < end, 'this never comes');
    await meanwhile();
  }
}

/** Ticks another keeper, minutes apart, until the fill is recorded. */
async function record(id: string, rpc = forgetful): Promise<string> {
  let now = 0;
  const chain = chainOver(rpc);
  const keeper = await world.newKeeper({ chain, landing: world.newLanding([rpc], { chain }), steadyNow: () => now });
  await until(
    async () => (await progressOf(id)).state !== 'executing',
    async () => {
      now += MINUTE_MS;
      await keeper.tick();
    },
  );
  await keeper.close();
  return (await progressOf(id)).state;
}

describe('attack: an operator by mistake restores a backup of before a part, and nodes forget the fill of what is left', () => {
  it('the order ends where nothing is left, and not where something is', async () => {
    for (const isAll of [true, false]) {
      const order = await deposit();
      await partBefore(order.id);
      const left = await inAccount(order.inputAccount);
      if (!isAll) await pools(SHALLOW);
      const sold = await landUnrecorded(order);
      assert.equal(sold === left, isAll);
      const state = await record(order.id);
      assert.equal(state === 'fill_success', isAll, state);
      assert.equal((await progressOf(order.id)).entry.remaining, AMOUNT - sold);
    }
  });

  /** Sells a part of an order, and has its row as it was before. */
  async function partBefore(id: string): Promise<void> {
    await pools(SHALLOW);
    const keeper = await world.newKeeper();
    await keeper.runDue();
    await keeper.close();
    assert.equal((await progressOf(id)).state, 'partial_fill_success');
    await pools(DEEP);
    await world.store.query(
      `update orders set state = 'open', fired = null, entry_remaining = entry_initial, entry_received = 0, held = 0, retry_at = null
       where id = $1`,
      [id],
    );
    await world.store.query(`delete from order_events where order_id = $1 and type = 'fill'`, [id]);
  }
});

it('attack: a node shows once more than there is in the account of an order, drops its fill, and tells once that it has landed: nothing is recorded as sold', async () => {
  const { id, inputAccount } = await deposit();
  let isLying = true;
  const untold = new Set<string>();
  const { rpc } = world.world;
  const lying: Rpc = {
    ...rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
        untold.add(transactionSignature(transaction));
        return transactionSignature(transaction) as T;
      }
      const answer = await rpc.call<T & { context: { slot: number }; value: unknown[] }>(method, params);
      if (method !== 'getSignatureStatuses') return answer;
      const status = { slot: answer.context.slot, err: null, confirmations: 3, confirmationStatus: 'confirmed' };
      return {
        ...answer,
        value: (params[0] as string[]).map((each, n) => (untold.delete(each) ? status : answer.value[n])),
      };
    },
  };
  const honest = chainOver(lying);
  const keeper = await world.newKeeper({
    landing: world.newLanding([lying], { chain: honest }),
    chain: {
      ...honest,
      async account(address) {
        const found = await honest.account(address);
        if (address !== inputAccount || !found || !isLying) return found;
        isLying = false;
        const data = Buffer.from(found.data);
        data.writeBigUInt64LE(2n * AMOUNT, 64);
        return { ...found, data };
      },
    },
  });
  await keeper.tick();
  await until(() => isTold(id));
  await keeper.close();
  await outlive();
  assert.deepEqual([await record(id, rpc), isLying], ['open', false]);
  assert.equal((await progressOf(id)).entry.remaining, AMOUNT);
});
