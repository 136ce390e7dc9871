import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DBC_PROGRAM, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import { ORDER_ENGINE_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import { craftTransaction } from '../../crafting/transaction.js';
import { explainSwap } from './failure.js';

const programs = { router: ROUTER_PROGRAM, orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };
const called = [
  ROUTER_PROGRAM,
  TOKEN_SWAP_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  TOKEN_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  DBC_PROGRAM,
];
const { wire } = craftTransaction({
  feePayer: generateKeypair().address,
  instructions: called.map((program) => ({ program, accounts: [], data: new Uint8Array() })),
  blockhash: generateKeypair().address,
  budget: { computeUnitLimit: 1, computeUnitPrice: 0n },
});
const failureOf = (program: Address, Custom: number) =>
  explainSwap({ InstructionError: [2 + called.indexOf(program), { Custom }] }, wire, programs);

test('slippage is what the router, or a venue, says of it, and of nobody else', () => {
  const slippage = { code: 6001, message: 'Slippage tolerance exceeded' };
  assert.deepEqual(failureOf(ROUTER_PROGRAM, 6001), slippage);
  assert.deepEqual(failureOf(ROUTER_PROGRAM, 16), slippage);
  assert.deepEqual(failureOf(TOKEN_SWAP_PROGRAM, 16), slippage);
  assert.deepEqual(failureOf(RAYDIUM_CPMM_PROGRAM, 6005), slippage);
  assert.deepEqual(failureOf(DBC_PROGRAM, 6002), slippage);
  const other = (code: number) => ({ code, message: `custom program error: #${code}` });
  assert.deepEqual(failureOf(ORDER_ENGINE_PROGRAM, 6001), other(6001));
  assert.deepEqual(failureOf(TOKEN_SWAP_PROGRAM, 6001), other(6001));
  assert.deepEqual(failureOf(DBC_PROGRAM, 6005), other(6005));
  assert.deepEqual(failureOf(TOKEN_PROGRAM, 16), other(16));
  assert.deepEqual(failureOf(TOKEN_PROGRAM, 1), other(1));
});

test('what is no error of a program has a code below 0', () => {
  for (const err of ['AccountNotFound', { InstructionError: [2, 'ProgramFailedToComplete'] }]) {
    const { code, message } = explainSwap(err, wire, programs);
    assert.equal(code, -1002);
    assert.doesNotMatch(message, /Slippage/);
  }
});
