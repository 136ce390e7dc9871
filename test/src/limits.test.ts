import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newKey } from './admin.js';
import { inOneWindow } from './rounds.js';
import { type Answer, request, type Service, startService } from './service.js';
import { infoOf, JUP } from './wallet.js';

const EXECUTE = '/tokens/v2/verify/express/execute';
const ELIGIBILITY = `/tokens/v2/verify/express/check-eligibility?tokenId=${JUP}`;
const HEADERS = ['x-ratelimit-remaining', 'x-ratelimit-current', 'x-ratelimit-reset'];
const TOO_MANY = { code: 429, message: '[API Gateway] Too many requests' };
const FREE = { bucket: 'main', requests: 60, windowSeconds: 60 };
/** The refusal says which limit was hit. */
function assertTooMany({ status, body, headers }: Answer<Record<string, unknown>>, expected = FREE): void {
  const { limit, ...rest } = body;
  assert.deepEqual([status, rest], [429, TOO_MANY]);
  const { retryAfterSeconds, ...hit } = limit as Record<string, unknown>;
  assert.deepEqual(hit, expected);
  assert.equal(headers.get('retry-after'), String(retryAfterSeconds));
  assert.ok(Number(retryAfterSeconds) >= 1 && Number(retryAfterSeconds) <= expected.windowSeconds);
}
/** Beside those that are built in: limits low enough to be passed within their window on any machine. */
const tiers = { few: { perMinute: 5, executePer10s: 3 } };

let service: Service;
before(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ tiers }));
  service = await startService({ dataDir });
});
after(() => service?.close());

const call = (path: string, key: string, options: { body?: unknown } = {}): Promise<Answer<Record<string, unknown>>> =>
  request(`${service.url}${path}`, { headers: { 'x-api-key': key }, ...options });

const parallel = (count: number, path: string, key: string, options?: { body?: unknown }) =>
  Promise.all(Array.from({ length: count }, () => call(path, key, options)));

function limitsOf({ headers }: Answer<unknown>) {
  const [remaining, current, reset] = HEADERS.map((name) => {
    const text = headers.get(name);
    assert.match(text ?? '', /^-?\d+$/, name);
    return Number(text);
  });
  return { remaining: remaining!, current: current!, reset: reset! };
}

const hasLimits = ({ headers }: Answer<unknown>): boolean => HEADERS.some((name) => headers.has(name));
const withStatus = (answers: Answer<Record<string, unknown>>[], status: number) =>
  answers.filter((answer) => answer.status === status);
const ascending = (a: number, b: number): number => a - b;

describe('a key of the tier free', () => {
  it('attack: a free key makes 100 calls at once: exactly 60 are answered, and each answer counts right', async () => {
    await inOneWindow(FREE.windowSeconds, async () => {
      const { key } = await newKey(service);
      const started = Math.floor(Date.now() / 1000);
      const answers = await parallel(100, ELIGIBILITY, key);
      const ended = Math.ceil(Date.now() / 1000);

      const passed = withStatus(answers, 200);
      assert.equal(passed.length, 60);
      const counts = passed.map(limitsOf);
      assert.deepEqual(
        counts.map(({ current }) => current).sort(ascending),
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      for (const { remaining, current } of counts) assert.equal(remaining, 60 - current);

      const refused = withStatus(answers, 429);
      assert.equal(refused.length, 40);
      for (const answer of refused) {
        assertTooMany(answer);
        assert.equal(limitsOf(answer).remaining <= 0, true);
      }
      for (const { reset } of answers.map(limitsOf)) assert.ok(reset >= started + 59 && reset <= ended + 61);

      // What is refused is refused in every area, and moving the sandbox's clock is no way around it.
      await request(`${service.url}/sandbox/clock`, { body: { seconds: 120 } });
      for (const path of [ELIGIBILITY, '/sandbox/info', '/tx/v1/status/x']) {
        assertTooMany(await call(path, key));
      }
      assert.equal((await call('/livez', key)).status, 200);
    });
  });

  it('may still execute and submit when its other calls are used up', async () => {
    await inOneWindow(FREE.windowSeconds, async () => {
      const { key } = await newKey(service);
      assert.equal(withStatus(await parallel(61, '/sandbox/info', key), 429).length, 1);
      for (const path of [EXECUTE, '/tx/v1/submit']) {
        assert.equal((await call(path, key, { body: {} })).status, 400, path);
      }
    });
  });

  it('does not count against another key', async () => {
    await inOneWindow(FREE.windowSeconds, async () => {
      const [first, second] = [await newKey(service), await newKey(service)];
      await parallel(61, '/sandbox/info', first.key);
      const { status, headers, body } = await call('/sandbox/info', second.key);
      assert.equal(status, 200);
      assert.equal(limitsOf({ status, headers, body }).current, 1);
    });
  });
});

it('execute and submit share one limit of their own', async () => {
  const { key } = await newKey(service, { tier: 'few' });
  const started = performance.now();
  const answers = (
    await Promise.all([parallel(10, EXECUTE, key, { body: {} }), parallel(10, '/tx/v1/submit', key, { body: {} })])
  ).flat();
  // Each window that has passed meanwhile lets as many pass; on most machines none has.
  const windows = 1 + Math.floor((performance.now() - started + 1_000) / 10_000);
  const passed = withStatus(answers, 400).length;
  assert.ok(passed >= 3 && passed <= 3 * windows, `${passed} within ${windows} windows`);
  assert.equal(withStatus(answers, 429).length, 20 - passed);
  const hit = { bucket: 'execute', requests: 3, windowSeconds: 10 };
  for (const answer of withStatus(answers, 429)) assertTooMany(answer, hit);
  assert.equal(withStatus(await parallel(10, '/sandbox/info', key), 200).length, 5);
});

it('the headers stand on answers with 200 and 429 only', async () => {
  const { key } = await newKey(service);
  const narrow = await newKey(service, { prefixes: ['/tx'] });
  const others: [number, Answer<unknown>][] = [
    [400, await call('/tokens/v2/verify/express/craft-txn', key)],
    [400, await call(EXECUTE, key, { body: {} })],
    [401, await call('/sandbox/info', 'nonsense')],
    [403, await call('/sandbox/info', narrow.key)],
    [404, await call('/sandbox/info/', key)],
    [404, await call(`/tx/v1/status/${'1'.repeat(64)}`, key)],
    [200, await call('/livez', key)],
    [200, await call('/openapi.json', key)],
  ];
  for (const [status, answer] of others) {
    assert.equal(answer.status, status);
    assert.equal(hasLimits(answer), false, String(status));
  }
  // A call that was answered 400 or 404 was a call too.
  assert.equal(limitsOf(await call('/sandbox/info', key)).current, 3);
});

it('the key of the sandbox has no limit, and the headers', async () => {
  const { wallets } = await infoOf(service);
  const path = `/tokens/v2/verify/express/craft-txn?senderAddress=${wallets[0]!.address}`;
  // A hundred at a time: more connections than that at once are given up on a busy machine.
  const answers: Answer<Record<string, unknown>>[] = [];
  for (let round = 0; round < 7; round++) answers.push(...(await parallel(100, path, 'sandbox')));
  assert.equal(withStatus(answers, 200).length, 700);
  for (const { remaining } of answers.map(limitsOf)) assert.ok(remaining > 1_000_000);
  for (let round = 0; round < 6; round++)
    assert.equal(withStatus(await parallel(100, EXECUTE, 'sandbox', { body: {} }), 400).length, 100);
});
