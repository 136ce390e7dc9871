import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  apply,
  currentTrade,
  fillPercent,
  holdsFunds,
  IllegalEvent,
  type Leg,
  liveLegs,
  newOrder,
  type Order,
  type OrderEvent,
  type OrderType,
} from './order.js';
import { isActive, isFinal, RAW_STATES, type RawState, shownState, transitions } from './state.js';

const TYPES: OrderType[] = ['single', 'oco', 'otoco'];
const LEGS: Leg[] = ['entry', 'take_profit', 'stop_loss'];

/** Every event, the fills in all their sizes for an order with `left` to fill. */
function eventsFor(left: bigint): OrderEvent[] {
  const plain = new Set(Object.values(transitions).flatMap((from) => Object.keys(from)));
  plain.delete('triggered');
  plain.delete('fill_landed');
  const fills: OrderEvent[] = [];
  for (let input = 0n; input <= left + 1n; input += 1n) {
    for (const into of ['wallet', 'vault'] as const) {
      for (const whole of [true, false]) fills.push({ type: 'fill_landed', input, output: 2n * input, into, whole });
    }
  }
  return [
    ...[...plain].map((type) => ({ type }) as OrderEvent),
    ...LEGS.map((leg): OrderEvent => ({ type: 'triggered', leg })),
    ...fills,
  ];
}

const tryApply = (order: Order, event: OrderEvent): Order | undefined => {
  try {
    return apply(order, event);
  } catch (error) {
    assert.ok(error instanceof IllegalEvent, String(error));
    return undefined;
  }
};

interface Step {
  from: Order;
  event: OrderEvent;
  to: Order;
}

