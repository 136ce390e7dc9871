import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction, type Keypair } from '@slipway/wire';
import type { ChainAccount, Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SHALLOW = 4n * AMOUNT;
const DEEP = 10n ** 13n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());
beforeEach(async () => {
  setPrice(1);
  await pools(DEEP);
  // What another test has left open fires nothing here.
  await world.store.query("update orders set state = 'expired' where state <> 'fill_success'");
});

const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
const progressOf = async (id: string) => (await world.rowOf(id)).progress;
const inAccount = async (account: string | null) =>
  account !== null && (await world.exists(account)) ? world.world.amount(account as Address) : 0n;

function setPrice(usd: number): void {
  world.setPrice(world.sold.mint, usd);
  world.setPrice(world.bought.mint, usd);
}

/** An order that expires in a month: time passes in these tests. */
const deposit = (terms = {}): Promise<{ wallet: Keypair; id: string }> =>
  world.deposit(world.newClient(), { slippageBps: 500, expiresAt: Date.now() + 29 * DAY_MS, ...terms });
const bracket = () => deposit({ orderType: 'otoco', tpPriceUsd: 9, slPriceUsd: 0.5 });

interface Balances {
  accountIndex: number;
  uiTokenAmount: { amount: string };
}
interface Answer {
  transaction: [string, string];
  meta: {
    loadedAddresses?: { writable: string[]; readonly: string[] };
    preTokenBalances: Balances[];
    postTokenBalances: Balances[];
  };
}
type Lie = (amount: bigint) => bigint;

/** A node that says of an account that it had something else before or after a transaction, `most` times. */
function lyingOfTransactions(account: string | null, lies: { before?: Lie; after?: Lie }, most = 1) {
  let told = 0;
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]) {
      const answer = await world.world.rpc.call<T & Answer>(method, params);
      if (method !== 'getTransaction' || !answer || told >= most) return answer;
      const { decoded } = decodeTransaction(Buffer.from(answer.transaction[0], 'base64'));
      const { writable = [], readonly = [] } = answer.meta.loadedAddresses ?? {};
      const index = [...(decoded.accounts as string[]), ...writable, ...readonly].indexOf(account ?? '');
      const change = (balances: Balances[], lie: Lie | undefined) => {
        const found = lie && balances.find(({ accountIndex }) => accountIndex === index);
        if (!found) return;
        told++;
        found.uiTokenAmount.amount = lie(BigInt(found.uiTokenAmount.amount)).toString();
      };
      change(answer.meta.preTokenBalances, lies.before);
      change(answer.meta.postTokenBalances, lies.after);
      return answer;
    },
  };
  return { chain: { ...world.chain, rpc }, told: () => told };
}

/** A node that shows something else in an account. */
function showing(account: string, lie: Lie, isLying: () => boolean, chain = world.chain): typeof chain {
  return {
    ...chain,
    async account(address) {
      const found = await chain.account(address);
      if (address !== account || !found || !isLying()) return found;
      return { ...found, data: withAmount(found.data, lie) } satisfies ChainAccount;
    },
  };
}

function withAmount(data: Uint8Array, lie: Lie): Uint8Array {
  const changed = Buffer.from(data);
  changed.writeBigUInt64LE(lie(changed.readBigUInt64LE(64)), 64);
  return changed;
}

async function runOnce(chain = world.chain): Promise<void> {
  const keeper = await world.newKeeper({ chain });
  await keeper.runDue();
  await keeper.close();
}

/** Ticks a keeper, minutes apart, until the order is in a state. */
async function runUntil(id: string, isReached: (state: string, stage: string) => boolean, chain = world.chain) {
  let now = 0;
  const keeper = await world.newKeeper({ chain, steadyNow: () => now });
  const end = steadyNow() + PATIENCE_MS;
  for (;;) {
    const { state, stage } = await progressOf(id);
    if (isReached(state, stage)) break;
    assert.ok(steadyNow() < end, `this never comes: it is ${state}`);
    now += MINUTE_MS;
    world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
    setPrice(world.prices.get(world.sold.mint)!.usd);
    await keeper.tick();
    await sleep(10);
  }
  await keeper.close();
}
const untilFilled = (id: string, chain = world.chain) => runUntil(id, (state) => state === 'fill_success', chain);

