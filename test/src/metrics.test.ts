import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { request, type Service, startService } from './service.js';
import { executeOrder, order, SOL, USDC } from './swap.js';
import { newWallet } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const file = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const scrape = async () => (await request<string>(`${service.url}/metrics`)).body;
const ours = (text: string) => new Set([...text.matchAll(/\bslipway_[a-z_]+[a-z]/g)].map(([name]) => name));
const isPart = (name: string) => name.replace(/_(bucket|count|sum)$/, '');

/** The values of a metric whose labels contain these. */
function valuesOf(text: string, name: string, labels: string[]): number[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && labels.every((l) => line.includes(l)));
  return lines.map((line) => Number(line.split(' ').at(-1)));
}

it('a swap that lands shows in what Prometheus reads', async () => {
  const taker = await newWallet(service, 5_000_000_000n, 0n);
  const made = await order(service, { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n, taker: taker.address });
  assert.equal((await executeOrder(service, made, taker)).status, 'Success');
  const text = await scrape();
  const [landed] = valuesOf(text, 'slipway_landing_duration_seconds_count', ['area="swap"']);
  assert.equal(landed, 1);
  const simulated = valuesOf(text, 'slipway_rpc_call_duration_seconds_count', ['simulateTransaction', 'answered']);
  assert.ok(simulated.reduce((sum, count) => sum + count, 0) >= 1);
  assert.ok(valuesOf(text, 'slipway_rpc_slot', [])[0]! > 0);
  assert.equal(valuesOf(text, 'slipway_price_age_seconds', ['token="SOL"']).length, 1);
  assert.ok(valuesOf(text, 'slipway_key_calls_total', ['outcome="served"'])[0]! >= 2);
  assert.ok(valuesOf(text, 'slipway_database_connections', ['state="open"'])[0]! >= 1);
  assert.equal(valuesOf(text, 'slipway_build_info', [`node="${process.version}"`])[0], 1);
  assert.ok(valuesOf(text, 'slipway_router_answer_duration_seconds_count', [])[0]! >= 1);
});

it('every metric is documented, and what dashboard and alerts read exists', async () => {
  const names = ours((await scrape()).replace(/^[^#].*$/gm, ''));
  const documented = ours(file('docs/operations.md') + file('docs/limit-order-keeper.md') + file('docs/invites.md'));
  assert.deepEqual(
    [...names].filter((name) => !documented.has(name)),
    [],
    'not documented',
  );
  for (const path of ['deploy/grafana/slipway.json', 'deploy/prometheus/alerts.yml']) {
    const read = [...ours(file(path))].map(isPart);
    assert.deepEqual(
      read.filter((name) => !names.has(name) && !names.has(`${name}_count`)),
      [],
      path,
    );
  }
});

it('what alerts compare is there before it has ever happened', async () => {
  const text = await scrape();
  for (const [name, outcome] of [
    ['slipway_trigger_fills_total', 'filled'],
    ['slipway_webhook_deliveries_total', 'received'],
  ] as const)
    assert.deepEqual(valuesOf(text, name, [`outcome="${outcome}"`]), [0], name);
});

it('each alert has a line that says what to do, and the dashboard is one', () => {
  const operations = file('docs/operations.md');
  for (const [, anchor] of file('deploy/prometheus/alerts.yml').matchAll(/operations\.md#(\w+)\n/g))
    assert.ok(operations.includes(`id="${anchor}"`), anchor);
  const { panels } = JSON.parse(file('deploy/grafana/slipway.json')) as { panels: { type: string; targets?: [] }[] };
  for (const { type, targets } of panels) assert.ok(type === 'row' || targets!.length > 0);
});

it('the alert rules fire when they should, and only then', (t) => {
  const cwd = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url));
  try {
    execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd, encoding: 'utf8' });
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return t.skip('promtool (Debian: prometheus) is not installed');
    throw error;
  }
});
