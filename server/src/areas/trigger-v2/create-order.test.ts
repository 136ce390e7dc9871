import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { hashOf } from './create-order.js';

test('two bodies are the same order where they differ in the order of their fields only', () => {
  const body = { tpPriceUsd: 2, orderType: 'oco', tpSlippageBps: 5, slPriceUsd: 1, expiresAt: 7, extra: [1, { a: 2 }] };
  const turned = Object.fromEntries(Object.entries(body).toReversed());
  assert.deepEqual(hashOf(turned), hashOf(body));
  assert.notDeepEqual(hashOf({ ...body, slPriceUsd: 1.5 }), hashOf(body));
  assert.notDeepEqual(hashOf({ ...body, extra: [1, { a: 3 }] }), hashOf(body));
  // Orders that are stored have this hash.
  const stored = JSON.stringify(Object.entries(body).sort());
  assert.deepEqual(hashOf(body), createHash('sha256').update(stored).digest());
});

test('attack: a free key posts orders with thousands of fields that nobody knows: they are compared by name, and no value is made a text for that', () => {
  let texts = 0;
  class Value {
    toString(): string {
      texts++;
      return '';
    }
  }
  const field = (index: number) => [`f${(index * 7_919) % 2_000}`, new Value()] as const;
  const body = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => field(index)));
  assert.equal(hashOf(body).length, 32);
  assert.equal(texts, 0);
});
