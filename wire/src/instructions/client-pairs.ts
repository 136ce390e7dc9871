/** Ours and the official clients' instructions from the same values, for the tests of this folder. */
import {
  createNoopSigner,
  isSignerRole,
  isWritableRole,
  type Instruction as KitInstruction,
  address as kitAddress,
  type NoopSigner,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAddMemoInstruction } from '@solana-program/memo';
import * as system from '@solana-program/system';
import * as token from '@solana-program/token';
import fc from 'fast-check';
import type { Address } from '../address.js';
import { anyAddress, anyU8, anyU64 } from '../arbitraries.js';
import type { Instruction } from '../message.js';
import { associatedTokenAddress } from '../pda.js';
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import { createAssociatedToken, createAssociatedTokenIdempotent } from './associated-token.js';
import { setComputeUnitLimit, setComputeUnitPrice } from './compute-budget.js';
import { memo } from './memo.js';
import {
  advanceNonce,
  initializeNonce,
  systemAllocateWithSeed,
  systemCreateAccount,
  systemCreateAccountWithSeed,
  systemTransfer,
} from './system.js';
import {
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenInitializeMint2,
  tokenMintTo,
  tokenRevoke,
  tokenSetCloseAuthority,
  tokenSyncNative,
  tokenTransferChecked,
  tokenUnwrapLamports,
  tokenWithdrawExcessLamports,
} from './token.js';

/** What every pair may pick from. */
interface Values {
  a: Address;
  b: Address;
  c: Address;
  d: Address;
  amount: bigint;
  space: number;
  decimals: number;
  units: number;
  seed: string;
  tokenProgram: Address;
}

export const anyValues: fc.Arbitrary<Values> = fc.record({
  a: anyAddress,
  b: anyAddress,
  c: anyAddress,
  d: anyAddress,
  amount: anyU64,
  space: fc.nat(),
  decimals: anyU8,
  units: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  seed: fc.string({ unit: 'grapheme', maxLength: 8 }),
  tokenProgram: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
});

const signer = (address: Address): NoopSigner => createNoopSigner(kitAddress(address));

/** A client's instruction in our form. */
export function fromKit({ programAddress, accounts = [], data = new Uint8Array() }: KitInstruction): Instruction {
  return {
    program: programAddress as string as Address,
    accounts: accounts.map(({ address, role }) => ({
      address: address as string as Address,
      signer: isSignerRole(role),
      writable: isWritableRole(role),
    })),
    data: Uint8Array.from(data),
  };
}