const keyOf = (order: Order): string =>
  // A third failure in a row changes nothing that the second has not.
  JSON.stringify({ ...order, failures: Math.min(order.failures, 2) }, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/** Every state of every order of that type with a deposit of 3, by every sequence of events there is. */
function explore(type: OrderType): { orders: Map<string, Order>; steps: Step[] } {
  const first = newOrder(type, 3n);
  const orders = new Map([[keyOf(first), first]]);
  const steps: Step[] = [];
  for (const from of orders.values()) {
    for (const event of eventsFor(currentTrade(from).remaining)) {
      const to = tryApply(from, event);
      if (!to) continue;
      steps.push({ from, event, to });
      if (!orders.has(keyOf(to))) orders.set(keyOf(to), { ...to, failures: Math.min(to.failures, 2) });
    }
  }
  return { orders, steps };
}

const explored = TYPES.map((type) => ({ type, ...explore(type) }));
const allSteps = explored.flatMap(({ steps }) => steps);
const allOrders = explored.flatMap(({ orders }) => [...orders.values()]);

describe('every order there can be', () => {
  test('takes every permitted edge and reaches every state, and no others', () => {
    const permitted = new Set<string>();
    for (const [from, events] of Object.entries(transitions)) {
      for (const [event, targets] of Object.entries(events)) {
        for (const to of targets) permitted.add(`${from} ${event} ${to}`);
      }
    }
    const taken = new Set(allSteps.map(({ from, event, to }) => `${from.state} ${event.type} ${to.state}`));
    assert.deepEqual([...permitted].sort(), [...taken].sort());
    // The contract has a state for a leg that lost to the other; our orders have no state per leg.
    const states = new Set<RawState>(['oco_cancelled', ...allOrders.map(({ state }) => state)]);
    assert.deepEqual([...states].sort(), [...RAW_STATES].sort());
    assert.equal(RAW_STATES.length, 19);
    assert.equal(new Set(RAW_STATES.map(shownState)).size, 8);
  });

  test('neither loses nor makes anything: what is not left is used, and what came out is with the wallet or in the vault', () => {
    for (const order of allOrders) {
      for (const trade of [order.entry, order.exit]) {
        if (!trade) continue;
        assert.ok(trade.remaining >= 0n && trade.remaining <= trade.initial);
        assert.equal(trade.received, 2n * (trade.initial - trade.remaining), keyOf(order));
      }
      if (order.exit) {
        assert.equal(order.exit.initial, order.entry.received);
      }
      assert.ok(order.held >= 0n && order.held <= currentTrade(order).received);
    }
  });

  test('can always come to an end, in which its funds are out or can be taken out', () => {
    for (const { orders, steps } of explored) {
      const before = new Map<string, string[]>();
      for (const { from, to } of steps) before.set(keyOf(to), [...(before.get(keyOf(to)) ?? []), keyOf(from)]);
      const ended = [...orders.keys()].filter((key) => isFinal(orders.get(key)!.state));
      const reaching = new Set(ended);
      for (const key of reaching) for (const earlier of before.get(key) ?? []) reaching.add(earlier);
      assert.deepEqual(
        [...orders.keys()].filter((key) => !reaching.has(key)),
        [],
      );
      for (const key of ended) assert.equal(holdsFunds(orders.get(key)!), false, key);
    }
  });

  test('whose cancellation has begun is never filled again', () => {
    const after = new Set(allSteps.filter(({ from }) => from.state === 'ready_to_cancel').map(({ to }) => to.state));
    assert.deepEqual([...after].sort(), ['cancelled', 'ready_to_cancel']);
    for (const { from, event, to } of allSteps) {
      // Asked for while a fill was under way: that one may still land, but no other begins.
      if (from.cancelAsked && to.state === 'ready_execute') assert.equal(event.type, 'cancel_asked');
    }
  });

  test('can have its funds taken out whenever nothing is under way', () => {
    for (const order of allOrders) {
      if (!holdsFunds(order)) continue;
      const idle: RawState[] = [
        'open',
        'execute_failed',
        'partial_fill_success',
        'expired',
        'fill_failed',
        'withdraw_failed',
      ];
      if (idle.includes(order.state)) {
        const asked = apply(order, { type: 'cancel_asked' });
        assert.equal(apply(asked, { type: 'withdrawn' }).state, 'cancelled');
      }
    }
  });

  test('has both legs of a pair live until all of it is sold', () => {
    for (const order of allOrders) {
      const isPair = order.type === 'oco' || order.stage === 'exit';
      const waits = !order.cancelAsked && (order.state === 'open' || order.state === 'partial_fill_success');
      if (isPair) assert.deepEqual(liveLegs(order), waits ? ['take_profit', 'stop_loss'] : [], keyOf(order));
    }
  });

  test('opens its exit only when the whole entry is filled', () => {
    for (const { from, to, event } of allSteps) {
      if (from.stage === to.stage) continue;
      assert.equal(event.type, 'exit_opened');
      // Which an entry that is partly filled never is.
      assert.equal(from.state, 'execute_success');
      assert.equal(from.type, 'otoco');
    }
  });
});

describe('whoever is late', () => {
  /** Two that both saw `order`: the second finds it changed, and looks again before it does anything. */
  const after = (order: Order, first: OrderEvent, second: OrderEvent): Order | undefined => {
    const moved = tryApply(order, first);
    return moved && tryApply(moved, second);
  };
  const open = (['deposit_sent', 'deposit_landed'] as const).reduce(
    (order, type) => apply(order, { type }),
    newOrder('single', 3n),
  );
  const fire: OrderEvent = { type: 'triggered', leg: 'entry' };

  test('cannot claim an order that another keeper, its owner or its end has taken', () => {
    for (const first of [fire, { type: 'cancel_asked' }, { type: 'expiry_due' }] as OrderEvent[]) {
      assert.equal(after(open, first, fire), undefined, first.type);
      assert.equal(after(open, first, { type: 'expiry_due' }), undefined, first.type);
      assert.equal(after(open, first, { type: 'edited' }), undefined, first.type);
    }
  });

  test('with a cancellation is remembered while a fill is under way', () => {
    const steps: OrderEvent[] = [fire, { type: 'sent' }, { type: 'cancel_asked' }];
    const sent = steps.reduce(apply, open);
    assert.equal(sent.state, 'executing');
    assert.equal(apply(sent, { type: 'fill_lost' }).state, 'ready_to_cancel');
    const fill = { type: 'fill_landed', input: 3n, output: 6n, into: 'wallet', whole: true } as const;
    const part = apply(sent, { ...fill, input: 1n, output: 2n, whole: false });
    assert.deepEqual([part.state, part.entry.remaining], ['ready_to_cancel', 2n]);
    assert.equal(apply(sent, fill).state, 'fill_success');
  });
});

test('random walks over large amounts keep every unit', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
  const walk = fc.record({
    type: fc.constantFrom(...TYPES),
    deposit: amount,
    choices: fc.array(fc.record({ pick: fc.nat(), share: fc.integer({ min: 1, max: 100 }), output: amount }), {
      maxLength: 60,
    }),
  });
  fc.assert(
    fc.property(walk, ({ type, deposit, choices }) => {
      let order = newOrder(type, deposit);
      // Of all fills; paid out; and traded again by an exit.
      let [received, delivered, reused] = [0n, 0n, 0n];
      for (const { pick, share, output } of choices) {
        const { remaining } = currentTrade(order);
        const input = share === 100 ? remaining : (remaining * BigInt(share)) / 100n;
        const events = eventsFor(0n)
          .filter(({ type }) => type !== 'fill_landed')
          .concat(
            (['wallet', 'vault'] as const).flatMap((into) =>
              [true, false].map((whole) => ({ type: 'fill_landed', input, output, into, whole }) as const),
            ),
          );
        const possible = events.filter((event) => tryApply(order, event));
        const event = possible[pick % Math.max(possible.length, 1)];
        if (!event) break;
        const next = apply(order, event);
        if (event.type === 'fill_landed') {
          received += event.output;
          if (event.into === 'wallet') delivered += event.output;
          assert.equal(currentTrade(order).remaining - event.input, currentTrade(next).remaining);
        }
        if (event.type === 'output_withdrawn' || event.type === 'withdrawn') delivered += order.held;
        if (event.type === 'exit_opened') reused += order.held;
        assert.equal(delivered + reused + next.held, received, event.type);
        order = next;
      }
    }),
    { numRuns: 1_000 },
  );
});

