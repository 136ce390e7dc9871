import assert from 'node:assert/strict';
import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CallerStops, resumeCallers } from './caller-stops.js';
import type { StopNow } from './stop-file.js';

type Test = { after(end: () => void): void; mock: { method(object: object, name: string, by: () => number): unknown } };

/** A file in a folder of its own, and a time that the test moves. */
function place(t: Test): { file: string; wait(ms: number): void } {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-stops-'));
  t.after(() => rmSync(folder, { recursive: true }));
  let now = 1e6;
  t.mock.method(performance, 'now', () => now);
  return {
    file: join(folder, 'stopped-by-callers.json'),
    wait: (ms) => {
      now += ms;
    },
  };
}

const shown = (stops: readonly StopNow[]) => stops.map(({ what, why, by }) => `${by} ${what}: ${why}`).sort();

test('attack: a copy that was broken into takes back stops: only those that its own caller has said, never those of others', async (t) => {
  const { file, wait } = place(t);
  const stops = await CallerStops.open(file);
  assert.deepEqual(await stops.hear('api', { all: 'a theft' }), { holds: { all: 'a theft' }, isNew: true });
  await stops.hear('evil', { all: 'a theft' });
  await stops.hear('keeper', { fills: 'prices' });
  wait(1_000);
  assert.deepEqual(await stops.hear('evil', {}), { holds: {}, isNew: true });
  assert.deepEqual(shown(await stops.list()), ['api all: a theft', 'keeper fills: prices']);
  // Another one hears the same of each start of the signer.
  assert.deepEqual(shown(await (await CallerStops.open(file)).list()), ['api all: a theft', 'keeper fills: prices']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(await stops.hear('api', {}), { holds: {}, isNew: true });
  assert.deepEqual(shown(await stops.list()), ['keeper fills: prices']);
});

test('attack: a copy that was broken into stops and resumes as often as it can: a stop counts at once, and its caller has one change a second', async (t) => {
  const { file, wait } = place(t);
  const stops = await CallerStops.open(file);
  let changes = 0;
  for (let turn = 0; turn < 100; turn++) {
    const said = [{ all: `${turn}` }, {}, { fills: 'x' }][turn % 3]!;
    if ((await stops.hear('evil', said)).isNew) changes += 1;
  }
  // Each of the two was new once; nothing was taken back.
  assert.deepEqual([changes, shown(await stops.list())], [2, ['evil all: 0', 'evil fills: x']]);
  wait(1_000);
  assert.equal((await stops.hear('evil', {})).isNew, true);
  assert.deepEqual(await stops.list(), []);
  // And again at once.
  assert.equal((await stops.hear('evil', { all: 'again' })).isNew, true);
  assert.deepEqual(await stops.hear('evil', {}), { holds: { all: 'again' }, isNew: false });
});

test('a stop counts also while the disk does not take it, and is written down when it is said again', async (t) => {
  const { file, wait } = place(t);
  const stops = await CallerStops.open(file);
  const aside = `${file}.aside`;
  fs.renameSync(file, aside);
  await assert.rejects(stops.hear('api', { all: 'a theft' }));
  assert.deepEqual(shown(await stops.list()), ['api all: a theft']);
  fs.renameSync(aside, file);
  assert.deepEqual((await stops.hear('api', { all: 'a theft' })).holds, { all: 'a theft' });
  assert.match(readFileSync(file, 'utf8'), /"api":\{"all":"a theft"\}/);
  wait(1_000);
  // What is taken back counts until that is written down.
  fs.renameSync(file, aside);
  await assert.rejects(stops.hear('api', {}));
  fs.renameSync(aside, file);
  assert.deepEqual(shown(await stops.list()), ['api all: a theft']);
  wait(1_000);
  await stops.hear('api', {});
  assert.deepEqual(await stops.list(), []);
});

test('the operator goes on with what callers have stopped, also while the signer runs; a damaged file stops all', async (t) => {
  const { file, wait } = place(t);
  const stops = await CallerStops.open(file);
  await stops.hear('api', { all: 'a theft', fills: 'prices' });
  await stops.hear('keeper', { fills: 'prices' });
  assert.deepEqual(await resumeCallers(file, ['all']), ['all']);
  wait(250);
  assert.deepEqual(shown(await stops.list()), ['api fills: prices', 'keeper fills: prices']);
  assert.deepEqual(await resumeCallers(file, ['fills', 'all']), ['fills']);
  wait(250);
  assert.deepEqual(await stops.list(), []);
  assert.deepEqual(await resumeCallers(file, ['fills', 'all']), []);
  for (const content of ['{"callers":', '{"callers":{"api":{"crafts":"x"}}}', '{}']) {
    writeFileSync(file, content, { mode: 0o600 });
    wait(250);
    await assert.rejects(stops.list(), /damaged: "slipway signer resume" writes it anew/);
    await resumeCallers(file, ['fills', 'all']);
    assert.deepEqual(await stops.list(), []);
  }
});