/** Sells a part of an order, and lets the market be deep after it. */
async function sellPart(id: string, chain = world.chain): Promise<void> {
  await pools(SHALLOW);
  await runOnce(chain);
  assert.equal((await progressOf(id)).state, 'partial_fill_success');
  await pools(DEEP);
}

describe('attack: a node tells once that a fill has moved something else', () => {
  it('of a part that a unit more was left: what is true is recorded, and the rest is sold', async () => {
    const { id } = await deposit();
    const { inputAccount } = await world.rowOf(id);
    const { chain, told } = lyingOfTransactions(inputAccount, { after: (amount) => amount + 1n });
    await sellPart(id, chain);
    assert.equal(told(), 1);
    assert.equal((await progressOf(id)).entry.remaining, await inAccount(inputAccount));
    await untilFilled(id);
    assert.deepEqual([(await progressOf(id)).entry.remaining, await inAccount(inputAccount)], [0n, 0n]);
  });

  it('of an entry that it has bought a unit more: its stop-loss sells all that it has bought', () =>
    tellOfEntry((amount) => amount + 1n));
  it('of an entry that it has bought a tenth: its stop-loss sells all that it has bought', () =>
    tellOfEntry((amount) => amount / 10n));
  it('of an entry that it has bought a hundredth less: its stop-loss sells all that it has bought', () =>
    tellOfEntry((amount) => (amount * 99n) / 100n));

  async function tellOfEntry(lie: Lie): Promise<void> {
    const { wallet, id } = await bracket();
    const { outputAccount } = await world.rowOf(id);
    const { chain, told } = lyingOfTransactions(outputAccount, { after: lie });
    await runOnce(chain);
    assert.equal(told(), 1);
    const { stage, exit } = await progressOf(id);
    assert.deepEqual([stage, exit?.initial], ['exit', await inAccount(outputAccount)]);
    setPrice(0.4);
    await untilFilled(id);
    assert.equal(await world.held(wallet.address), 0n);
  }
});

it('attack: a node tells all along that an entry has bought more than it has: its stop-loss sells all that is there, and ends', async () => {
  const { wallet, id } = await bracket();
  const { outputAccount } = await world.rowOf(id);
  const lie: Lie = (amount) => (amount > 0n ? amount + 1_000n : amount);
  const { chain } = lyingOfTransactions(outputAccount, { after: lie }, 1_000);
  await runUntil(
    id,
    (_, stage) => stage === 'exit',
    showing(outputAccount!, lie, () => true, chain),
  );
  assert.equal((await progressOf(id)).exit!.initial, (await inAccount(outputAccount)) + 1_000n);
  setPrice(0.4);
  await untilFilled(id);
  assert.deepEqual([await inAccount(outputAccount), await world.held(wallet.address)], [0n, 0n]);
});

describe('attack: a node shows a tenth of what a stop-loss has to sell', () => {
  it('once: it sells that, and the rest right after it', async () => {
    const { wallet, id } = await bracket();
    await runOnce();
    const { outputAccount } = await world.rowOf(id);
    setPrice(0.4);
    let left = 1;
    const tenth: Lie = (amount) => amount / 10n;
    await runUntil(
      id,
      (state) => state === 'partial_fill_success',
      showing(outputAccount!, tenth, () => left-- > 0),
    );
    assert.ok(await world.exists(outputAccount!));
    await untilFilled(id);
    assert.deepEqual([(await progressOf(id)).exit?.remaining, await world.held(wallet.address)], [0n, 0n]);
  });

  it('for minutes, and that its fill has emptied the account: the first honest answer has the rest sold', async () => {
    const { wallet, id } = await bracket();
    await runOnce();
    const { outputAccount } = await world.rowOf(id);
    const rest = ((await inAccount(outputAccount)) * 9n) / 10n;
    setPrice(0.4);
    let isLying = true;
    const hidden: Lie = (amount) => (amount > rest ? amount - rest - 1n : 0n);
    const liar = lyingOfTransactions(outputAccount, { before: hidden, after: hidden }, 12);
    const chain = showing(outputAccount!, hidden, () => isLying, liar.chain);
    await runUntil(id, () => liar.told() >= 12, chain);
    assert.equal((await progressOf(id)).state, 'executing');
    isLying = false;
    await untilFilled(id);
    assert.deepEqual([(await progressOf(id)).exit?.remaining, await world.held(wallet.address)], [0n, 0n]);
  });
});

