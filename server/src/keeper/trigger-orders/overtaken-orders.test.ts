import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Keypair } from '@slipway/wire';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { silent } from '../../routing/aggregator/testing.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import { overtakenOrdersChore } from './index.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;
const OTOCO: Partial<TestTerms> = { orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 0.5, slippageBps: 500 };
const DEEP = 10n ** 13n;
/** They take more than half of an entry, and of an exit. */
const SHALLOW = [12n * AMOUNT, 3n * AMOUNT] as const;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
});
after(() => world?.close());

const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
const progressOf = async (id: string) => (await world.rowOf(id)).progress;
const inAccount = async (account: string | null) =>
  account !== null && (await world.exists(account)) ? world.world.amount(account as Address) : 0n;
const eventsOf = async ({ address }: Keypair, id: string) =>
  (await triggerOrderEvents(world.store, address, [id])).map(({ type, state }) => `${type} ${state}`).sort();

async function deposit(terms: Partial<TestTerms> = {}) {
  both(1);
  await pools(DEEP);
  const order = await world.deposit(client, { expiresAt: world.clock.now() + MONTH_MS, ...terms });
  return { ...order, ...(await backUp(order.id)) };
}

function both(usd: number): void {
  for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, usd);
}

async function runKeeper(usd = 1): Promise<void> {
  both(usd);
  const keeper = await world.newKeeper();
  await keeper.runDue();
  await keeper.close();
}

/** Ticks a keeper, minutes apart, until it has recorded what a fill has moved. */
async function record(id: string): Promise<void> {
  let now = 0;
  const keeper = await world.newKeeper({ steadyNow: () => now });
  for (const end = steadyNow() + PATIENCE_MS; (await progressOf(id)).state === 'executing'; now += MINUTE_MS) {
    assert.ok(steadyNow() < end, 'it is never recorded');
    await keeper.tick();
    await sleep(10);
  }
  await keeper.close();
}

/** What a database has of an order now; `restore` makes it so again. */
async function backUp(id: string) {
  const { wallet } = await world.rowOf(id);
  const all = async (text: string) =>
    (await world.store.query<{ json: string }>(`select row_to_json(t)::text as json from (${text}) t`, [id])).rows;
  const [row] = await all('select * from orders where id = $1');
  const events = await all('select * from order_events where order_id = $1');
  const { rows: requests } = await world.store.query<{ id: string }>('select id from ledger where wallet = $1', [
    wallet,
  ]);
  const restore = () =>
    world.store.transaction(async (tx) => {
      await tx.query('delete from orders where id = $1', [id]);
      await tx.query('delete from order_events where order_id = $1', [id]);
      const kept = requests.map((request) => request.id);
      await tx.query('delete from ledger where wallet = $1 and id <> all($2)', [wallet, kept]);
      await tx.query('insert into orders select * from json_populate_record(null::orders, $1::json)', [row!.json]);
      for (const { json } of events)
        await tx.query('insert into order_events select * from json_populate_record(null::order_events, $1::json)', [
          json,
        ]);
    });
  return { restore };
}

type Reader = typeof world.chain.accountReading;

/** The chore of one copy; each turn is a look, five minutes after the one before. */
function copy(accountReading: Reader = world.chain.accountReading) {
  let now = 0;
  const chain = { ...world.chain, accountReading: ((address) => accountReading(address)) as Reader };
  const chore = overtakenOrdersChore({ ...world, chain, steadyNow: () => now, log: silent });
  return async () => {
    await chore(() => false);
    now += 5 * MINUTE_MS;
  };
}

async function look(times: number, by = copy()): Promise<void> {
  for (let n = 0; n < times; n++) await by();
}

it('attack: an operator by mistake restores a backup of before the entry of an OTOCO order: ten minutes later it has its stop-loss, wherever the price is, and all that was bought is sold', async () => {
  const { id, wallet, restore } = await deposit(OTOCO);
  const { inputAccount, outputAccount } = await world.rowOf(id);
  await runKeeper();
  const bought = await inAccount(outputAccount);
  assert.ok(bought > 0n);
  await restore();
  await runKeeper(0.4);
  assert.equal((await progressOf(id)).stage, 'entry');
  const by = copy();
  await look(2, by);
  assert.equal((await progressOf(id)).stage, 'entry');
  await look(1, by);
  const { stage, state, entry, exit, held } = await progressOf(id);
  assert.deepEqual(
    [stage, state, entry.remaining, exit, held],
    ['exit', 'open', 0n, { initial: bought, remaining: bought, received: 0n }, 0n],
  );
  assert.deepEqual(await eventsOf(wallet, id), ['deposit success', 'fill success']);
  await runKeeper(0.4);
  assert.equal((await progressOf(id)).state, 'fill_success');
  assert.deepEqual([await inAccount(inputAccount), await inAccount(outputAccount)], [0n, 0n]);
  assert.equal(await world.held(wallet.address, world.sold), (await progressOf(id)).exit!.received);
});

