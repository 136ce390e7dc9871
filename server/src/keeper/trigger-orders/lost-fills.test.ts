import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, transactionSignature } from '@slipway/wire';
import { type Chain, createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than the nine questions and three looks. */
const MANY = 15;
const BRACKET = { orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 0.5 } as const;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());
beforeEach(() => {
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
});

const chainOver = (rpc: Rpc) => createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
const stateOf = async (id: string) => (await world.rowOf(id)).progress.state;
const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);

/** The fills in an order's history. */
async function fillsOf(id: string): Promise<[state: string, amount: string][]> {
  const { rows } = await world.store.query<{ state: string; amount: string }>(
    `select state, amount from order_events where order_id = $1 and type = 'fill' order by at`,
    [id],
  );
  return rows.map(({ state, amount }) => [state, amount]);
}

async function until(is: () => Promise<boolean>, meanwhile = async () => {}): Promise<void> {
  for (const end = steadyNow() + PATIENCE_MS; !(await is()); await sleep(10)) {
    assert.ok(steadyNow() < end, 'this never comes');
    await meanwhile();
  }
}

/** Has the blockhashes of all that was sent die. */
async function outlive(): Promise<void> {
  await world.world.rpc.call('localnet_advanceClock', [120]);
  world.chain.forget();
}

/** An order whose fill a node drops, and tells once as confirmed; its keeper is gone. `spoil`: what happens to it before. */
async function toldFalsely(terms: Parameters<typeof world.deposit>[1] = {}, spoil = async (_id: string) => {}) {
  const untold = new Set<string>();
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'sendTransaction') {
        const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
        const signature = transactionSignature(transaction);
        untold.add(signature);
        return signature as T;
      }
      const answer = await world.world.rpc.call<T>(method, params);
      if (method !== 'getSignatureStatuses') return answer;
      const { context, value } = answer as { context: { slot: number }; value: unknown[] };
      const status = { slot: context.slot, err: null, confirmations: 3, confirmationStatus: 'confirmed' };
      return {
        context,
        value: (params[0] as string[]).map((each, n) => (untold.delete(each) ? status : value[n])),
      } as T;
    },
  };
  const client = world.newClient();
  const order = await world.deposit(client, terms);
  await spoil(order.id);
  const keeper = await world.newKeeper({ landing: world.newLanding([rpc], { chain: chainOver(rpc) }) });
  await keeper.tick();
  await until(async () => {
    const { rows } = await world.store.query<{ state: string }>(
      "select l.state from order_events e join ledger l using (id) where e.order_id = $1 and e.type = 'fill'",
      [order.id],
    );
    return rows[0]?.state === 'landed';
  });
  await keeper.close();
  return { ...order, client, cancel: () => client.cancel(order.wallet.address, order.id) };
}

/** A keeper whose time goes on by a minute with each turn. */
async function newKeeper({ chain = world.chain, ...changes }: Parameters<typeof world.newKeeper>[0] = {}) {
  let [now, asked] = [0, 0];
  const rpc: Rpc = {
    ...chain.rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'getTransaction') asked++;
      return chain.rpc.call<T>(method, params);
    },
  };
  const keeper = await world.newKeeper({ ...changes, chain: { ...chain, rpc }, steadyNow: () => now });
  const turn = async () => {
    now += MINUTE_MS;
    await keeper.tick();
  };
  return { turn, turnMany: () => until(async () => asked > MANY, turn), close: keeper.close };
}

describe('attack: a node drops a fill, and tells once that it has landed', () => {
  it('it is tried again when it can land no more, no node has it, and the deposit is still there, and not before', async () => {
    const { id, wallet } = await toldFalsely();
    const keeper = await newKeeper();
    await keeper.turnMany();
    assert.equal(await stateOf(id), 'executing', 'it may yet land');
    await outlive();
    await until(async () => (await stateOf(id)) === 'open', keeper.turn);
    assert.deepEqual(await fillsOf(id), [['failed', `${AMOUNT}`]]);
    assert.equal(await world.held(wallet.address), 0n);
    world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
    await until(async () => (await stateOf(id)) === 'fill_success', keeper.turn);
    const { entry } = (await world.rowOf(id)).progress;
    assert.deepEqual([entry.remaining, entry.received], [0n, await world.held(wallet.address)]);
    await keeper.close();
  });

  it('and has stood still since before the deposit, so that its account looks sold: nothing is recorded that never was', async () => {
    const { id, wallet } = await toldFalsely();
    const { inputAccount } = await world.rowOf(id);
    await outlive();
    const { chain: honest } = world;
    let isStuck = true;
    const stuck: Chain = {
      ...honest,
      account: async (address) => (isStuck && address === inputAccount ? undefined : honest.account(address)),
      accountReading: async (address) =>
        isStuck && address === inputAccount ? { slot: 1n, account: undefined } : honest.accountReading(address),
    };
    const keeper = await newKeeper({ chain: stuck });
    await keeper.turnMany();
    assert.equal(await stateOf(id), 'executing');
    isStuck = false;
    await until(async () => (await stateOf(id)) !== 'executing', keeper.turn);
    assert.deepEqual([await stateOf(id), await fillsOf(id)], ['open', [['failed', `${AMOUNT}`]]]);
    assert.equal(await world.held(wallet.address), 0n);
    await keeper.close();
  });

  it('its owner has asked for his deposit meanwhile: he can withdraw it', async () => {
    const { id, cancel } = await toldFalsely();
    await assert.rejects(cancel(), /retry shortly/);
    await outlive();
    const keeper = await newKeeper();
    await until(async () => (await stateOf(id)) === 'ready_to_cancel', keeper.turn);
    await cancel();
    assert.equal(await world.world.amount((await world.rowOf(id)).inputAccount as never), AMOUNT);
    await keeper.close();
  });
});

