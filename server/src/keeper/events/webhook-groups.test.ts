import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { Registry } from 'prom-client';
import { busyReceiver, createReceivers, openWebhookWorld, until, upTo } from './testing.js';

const { store, clock, addWebhook, happen, start, webhook, reset, closeLoops, close } = await openWebhookWorld();
after(close);
beforeEach(reset);
afterEach(closeLoops);

test('a webhook for which less than a page waits gets one event after the other, in order', async () => {
  await addWebhook('hook');
  const { seen, answer } = busyReceiver(1);
  const { send, numbers } = createReceivers({ hook: answer });
  const loop = await start(send);
  for (const last of [49, 98]) {
    await happen(49);
    await until(loop, () => numbers('hook').length >= last);
  }
  assert.deepEqual(numbers('hook'), upTo(98));
  assert.equal(seen.most, 1);
});

test('attack: a stranger on the chain has ever more happen that a webhook hears of: while it is behind, eight events are sent at the same time', async () => {
  const [count, ms] = [400, 50];
  await addWebhook('hook');
  await happen(count);
  const { seen, answer } = busyReceiver(ms);
  const { send, messages, numbers } = createReceivers({ hook: answer });
  const loop = await start(send);
  await until(loop, () => numbers('hook').length >= count);
  assert.equal(seen.most, 8);
  assert.ok(seen.waves < count / 3, `${seen.waves} waves`);
  assert.equal(messages.length, count);
  assert.deepEqual(new Set(numbers('hook')), new Set(upTo(count)));
});

test('what fails of events that were sent together is tried again, and nothing is left out', async () => {
  await addWebhook('flaky');
  await happen(200);
  const ofSeven = upTo(200).filter((number) => number % 7 === 4);
  const failing = new Set(ofSeven);
  // Each the first two times: what fails beside others is sent once more by itself.
  const once = new Set(ofSeven);
  const isFailing = (number: number) => once.delete(number) || failing.delete(number);
  const { send, numbers } = createReceivers({ flaky: (number) => (isFailing(number) ? 500 : 200) });
  const loop = await start(send);
  await until(loop, async () => (await webhook()).last >= 200n);
  // Each that has failed twice by then, and nothing rests.
  const { failures, restUntil } = await webhook();
  const { rows } = await store.query<{ number: bigint }>('select number from webhook_deliveries order by number');
  assert.deepEqual([failures, restUntil], [0, null]);
  assert.ok(rows.length > 0);
  assert.deepEqual(
    rows.map(({ number }) => Number(number)),
    upTo(200).filter((number) => !numbers('flaky').includes(number)),
  );
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 60_000);
    return numbers('flaky').length >= 200;
  });
  assert.equal(failing.size, 0);
  assert.deepEqual(new Set(numbers('flaky')), new Set(upTo(200)));
});

test('attack: a stranger on the chain has a webhook be behind whose receiver refuses what comes beside others: it has one after the other, as before, and nothing counts as failed', async () => {
  const count = 120;
  await addWebhook('hook');
  await happen(count);
  const { seen, answer } = busyReceiver(2);
  const { send, messages, numbers } = createReceivers({
    hook: async () => {
      const isBusy = seen.now > 0;
      const status = await answer();
      return isBusy ? 503 : status;
    },
  });
  const loop = await start(send, new Registry(), () => 0);
  await until(loop, () => numbers('hook').length >= count);
  await until(loop, async () => (await webhook()).last >= BigInt(count));
  assert.equal(seen.most, 2);
  assert.equal(messages.length, count + 1);
  assert.deepEqual(numbers('hook'), upTo(count));
  assert.equal((await webhook()).failures, 0);
  const { rows } = await store.query('select number from webhook_deliveries');
  assert.deepEqual(rows, []);
});

test('what was told a day ago is sent one after the other: a receiver that refuses what comes together has none of it given up', async () => {
  await addWebhook('hook');
  await happen(120);
  clock.setOffset(clock.offsetMs + 25 * 60 * 60_000);
  const { seen, answer } = busyReceiver(1);
  const { send, numbers } = createReceivers({ hook: answer });
  const loop = await start(send);
  await until(loop, () => numbers('hook').length >= 120);
  assert.deepEqual([numbers('hook'), seen.most], [upTo(120), 1]);
});

test('attack: a stranger on the chain has an event happen that a receiver refuses beside others and by itself: as many others come together', async () => {
  await addWebhook('hook');
  await happen(200);
  const { seen, answer } = busyReceiver(2);
  const { send, numbers } = createReceivers({
    hook: async (number) => {
      const status = await answer();
      return number === 20 ? 500 : status;
    },
  });
  const loop = await start(send);
  await until(loop, () => numbers('hook').includes(23));
  seen.most = 0;
  await until(loop, async () => {
    clock.setOffset(clock.offsetMs + 2_000);
    return numbers('hook').length >= 199;
  });
  assert.equal(seen.most, 8);
});

test('a receiver that refuses all that is sent together was away once', async () => {
  await addWebhook('away');
  let isAway = false;
  const { send, numbers } = createReceivers({ away: (number) => (number >= 8 && isAway ? 503 : 200) });
  const loop = await start(async (message) => {
    isAway = !numbers('away').includes(8);
    return send(message);
  });
  await happen(100);
  await until(loop, async () => (await webhook()).last >= 15n);
  assert.deepEqual([(await webhook()).last, (await webhook()).failures], [15n, 1]);
  const { rows } = await store.query<{ number: bigint; tries: number }>(
    'select number, tries from webhook_deliveries order by number',
  );
  assert.deepEqual(
    rows.map(({ number, tries }) => [Number(number), tries]),
    upTo(15, 8).map((number) => [number, 1]),
  );
});

test('a copy that dies while it sends events together: another one sends all of them, and what the first hears then counts for nothing', async () => {
  await addWebhook('hook');
  let isAsked = false;
  let answer = (_status: number) => {};
  const dead = createReceivers({
    hook(number) {
      if (number !== 12) return 200;
      isAsked = true;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  });
  const dying = await start(dead.send);
  await happen(60);
  await until(dying, () => isAsked);
  const { send, numbers } = createReceivers();
  await dying.close();
  await store.query(`update webhooks set lease_until = 'epoch'`);
  const other = await start(send);
  await until(other, () => numbers('hook').length >= 53);
  assert.deepEqual(new Set(numbers('hook')), new Set(upTo(60, 8)));
  answer(500);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await store.query('select from webhook_deliveries')).rowCount, 0);
  assert.equal((await webhook()).failures, 0);
});
