import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  createAddressWithSeed,
  generateKeypair,
  type Instruction,
  rentExemptLamports,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenInitializeAccount3,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { checkAskedDeposit } from './check-vault.js';

const newAddress = () => generateKeypair().address;
const [wallet, vault, outputMint] = [newAddress(), newAddress(), newAddress()];
const AMOUNT = 1_000_000_000n;

function check(owner: Address, open: (account: Address) => Instruction[]): void {
  const account = createAddressWithSeed(vault, 'seed', owner);
  const lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const made = { payer: wallet, newAccount: account, base: vault, seed: 'seed', lamports, space: TOKEN_ACCOUNT_SPACE };
  const asked = { wallet, vault, inputMint: WRAPPED_SOL_MINT, outputMint, amount: AMOUNT, account };
  const instructions = [
    setComputeUnitLimit(1_000),
    setComputeUnitPrice(1n),
    systemCreateAccountWithSeed({ ...made, owner }),
    systemTransfer({ from: wallet, to: account, lamports: AMOUNT }),
    ...open(account),
  ];
  checkAskedDeposit(asked, { signers: [wallet, vault], instructions });
}

test('attack: a lying service has SOL deposited into an account of another program, or of nobody: not signed', () => {
  const opened = (account: Address) => [tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: vault })];
  check(TOKEN_PROGRAM, opened);
  assert.throws(() => check(newAddress(), () => []), /an account of another program/);
  assert.throws(() => check(TOKEN_PROGRAM, () => []), /no deposit/);
});
