import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, startFleet } from './fleet.js';
import { eventually, newSeed, seededRandom } from './rounds.js';
import { setPrice } from './swap.js';
import {
  airdrop,
  cancel,
  confirm,
  create,
  type Deposit,
  deposit,
  newUser,
  OCO,
  type Row,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
  usdcOf,
} from './trigger-user.js';

const APIS = 2;
const KEEPERS = 3;
/** An order that a dead keeper has claimed is given back after 20 s; and a busy machine takes its time. */
const PATIENCE_SECONDS = 300;

let fleet: Fleet;
before(async () => {
  fleet = await startFleet([...Array<string>(APIS).fill('api'), ...Array<string>(KEEPERS).fill('keeper')]);
});
after(() => fleet?.close());

const api = (index: number) => fleet.copies[index % APIS]!;
const moveTo = (usd: number) => setPrice(api(Math.floor(usd)), SOL, usd);

/** An order with what paid for it. */
interface Placed {
  user: User;
  id: string;
  crafted: Deposit;
}

async function place(user: User, terms: Record<string, unknown>, asked: Record<string, unknown> = {}): Promise<Placed> {
  const crafted = await deposit(user, asked);
  return { user, id: (await create(user, crafted, terms)).id, crafted };
}

const row = ({ user, id }: Placed): Promise<Row> => rowOf(user, id);