test('what a part leaves is sold by whichever leg fires next', () => {
  const steps: OrderEvent[] = [
    ...(['deposit_sent', 'deposit_landed'] as const).map((type) => ({ type })),
    ...[{ type: 'triggered', leg: 'stop_loss' } as const, { type: 'sent' } as const],
    { type: 'fill_landed', input: 4n, output: 4n, into: 'wallet', whole: false },
  ];
  const part = steps.reduce(apply, newOrder('oco', 10n));
  assert.deepEqual([part.state, liveLegs(part)], ['partial_fill_success', ['take_profit', 'stop_loss']]);
  const again = [{ type: 'triggered', leg: 'take_profit' } as const, { type: 'sent' } as const].reduce(apply, part);
  assert.equal(again.fired, 'take_profit');
  assert.equal(apply(again, { type: 'fill_lost' }).entry.remaining, 6n);
  // What the venue did not take of the rest is the wallet's.
  const done = apply(again, { type: 'fill_landed', input: 5n, output: 5n, into: 'wallet', whole: true });
  assert.deepEqual(
    [done.state, done.entry.remaining, fillPercent(done), holdsFunds(done)],
    ['fill_success', 1n, 1, false],
  );
});

test('the share that is filled is 0 before the first fill and 1 only after the last', () => {
  const order = (initial: bigint, remaining: bigint): Order => ({
    ...newOrder('single', initial),
    entry: { initial, remaining, received: 0n },
  });
  assert.equal(fillPercent(order(10n, 10n)), 0);
  assert.equal(fillPercent(order(10n, 7n)), 0.3);
  assert.equal(fillPercent(order(10n, 0n)), 1);
  assert.ok(fillPercent(order(2n ** 64n - 1n, 1n)) < 1);
  assert.ok(fillPercent(order(2n ** 64n - 1n, 2n ** 64n - 2n)) > 0);
});

test('what is under way, or expired with its funds in the vault, is active; the rest is past', () => {
  const active = RAW_STATES.filter((state) => isActive(state, false));
  assert.deepEqual([...new Set(active.map(shownState))].sort(), ['executing', 'open', 'pending', 'pending_withdraw']);
  assert.deepEqual([isActive('expired', true), isActive('expired', false)], [true, false]);
  assert.equal(isActive('fill_failed', true), false);
});
