import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LedgerEvent, type LedgerState, next } from './ledger-state.js';

const events: LedgerEvent[] = ['sent', 'landed', 'failed', 'expired', 'doomed'];

test('whatever happens, a transaction is sent at most once and its end is final', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events)), (happened) => {
      let state: LedgerState = 'crafted';
      const passed: LedgerState[] = [];
      for (const event of happened) {
        const reached = next(state, event);
        if (reached === undefined) continue;
        state = reached;
        passed.push(reached);
      }
      assert.ok(passed.filter((one) => one === 'sending').length <= 1);
      const end = passed.findIndex((one) => one !== 'sending');
      assert.ok(end === -1 || end === passed.length - 1);
      if (passed.includes('landed')) assert.equal(passed[0], 'sending');
      if (passed[0] === 'failed') assert.ok(happened.includes('doomed'));
    }),
  );
});