async function allAre(orders: readonly Placed[], isReached: (row: Row) => boolean): Promise<Row[]> {
  let states: string[] = [];
  return eventually(
    'every order has come that far',
    async () => {
      const rows = await Promise.all(orders.map(row));
      states = rows.map(({ rawState }) => rawState);
      return rows.every(isReached) ? rows : undefined;
    },
    PATIENCE_SECONDS,
    200,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${states}`, { cause: error });
  });
}

const isFilled = ({ rawState }: Row) => rawState === 'fill_success';
const AT_REST = new Set(['open', 'partial_fill_success', 'fill_success']);
const fillsOf = ({ events }: Row) => events.filter(({ type, state }) => type === 'fill' && state === 'success');
const total = (amounts: readonly (string | undefined)[]) => amounts.reduce((sum, next) => sum + BigInt(next ?? 0), 0n);
const heldBy = async ({ user, crafted }: Placed) =>
  (await tokensAt(user.service, crafted.inputTokenAccount))?.amount ?? 0n;

/** What the fills of these rows have brought the wallet, by what they say themselves. */
const boughtBy = (rows: readonly Row[]) => total(rows.map(({ outputAmount }) => outputAmount as string));

describe('keepers that are killed while prices move', () => {
  const random = (() => {
    const seed = newSeed();
    console.log(`TEST_SEED=${seed}`);
    return seededRandom(seed);
  })();

  /** Each keeper dies at some moment after the price has come, and starts again. */
  async function killKeepers(): Promise<void> {
    const dying = Array.from({ length: KEEPERS }, async (_, index) => {
      await sleep(random() * 1_500);
      await fleet.restart(APIS + index);
    });
    await Promise.all(dying);
  }

  async function moveWhileTheyDie(usd: number): Promise<void> {
    await moveTo(usd);
    await killKeepers();
  }

  it('fill every order once, lose none, and leave the others alone', async () => {
    await moveTo(150);
    const users = await Promise.all([0, 1, 2, 3].map((index) => newUser(api(index))));
    const usdc = await Promise.all(users.map(usdcOf));
    const buying = { inputMint: USDC, outputMint: SOL };
    const entry = { ...buying, orderType: 'otoco', triggerPriceUsd: 160, tpPriceUsd: 175, slPriceUsd: 100 };
    const trail = { triggerCondition: 'below', triggerPriceUsd: undefined, trailingBps: 1_000 };
    const each = (make: (user: User) => Promise<Placed>) => Promise.all(users.map(make));
    const ocos = await each((user) =>
      place(user, { ...OCO, tpPriceUsd: 162, slPriceUsd: 120 }, { orderSubType: 'oco' }),
    );
    const entries = await each((user) => place(user, entry, { ...buying, amount: '200000000', orderSubType: 'otoco' }));
    const trailing = await each((user) => place(user, trail));
    const far = await each((user) => place(user, { triggerPriceUsd: 500 }));

    await moveWhileTheyDie(165);
    const sold = await allAre(ocos, isFilled);
    await allAre(entries, ({ fillPercent, rawState }) => fillPercent === 1 && rawState === 'open');
    await moveWhileTheyDie(182);
    const exited = await allAre(entries, isFilled);
    // A price that no keeper has lived to note was none.
    const noted = await allAre(trailing, ({ highWatermark }) => highWatermark === 182);
    assert.deepEqual(new Set(noted.map(({ rawState }) => rawState)), new Set(['open']));
    await moveWhileTheyDie(150);
    const followed = await allAre(trailing, isFilled);

    for (const filled of [sold, followed]) for (const one of filled) assert.equal(fillsOf(one).length, 1);
    for (const one of exited) assert.equal(fillsOf(one).length, 2);
    for (const [index, user] of users.entries()) {
      assert.deepEqual(
        (await row(far[index]!)).events.map(({ type }) => type),
        ['deposit'],
      );
      const [exit] = fillsOf(exited[index]!) as { outputAmount?: string }[];
      const gained = boughtBy([sold[index]!, followed[index]!]) + total([exit?.outputAmount]) - 200_000_000n;
      assert.equal((await usdcOf(user)) - usdc[index]!, gained);
      assert.equal((await confirm(user, far[index]!.id, await cancel(user, far[index]!.id))).status, 200);
      assert.equal((await row(far[index]!)).orderState, 'cancelled');
    }
  });
});

describe('a tick that many orders cross', () => {
  /** Orders of some users, with so much SOL each, that sell it at 160 USD and above. */
  async function placeMany(count: number, amount: bigint, slippageBps: number) {
    await moveTo(150);
    const users = await Promise.all(Array.from({ length: 10 }, (_, index) => newUser(api(index))));
    for (const { service, wallet } of users) await airdrop(service, wallet.address, amount * BigInt(count));
    const before = await Promise.all(users.map(usdcOf));
    const orders: Placed[] = [];
    const placeSome = async (user: User) => {
      for (let left = count / users.length; left > 0; left--) {
        orders.push(await place(user, { triggerPriceUsd: 160, slippageBps }, { amount: amount.toString() }));
      }
    };
    await Promise.all(users.map(placeSome));
    const gained = async () =>
      total(await Promise.all(users.map(async (user, at) => `${(await usdcOf(user)) - before[at]!}`)));
    return { orders, gained };
  }

  it('fills a hundred orders of 10 USD, each once', async () => {
    const { orders, gained } = await placeMany(100, 66_800_000n, 300);
    await moveTo(165);
    const rows = await allAre(orders, isFilled);
    for (const one of rows) assert.equal(fillsOf(one).length, 1);
    assert.equal(await gained(), boughtBy(rows));
  });

  it('fills what the liquidity is enough for, leaves the others what they had, and sells nothing twice', async () => {
    const { orders, gained } = await placeMany(20, 20_000_000_000n, 100);
    await moveTo(165);
    const rows = await eventually(
      'the books say what the chain holds',
      async () => {
        const before = await Promise.all(orders.map(row));
        if (!before.some(isFilled) || !before.every((one) => AT_REST.has(one.rawState))) return undefined;
        const held = await Promise.all(orders.map(heldBy));
        const isRight = before.every((one, at) => isFilled(one) || String(held[at]) === one.remainingInputAmount);
        return isRight && (await gained()) === boughtBy(before) ? before : undefined;
      },
      PATIENCE_SECONDS,
      500,
    );
    assert.ok(
      rows.some((one) => !isFilled(one)),
      'the liquidity is enough for all',
    );
    const filled = await eventually(
      'every order is filled once there is liquidity again',
      async () => {
        await moveTo(165);
        await sleep(2_000);
        const now = await Promise.all(orders.map(row));
        return now.every(isFilled) ? now : undefined;
      },
      PATIENCE_SECONDS,
    );
    for (const one of filled)
      assert.equal(total(fillsOf(one).map(({ amount }) => amount)), BigInt(one.inputUsed as string));
    assert.equal(await gained(), boughtBy(filled));
  });
});
