import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEAST_OF_A_SOL, NEVER, ONE_SOL, type Owner, type Owners, type Placed } from './production-owners.js';
import { cancelPath, confirmed, confirmPath, type ToSign } from './production-requests.js';
import type { Answer } from './service.js';
import { type Deposit, depositBody, hasDied, orderBody } from './trigger-user.js';

const AWAY = 'What signs for the service cannot be reached at the moment';
const KILLS = 3;

/**
 * Owners place and cancel orders, and one of them has one filled, while the signer is killed and started. Whoever meets the
 * outage is told to ask again, and in the end everybody has what is his, to the unit.
 */
export async function killUnderLoad(stage: Owners): Promise<{ kills: number; rounds: number; outages: number }> {
  const { signer } = stage.production;
  const done = { kills: 0, rounds: 0, outages: 0 };
  /** Asks until it is not the signer that is away. The contract of trigger orders has no 503. */
  const patiently = async <T>(
    ask: () => Promise<Answer<T>>,
    isOver = ({ status }: Answer<T>) => status === 200,
  ): Promise<T> => {
    for (;;) {
      const answer = await ask();
      const { status, headers, body } = answer;
      if (isOver(answer)) return body;
      assert.deepEqual([status, headers.get('retry-after'), body], [500, '1', { error: AWAY }]);
      done.outages += 1;
      await sleep(50);
    }
  };
  const place = async (owner: Owner, triggerPriceUsd: number): Promise<Placed> => {
    const { token } = owner.session;
    const craft = () => stage.ask<Deposit>('/trigger/v2/deposit/craft', { token, body: depositBody(owner) });
    for (;;) {
      const crafted = await patiently(craft);
      const body = orderBody(owner, crafted, { triggerPriceUsd, slippageBps: 300 });
      const post = () => stage.ask<{ id?: string; error?: string }>('/trigger/v2/orders/price', { token, body });
      // A signer may be away for longer than a deposit lives.
      const { id } = await patiently(post, (answer) => answer.status === 200 || hasDied(answer));
      if (id !== undefined) return { ...owner, id, account: crafted.inputTokenAccount };
    }
  };
  const round = async (owner: Owner): Promise<void> => {
    const order = await place(owner, NEVER);
    assert.equal(await stage.held(order), ONE_SOL);
    const { token } = owner.session;
    for (let isOut = false; !isOut; ) {
      const withdrawal = await patiently(() => stage.ask<ToSign>(cancelPath(order), { method: 'POST', token }));
      const confirm = () => stage.ask<{ error?: string }>(confirmPath(order), confirmed(order, withdrawal));
      const isDead = ({ body: { error = '' } }: Answer<{ error?: string }>) =>
        /expired\. Please initiate cancel/.test(error);
      isOut = !('error' in (await patiently(confirm, (answer) => answer.status === 200 || isDead(answer))));
    }
    done.rounds += 1;
  };

  const owners = await Promise.all(Array.from({ length: 4 }, () => stage.newOwner()));
  const placing = place(await stage.newOwner(), 100);
  const working = owners.map(async (owner) => {
    while (done.kills < KILLS) await round(owner);
  });
  let hasFailed = false;
  for (const each of [placing, ...working])
    each.catch(() => {
      hasFailed = true;
    });
  while (done.kills < KILLS) {
    await signer.kill();
    // At least once until a client has met it; the others at any moment.
    while (done.outages === 0 && !hasFailed) await sleep(20);
    await sleep(Math.random() * 300);
    await signer.start();
    await sleep(300 + Math.random() * 300);
    done.kills += 1;
  }
  await Promise.all(working);
  await Promise.all(owners.map(stage.assertWhole));
  const order = await placing;
  await order.client.waitForPriceOrder(order.session, order.id, { states: ['filled'] });
  await stage.assertSold(order);
  assert.ok((await stage.usdcOf(order)) > LEAST_OF_A_SOL);
  assert.ok(done.outages > 0, 'no client met an outage');
  return done;
}
