import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSwap } from '@slipway/programs';
import {
  associatedTokenAddress,
  generateKeypair,
  type Instruction,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { checkAskedPayment } from './check-payment.js';
import type { Payment, VerificationRequest } from './verification.js';

const newAddress = () => generateKeypair().address;
const [wallet, receiver, mint, inputMint, other] = [
  newAddress(),
  newAddress(),
  newAddress(),
  newAddress(),
  newAddress(),
];
const details = { tokenId: mint, twitterHandle: '', description: '' };
const budget = [setComputeUnitLimit(1_000), setComputeUnitPrice(1n)];

function check(
  asked: Partial<VerificationRequest>,
  said: Partial<Payment> & { inputMint?: string; maxInputAmount?: string },
  instructions: Instruction[],
): void {
  const payment = { receiverAddress: receiver, mint, tokenDecimals: 6, feeLamports: 10_000, gasless: false, ...said };
  const read = { signers: [wallet], instructions: [...budget, ...instructions] };
  checkAskedPayment({ programs: {} }, { ...details, ...asked }, payment as Payment, wallet, read);
}

const direct = (amount: bigint, decimals: number) => [
  tokenTransferChecked({
    source: associatedTokenAddress(wallet, mint),
    mint,
    destination: associatedTokenAddress(receiver, mint),
    authority: wallet,
    amount,
    decimals,
  }),
  memo('reference'),
];

const pool = { pool: other, authority: other, vaultA: other, vaultB: other, poolMint: other, feeAccount: other };
const bySwap = poolSwap({
  accounts: { ...pool, mintA: inputMint, mintB: mint, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM },
  aToB: true,
  authority: wallet,
  source: associatedTokenAddress(wallet, inputMint),
  destination: associatedTokenAddress(receiver, mint),
  amountIn: 70n,
  minimumAmountOut: 1_000_000_000n,
});
const swapped = { amount: '1000000000', inputMint, maxInputAmount: '70' };

test('attack: a lying service says that a token has more decimals than it has, to be paid more of it: not signed', () => {
  check({}, { amount: '1000000000' }, direct(1_000_000_000n, 6));
  assert.throws(() => check({}, { amount: '1000000000000', tokenDecimals: 9 }, direct(1_000_000_000_000n, 6)), /mint/);
});

test('attack: a lying service says that a token has ten million decimals, whose price takes seconds to find: not signed', () => {
  assert.throws(() => check({}, { amount: '1', tokenDecimals: 10_000_000 }, direct(1n, 6)), /10000000 decimals/);
});

test('attack: a lying service is paid in another currency than the client has named: not signed', () => {
  check({ paymentCurrency: 'USDC' }, swapped, [bySwap]);
  check({ paymentCurrency: 'USDC', inputMint, maxAmount: 70n }, swapped, [bySwap]);
  for (const asked of [
    {},
    { paymentCurrency: 'PLATFORM_TOKEN' },
    { paymentCurrency: 'SOL', maxAmount: 70n },
    { paymentCurrency: 'USDC', inputMint: other },
  ] as const) {
    assert.throws(() => check(asked, swapped, [bySwap]), /a payment with/);
  }
  const inTokens = direct(1_000_000_000n, 6);
  assert.throws(() => check({ paymentCurrency: 'SOL' }, { amount: '1000000000' }, inTokens), /a payment with/);
});