it('attack: an operator by mistake restores a backup of before the entry of an OTOCO order of which a part of the exit was sold: the rest has its stop-loss', async () => {
  for (const isPartBackedUp of [false, true]) {
    let { id, wallet, restore } = await deposit(OTOCO);
    const { outputAccount } = await world.rowOf(id);
    if (isPartBackedUp) {
      await pools(SHALLOW[0]);
      await runKeeper();
      assert.equal((await progressOf(id)).state, 'partial_fill_success');
      ({ restore } = await backUp(id));
      await pools(DEEP);
      await world.store.query('update orders set retry_at = null where id = $1', [id]);
    }
    await runKeeper();
    const bought = await inAccount(outputAccount);
    await pools(SHALLOW[1]);
    await runKeeper(0.4);
    assert.equal((await progressOf(id)).state, 'partial_fill_success');
    const left = await inAccount(outputAccount);
    assert.ok(left > 0n && left < bought);
    const had = await world.held(wallet.address, world.sold);
    await restore();
    await pools(DEEP);
    if (isPartBackedUp) assert.ok((await progressOf(id)).held >= left, `${left}`);
    await look(3);
    assert.equal((await progressOf(id)).stage, 'exit');
    await runKeeper(0.4);
    assert.equal(await inAccount(outputAccount), 0n);
    await record(id);
    assert.ok((await world.held(wallet.address, world.sold)) > had);
    assert.equal((await progressOf(id)).state, 'fill_success', `${isPartBackedUp}`);
  }
});

it('attack: an operator by mistake restores a backup of before a fill: its owner cancels the order, all that is there comes home, and it ends', async () => {
  for (const terms of [{}, OTOCO]) {
    const { id, wallet, restore } = await deposit(terms);
    await runKeeper();
    const { outputAccount } = await world.rowOf(id);
    const bought = (await inAccount(outputAccount)) + (await world.held(wallet.address));
    assert.ok(bought > 0n);
    await restore();
    if (terms === OTOCO) {
      await client.withdraw(wallet, id);
      assert.equal((await progressOf(id)).state, 'ready_to_cancel', 'what it has sold has not come home');
    }
    await assert.rejects(client.cancel(wallet.address, id), /are gone from the chain/);
    const by = copy();
    await look(2, by);
    assert.equal((await progressOf(id)).state, 'ready_to_cancel');
    await look(1, by);
    assert.equal((await progressOf(id)).state, 'cancelled');
    assert.equal((await world.rowOf(id)).funded, false);
    assert.equal(await world.held(wallet.address), bought);
    assert.ok((await eventsOf(wallet, id)).includes('cancelled success'));
    await assert.rejects(client.cancel(wallet.address, id), /Cannot cancel order in 'cancelled' state/);
  }
});

it('attack: an operator by mistake restores a backup of before a withdrawal that its owner had asked for: the order ends without him', async () => {
  const { id, wallet } = await deposit();
  await client.cancel(wallet.address, id);
  const { restore } = await backUp(id);
  await client.withdraw(wallet, id);
  await restore();
  await look(3);
  assert.equal((await progressOf(id)).state, 'cancelled');
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
});

it('attack: an operator by mistake restores a backup of before an entry and its exit: nothing is sold, and the order ends when its owner cancels it', async () => {
  const { id, wallet, restore } = await deposit(OTOCO);
  await runKeeper();
  await runKeeper(0.4);
  assert.equal((await progressOf(id)).state, 'fill_success');
  const had = await world.held(wallet.address, world.sold);
  await restore();
  await look(3);
  await runKeeper(1);
  assert.deepEqual([(await progressOf(id)).state, (await progressOf(id)).stage], ['open', 'entry']);
  await assert.rejects(client.cancel(wallet.address, id), /are gone from the chain/);
  await look(3);
  assert.equal((await progressOf(id)).state, 'cancelled');
  assert.equal(await world.held(wallet.address, world.sold), had);
});

it('what two copies find at the same time is recorded once', async () => {
  const { id, wallet, restore } = await deposit(OTOCO);
  await runKeeper();
  const bought = await inAccount((await world.rowOf(id)).outputAccount);
  await restore();
  const other = await deposit();
  await client.cancel(other.wallet.address, other.id);
  const before = await backUp(other.id);
  await client.withdraw(other.wallet, other.id);
  await before.restore();
  const copies = [copy(), copy(), copy()];
  for (let n = 0; n < 3; n++) await Promise.all(copies.map((by) => by()));
  assert.equal((await progressOf(id)).exit!.initial, bought);
  assert.deepEqual(await eventsOf(wallet, id), ['deposit success', 'fill success']);
  assert.deepEqual(await eventsOf(other.wallet, other.id), ['cancelled success', 'deposit success']);
});

