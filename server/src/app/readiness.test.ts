import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Chain } from '../chain/index.js';
import { loadConfig } from '../config/index.js';
import { startTestServer } from '../http/testing.js';
import type { Store } from '../store/sql.js';
import { createReadiness } from './readiness.js';

test('attack: a caller without a key asks 10,000 times whether the service is ready: one statement, one call of the node and one file a second', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-readiness-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const cost = { statements: 0, calls: 0 };
  const store = {
    probe: async () => {
      cost.statements++;
    },
  };
  let isWell = true;
  const rpc = {
    call: async () => {
      cost.calls++;
      if (!isWell) throw new Error('behind');
      return 'ok';
    },
  };
  let steady = 0;
  const ready = createReadiness({
    config: loadConfig({ SLIPWAY_DATA_DIR: dataDir }, { cwd: dataDir }),
    store: store as unknown as Store,
    chain: { rpc } as unknown as Chain,
    steadyNow: () => steady,
    remoteSigner: undefined,
    spending: () => ({ wallet: undefined, losses: { alarm: undefined } }),
    stops: { list: async () => [] },
  });
  const { app } = await startTestServer(undefined, { ready });
  t.after(() => app.close());
  const ask = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => app.inject({ url: '/readyz' })));
    return [...new Set(answers.map(({ statusCode }) => statusCode))];
  };

  for (let part = 0; part < 99; part++) {
    assert.deepEqual(await ask(100), [200]);
    steady += 10;
  }
  assert.deepEqual(cost, { statements: 1, calls: 1 });
  isWell = false;
  assert.deepEqual(await ask(100), [200], 'what was found is kept for a second');
  steady += 10;
  assert.deepEqual(await ask(100), [503], 'and not longer');
  assert.deepEqual(cost, { statements: 2, calls: 2 });
});
