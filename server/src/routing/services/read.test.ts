import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Nonsense, numberOf, textOf } from './read.js';

test('attack: a router puts an object where a text or a number belongs, which has none, or takes ever so long: it is nonsense', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  for (const value of [JSON.parse('{"toString":1,"valueOf":1}'), deep]) {
    assert.equal(textOf(value), 'something else');
    assert.throws(() => numberOf(value, 'priceImpact'), Nonsense);
  }
  assert.equal(textOf('Whirlpool\n'), 'Whirlpool');
  assert.equal(numberOf('0.5', 'priceImpact'), 0.5);
  assert.equal(numberOf(null, 'priceImpact'), 0);
});
