import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minOutputOf } from '@slipway/client';
import { startSlipway } from '@slipway/testing';

const SEVEN_DAYS = 7 * 86_400;

const slipway = await startSlipway();
const { SOL, USDC } = slipway.mints;
const alice = slipway.client('alice');
after(() => slipway.close());

test('a swap gives what was quoted', async () => {
  const request = { inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n };
  const minOutput = minOutputOf(await alice.quote(request));
  const { outputAmount } = await alice.swap({ ...request, minOutput });
  assert.ok(outputAmount >= minOutput);
});

test('a limit order is filled when the price rises', async () => {
  const pair = { inputMint: SOL, outputMint: USDC, makingAmount: 1_000_000_000n, takingAmount: 160_000_000n };
  const { order } = await alice.createLimitOrder(pair);
  await slipway.setPrice('SOL', 170);
  assert.equal((await alice.waitForLimitOrder(order)).status, 'Completed');
});

test('a gift that nobody claims comes back after seven days', async () => {
  const { invite } = await alice.send({ amount: 100_000_000n });
  await slipway.advance(SEVEN_DAYS + 60);
  const { action } = await alice.waitForInvite(invite, ({ deletion_tx }) => deletion_tx !== null);
  assert.equal(action, 'expired');
});
