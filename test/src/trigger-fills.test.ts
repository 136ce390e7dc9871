import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { associatedTokenAddress } from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import {
  create,
  deposit,
  lamportsOf,
  newUser,
  OCO,
  type Row,
  rowOf,
  SOL,
  tokensAt,
  USDC,
  type User,
} from './trigger-user.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const setPrice = async (usd: number, mint: string = SOL) => {
  const { status, body } = await request(`${service.url}/sandbox/prices`, { body: { mint, usd } });
  assert.equal(status, 200, JSON.stringify(body));
};

async function until(user: User, id: string, state: string): Promise<Row> {
  for (let left = 150; ; left--) {
    const row = await rowOf(user, id);
    if (row.rawState === state) return row;
    assert.ok(left > 0, `the order is ${row.rawState}: ${JSON.stringify(row)}`);
    await sleep(100);
  }
}

const usdcOf = async ({ wallet }: User) =>
  (await tokensAt(service, associatedTokenAddress(wallet.address, USDC)))?.amount ?? 0n;

describe('a price that crosses an order', () => {
  it('fills a single order: what the vault gave reaches the wallet, and the wallet pays nothing', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const crafted = await deposit(user);
    const { id } = await create(user, crafted, { triggerPriceUsd: 160 });
    const [lamports, usdc] = [await lamportsOf(service, user.wallet.address), await usdcOf(user)];
    await setPrice(159);
    await sleep(1_500);
    assert.equal((await rowOf(user, id)).rawState, 'open');
    await setPrice(165);
    const row = await until(user, id, 'fill_success');
    assert.equal(row.orderState, 'filled');
    assert.deepEqual([row.fillPercent, row.remainingInputAmount, row.inputUsed], [1, '0', '1000000000']);
    const gained = (await usdcOf(user)) - usdc;
    assert.equal(row.outputAmount, gained.toString());
    assert.ok(gained > 160_000_000n && gained < 165_000_000n, `${gained}`);
    assert.equal(await lamportsOf(service, user.wallet.address), lamports);
    assert.equal((await tokensAt(service, crafted.inputTokenAccount))?.amount, 0n);
    const fill = row.events.find(({ type }) => type === 'fill');
    assert.deepEqual([fill?.state, fill?.amount], ['success', '1000000000']);
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
    const fill = row.events.find(({ type }) => type === 'fill') as { orderContext?: string } | undefined;
    assert.equal(fill?.orderContext, 'stop_loss');
    await setPrice(210);
    await sleep(1_500);
    assert.equal(await usdcOf(user), usdc + gained);
  });
});
