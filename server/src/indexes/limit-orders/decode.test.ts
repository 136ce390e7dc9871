import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeOrder, LIMIT_ORDER_ADDRESSES, limitOrderAddress } from '@slipway/programs';
import { associatedTokenAddress, generateKeypair, type Instruction, TOKEN_PROGRAM } from '@slipway/wire';
import { decodeOrderEvents, MOST_REFUSED } from './decode.js';

const key = () => generateKeypair().address;
const [maker, inputMint, outputMint] = [key(), key(), key()];

function opening(uniqueId: bigint): Instruction {
  return initializeOrder({
    payer: maker,
    maker,
    uniqueId,
    makerInputMintAccount: associatedTokenAddress(maker, inputMint, TOKEN_PROGRAM),
    inputMint,
    outputMint,
    inputTokenProgram: TOKEN_PROGRAM,
    outputTokenProgram: TOKEN_PROGRAM,
    makingAmount: 1n,
    takingAmount: 1n,
  });
}

test('attack: a stranger on the chain has a failed transaction name 18 orders that it would have opened: six of them are read', () => {
  const other = { ...opening(0n), program: key() };
  const named = Array.from({ length: 18 }, (_, n) => opening(BigInt(n)));
  const instructions = [other, ...named].map((instruction) => ({ ...instruction, isCalled: false }));
  const events = decodeOrderEvents(
    { slot: 1n, hasFailed: true, calledLength: 0, signers: [maker], instructions },
    LIMIT_ORDER_ADDRESSES,
  );
  assert.deepEqual(
    events.map(({ orderKey, event: { kind } }) => [orderKey, kind]),
    [0n, 1n, 2n, 3n, 4n, 5n].map((id) => [limitOrderAddress(maker, id).address, 'refused']),
  );
  assert.equal(events.length, MOST_REFUSED);
});
