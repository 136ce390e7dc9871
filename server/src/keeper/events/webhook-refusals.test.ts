import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import type { Sender } from '../../events/sender.js';
import { failedDeliveries, retryFailed, webhookBacklog } from '../../store/webhook-deliveries.js';
import type { KeeperLoop } from '../keeper.js';
import { createReceivers, openWebhookWorld, until, upTo } from './testing.js';
import { LONGEST_MS } from './webhook-attempts.js';

const world = await openWebhookWorld();
const { store, clock, addWebhook, happen, pass, webhook, reset, closeLoops, close } = world;
after(close);
beforeEach(reset);
afterEach(closeLoops);

/** Also what a turn may take goes by the tests' clock: how many events a slow machine sends in ten seconds must not count. */
const start = (send: Sender) => world.start(send, undefined, () => clock.offsetMs);

const MINUTE = 60_000;

/** Seconds until this has arrived. */
async function secondsUntil(loop: KeeperLoop, isThere: () => boolean, most: number): Promise<number> {
  const began = clock.offsetMs;
  while (!isThere() && clock.offsetMs - began <= most) await pass(loop, 2_000);
  return (clock.offsetMs - began) / 1_000;
}

/** That events come within a minute, each a minute after the last one. */
async function comeSoon(loop: KeeperLoop, numbers: () => number[], awaited: number[]): Promise<void> {
  for (const number of awaited) {
    await happen(1);
    const seconds = await secondsUntil(loop, () => numbers().includes(number), 5 * MINUTE);
    assert.ok(seconds <= 60, `${number} came after ${seconds} s`);
    await pass(loop, MINUTE);
  }
}

test('attack: a stranger on the chain has a hundred events happen that a receiver answers, but refuses by what they are: what it takes comes within a minute, then and later', async () => {
  const count = 100;
  await addWebhook('hook');
  const refusals = [404, 500, 400, 302];
  const { send, messages, numbers } = createReceivers({
    hook: (number) => (number <= count ? refusals[number % refusals.length]! : 200),
  });
  const loop = await start(send);
  await happen(count);
  await comeSoon(loop, () => numbers('hook'), upTo(count + 40, count + 1));
  const tries = messages.filter(({ headers }) => headers['webhook-id'] === 'hook_1').length;
  assert.ok(tries >= 4 && tries <= 12, `${tries} tries`);
  assert.equal((await store.query('select from webhook_deliveries where due_at is not null')).rowCount, count);
});

test('attack: a stranger on the chain has a thousand such events happen: what comes after them comes within seconds', async () => {
  const count = 1_000;
  await addWebhook('hook');
  const { send, numbers } = createReceivers({ hook: (number) => (number <= count ? 404 : 200) });
  const loop = await start(send);
  await happen(count + 1);
  const seconds = await secondsUntil(loop, () => numbers('hook').includes(count + 1), 10 * MINUTE);
  assert.ok(seconds <= 20, `${seconds} s`);
});

test('attack: a stranger on the chain has events happen that a receiver answers as if it was away: what is tried again keeps nothing else waiting', async () => {
  await addWebhook('hook');
  const { send, numbers } = createReceivers({ hook: (number) => (number <= 40 && number % 2 === 0 ? 503 : 200) });
  const loop = await start(send);
  await happen(40);
  assert.ok((await secondsUntil(loop, () => numbers('hook').length === 20, 5 * MINUTE)) <= 120);
  await comeSoon(loop, () => numbers('hook'), upTo(80, 41));
});

test('attack: a stranger on the chain has one more event refused after each that is taken, beside a hundred that are tried again: what the receiver takes comes within seconds', async () => {
  const count = 100;
  await addWebhook('hook');
  const { send, numbers } = createReceivers({ hook: (number) => (number > count && number % 2 === 1 ? 200 : 404) });
  const loop = await start(send);
  await happen(count);
  for (let round = 0; round < 12; round++) {
    await happen(2);
    const good = count + 1 + 2 * round;
    const seconds = await secondsUntil(loop, () => numbers('hook').includes(good), 5 * MINUTE);
    assert.ok(seconds <= 10, `${good} came after ${seconds} s`);
    for (let n = 0; n < 8; n++) await pass(loop, MINUTE / 4);
  }
});

test('attack: a stranger on the chain has an event happen each second that a receiver refuses by what it is: what the receiver takes comes within seconds, then and later', async () => {
  await addWebhook('hook');
  const good = new Set<number>();
  const { send, numbers } = createReceivers({ hook: (number) => (good.has(number) ? 200 : 404) });
  const loop = await start(send);
  let told = 0;
  for (const minutes of [1, 20]) {
    for (let n = 0; n < minutes * 6; n++) {
      await happen(10);
      await pass(loop, 10_000);
    }
    told += minutes * 60;
    await happen(1);
    told += 1;
    good.add(told);
    const at = clock.offsetMs;
    while (!numbers('hook').includes(told)) await pass(loop, 1_000);
    assert.ok(clock.offsetMs - at <= 5_000, `after ${clock.offsetMs - at} ms`);
  }
});

