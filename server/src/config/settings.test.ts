import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv } from 'ajv';
import { configurationReference } from './page.js';
import { readSettings } from './read.js';
import { allSettings, inMode, type Schema, settingsFileSchema } from './settings/schema.js';
import { SettingsFile, Variables } from './settings/table.js';
import { validate } from './validate.js';

const MINT = 'So11111111111111111111111111111111111111112';
const folder = mkdtempSync(join(tmpdir(), 'slipway-settings-'));
after(() => rmSync(folder, { recursive: true }));

function faultsOf(env: Record<string, string>, settings: unknown): readonly string[] {
  writeFileSync(join(folder, 'slipway.config.json'), JSON.stringify(settings));
  return readSettings(env, { cwd: folder }).faults;
}

const repository = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('every setting stands in one group, is described, and has a default or says what holds without it', () => {
  const names = allSettings.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const variables = allSettings.filter(({ place }) => place === 'environment').map(({ name }) => name);
  assert.deepEqual(variables.toSorted(), Object.keys(Variables.properties).toSorted());
  const tops = new Set(allSettings.filter(({ place }) => place === 'file').map(({ name }) => name.split('.')[0]));
  assert.deepEqual([...tops].toSorted(), Object.keys(SettingsFile.properties).slice(1).toSorted());
  for (const { name, schema } of allSettings) {
    assert.match(schema.description ?? '', /\.$/, name);
    assert.ok(schema.default !== undefined || schema.defaultText || schema.byMode, name);
  }
});

test('the page and the schema are as the table says: "npm run settings" writes them', () => {
  assert.ok(repository('docs/configuration.md').includes(`-->\n\n${configurationReference()}\n\n<!-- /settings`));
  assert.deepEqual(JSON.parse(repository('server/slipway.config.schema.json')), settingsFileSchema());
});

test('what settings are checked by is a schema', () => {
  for (const schema of [Variables, SettingsFile]) {
    const ajv = new Ajv();
    assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
  }
});

test('what nobody has set has its default, which is allowed, as deep as the fields go', () => {
  for (const mode of ['sandbox', 'publicSandbox', 'production'] as const) {
    for (const schema of [Variables, SettingsFile].map((table) => inMode(table as Schema, mode))) {
      const values: Record<string, unknown> = {};
      // What production wants without a default is asked for by its name, elsewhere.
      const faults = (given: Record<string, unknown>) =>
        validate(schema, given).filter(({ keyword }) => keyword !== 'required');
      assert.deepEqual(faults(values), []);
      assert.ok(Object.keys(values).length > 5);
      // All of it is given now, and looked at.
      assert.deepEqual(faults(structuredClone(values)), []);
      const objects = Object.entries(values).filter(([, value]) => typeof value === 'object' && !Array.isArray(value));
      const empty: Record<string, unknown> = { ...values, ...Object.fromEntries(objects.map(([name]) => [name, {}])) };
      assert.deepEqual([faults(empty), empty], [[], values]);
    }
  }
});

test('the shipped schema takes what the reader takes', () => {
  const ajv = new Ajv();
  const isValid = ajv.compile(settingsFileSchema());
  const [example = ''] = /```json\n(.*?)```/s.exec(repository('docs/configuration.md'))?.slice(1) ?? [];
  for (const settings of [{}, JSON.parse(example)]) {
    assert.ok(isValid(settings), JSON.stringify(isValid.errors));
    assert.deepEqual(faultsOf({}, settings), []);
  }
  for (const settings of [{ fee: {} }, { fees: { percentile: 101 } }, { express: { receiver: 'me' } }]) {
    assert.equal(isValid(settings), false);
    assert.equal(faultsOf({}, settings).length, 1);
  }
});

test('the examples of the page can be used', () => {
  const examples = [...repository('docs/configuration.md').matchAll(/```ini\n(.*?)```/gs)].map(([, text = '']) => text);
  const modes = examples.map((text) => {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    assert.deepEqual(faultsOf(env, { express: { receiver: MINT } }), []);
    return 'NODE_ENV' in env ? 'production' : 'sandbox';
  });
  assert.deepEqual(modes, ['sandbox', 'production']);
});
