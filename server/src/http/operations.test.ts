import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gauge } from 'prom-client';
import { plainError } from '../errors/index.js';
import { createMetrics } from './metrics.js';
import { startTestServer } from './testing.js';

test('liveness needs nothing; readiness says what it looked at', async () => {
  let ok = true;
  const { app } = await startTestServer(undefined, {
    ready: async () => ({ ok, checks: { store: ok ? 'ok' : 'unreachable' } }),
  });
  assert.equal((await app.inject({ url: '/livez' })).statusCode, 200);
  const ready = await app.inject({ url: '/readyz' });
  assert.equal(ready.statusCode, 200);
  assert.deepEqual(ready.json(), { status: 'ready', checks: { store: 'ok' } });
  ok = false;
  const unready = await app.inject({ url: '/readyz' });
  assert.equal(unready.statusCode, 503);
  assert.deepEqual(unready.json(), { status: 'not ready', checks: { store: 'unreachable' } });
  assert.equal((await app.inject({ url: '/livez' })).statusCode, 200);
  await app.close();
});

test('a readiness check that throws is not ready, and its reason stays in the log', async () => {
  const { app, logged } = await startTestServer(undefined, {
    ready: () => Promise.reject(new Error('the pool is gone')),
  });
  const answer = await app.inject({ url: '/readyz' });
  assert.equal(answer.statusCode, 503);
  assert.equal(answer.body.includes('pool'), false);
  assert.ok(logged().includes('the pool is gone'));
  await app.close();
});

test('metrics count requests by pattern and status, never by the path that was sent', async () => {
  const { app } = await startTestServer((server) => {
    const config = { errorShape: plainError, auth: 'key' } as const;
    server.get('/orders/:id', { config, handler: () => ({ ok: true }) });
  });
  const headers = { 'x-api-key': 'good-key' };
  for (const id of ['a', 'b', 'c']) await app.inject({ url: `/orders/${id}`, headers });
  await app.inject({ url: '/orders/a' });
  await app.inject({ url: '/made-up-path' });
  const answer = await app.inject({ url: '/metrics' });
  assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  const lines = answer.body.split('\n');
  const has = (line: string) => assert.ok(lines.includes(line), line);
  has('slipway_http_requests_total{method="GET",route="/orders/:id",status="200"} 3');
  has('slipway_http_requests_total{method="GET",route="/orders/:id",status="401"} 1');
  has('slipway_http_requests_total{method="GET",route="unmatched",status="404"} 1');
  has('slipway_http_request_duration_seconds_count{route="/orders/:id"} 4');
  assert.equal(answer.body.includes('made-up-path'), false);
  assert.match(answer.body, /^process_resident_memory_bytes \d+/m);
  await app.close();
});

test('attack: a caller without a key asks for the metrics 1,000 times at once: they are written down twice', async () => {
  const metrics = createMetrics();
  let written = 0;
  new Gauge({
    name: 'slipway_written',
    help: 'How often',
    registers: [metrics.registry],
    collect() {
      this.set(++written);
    },
  });
  const { app } = await startTestServer(undefined, { metrics });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => app.inject({ url: '/metrics' })));
  for (const { statusCode, body } of answers) {
    assert.equal(statusCode, 200);
    assert.match(body, /^slipway_written [12]$/m);
  }
  assert.ok(written <= 2, `${written} times`);
  const { body } = await app.inject({ url: '/metrics' });
  assert.match(body, /^slipway_written [23]$/m, 'nothing older is answered');
  await app.close();
});
