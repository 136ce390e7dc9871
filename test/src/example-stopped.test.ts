import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from './command.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/dist/swap.js', import.meta.url));
const WHY = 'the operator has stopped all: we look into a fault';

it('an example says why it waits while the service is stopped, and for how long', async (t) => {
  const server = createServer((_request, response) =>
    response.writeHead(503, { 'retry-after': '0' }).end(JSON.stringify({ error: WHY })),
  ).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const env = { SLIPWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { code, error } = await run(EXAMPLE, [], { env, cwd: tmpdir() });
  const waits = Array.from({ length: 3 }, () => `Trying again in 0 s: ${WHY}`);
  assert.deepEqual([code, error.trim().split('\n')], [1, [...waits, `${WHY} (unavailable)`]]);
});
