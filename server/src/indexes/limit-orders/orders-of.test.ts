import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitOrderEvent, PlacedOrderEvent } from '../../store/limit-orders.js';
import { ordersOf } from './orders-of.js';

const terms = (makingAmount = '10', maker = 'maker') => ({
  maker,
  inputMint: 'in',
  outputMint: 'out',
  makingAmount,
  takingAmount: '100',
  feeBps: 100,
  slippageBps: 0,
  expiredAt: null,
});
const opened = (makingAmount?: string): LimitOrderEvent => ({ kind: 'opened', terms: terms(makingAmount) });
const closed = (...signers: string[]): LimitOrderEvent => ({ kind: 'closed', signers, isDust: false });
const traded = (makingAmount: string, left: string): LimitOrderEvent => ({
  kind: 'traded',
  keeper: 'keeper',
  makingAmount,
  takingAmount: '100',
  remainingMakingAmount: left,
  remainingTakingAmount: left,
});
const seen = (left: string): LimitOrderEvent => ({
  kind: 'seen',
  terms: terms(),
  createdAt: 5,
  remainingMakingAmount: left,
  remainingTakingAmount: left,
});

/** One event a slot; the account has no transaction. */
function history(...events: LimitOrderEvent[]): PlacedOrderEvent[] {
  return events.map((event, index) => ({
    orderKey: 'order',
    txId: event.kind === 'seen' ? '' : `tx${index}`,
    number: 0,
    slot: BigInt(index),
    position: 0n,
    at: new Date(index * 1_000),
    event,
  }));
}
const rows = (...events: LimitOrderEvent[]) =>
  ordersOf('program', history(...events)).map(({ openTx, closeTx, state, remainingMakingAmount, trades }) => [
    ...[openTx, closeTx, state, Number(remainingMakingAmount), trades.map(({ txId }) => txId).join()],
  ]);

test('an order is opened, filled in parts and closed, and its address used again', () => {
  assert.deepEqual(rows(opened(), traded('4', '6'), traded('6', '0'), opened('3'), closed('maker', 'other')), [
    ['tx0', 'tx2', 'completed', 0, 'tx1,tx2'],
    ['tx3', 'tx4', 'cancelled', 3, ''],
  ]);
  assert.deepEqual(rows(opened(), closed('other')), [['tx0', 'tx1', 'expired', 10, '']]);
  assert.deepEqual(rows(opened(), { kind: 'closed', signers: ['admin'], isDust: true }), [
    ['tx0', 'tx1', 'cancelled', 10, ''],
  ]);
  assert.deepEqual(rows({ kind: 'refused', terms: terms() }, opened()), [
    ['tx0', '', 'failed', 10, ''],
    ['tx1', '', 'open', 10, ''],
  ]);
});

test('what the account says counts at its slot: earlier events do not undo it, later ones do', () => {
  assert.deepEqual(rows(seen('10'), traded('4', '6')), [['', '', 'open', 6, 'tx1']]);
  assert.deepEqual(rows(seen('10'), closed('maker')), [['', 'tx1', 'cancelled', 10, '']]);
  assert.deepEqual(rows(traded('4', '6'), seen('6')), [['', '', 'open', 6, 'tx0']]);
  // Between the two is a trade that could not be read.
  assert.deepEqual(rows(opened(), traded('4', '6'), seen('2')), [['tx0', '', 'open', 2, 'tx1']]);
  assert.deepEqual(rows(opened(), seen('10'), traded('10', '0')), [['tx0', 'tx2', 'completed', 0, 'tx2']]);
});

test('its opening takes the place of what the account has told, and nothing of an older order comes with it', () => {
  assert.deepEqual(rows(seen('6'), opened(), traded('4', '6')), [['tx1', '', 'open', 6, 'tx2']]);
  assert.deepEqual(rows(traded('9', '1'), closed('maker'), traded('2', '8'), seen('8')), [['', '', 'open', 8, 'tx2']]);
  assert.deepEqual(rows(traded('10', '0'), seen('10')), [['', '', 'open', 10, '']]);
});

test('an account that was read in the slot in which another order followed says nothing of the first', () => {
  assert.deepEqual(rows(opened('20'), seen('6'), closed('maker'), opened(), traded('4', '6')), [
    ['tx0', 'tx2', 'cancelled', 20, ''],
    ['tx3', '', 'open', 6, 'tx4'],
  ]);
});

test('without a known opening and account there is nothing to tell', () => {
  assert.deepEqual(rows(traded('4', '6'), traded('6', '0'), closed('maker')), []);
  assert.deepEqual(rows(), []);
});

test('the fee of a trade is that of its order, rounded down', () => {
  const [order] = ordersOf(
    'program',
    history(opened(), { ...traded('1', '9'), takingAmount: '199' } as LimitOrderEvent),
  );
  assert.equal(order!.trades[0]!.feeAmount, 1n);
  assert.deepEqual([order!.createdAt, order!.updatedAt], [new Date(0), new Date(1_000)]);
});