it('attack: a stranger on the chain sends units to the accounts of an order: what is to be bought is bought, and what was bought has its stop-loss', async () => {
  const { id, wallet, restore } = await deposit(OTOCO);
  const { vault, inputAccount, outputAccount } = await world.rowOf(id);
  await world.world.holding(world.bought, vault as Address, 5n, outputAccount as Address);
  await look(4);
  assert.equal((await progressOf(id)).stage, 'entry');
  await runKeeper();
  await restore();
  const bought = await inAccount(outputAccount);
  // As where the fill could not close it.
  await world.world.holding(world.sold, vault as Address, 7n, inputAccount as Address);
  await look(3);
  const { stage, entry, exit } = await progressOf(id);
  assert.deepEqual([stage, entry.remaining, exit?.initial], ['exit', 7n, bought]);
  await runKeeper(0.4);
  assert.equal((await progressOf(id)).state, 'fill_success');
  assert.deepEqual([await world.exists(inputAccount), await world.exists(outputAccount!)], [false, false]);
  assert.equal(await world.held(wallet.address, world.sold), (await progressOf(id)).exit!.received + 7n);
});

it('attack: an issuer of a token takes what was deposited for an OTOCO order, and somebody sends a unit of what it buys: all that is there comes home', async () => {
  const { id, wallet } = await deposit(OTOCO);
  const { vault, inputAccount, outputAccount } = await world.rowOf(id);
  await world.world.holding(world.sold, vault as Address, 0n, inputAccount as Address);
  await world.world.holding(world.bought, vault as Address, 1n, outputAccount as Address);
  await look(3);
  assert.equal((await progressOf(id)).stage, 'exit');
  // It gives back what it has taken.
  await world.world.holding(world.sold, vault as Address, AMOUNT, inputAccount as Address);
  await client.withdraw(wallet, id);
  await client.withdraw(wallet, id).catch(() => undefined);
  await look(3);
  assert.equal((await progressOf(id)).state, 'cancelled');
  assert.deepEqual([await world.held(wallet.address, world.sold), await world.held(wallet.address)], [AMOUNT, 1n]);
  assert.deepEqual([await world.exists(inputAccount), await world.exists(outputAccount!)], [false, false]);
});

it('attack: a node says in eight of nine answers that an entry was bought, or that the accounts of an order are gone: neither is believed', async () => {
  const bought = await deposit(OTOCO);
  const { inputAccount, outputAccount } = await world.rowOf(bought.id);
  const waiting = await deposit();
  await client.cancel(waiting.wallet.address, waiting.id);
  const hidden = new Set([inputAccount, (await world.rowOf(waiting.id)).inputAccount]);
  for (const honest of [0, 4, 8]) {
    const answers = new Map<string, number>();
    const lying: Reader = async (address) => {
      const told = await world.chain.accountReading(address);
      const nth = answers.get(address) ?? 0;
      answers.set(address, nth + 1);
      if (nth === honest) return told;
      if (hidden.has(address)) return { ...told, account: undefined };
      if (address !== outputAccount || !told.account) return told;
      const data = Buffer.from(told.account.data);
      data.writeBigUInt64LE(AMOUNT, 64);
      return { ...told, account: { ...told.account, data } };
    };
    await look(3, copy(lying));
    assert.deepEqual(
      [(await progressOf(bought.id)).stage, (await progressOf(waiting.id)).state],
      ['entry', 'ready_to_cancel'],
      `${honest}`,
    );
  }
  for (const { wallet, id } of [bought, waiting]) {
    await client.withdraw(wallet, id);
    assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
  }
});

it('attack: a node that has not reached the deposit of an order that waits for its withdrawal shows no account of it: it does not end', async () => {
  const { id, wallet } = await deposit();
  await client.cancel(wallet.address, id);
  const { inputAccount, depositRequestId } = await world.rowOf(id);
  const { rows } = await world.store.query<{ slot: bigint }>('select slot from ledger where id = $1', [
    depositRequestId,
  ]);
  const behind: Reader = async (address) =>
    address === inputAccount ? { account: undefined, slot: rows[0]!.slot - 1n } : world.chain.accountReading(address);
  await look(5, copy(behind));
  assert.equal((await progressOf(id)).state, 'ready_to_cancel');
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
});

it('an order whose withdrawal is under way is ended by that', async () => {
  const { id, wallet } = await deposit();
  const { requestId } = await client.cancel(wallet.address, id);
  const { restore } = await backUp(id);
  await client.withdraw(wallet, id);
  await restore();
  await world.store.query(`update ledger set state = 'sending' where id = $1`, [requestId]);
  await look(4);
  assert.equal((await progressOf(id)).state, 'ready_to_cancel');
  await world.store.query(`update ledger set state = 'expired' where id = $1`, [requestId]);
  await look(3);
  assert.equal((await progressOf(id)).state, 'cancelled');
});
