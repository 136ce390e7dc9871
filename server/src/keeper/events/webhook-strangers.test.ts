import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { Registry } from 'prom-client';
import { deliveryOf } from '../../events/messages.js';
import type { Outcome, Sender } from '../../events/sender.js';
import { eventsAfter } from '../../store/events.js';
import { putDeliveries, wakeWebhook, webhookBacklog } from '../../store/webhook-deliveries.js';
import type { KeeperLoop } from '../keeper.js';
import { ACCOUNT, openWebhookWorld } from './testing.js';

const world = await openWebhookWorld();
const { store, clock, addWebhook, happen, start, pass, webhook, reset, closeLoops, close } = world;
after(close);
beforeEach(reset);
afterEach(closeLoops);

const MINUTE = 60_000;

/**
 * A stranger has events happen on the chain, so many a second, and a receiver refuses each of them by what it is, so long after it was
 * posted. Beside them are events that it takes, or answers as it is told.
 */
async function openAttack({ perSecond, answerMs }: { perSecond: number; answerMs: number }) {
  await addWebhook('hook');
  const answers = new Map<number, (tries: number) => Outcome['status']>();
  const tries = new Map<number, number>();
  const arrived = new Map<number, number>();
  const state = { told: 0, posts: 0, hasNoAnswer: false };
  const send: Sender = async ({ body }) => {
    const answeredAt = clock.offsetMs + answerMs;
    // What comes together is answered together.
    await new Promise(setImmediate);
    clock.setOffset(Math.max(clock.offsetMs, answeredAt));
    state.posts += 1;
    const { number } = JSON.parse(body) as { number: number };
    tries.set(number, (tries.get(number) ?? 0) + 1);
    if (state.hasNoAnswer) {
      state.hasNoAnswer = false;
      return { error: 'no answer', milliseconds: answerMs };
    }
    const status = answers.get(number)?.(tries.get(number)!) ?? 404;
    if (status === 200) arrived.set(number, clock.offsetMs);
    return { status, milliseconds: answerMs };
  };
  const loop = await start(send, new Registry(), () => clock.offsetMs);
  let [owed, seenAt] = [0, clock.offsetMs];

  /** Goes on for so long. */
  async function goOn(ms: number) {
    for (const until = clock.offsetMs + ms; clock.offsetMs < until; ) {
      owed += ((clock.offsetMs - seenAt) * perSecond) / 1_000;
      seenAt = clock.offsetMs;
      const count = Math.floor(owed);
      owed -= count;
      if (count > 0) await happen(count);
      state.told += count;
      await pass(loop, 500);
    }
  }

  return {
    loop,
    state,
    goOn,
    arrived: (number: number) => arrived.has(number),
    /** Tells another one, and returns its number. */
    async tellGood(answer: (tries: number) => Outcome['status'] = () => 200) {
      await happen(1);
      state.told += 1;
      answers.set(state.told, answer);
      return state.told;
    },
    /** The milliseconds after which it has arrived; no more than so many. */
    async wait(number: number, mostMs: number, goOnMs: (ms: number) => Promise<void> = goOn) {
      const began = clock.offsetMs;
      while (!arrived.has(number) && clock.offsetMs - began <= mostMs) await goOnMs(1_000);
      return (arrived.get(number) ?? Number.POSITIVE_INFINITY) - began;
    },
  };
}

/** An owner asks for an event again. */
async function redeliver(number: number) {
  await store.transaction(async (tx) => {
    await wakeWebhook(tx, 'hook');
    const [event] = await eventsAfter(tx, [{ account: ACCOUNT, after: BigInt(number - 1) }], 1);
    await putDeliveries(tx, 'hook', [deliveryOf(event!)], new Date(clock.now()));
  });
}

const passOnly = (loop: KeeperLoop) => (ms: number) => pass(loop, ms);

test('attack: a stranger on the chain has an event or six happen each second that a receiver refuses some hundred milliseconds later: what it takes comes within half a minute', async () => {
  for (const [answerMs, perSecond, minutes] of [
    [500, 1, 4],
    [200, 6, 1],
  ] as const) {
    const { goOn, tellGood, wait } = await openAttack({ perSecond, answerMs });
    for (let part = 0; part < 2; part++) {
      await goOn(minutes * MINUTE);
      const ms = await wait(await tellGood(), 2 * MINUTE);
      assert.ok(ms <= 30_000, `${answerMs} ms, ${perSecond} a second: after ${ms} ms`);
    }
    await closeLoops();
    await reset();
  }
});

test('attack: a stranger on the chain has an event refused each second for minutes, and once the receiver does not answer: the next one comes within seconds', async () => {
  const { loop, state, goOn, tellGood, wait } = await openAttack({ perSecond: 1, answerMs: 0 });
  await goOn(3 * MINUTE);
  state.hasNoAnswer = true;
  await happen(1);
  state.told += 1;
  while (state.hasNoAnswer) await pass(loop, 500);
  assert.equal((await webhook()).failures, 1);
  const ms = await wait(await tellGood(), 2 * MINUTE, passOnly(loop));
  assert.ok(ms <= 5_000, `after ${ms} ms`);
});

test('attack: a stranger on the chain has an event refused each second for minutes: one that has failed once comes within half a minute, whether it goes on or not', async () => {
  const { loop, goOn, tellGood, wait } = await openAttack({ perSecond: 1, answerMs: 0 });
  const failsOnce = (tries: number) => (tries === 1 ? 500 : 200);
  await goOn(5 * MINUTE);
  const inTheMiddle = await wait(await tellGood(failsOnce), 2 * MINUTE);
  assert.ok(inTheMiddle <= 30_000, `after ${inTheMiddle} ms`);
  await goOn(MINUTE);
  const atTheEnd = await wait(await tellGood(failsOnce), 2 * MINUTE, passOnly(loop));
  assert.ok(atTheEnd <= 30_000, `after ${atTheEnd} ms`);
});

test('attack: a stranger on the chain has an event refused each second for minutes: what the owner of the webhook asks for again comes before all of them', async () => {
  const { loop, goOn, arrived, tellGood, wait } = await openAttack({ perSecond: 1, answerMs: 0 });
  let isBroken = true;
  await goOn(2 * MINUTE);
  const number = await tellGood(() => (isBroken ? 500 : 200));
  await goOn(3 * MINUTE);
  isBroken = false;
  assert.equal(arrived(number), false);
  await redeliver(number);
  const ms = await wait(number, 2 * MINUTE, passOnly(loop));
  assert.ok(ms <= 5_000, `after ${ms} ms`);
});

test('attack: a stranger on the chain has more events refused than a receiver can answer: they are said to wait', async () => {
  const { goOn } = await openAttack({ perSecond: 4, answerMs: 2_000 });
  await goOn(2 * MINUTE);
  const { waitingSince } = await webhookBacklog(store);
  assert.ok(waitingSince && clock.now() - waitingSince.getTime() >= MINUTE);
});
