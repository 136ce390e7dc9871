import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AddressLookupTableProgram,
  BPF_LOADER_PROGRAM_ID,
  ComputeBudgetProgram,
  NONCE_ACCOUNT_LENGTH,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  SYSVAR_RECENT_BLOCKHASHES_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  SYSVAR_SLOT_HASHES_PUBKEY,
  SystemProgram,
} from '@solana/web3.js';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import * as programs from './programs.js';
import { rentExemptLamports } from './rent.js';

test('the programs and sysvars are those of web3.js and the token client', () => {
  const expected: [string, string][] = [
    [programs.SYSTEM_PROGRAM, SystemProgram.programId.toBase58()],
    [programs.COMPUTE_BUDGET_PROGRAM, ComputeBudgetProgram.programId.toBase58()],
    [programs.ADDRESS_LOOKUP_TABLE_PROGRAM, AddressLookupTableProgram.programId.toBase58()],
    [programs.BPF_LOADER_2, BPF_LOADER_PROGRAM_ID.toBase58()],
    [programs.CLOCK_SYSVAR, SYSVAR_CLOCK_PUBKEY.toBase58()],
    [programs.RENT_SYSVAR, SYSVAR_RENT_PUBKEY.toBase58()],
    [programs.RECENT_BLOCKHASHES_SYSVAR, SYSVAR_RECENT_BLOCKHASHES_PUBKEY.toBase58()],
    [programs.SLOT_HASHES_SYSVAR, SYSVAR_SLOT_HASHES_PUBKEY.toBase58()],
    [programs.INSTRUCTIONS_SYSVAR, SYSVAR_INSTRUCTIONS_PUBKEY.toBase58()],
    [programs.TOKEN_PROGRAM, TOKEN_PROGRAM_ADDRESS],
    [programs.ASSOCIATED_TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM_ADDRESS],
  ];
  for (const [actual, oracle] of expected) assert.equal(actual, oracle);
});

test('rent is what validators ask for a wallet, a nonce, a mint and a token account', () => {
  assert.equal(rentExemptLamports(0), 890_880n);
  assert.equal(rentExemptLamports(NONCE_ACCOUNT_LENGTH), 1_447_680n);
  assert.equal(rentExemptLamports(82), 1_461_600n);
  assert.equal(rentExemptLamports(165), 2_039_280n);
});
