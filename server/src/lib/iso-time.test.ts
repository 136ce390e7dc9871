import assert from 'node:assert/strict';
import { it } from 'node:test';
import addFormats from 'ajv-formats';
import { isoTime } from './iso-time.js';

it('a time that somebody else has chosen, of any length, is one that a client can read', () => {
  const { validate } = addFormats.default.get('date-time') as unknown as { validate: (text: string) => boolean };
  for (const [time, expected] of [
    [1_795_968_000_000, '2026-11-29T16:00:00.000Z'],
    [8.64e15, '9999-12-31T23:59:59.000Z'],
    [(2n ** 63n - 1n) * 1_000n, '9999-12-31T23:59:59.000Z'],
    [-(2n ** 63n) * 1_000n, '0000-01-01T00:00:00.000Z'],
  ] as const) {
    assert.equal(isoTime(time), expected);
    assert.ok(validate(expected), expected);
  }
});
