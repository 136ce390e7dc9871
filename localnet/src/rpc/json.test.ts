import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { integer, parseJson, stringifyJson } from './json.js';

test('integers beyond 2^53 come in exactly, smaller ones as numbers', () => {
  assert.deepEqual(parseJson('{"a":18446744073709551615,"b":[9007199254740993,9007199254740991],"c":-1}'), {
    a: 18446744073709551615n,
    b: [9007199254740993n, 9007199254740991],
    c: -1,
  });
});

test('digits in strings, fractions and exponents stay what they are', () => {
  const text = String.raw`{"s":"18446744073709551615","q":"\"99999999999999999999","f":0.12345678901234567,"e":1e300}`;
  assert.deepEqual(parseJson(text), JSON.parse(text));
});

test('malformed JSON with many digits is refused', () => {
  for (const text of [
    '[99999999999999999999',
    '[099999999999999999999]',
    '99999999999999999999n',
    '"9999999999999999999',
  ]) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test('attack: another user sends the chain of a sandbox a string without an end, of half a million quotes: read once, and refused', () => {
  for (const end of ['', '\\', '\\u', '\n']) {
    assert.throws(() => parseJson(`[9999999999999999,"${'\\"'.repeat(500_000)}${end}`), SyntaxError);
    assert.throws(() => parseJson(`[9999999999999999,${'"\\\\'.repeat(300_000)}${end}`), SyntaxError);
  }
});

test('big integers go out as integers, undefined properties are left out', () => {
  assert.equal(
    stringifyJson({ a: 18446744073709551615n, b: undefined, c: [1n, null, 'x"', undefined], d: true }),
    '{"a":18446744073709551615,"c":[1,null,"x\\"",null],"d":true}',
  );
});

test('whatever JSON can say survives a round trip', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).map(integer),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
      fc.array(tie('any')),
      fc.dictionary(fc.string(), tie('any')),
    ),
  })).any;
  fc.assert(
    fc.property(value, (given) => {
      const text = stringifyJson(given);
      assert.equal(stringifyJson(parseJson(text)), text);
      // Compared as text where the prototype of a dictionary would differ.
      assert.deepEqual(
        JSON.parse(text),
        JSON.parse(JSON.stringify(given, (_key, v) => (typeof v === 'bigint' ? Number(v) : v))),
      );
    }),
  );
});
