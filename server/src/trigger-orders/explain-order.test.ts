import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Circumstances, type ExplainedOrder, explainOrder } from './explain-order.js';

const NOW = Date.UTC(2026, 10, 21);
const oco: ExplainedOrder = {
  type: 'oco',
  stage: 'entry',
  triggerMint: 'M',
  triggerCondition: null,
  triggerPriceUsd: null,
  trailingBps: null,
  highWatermark: null,
  lowWatermark: null,
  tpPriceUsd: 120,
  slPriceUsd: 80,
  state: 'open',
  fired: null,
  failures: 0,
  expiresAt: new Date(NOW + 1_000),
  triggeredAt: null,
  retryAt: null,
};
const at = (usd: number) => ({ usd, publishedAt: NOW });
const said = (
  order: ExplainedOrder,
  events: Parameters<typeof explainOrder>[1],
  price: Circumstances['price'],
  more: Partial<Circumstances> = {},
) => explainOrder(order, events, { price, shortage: undefined, ...more, at: NOW }).join(' ');

test('an open order tells how far each leg is', () => {
  const text = said(oco, [], at(100));
  assert.match(text, /price of M is 100 USD/);
  assert.match(text, /take_profit fires at 120 USD and above: not reached/);
  assert.match(said(oco, [], at(80)), /stop_loss fires at 80 USD and below: it is due/);
});

test('a trailing order tells where its mark has taken it', () => {
  const trailing: ExplainedOrder = { ...oco, type: 'single', triggerCondition: 'below', trailingBps: 1_000 };
  assert.match(said({ ...trailing, highWatermark: 200 }, [], at(190)), /fires at 180 USD and below: not reached/);
});

test('a price that cannot be used is named with its flaw', () => {
  assert.match(said(oco, [], 'stale'), /too old/);
  assert.match(said(oco, [], 'contradicting'), /pools say another/);
});

test('what waits, is over or was tried is said', () => {
  const waiting = said({ ...oco, retryAt: new Date(NOW + 5_000), failures: 2 }, [], at(130));
  assert.match(waiting, /not before 2026-11-21T00:00:05.000Z after 2 failed fills/);
  const tried = { ...oco, retryAt: new Date(NOW + 5_000), fired: 'take_profit' } as const;
  assert.match(said(tried, [], at(130)), /Its leg take_profit fired .*; its other legs do not wait for that\./);
  const single = { ...tried, type: 'single', triggerCondition: 'above', triggerPriceUsd: 120, fired: 'entry' } as const;
  assert.match(said(single, [], at(130)), /Its leg entry fired and .*05\.000Z\. The price/);
  assert.match(said({ ...oco, expiresAt: new Date(NOW) }, [], at(100)), /time was over/);
  const fill = { type: 'fill', state: 'failed', signature: 'S', at: new Date(NOW) };
  assert.match(said(oco, [fill], at(100)), /A fill of 2026-11-21T00:00:00.000Z: failed \(S\)/);
});

test('a keeper that cannot pay is the first reason of an order that is due, and none of one that is filled', () => {
  const shortage = 'the wallet has 0 SOL';
  assert.match(said(oco, [], at(130), { shortage }), /^Nothing is filled now: the wallet has 0 SOL\. .*it is due/);
  assert.doesNotMatch(said({ ...oco, state: 'fill_success' }, [], at(130), { shortage }), /Nothing is filled/);
});

test('what a part leaves fires by either leg', () => {
  const part: ExplainedOrder = { ...oco, state: 'partial_fill_success', fired: 'stop_loss' };
  const text = said({ ...part, retryAt: new Date(NOW + 5_000) }, [], at(130));
  assert.match(
    text,
    /A part of it is filled.*could not be filled whole: the next try is not before.*take_profit fires at 120 .*: it is due.*stop_loss fires at 80/,
  );
});

test('an order that is not open tells what it is and when it fired', () => {
  const filled = { ...oco, state: 'fill_success', fired: 'stop_loss' as const, triggeredAt: new Date(NOW) };
  assert.match(said(filled, [], at(100)), /It is fill_success.*stop_loss fired at 2026-11-21/);
  assert.match(said({ ...oco, state: 'ready_to_cancel' }, [], at(100)), /It has not fired/);
});

test('an order whose seal does not fit says so, and that its owner can cancel it', () => {
  assert.match(said(oco, [], at(130), { isOurs: false }), /It is not filled: .* no seal .* it is due/);
  assert.doesNotMatch(said(oco, [], at(130), { isOurs: true }), /seal/);
});
