import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkPrice, type Ignored, type PricePolicy, type PriceQuote } from './price-guard.js';

const NOW = Date.UTC(2026, 10, 21);
const policy: PricePolicy = { maxAgeMs: 60_000, maxAheadMs: 5_000, maxConfidenceBps: 100, maxDisagreementBps: 200 };
const quote = (changes: Partial<PriceQuote> = {}): PriceQuote => ({
  usd: 100,
  confidence: 0.5,
  publishedAt: NOW - 1_000,
  source: 'hermes',
  ...changes,
});
const check = (quotes: PriceQuote[], last?: { usd: number; publishedAt: number }) =>
  checkPrice(quotes, last, NOW, policy);

test('a good price is a tick', () => {
  assert.deepEqual(check([quote()]), { usd: 100, publishedAt: NOW - 1_000 });
});

test('whatever is wrong with a price has its name, and is no tick', () => {
  const cases: [Ignored, Partial<PriceQuote>][] = [
    ['not-a-price', { usd: 0 }],
    ['not-a-price', { usd: -1 }],
    ['not-a-price', { usd: Number.NaN }],
    ['not-a-price', { usd: Number.POSITIVE_INFINITY }],
    ['stale', { publishedAt: NOW - 60_001 }],
    ['stale', { publishedAt: Number.NaN }],
    ['stale', { publishedAt: 0 }],
    ['from-the-future', { publishedAt: NOW + 5_001 }],
    ['uncertain', { confidence: 1.01 }],
    ['uncertain', { confidence: -1 }],
    ['uncertain', { confidence: Number.NaN }],
  ];
  for (const [ignored, changes] of cases) assert.equal(check([quote(changes)]), ignored, JSON.stringify(changes));
  assert.equal(check([]), 'missing');
});

test('the limits themselves are still good', () => {
  for (const changes of [{ publishedAt: NOW - 60_000 }, { publishedAt: NOW + 5_000 }, { confidence: 1 }]) {
    assert.notEqual(typeof check([quote(changes)]), 'string', JSON.stringify(changes));
  }
});

test('a price never goes back in time, but may be the same again', () => {
  const last = { usd: 90, publishedAt: NOW - 1_000 };
  assert.equal(check([quote({ publishedAt: NOW - 1_001 })], last), 'older-than-the-last');
  assert.notEqual(typeof check([quote()], last), 'string');
});

test('a price that was dated by a clock that was set back since keeps out none that come after it', () => {
  const soon = { usd: 90, publishedAt: NOW + 5_000 };
  assert.equal(check([quote()], soon), 'older-than-the-last');
  assert.notEqual(typeof check([quote()], { ...soon, publishedAt: NOW + 5_001 }), 'string');
});

test('sources that contradict each other fire nothing; one that is unusable itself has no say', () => {
  assert.equal(check([quote(), quote({ usd: 110, confidence: 0 })]), 'contradicting');
  assert.equal(check([quote(), quote({ usd: 90, confidence: 0 })]), 'contradicting');
  assert.notEqual(typeof check([quote(), quote({ usd: 102, confidence: 0 })]), 'string');
  assert.notEqual(typeof check([quote(), quote({ usd: 110, publishedAt: NOW - 70_000 })]), 'string');
  assert.notEqual(typeof check([quote(), quote({ usd: 0 })]), 'string');
});

test('no tick is ever anything but a fresh, positive, finite price', () => {
  const number = fc.oneof(fc.double(), fc.constantFrom(0, NOW, NOW - 1, NOW + 1, 1, 100));
  const any = fc.record({ usd: number, confidence: number, publishedAt: number, source: fc.constant('x') });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 3 }), (quotes) => {
      const tick = check(quotes);
      if (typeof tick === 'string') return;
      assert.ok(tick.usd > 0 && Number.isFinite(tick.usd));
      assert.ok(NOW - tick.publishedAt <= policy.maxAgeMs && tick.publishedAt - NOW <= policy.maxAheadMs);
    }),
    { numRuns: 2_000 },
  );
});
