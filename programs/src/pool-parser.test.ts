import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSwap, poolWithdraw } from './pool.js';
import { parsePoolSwap } from './pool-parser.js';
import { openPool } from './pool-testing.js';

test('a swap is read back as it was made, with and without a host, and nothing else is', () => {
  const { accounts, trader } = openPool();
  for (const hostFeeAccount of [undefined, accounts.feeAccount]) {
    const terms = {
      authority: trader.key,
      source: trader.b,
      destination: trader.a,
      amountIn: 2n ** 64n - 1n,
      minimumAmountOut: 7n,
    };
    const made = poolSwap({ accounts, aToB: false, ...terms, ...(hostFeeAccount && { hostFeeAccount }) });
    const read = { ...terms, pool: accounts.pool, vaultIn: accounts.vaultB, vaultOut: accounts.vaultA };
    assert.deepEqual(parsePoolSwap(made), read);
    assert.equal(parsePoolSwap(made, trader.key), undefined);
    assert.equal(parsePoolSwap({ ...made, data: made.data.subarray(0, 16) }), undefined);
    assert.equal(parsePoolSwap({ ...made, accounts: made.accounts.slice(0, 13) }), undefined);
  }
  const both = { accountA: trader.a, accountB: trader.b, poolTokens: trader.poolTokens };
  const amounts = { poolTokenAmount: 1n, limitA: 0n, limitB: 0n };
  assert.equal(parsePoolSwap(poolWithdraw({ accounts, authority: trader.key, ...both, ...amounts })), undefined);
});
