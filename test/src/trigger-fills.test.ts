import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer as Documented } from '@slipway/client';
import { admin } from './admin.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import {
  create,
  deposit,
  hasLamports,
  lamportsOf,
  newUser,
  OCO,
  RENT,
  type Row,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
  usdcOf,
} from './trigger-user.js';
import { asWallet } from './trigger-wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const setPrice = async (usd: number, mint: string = SOL) => {
  const { status, body } = await request(`${service.url}/sandbox/prices`, { body: { mint, usd } });
  assert.equal(status, 200, JSON.stringify(body));
};

type Explained = Documented<'get', '/trigger/v2/orders/history/{orderId}/explanation'>;
type Fill = Row['events'][number] & { orderContext?: string; outputAmount?: string };

const until = (user: User, id: string, state: string) => untilRow(user, id, ({ rawState }) => rawState === state);

async function untilRow(user: User, id: string, isReached: (row: Row) => boolean): Promise<Row> {
  for (let left = 600; ; left--) {
    const row = await rowOf(user, id);
    if (isReached(row)) return row;
    assert.ok(left > 0, `the order is ${row.rawState}: ${JSON.stringify(row)}`);
    await sleep(100);
  }
}

describe('a price that crosses an order', () => {
  it('fills a single order: what the vault gave reaches the wallet, and the wallet pays nothing', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const crafted = await deposit(user);
    const { id } = await create(user, crafted, { triggerPriceUsd: 160 });
    const [lamports, usdc] = [await lamportsOf(service, user.wallet.address), await usdcOf(user)];
    await setPrice(159);
    const path = `/orders/${id}/explanation`;
    const reasons = await eventually('the new price is seen', async () => {
      const { body } = await admin<{ reasons: string[] }>(service, 'GET', path);
      return body.reasons.join(' ').includes('is 159 USD') ? body.reasons : undefined;
    });
    assert.match(reasons.join(' '), /is 159 USD.*fires at 160 USD and above: not reached/);
    await sleep(1_500);
    assert.equal((await rowOf(user, id)).rawState, 'open');
    // Its owner is told the same.
    const told = () => asWallet<Explained>(service, user.token, `/orders/history/${id}/explanation`);
    assert.deepEqual((await told()).body, { id, rawState: 'open', reasons });
    await setPrice(165);
    const row = await until(user, id, 'fill_success');
    assert.equal(row.orderState, 'filled');
    assert.deepEqual([row.fillPercent, row.remainingInputAmount, row.inputUsed], [1, '0', '1000000000']);
    const gained = (await usdcOf(user)) - usdc;
    assert.equal(row.outputAmount, gained.toString());
    assert.ok(gained > 160_000_000n && gained < 165_000_000n, `${gained}`);
    // The rent of the order's account, which is closed.
    await hasLamports(user, lamports + RENT);
    assert.equal(await tokensAt(service, crafted.inputTokenAccount), undefined);
    const fill = row.events.find(({ type }) => type === 'fill');
    assert.deepEqual([fill?.state, fill?.amount], ['success', '1000000000']);
    const after = (await told()).body;
    assert.equal(after.rawState, 'fill_success');
    assert.match(after.reasons.join(' '), /only open orders fire\. Its leg \w+ fired at .* A fill of .*: success/);
  });

  it('fills one leg of an OCO order', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const { id } = await create(user, await deposit(user, { orderSubType: 'oco' }), {
      ...OCO,
      tpPriceUsd: 200,
      slPriceUsd: 120,
    });
    const usdc = await usdcOf(user);
    await setPrice(100);
    const row = await until(user, id, 'fill_success');
    const gained = (await usdcOf(user)) - usdc;
    assert.equal(row.outputAmount, gained.toString());
    const fill = row.events.find(({ type }) => type === 'fill') as Fill | undefined;
    assert.equal(fill?.orderContext, 'stop_loss');
    await setPrice(210);
    await sleep(1_500);
    assert.equal(await usdcOf(user), usdc + gained);
  });

  it('opens the exits of an OTOCO order once its entry is filled, and pays the wallet what they give', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const amount = '300000000';
    const crafted = await deposit(user, { inputMint: USDC, outputMint: SOL, amount, orderSubType: 'otoco' });
    const terms = {
      orderType: 'otoco',
      triggerCondition: 'below',
      triggerPriceUsd: 140,
      tpPriceUsd: 170,
      slPriceUsd: 100,
    };
    const { id } = await create(user, crafted, { ...terms, inputMint: USDC, outputMint: SOL });
    const [lamports, usdc] = [await lamportsOf(service, user.wallet.address), await usdcOf(user)];
    // The exits are not there yet: their price fires nothing.
    await setPrice(171);
    await sleep(1_500);
    assert.equal((await rowOf(user, id)).rawState, 'open');
    await setPrice(138);
    const entered = await untilRow(user, id, ({ fillPercent, rawState }) => fillPercent === 1 && rawState === 'open');
    const held = (await tokensAt(service, crafted.outputTokenAccount!))?.amount ?? 0n;
    assert.equal(entered.outputAmount, held.toString());
    assert.ok(held > 2_000_000_000n);
    await hasLamports(user, lamports + RENT);
    assert.equal(await usdcOf(user), usdc);
    await setPrice(175);
    const row = await until(user, id, 'fill_success');
    const gained = (await usdcOf(user)) - usdc;
    const [exit, entry] = row.events.filter(({ type }) => type === 'fill') as Fill[];
    assert.deepEqual([entry?.orderContext, exit?.orderContext], ['buy_below', 'take_profit']);
    assert.deepEqual([entry?.outputAmount, exit?.amount], [held.toString(), held.toString()]);
    assert.equal(exit?.outputAmount, gained.toString());
    assert.ok(gained > 360_000_000n, `${gained}`);
    await hasLamports(user, lamports + 2n * RENT);
    assert.equal(await tokensAt(service, crafted.outputTokenAccount!), undefined);
  });

  it('fills a trailing order where the price has fallen from its highest, across a gap', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const trailing = { triggerCondition: 'below', triggerPriceUsd: undefined, trailingBps: 1_000 };
    const { id } = await create(user, await deposit(user), trailing);
    await setPrice(200);
    const risen = await untilRow(user, id, ({ highWatermark }) => highWatermark === 200);
    assert.deepEqual([risen.rawState, risen.triggerPriceUsd], ['open', 180]);
    await setPrice(182);
    await sleep(1_500);
    assert.equal((await rowOf(user, id)).rawState, 'open');
    const usdc = await usdcOf(user);
    await setPrice(120);
    const row = await until(user, id, 'fill_success');
    assert.equal(row.outputAmount, ((await usdcOf(user)) - usdc).toString());
  });

  it('pays SOL to the wallet itself, to the lamport', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const mints = { inputMint: USDC, outputMint: SOL };
    const crafted = await deposit(user, { ...mints, amount: '150000000' });
    const { id } = await create(user, crafted, { ...mints, triggerCondition: 'below', triggerPriceUsd: 140 });
    const lamports = await lamportsOf(service, user.wallet.address);
    await setPrice(130);
    const row = await until(user, id, 'fill_success');
    await hasLamports(user, lamports + BigInt(row.outputAmount as string) + RENT);
  });

  it('expires with the clock, and then no price fires it', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const crafted = await deposit(user);
    const { id } = await create(user, crafted, { triggerPriceUsd: 160, expiresAt: Date.now() + 60_000 });
    assert.equal((await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } })).status, 200);
    assert.equal((await rowOf(user, id)).rawState, 'expired');
    await setPrice(170);
    await sleep(1_500);
    assert.equal((await rowOf(user, id)).rawState, 'expired');
    assert.equal((await tokensAt(service, crafted.inputTokenAccount))?.amount, 1_000_000_000n);
  });
});