/** Ours and the client's instruction from the same values. */
export const pairs: Record<string, (values: Values) => [Instruction, KitInstruction]> = {
  systemTransfer: ({ a, b, amount }) => [
    systemTransfer({ from: a, to: b, lamports: amount }),
    system.getTransferSolInstruction({ source: signer(a), destination: kitAddress(b), amount }),
  ],
  systemCreateAccount: ({ a, b, c, amount, space }) => [
    systemCreateAccount({ payer: a, newAccount: b, lamports: amount, space, owner: c }),
    system.getCreateAccountInstruction({
      payer: signer(a),
      newAccount: signer(b),
      lamports: amount,
      space,
      programAddress: kitAddress(c),
    }),
  ],
  systemCreateAccountWithSeed: ({ a, b, c, d, seed, amount, space }) => [
    systemCreateAccountWithSeed({ payer: a, newAccount: b, base: c, seed, lamports: amount, space, owner: d }),
    system.getCreateAccountWithSeedInstruction({
      payer: signer(a),
      newAccount: kitAddress(b),
      baseAccount: signer(c),
      base: kitAddress(c),
      seed,
      amount,
      space,
      programAddress: kitAddress(d),
    }),
  ],
  'systemCreateAccountWithSeed of the payer': ({ a, b, d, seed, amount, space }) => [
    systemCreateAccountWithSeed({ payer: a, newAccount: b, base: a, seed, lamports: amount, space, owner: d }),
    system.getCreateAccountWithSeedInstruction({
      payer: signer(a),
      newAccount: kitAddress(b),
      base: kitAddress(a),
      seed,
      amount,
      space,
      programAddress: kitAddress(d),
    }),
  ],
  systemAllocateWithSeed: ({ a, b, c, seed, space }) => [
    systemAllocateWithSeed({ newAccount: a, base: b, seed, space, owner: c }),
    system.getAllocateWithSeedInstruction({
      newAccount: kitAddress(a),
      baseAccount: signer(b),
      base: kitAddress(b),
      seed,
      space,
      programAddress: kitAddress(c),
    }),
  ],
  advanceNonce: ({ a, b }) => [
    advanceNonce({ nonce: a, authority: b }),
    system.getAdvanceNonceAccountInstruction({ nonceAccount: kitAddress(a), nonceAuthority: signer(b) }),
  ],
  initializeNonce: ({ a, b }) => [
    initializeNonce({ nonce: a, authority: b }),
    system.getInitializeNonceAccountInstruction({ nonceAccount: kitAddress(a), nonceAuthority: kitAddress(b) }),
  ],
  tokenTransferChecked: ({ a, b, c, d, amount, decimals, tokenProgram }) => [
    tokenTransferChecked({ source: a, mint: b, destination: c, authority: d, amount, decimals, tokenProgram }),
    token.getTransferCheckedInstruction(
      {
        source: kitAddress(a),
        mint: kitAddress(b),
        destination: kitAddress(c),
        authority: signer(d),
        amount,
        decimals,
      },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenMintTo: ({ a, b, c, amount, tokenProgram }) => [
    tokenMintTo({ mint: a, destination: b, authority: c, amount, tokenProgram }),
    token.getMintToInstruction(
      { mint: kitAddress(a), token: kitAddress(b), mintAuthority: signer(c), amount },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenCloseAccount: ({ a, b, c, tokenProgram }) => [
    tokenCloseAccount({ account: a, destination: b, authority: c, tokenProgram }),
    token.getCloseAccountInstruction(
      { account: kitAddress(a), destination: kitAddress(b), owner: signer(c) },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenSyncNative: ({ a }) => {
    // The client adds the rent sysvar, which newer versions of the program can take and none needs.
    const { accounts, ...rest } = token.getSyncNativeInstruction({ account: kitAddress(a) });
    return [tokenSyncNative({ account: a }), { ...rest, accounts: accounts.slice(0, 1) }];
  },
  tokenWithdrawExcessLamports: ({ a, b, c, tokenProgram }) => [
    tokenWithdrawExcessLamports({ source: a, destination: b, authority: c, tokenProgram }),
    token.getWithdrawExcessLamportsInstruction(
      { source: kitAddress(a), destination: kitAddress(b), authority: signer(c) },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenUnwrapLamports: ({ a, b, c }) => [
    tokenUnwrapLamports({ source: a, destination: b, authority: c }),
    token.getUnwrapLamportsInstruction({ source: kitAddress(a), destination: kitAddress(b), authority: signer(c) }),
  ],
  tokenRevoke: ({ a, b, tokenProgram }) => [
    tokenRevoke({ account: a, authority: b, tokenProgram }),
    token.getRevokeInstruction(
      { source: kitAddress(a), owner: signer(b) },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenSetCloseAuthority: ({ a, b, c, tokenProgram }) => [
    tokenSetCloseAuthority({ account: a, authority: b, closeAuthority: c, tokenProgram }),
    token.getSetAuthorityInstruction(
      {
        owned: kitAddress(a),
        owner: signer(b),
        authorityType: token.AuthorityType.CloseAccount,
        newAuthority: kitAddress(c),
      },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenInitializeAccount3: ({ a, b, c, tokenProgram }) => [
    tokenInitializeAccount3({ account: a, mint: b, owner: c, tokenProgram }),
    token.getInitializeAccount3Instruction(
      { account: kitAddress(a), mint: kitAddress(b), owner: kitAddress(c) },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  tokenInitializeMint2: ({ a, b, c, decimals, tokenProgram }) => [
    tokenInitializeMint2({ mint: a, decimals, mintAuthority: b, freezeAuthority: c, tokenProgram }),
    token.getInitializeMint2Instruction(
      { mint: kitAddress(a), decimals, mintAuthority: kitAddress(b), freezeAuthority: kitAddress(c) },
      { programAddress: kitAddress(tokenProgram) },
    ),
  ],
  'tokenInitializeMint2 that cannot freeze': ({ a, b, decimals }) => [
    tokenInitializeMint2({ mint: a, decimals, mintAuthority: b }),
    token.getInitializeMint2Instruction({ mint: kitAddress(a), decimals, mintAuthority: kitAddress(b) }),
  ],
  createAssociatedToken: ({ a, b, c, tokenProgram }) => [
    createAssociatedToken({ payer: a, owner: b, mint: c, tokenProgram }),
    token.getCreateAssociatedTokenInstruction({
      payer: signer(a),
      ata: kitAddress(associatedTokenAddress(b, c, tokenProgram)),
      owner: kitAddress(b),
      mint: kitAddress(c),
      tokenProgram: kitAddress(tokenProgram),
    }),
  ],
  createAssociatedTokenIdempotent: ({ a, b, c, tokenProgram }) => [
    createAssociatedTokenIdempotent({ payer: a, owner: b, mint: c, tokenProgram }),
    token.getCreateAssociatedTokenIdempotentInstruction({
      payer: signer(a),
      ata: kitAddress(associatedTokenAddress(b, c, tokenProgram)),
      owner: kitAddress(b),
      mint: kitAddress(c),
      tokenProgram: kitAddress(tokenProgram),
    }),
  ],
  setComputeUnitLimit: ({ units }) => [setComputeUnitLimit(units), getSetComputeUnitLimitInstruction({ units })],
  setComputeUnitPrice: ({ amount }) => [
    setComputeUnitPrice(amount),
    getSetComputeUnitPriceInstruction({ microLamports: amount }),
  ],
  memo: ({ seed }) => [memo(seed), getAddMemoInstruction({ memo: seed }, { programAddress: kitAddress(MEMO_PROGRAM) })],
};
