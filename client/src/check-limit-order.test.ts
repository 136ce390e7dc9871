import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeOrder, limitOrderAddress } from '@slipway/programs';
import {
  associatedTokenAddress,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { checkAskedOrder } from './check-limit-order.js';

const newAddress = () => generateKeypair().address;
const [wallet, inputMint, outputMint] = [newAddress(), newAddress(), newAddress()];

function check(feeBps: number | undefined, maxFeeBps?: number): void {
  const terms = { inputMint, outputMint, makingAmount: 1_000n, takingAmount: 2_000n };
  const order = {
    payer: wallet,
    maker: wallet,
    uniqueId: 7n,
    ...terms,
    makerInputMintAccount: associatedTokenAddress(wallet, inputMint),
    inputTokenProgram: TOKEN_PROGRAM,
    outputTokenProgram: TOKEN_PROGRAM,
    ...(feeBps !== undefined && { feeBps }),
  };
  const instructions = [setComputeUnitLimit(1_000), setComputeUnitPrice(1n), initializeOrder(order)];
  const account = limitOrderAddress(wallet, 7n).address;
  checkAskedOrder({}, { ...terms, maxFeeBps }, { wallet, order: account }, { signers: [wallet], instructions });
}

test('attack: a lying service puts a fee on a limit order that nobody asked for, so that it fills at twice its price only: not signed', () => {
  for (const feeBps of [undefined, 3, 10]) check(feeBps);
  for (const feeBps of [11, 9_999, 10_000, 65_535])
    assert.throws(() => check(feeBps), new RegExp(`a fee of ${feeBps} basis points, and 10 is the most`));
  check(25, 25);
  assert.throws(() => check(25, 24), /24 is the most/);
});