it('attack: an operator by mistake restores a backup of before a part: the rest is sold, and the order ends', async () => {
  const { wallet, id } = await deposit();
  const { inputAccount } = await world.rowOf(id);
  await sellPart(id);
  const rest = await inAccount(inputAccount);
  await world.store.query(
    `update orders set state = 'open', fired = null, entry_remaining = entry_initial, entry_received = 0, retry_at = null
     where id = $1`,
    [id],
  );
  await untilFilled(id);
  const { entry } = await progressOf(id);
  assert.deepEqual([entry.initial - entry.remaining, await inAccount(inputAccount)], [rest, 0n]);
  assert.equal(await world.held(wallet.address, world.sold), 0n);
});

describe('attack: a stranger on the chain sends tokens to the accounts of an order', () => {
  it('to that of what it buys: they are sold with it, for its owner', async () => {
    const { wallet, id } = await bracket();
    const { outputAccount } = await world.rowOf(id);
    await give(outputAccount!, 7n);
    await runOnce();
    assert.equal((await progressOf(id)).exit!.initial, await inAccount(outputAccount));
    setPrice(0.4);
    await untilFilled(id);
    assert.deepEqual([await inAccount(outputAccount), await world.held(wallet.address)], [0n, 0n]);
  });

  it('to one that holds less than its row says, before its fill lands and after: it ends all the same', async () => {
    const { id } = await deposit();
    const { inputAccount } = await world.rowOf(id);
    await sellPart(id);
    await world.store.query('update orders set entry_remaining = entry_remaining + 5 where id = $1', [id]);
    let isSent = false;
    const landing = world.newLanding();
    const send: typeof landing.send = async (...args) => {
      if (!isSent) await give(inputAccount, 3n);
      isSent = true;
      return landing.send(...args);
    };
    const giving = {
      send,
      execute: landing.execute.bind(landing),
      vouchesForOrder: landing.vouchesForOrder.bind(landing),
    };
    world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
    setPrice(1);
    const keeper = await world.newKeeper({ landing: giving as unknown as typeof landing });
    await keeper.tick();
    const end = steadyNow() + PATIENCE_MS;
    while ((await inAccount(inputAccount)) !== 3n && steadyNow() < end) await sleep(5);
    await keeper.close();
    await give(inputAccount, 2n);
    await untilFilled(id);
  });
});

it('attack: an issuer of a token takes what an entry has bought before that is recorded: it is recorded after some minutes, and nothing waits for it', async () => {
  const { wallet, id } = await bracket();
  const { outputAccount } = await world.rowOf(id);
  const taken: Lie = (amount) => amount / 2n;
  let isLanded = false;
  const { rpc } = world.world;
  const taking: Rpc = {
    ...rpc,
    async call<T>(method: string, params: unknown[]) {
      if (method === 'getTransaction' && !isLanded) {
        isLanded = true;
        await change(outputAccount!, taken);
      }
      return rpc.call<T>(method, params);
    },
  };
  await runUntil(id, (_, stage) => stage === 'exit', { ...world.chain, rpc: taking });
  setPrice(0.4);
  await untilFilled(id);
  assert.deepEqual([await inAccount(outputAccount), await world.held(wallet.address)], [0n, 0n]);
});

async function change(account: string, lie: Lie): Promise<void> {
  const found = (await world.chain.account(account as Address))!;
  await world.world.put(account as Address, found.owner, withAmount(found.data, lie), found.lamports);
}
const give = (account: string, more: bigint) => change(account, (amount) => amount + more);
