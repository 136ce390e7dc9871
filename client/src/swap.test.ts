import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedOf } from './swap.js';

test('what a landed swap has moved is told as it is, below 0 too, and by the quote where it is no amount: never as an error', () => {
  const told = ['1500000', '0', '-539280', undefined, '', 'NaN', '1.5', '--1', '9'.repeat(40), 7n as unknown as string];
  const moved = told.map((each) => movedOf(each, 42n));
  assert.deepEqual(moved, [1_500_000n, 0n, -539_280n, 42n, 42n, 42n, 42n, 42n, 42n, 7n]);
});