describe('attack: an operator by mistake restores a backup of before a part, and a node drops the next fill, and tells once that it has landed', () => {
  it('it is tried again, and nothing is recorded that never was', () => isTriedAgain({}));
  it('and so is the entry of an OTOCO order, which gets its stop-loss', () => isTriedAgain(BRACKET));

  async function isTriedAgain(terms: typeof BRACKET | object): Promise<void> {
    await world.store.query("update orders set state = 'expired' where state <> 'fill_success'");
    const limits = { slippageBps: 500, expiresAt: Date.now() + 29 * DAY_MS };
    const { id, wallet } = await toldFalsely({ ...limits, ...terms }, restored);
    const { inputAccount } = await world.rowOf(id);
    const [there, had] = [await world.world.amount(inputAccount as Address), await world.held(wallet.address)];
    assert.ok(there < AMOUNT);
    await outlive();
    const keeper = await newKeeper();
    await until(async () => (await stateOf(id)) !== 'executing', keeper.turn);
    assert.deepEqual([await stateOf(id), await fillsOf(id)], ['open', [['failed', `${there}`]]]);
    assert.equal(await world.held(wallet.address), had);
    const isSold = async () => {
      const { state, stage } = (await world.rowOf(id)).progress;
      return state === 'fill_success' || stage === 'exit';
    };
    await until(isSold, async () => {
      world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
      for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
      await keeper.turn();
    });
    assert.deepEqual((await fillsOf(id)).at(-1), ['success', `${there}`]);
    await keeper.close();
  }

  /** Sells a part of an order, and has its row as it was before. */
  async function restored(id: string): Promise<void> {
    await pools(4n * AMOUNT);
    const keeper = await world.newKeeper();
    await keeper.runDue();
    await keeper.close();
    assert.equal(await stateOf(id), 'partial_fill_success');
    await pools(10n ** 13n);
    await world.store.query(
      `update orders set state = 'open', fired = null, entry_remaining = entry_initial, entry_received = 0, held = 0, retry_at = null
       where id = $1`,
      [id],
    );
    await world.store.query(`delete from order_events where order_id = $1 and type = 'fill'`, [id]);
  }
});

describe('attack: a node denies a fill that has landed, so that it is sold again', () => {
  /** Knows all but transactions. */
  const denying: Rpc = {
    name: 'denying',
    async call<T>(method: string, params: unknown[]) {
      if (method === 'getTransaction') return null as T;
      const answer = await world.world.rpc.call<T & object>(method, params);
      if (method !== 'getSignatureStatuses') return answer;
      return { ...answer, value: (params[0] as string[]).map(() => null) } as T;
    },
  };

  /** An order whose fill has landed, of which nobody knows what it has moved, and what its account held before. */
  async function landedUnseen() {
    const order = await world.open(0.9);
    const before = await world.chain.account(order.inputAccount as never);
    const unseen = { ...world.chain, rpc: denying };
    const keeper = await world.newKeeper({ chain: unseen });
    await keeper.tick();
    await until(async () => (await stateOf(order.id)) === 'executing' && !(await world.exists(order.inputAccount)));
    await keeper.close();
    await outlive();
    return { order, before };
  }

  it('and shows its account as it was: another node has it, and nothing is sold again', async () => {
    const { order, before } = await landedUnseen();
    const honest = chainOver(denying);
    const stale: Chain = {
      ...honest,
      account: async (address) => (address === order.inputAccount ? before : honest.account(address)),
      async accountReading(address) {
        const reading = await honest.accountReading(address);
        return address === order.inputAccount ? { ...reading, account: before } : reading;
      },
    };
    const landing = world.newLanding([denying, world.world.rpc], { chain: stale });
    const keeper = await newKeeper({ chain: stale, landing });
    await keeper.turnMany();
    assert.equal(await stateOf(order.id), 'executing');
    await keeper.close();
  });

  it('and tells nothing of what is older than minutes: it is recorded by what its account holds', async () => {
    const { order } = await landedUnseen();
    const rpc: Rpc = {
      ...denying,
      async call<T>(method: string, params: unknown[]) {
        if (method === 'getSignatureStatuses') throw new Error('Transaction history is not available from this node');
        return denying.call<T>(method, params);
      },
    };
    const chain = chainOver(rpc);
    const keeper = await newKeeper({ chain, landing: world.newLanding([rpc], { chain }) });
    await until(async () => (await stateOf(order.id)) === 'fill_success', keeper.turn);
    await keeper.close();
  });

  it('and a node that is behind shows the account as it was: nothing is sold again', async () => {
    const { order, before } = await landedUnseen();
    const lying = chainOver(denying);
    const late: Chain = {
      ...lying,
      account: async (address) => (address === order.inputAccount ? before : lying.account(address)),
      accountReading: async (address) =>
        address === order.inputAccount ? { slot: 1n, account: before } : lying.accountReading(address),
    };
    const keeper = await newKeeper({ chain: late, landing: world.newLanding([denying], { chain: late }) });
    await keeper.turnMany();
    assert.equal(await stateOf(order.id), 'executing');
    await keeper.close();
    const next = await newKeeper();
    await until(async () => (await stateOf(order.id)) === 'fill_success', next.turn);
    await next.close();
  });
});
