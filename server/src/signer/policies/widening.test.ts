import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PriceTerms, termsThatWiden, wideningText } from './widening.js';

const none: PriceTerms = {
  triggerPriceUsd: null,
  trailingBps: null,
  tpPriceUsd: null,
  slPriceUsd: null,
  slippageBps: null,
  tpSlippageBps: null,
  slSlippageBps: null,
};
const bps = fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: null });
const usd = fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), { nil: null });
const terms: fc.Arbitrary<PriceTerms> = fc.record({
  triggerPriceUsd: usd,
  trailingBps: bps,
  tpPriceUsd: usd,
  slPriceUsd: usd,
  slippageBps: bps,
  tpSlippageBps: bps,
  slSlippageBps: bps,
});

test('each leg has its own slippage: what another one accepts does not matter', () => {
  const before = { ...none, tpPriceUsd: 3, slPriceUsd: 1, tpSlippageBps: 50, slSlippageBps: 5_000 };
  assert.deepEqual(termsThatWiden(before, { ...before, tpPriceUsd: 2 }, 2_000), []);
  assert.deepEqual(termsThatWiden(before, { ...before, slPriceUsd: 2 }, 2_000), ['slPriceUsd']);
  assert.deepEqual(termsThatWiden(before, { ...before, slPriceUsd: 2, slSlippageBps: 2_000 }, 2_000), []);
  assert.deepEqual(termsThatWiden(before, { ...before, slSlippageBps: 4_999 }, 2_000), []);
  assert.deepEqual(termsThatWiden(before, { ...before, tpSlippageBps: 2_001 }, 2_000), ['tpSlippageBps']);
  const trailing = { ...none, trailingBps: 500, slippageBps: 3_000 };
  assert.deepEqual(termsThatWiden(trailing, { ...trailing, trailingBps: 499 }, 2_000), ['trailingBps']);
});

test('attack: a thief of a login moves the trigger of an order whose automatic slippage may become more than the bound', () => {
  const before = { ...none, triggerPriceUsd: 3 };
  assert.deepEqual(termsThatWiden(before, { ...before, triggerPriceUsd: 2 }, 999), ['triggerPriceUsd']);
  assert.deepEqual(termsThatWiden(before, { ...before, triggerPriceUsd: 2 }, 1_000), []);
  assert.deepEqual(termsThatWiden({ ...before, slippageBps: 500 }, before, 500), ['slippageBps']);
  assert.deepEqual(termsThatWiden(before, { ...before, slippageBps: 501 }, 500), ['slippageBps']);
  assert.deepEqual(termsThatWiden(before, { ...before }, 500), []);
});

test('whatever is edited without a signature, no leg that was touched accepts more than the bound or than before', () => {
  const legs = [
    ['slippageBps', ['triggerPriceUsd', 'trailingBps']],
    ['tpSlippageBps', ['tpPriceUsd']],
    ['slSlippageBps', ['slPriceUsd']],
  ] as const;
  fc.assert(
    fc.property(terms, terms, fc.integer({ min: 0, max: 10_000 }), (before, after, most) => {
      if (termsThatWiden(before, after, most).length > 0) return;
      for (const [slippage, triggers] of legs) {
        const accepted = after[slippage] ?? 1_000;
        const isMoved = triggers.some((trigger) => before[trigger] !== after[trigger]);
        assert.ok(accepted <= most || (!isMoved && accepted <= (before[slippage] ?? 1_000)));
      }
    }),
    { numRuns: 5_000 },
  );
});

test('the text to sign says every term, changed or not, and differs for other orders, services, times and terms', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const before = { ...none, triggerCondition: 'below', triggerPriceUsd: 50, trailingBps: 7, expiresAt: at };
  const after = { ...before, triggerPriceUsd: 1e9, slippageBps: 10_000, expiresAt: new Date('2027-01-02T03:04:05Z') };
  const order = { id: 'o', host: 'api.example.com', signedAt: at };
  assert.equal(
    wideningText(order, before, after),
    [
      'Change my order o at api.example.com, which may then be filled for much less:',
      'triggerCondition: below, as before',
      'triggerPriceUsd: 50 -> 1000000000',
      'trailingBps: 7, as before',
      'slippageBps: automatic -> 10000',
      'expiresAt: 2026-01-02T03:04:05.678Z -> 2027-01-02T03:04:05.000Z',
      'Signed at 2026-01-02T03:04:05.678Z.',
    ].join('\n'),
  );
  const texts = [
    wideningText(order, before, after),
    wideningText({ ...order, id: 'p' }, before, after),
    wideningText({ ...order, host: 'other.example.com' }, before, after),
    wideningText({ ...order, signedAt: new Date(0) }, before, after),
    wideningText(order, { ...before, triggerPriceUsd: 51 }, after),
    wideningText(order, before, { ...after, slippageBps: 9_999 }),
    // A term that the edit leaves alone, and that somebody has moved since the text was made.
    wideningText(order, { ...before, trailingBps: 8 }, { ...after, trailingBps: 8 }),
    wideningText(order, { ...before, triggerCondition: 'above' }, { ...after, triggerCondition: 'above' }),
  ];
  assert.equal(new Set(texts).size, texts.length);
});
