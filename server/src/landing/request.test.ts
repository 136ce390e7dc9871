import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { addressText, digits, PayloadMismatch, payloadReader } from './payload.js';
import { newRequest } from './request.js';

const NOW = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW };
const made = {
  area: 'express',
  wallet: 'wallet',
  crafted: { messageHash: new Uint8Array(32).fill(7) },
  lastValidBlockHeight: 150n,
  cosigners: ['gas'] as const,
  payload: { a: 1 },
};

test('a request id answers for a minute while its blockhash lives, and for two minutes more', () => {
  const { crafted, ...row } = made;
  const { id, ...request } = newRequest(made, clock);
  assert.match(id, /^[0-9a-f]{8}-/);
  assert.deepEqual(request, {
    ...row,
    messageHash: crafted.messageHash,
    createdAt: new Date(NOW),
    expiresAt: new Date(NOW + 60_000 + 120_000),
  });
});

test('a request has the id that was made for it, and another one each time where there was none', () => {
  assert.equal(newRequest({ ...made, id: 'known' }, clock).id, 'known');
  assert.notEqual(newRequest(made, clock).id, newRequest(made, clock).id);
});

test('what an area has kept is read back as it was, with what other versions have kept beside it', () => {
  const read = payloadReader(
    Type.Object({ mint: addressText, amount: digits, since: Type.Optional(Type.Array(Type.Object({ at: digits }))) }),
  );
  const mint = 'So11111111111111111111111111111111111111112';
  for (const payload of [
    { mint, amount: '18446744073709551615' },
    { mint, amount: '0', since: [{ at: '1' }] },
    { mint, amount: '0', of: 'another version' },
  ]) {
    assert.equal(read({ id: 'r', area: 'a', payload }), payload);
  }
});

test('what does not fit is an error that names the request, the area and the place', () => {
  const read = payloadReader(Type.Object({ mint: addressText, hops: Type.Array(Type.Object({ amount: digits })) }));
  const mint = 'So11111111111111111111111111111111111111112';
  for (const [payload, place] of [
    [null, 'the whole'],
    ['text', 'the whole'],
    [{}, 'the whole'],
    [{ mint, hops: {} }, '/hops'],
    [{ mint, hops: [{ amount: '1' }, { amount: 1 }] }, '/hops/1/amount'],
    [{ mint, hops: [{ amount: '-1' }] }, '/hops/0/amount'],
    [{ mint: `${mint}0`, hops: [] }, '/mint'],
  ] as const) {
    assert.throws(
      () => read({ id: 'r-1', area: 'swap', payload }),
      (error: Error) => {
        assert.ok(error instanceof PayloadMismatch);
        return ['r-1', 'swap', place].every((part) => error.message.includes(part));
      },
      JSON.stringify(payload),
    );
  }
});
