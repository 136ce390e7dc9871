import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountMeta,
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Instruction,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
  writableSigner,
} from '@slipway/wire';
import { checkAskedDeposit, checkAskedWithdrawal } from './check-vault.js';

const newAddress = () => generateKeypair().address;
const [wallet, vault, outputMint] = [newAddress(), newAddress(), newAddress()];
const AMOUNT = 1_000_000_000n;

const withdrawing = (...instructions: Instruction[]) => withdrawingOf(undefined, ...instructions);

function withdrawingOf(mints: readonly Address[] | undefined, ...instructions: Instruction[]): void {
  const all = [setComputeUnitLimit(1_000), setComputeUnitPrice(1n), ...instructions];
  checkAskedWithdrawal({ wallet, vault, mints }, { signers: [wallet, vault], instructions: all });
}

function check(
  owner: Address,
  open: (account: Address) => Instruction[],
  lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE),
): void {
  const account = createAddressWithSeed(vault, 'seed', owner);
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

test('attack: a lying service has the wallet pay for token accounts that nobody asked for with its withdrawal, or rents that no chain asks for: not signed', () => {
  const makes = (mint: Address) => createAssociatedTokenIdempotent({ payer: wallet, owner: wallet, mint });
  const account = newAddress();
  const brings = (mint: Address, amount = 1n) =>
    tokenTransferChecked({
      source: account,
      mint,
      destination: associatedTokenAddress(wallet, mint),
      authority: vault,
      amount,
      decimals: 6,
    });
  const closes = tokenCloseAccount({ account, destination: wallet, authority: vault });
  const [one, two, three] = [newAddress(), newAddress(), newAddress()];
  withdrawing(closes);
  withdrawing(makes(one), brings(one), closes, makes(two), brings(two), closes);
  assert.throws(() => withdrawing(makes(one), closes), /accounts that nobody asked for/);
  assert.throws(() => withdrawing(makes(one), brings(two), closes), /accounts that nobody asked for/);
  assert.throws(() => withdrawing(makes(one), brings(one, 0n), closes), /moves nothing/);
  withdrawingOf([one, two], makes(one), brings(one), closes);
  assert.throws(() => withdrawingOf([two, three], makes(one), brings(one), closes), /a transfer of/);
  assert.throws(() => withdrawingOf([two, three], makes(one), brings(two), closes), /nobody asked for/);
  const all = [one, two, three].flatMap((mint) => [makes(mint), brings(mint)]);
  assert.throws(() => withdrawing(...all), /accounts that nobody asked for/);
  const opened = (to: Address) => [tokenInitializeAccount3({ account: to, mint: WRAPPED_SOL_MINT, owner: vault })];
  check(TOKEN_PROGRAM, opened, 5_000_000n);
  assert.throws(() => check(TOKEN_PROGRAM, opened, 5_000_001n), /too much rent/);
});

test('attack: a lying service hands a signature of a withdrawal to the hook of its token: not signed', () => {
  const [mint, hook, list, tracker] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const destination = associatedTokenAddress(wallet, mint, TOKEN_2022_PROGRAM);
  const accounts = { source: newAddress(), mint, destination, authority: vault };
  const moved = tokenTransferChecked({ ...accounts, amount: 1n, decimals: 0, tokenProgram: TOKEN_2022_PROGRAM });
  const withMore = (...more: AccountMeta[]) => withdrawing({ ...moved, accounts: [...moved.accounts, ...more] });
  withMore(readonlySigner(tracker));
  const called = [readonlyAccount(hook), readonlyAccount(list)];
  withMore(...called);
  for (const signer of [wallet, vault, tracker]) {
    assert.throws(() => withMore(readonlySigner(signer), ...called), /not understood/);
    assert.throws(() => withMore(...called, writableSigner(signer)), /not understood/);
  }
});
