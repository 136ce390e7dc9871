import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { Gauge } from 'prom-client';
import { createMetrics } from '../http/index.js';
import { MetricsRecorder } from './metrics-history.js';

function open() {
  let now = 1_800_000_000_000;
  const metrics = createMetrics();
  const log = pino({ level: 'silent' });
  const { registry } = metrics;
  const recorder = new MetricsRecorder({ registry, clock: { now: () => now }, copy: 'here:1', log });
  const pass = async (seconds: number) => {
    now += seconds * 1_000;
    await recorder.sample();
  };
  return { metrics, registry, recorder, pass };
}

test('requests become rates and times of the interval; probes, streams and the operator count as none', async () => {
  const { metrics, recorder, pass } = open();
  const served = metrics.meter('/ultra/v1/order');
  for (let number = 0; number < 100; number++) served('GET', 200, 400);
  await pass(0);
  for (let number = 0; number < 30; number++) served('GET', number < 27 ? 200 : 429, 20);
  served('POST', 500, 4_000);
  metrics.meter('/admin/v1/overview')('GET', 200, 9_000);
  metrics.meter('/events/v1/stream')('GET', 200, 900_000);
  await pass(10);
  const { series, times } = await recorder.history(0);
  assert.equal(times.length, 2);
  assert.deepEqual(series.requests, [null, 3.1]);
  assert.deepEqual(series.refused, [null, 0.3]);
  assert.deepEqual(series.errors, [null, 0.1]);
  const [, half] = series.latency50!;
  assert.ok(half! > 10 && half! <= 25, `${half}`);
  const [, most] = series.latency95!;
  assert.ok(most! > 10 && most! <= 25, `${most}`);
  await pass(10);
  assert.deepEqual((await recorder.history(times[1]!)).series.latency50, [null]);
  assert.deepEqual((await recorder.history(times[1]!)).series.requests, [0]);
});

test('what begins later has no numbers before, and after six hours the oldest are forgotten', async () => {
  const { registry, recorder, pass } = open();
  await pass(0);
  const wallets = new Gauge({
    name: 'slipway_wallet_lamports',
    help: 'x',
    labelNames: ['wallet'],
    registers: [registry],
  });
  wallets.set({ wallet: 'gas' }, 5e9);
  await pass(15);
  assert.deepEqual((await recorder.history(0)).series['wallet.gas'], [null, 5e9]);
  for (let number = 0; number < 1_500; number++) await pass(15);
  const { times, series, now } = await recorder.history(0);
  assert.equal(times.length, 1_440);
  for (const [name, values] of Object.entries(series)) assert.equal(values.length, 1_440, name);
  assert.deepEqual(
    now.find(({ name }) => name === 'slipway_wallet_lamports'),
    {
      name: 'slipway_wallet_lamports',
      labels: { wallet: 'gas' },
      value: 5e9,
    },
  );
});
