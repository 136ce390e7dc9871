import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from './rounds.js';
import { onFreePort, request, type Service, startService } from './service.js';

const TOKEN = 'a-token-of-the-operator-of-this-test';
let service: Service;
let port: number;
before(async () => {
  service = await onFreePort((free) => {
    port = free;
    return startService({ env: { SLIPWAY_OPERATIONS_PORT: String(free), SLIPWAY_ADMIN_TOKEN: TOKEN } });
  });
});
after(() => service?.close());

const authorization = `Bearer ${TOKEN}`;

it('attack: a caller without a key reaches neither metrics nor the admin API, where these have a port of their own', async () => {
  const own = `http://127.0.0.1:${port}`;
  for (const [path, here, there] of [
    ['/metrics', 404, 200],
    ['/admin/v1/keys', 404, 200],
    ['/livez', 200, 200],
    ['/readyz', 200, 200],
    ['/sandbox/info', 200, 404],
  ] as const) {
    const headers = { authorization };
    for (const [base, expected] of [
      [service.url, here],
      [own, there],
    ] as const)
      await eventually(`${base}${path} answers ${expected}`, async () => {
        const { status } = await request(`${base}${path}`, { headers });
        // It says so where a check of its own took too long on a busy machine.
        if (path === '/readyz' && status === 503) return undefined;
        assert.equal(status, expected, path);
        return true;
      });
  }
  const { body } = await request<string>(`${own}/metrics`);
  assert.match(body, /slipway_http_requests_total\{method="GET",route="\/livez",status="200"\} [12]/);
});