test('attack: a free key has a receiver that refuses everything: it has each event twice, and then five each 16 seconds', async () => {
  await addWebhook('refusing');
  const { send, messages } = createReceivers({ refusing: () => 500 });
  const loop = await start(send);
  const perMinute = 10;
  for (let minutes = 0; minutes < 60; minutes++) {
    await happen(perMinute);
    for (let n = 0; n < 4; n++) await pass(loop, MINUTE / 4);
  }
  // Rests are shorter at first.
  const most = 2 * 60 * perMinute + (5 * 60 * MINUTE) / 16_000 + 100;
  assert.ok(messages.length <= most, `${messages.length} posts in an hour`);
  assert.equal((await webhook()).failures, 0);
});

test('a receiver that is away is posted to every five minutes in the end, however much is to be tried again', async () => {
  await addWebhook('away');
  const { send, messages } = createReceivers({ away: () => 503 });
  const loop = await start(send);
  await happen(100);
  for (let minutes = 0; minutes < 180; minutes++) {
    await happen(minutes < 90 ? 1 : 0);
    for (let n = 0; n < 4; n++) await pass(loop, MINUTE / 4);
  }
  // Some nine in the first eight minutes.
  assert.ok(messages.length <= 9 + 180 / 5, `${messages.length} posts in three hours`);
  assert.ok(messages.length >= 180 / 5);
});

test('what is tried again has its part of each turn also where a webhook is behind', async () => {
  await addWebhook('behind');
  const failing = new Set([1]);
  const { send, numbers } = createReceivers({ behind: (number) => (failing.delete(number) ? 500 : 200) });
  const loop = await start(send);
  await happen(1_000);
  await until(loop, () => numbers('behind').length > 0);
  clock.setOffset(clock.offsetMs + 10_000);
  await until(loop, () => numbers('behind').length === 1_000);
  assert.ok(numbers('behind').indexOf(1) < 900, 'it came last');
});

test('what a receiver has refused for hours comes soon after it takes events again', async () => {
  await addWebhook('broken');
  let isBroken = true;
  const { send, numbers } = createReceivers({ broken: () => (isBroken ? 500 : 200) });
  const loop = await start(send);
  for (let n = 0; n < 40; n++) {
    await happen(1);
    await pass(loop, 3 * MINUTE);
  }
  isBroken = false;
  const seconds = await secondsUntil(loop, () => numbers('broken').length === 40, 60 * MINUTE);
  assert.ok(seconds <= 300, `${seconds} s`);
});

for (const [what, status] of Object.entries({ 'refuses one of them': 500, 'is away for a moment': 503 }))
  test(`what was given up, and its owner asks for again, is tried once each, also where the receiver ${what}`, async () => {
    await addWebhook('hook');
    let isAway = true;
    const failing = new Set([2]);
    const { send, numbers } = createReceivers({
      hook: (number) => (isAway ? 503 : failing.delete(number) ? status : 200),
    });
    const loop = await start(send);
    await happen(5);
    await secondsUntil(loop, () => false, MINUTE);
    for (let hours = 0; hours < 30; hours++) await pass(loop, 60 * MINUTE);
    assert.equal((await failedDeliveries(store, 'hook', 10)).length, 5);
    assert.ok(clock.offsetMs >= LONGEST_MS);
    isAway = false;
    await store.transaction((tx) => retryFailed(tx, 'hook', new Date(clock.now())));
    await pass(loop, 5 * MINUTE);
    await secondsUntil(loop, () => numbers('hook').length === 4, MINUTE);
    assert.deepEqual(numbers('hook'), [1, 3, 4, 5]);
    assert.deepEqual(
      (await failedDeliveries(store, 'hook', 10)).map(({ number }) => number),
      [2n],
    );
  });

test('events are said to wait for a receiver that was away once, and not while it is away', async () => {
  await addWebhook('hook');
  const { send } = createReceivers({ hook: () => 503 });
  const loop = await start(send);
  await happen(30);
  const { waitingSince: before } = await webhookBacklog(store);
  await pass(loop, 0);
  assert.equal((await webhook()).failures, 1);
  assert.deepEqual((await webhookBacklog(store)).waitingSince, before);
  await pass(loop, 2_000);
  assert.equal((await webhook()).failures, 2);
  assert.equal((await webhookBacklog(store)).waitingSince, null);
});
