// Pools that the programs create themselves, by their own instructions: the venues must read what they write.

import { DAMM_V2_PROGRAM, DBC_PROGRAM, instructionTag, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import { newAddress, succeeded } from '@slipway/programs/testing';
import {
  type AccountMeta,
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressToBytes,
  associatedTokenAddress,
  findProgramAddress,
  RENT_SYSVAR,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  address as toAddress,
  WRAPPED_SOL_MINT,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { accountTag } from '../anchor.js';
import type { Lab } from './lab.js';
import { writeU128 } from './meteora-damm-v2.js';

const ONE = 1n << 64n;
/** Receives Raydium's fee for creating a pool. */
const CPMM_FEE_RECEIVER = toAddress('DNXgeM9EiiaAbaWvwjHj9fQQLAX5ZsfHyvmYUNRAdNC8');

export const sorted = (mints: Address[]): Address[] =>
  mints.toSorted((a, b) => Buffer.compare(addressToBytes(a), addressToBytes(b)));

export function derive(program: Address, seed: string, ...keys: Address[]): Address {
  return findProgramAddress([Buffer.from(seed), ...keys.map(addressToBytes)], program).address;
}

export const u8 = (...values: number[]) => Buffer.from(values);
export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
export function u128(value: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  writeU128(bytes, value, 0);
  return bytes;
}
const text = (value: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
};

export function run(lab: Lab, program: Address, name: string, accounts: AccountMeta[], ...data: Buffer[]): void {
  const instruction = { program, accounts, data: Buffer.concat([instructionTag(name), ...data]) };
  const limit = setComputeUnitLimit(1_400_000);
  succeeded(lab.vm.run(limit, { ...instruction, data: new Uint8Array(instruction.data) }));
}

/** The taker, with SOL for rent. */
export function fundedTaker({ vm, taker }: Lab): Address {
  return vm.put(taker, new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
}

/** A pool of Raydium whose trading begins a second later. */
export function makeCpmmPool(lab: Lab): Address {
  const { vm } = lab;
  const taker = fundedTaker(lab);
  const [first, second] = sorted([vm.mint(), vm.mint()]) as [Address, Address];
  const settings = Buffer.alloc(236);
  settings.writeBigUInt64LE(accountTag('AmmConfig'), 0);
  for (const [i, rate] of [2_500n, 120_000n, 40_000n, 150_000_000n].entries())
    settings.writeBigUInt64LE(rate, 12 + 8 * i);
  const config = vm.put(derive(RAYDIUM_CPMM_PROGRAM, 'amm_config'), settings, RAYDIUM_CPMM_PROGRAM);
  const receiver = { address: CPMM_FEE_RECEIVER, mint: WRAPPED_SOL_MINT, owner: newAddress() };
  vm.tokenAccount({ ...receiver, isNative: true, rentExemptReserve: 2_039_280n });
  const of = (seed: string, ...keys: Address[]) => derive(RAYDIUM_CPMM_PROGRAM, seed, ...keys);
  const pool = of('pool', config, first, second);
  const shares = of('pool_lp_mint', pool);
  const accounts = [
    ...[writableSigner(taker), readonlyAccount(config), readonlyAccount(of('vault_and_lp_mint_auth_seed'))],
    ...[writableAccount(pool), readonlyAccount(first), readonlyAccount(second), writableAccount(shares)],
    ...[first, second].map((mint) => writableAccount(lab.purse(mint, TOKEN_PROGRAM))),
    writableAccount(associatedTokenAddress(taker, shares)),
    ...[first, second].map((mint) => writableAccount(of('pool_vault', pool, mint))),
    ...[CPMM_FEE_RECEIVER, of('observation', pool)].map(writableAccount),
    ...[TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN_PROGRAM].map(readonlyAccount),
    ...[ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, RENT_SYSVAR].map(readonlyAccount),
  ];
  run(lab, RAYDIUM_CPMM_PROGRAM, 'initialize', accounts, u64(10n ** 12n), u64(3n * 10n ** 12n), u64(0n));
  return pool;
}

/** A DAMM v2 pool with a falling and a dynamic fee, open to trading at once. */
export function makeDammPool(lab: Lab, collectFeeMode: number): Address {
  const taker = fundedTaker(lab);
  const [a, b] = [lab.vm.mint(), lab.vm.mint({ tokenProgram: TOKEN_2022_PROGRAM })];
  const of = (seed: string, ...keys: Address[]) => derive(DAMM_V2_PROGRAM, seed, ...keys);
  const pool = of('cpool', ...sorted([a, b]).toReversed());
  const nft = newAddress();
  const accounts = [
    ...[readonlyAccount(taker), writableSigner(nft), writableAccount(of('position_nft_account', nft))],
    ...[writableSigner(taker), readonlyAccount(of('pool_authority')), writableAccount(pool)],
    ...[writableAccount(of('position', nft)), readonlyAccount(a), readonlyAccount(b)],
    ...[a, b].map((mint) => writableAccount(of('token_vault', mint, pool))),
    ...[writableAccount(lab.purse(a, TOKEN_PROGRAM)), writableAccount(lab.purse(b, TOKEN_2022_PROGRAM))],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM].map(readonlyAccount),
    ...[of('__event_authority'), DAMM_V2_PROGRAM].map(readonlyAccount),
  ];
  const [isCompounding, noRange] = [collectFeeMode === 2, [0n, 2n ** 128n - 1n] as const];
  const [low, high] = isCompounding ? noRange : ([ONE / 4n, ONE * 4n] as const);
  const dynamic = [u8(1), u16(1), u128(1_844_674_407_370_955n), u16(10), u16(120), u16(5000), u16(0), u16(220)];
  run(
    ...([lab, DAMM_V2_PROGRAM, 'initialize_customizable_pool', accounts] as const),
    ...[u64(400_000_000n), u16(100), u64(60n), u64(3_000_000n), u8(0)],
    ...[u16(isCompounding ? 5000 : 0), u8(0), ...dynamic, u16(40_000), u16(0)],
    ...[u128(low), u128(high), u8(0), u128((10n ** 12n) << 64n), u128(ONE), u8(1, collectFeeMode, 0)],
  );
  return pool;
}

/** A launch curve of three segments for a Token-2022 token, with a falling and a dynamic fee. */
export function makeDbcPool(lab: Lab, collectFeeMode: number): Address {
  const taker = fundedTaker(lab);
  const [config, base, quote] = [newAddress(), newAddress(), lab.vm.mint({ decimals: 9 })];
  const of = (seed: string, ...keys: Address[]) => derive(DBC_PROGRAM, seed, ...keys);
  const event = [of('__event_authority'), DBC_PROGRAM].map(readonlyAccount);
  const points = [2n, 3n, 4n].map((times) => [u128((ONE * times) / 100n), u128(((10n ** 14n) << 64n) / times)]);
  const dynamic = [u8(1), u16(1), u128(1_844_674_407_370_955n), u16(10), u16(120), u16(5000), u16(0), u16(220)];
  run(
    ...([lab, DBC_PROGRAM, 'create_config'] as const),
    [
      ...[writableSigner(config), readonlyAccount(taker), readonlyAccount(taker), readonlyAccount(quote)],
      ...[writableSigner(taker), readonlyAccount(SYSTEM_PROGRAM), ...event],
    ],
    ...[u64(400_000_000n), u16(100), u64(60n), u64(3_000_000n), u8(0), ...dynamic, u16(20_000), u16(0)],
    // Migrates to DAMM v2; by time; Token-2022; all liquidity is the partner's, locked for good.
    ...[u8(collectFeeMode, 1, 1, 1, 6, 0, 100, 0, 0), u64(10n ** 12n), u128(ONE / 100n), Buffer.alloc(40)],
    // A fee of 0.25 % after it, no fixed supply, no creator's share, metadata that nobody can change.
    ...[u8(0, 0, 0, 1), Buffer.alloc(2 + 4 + 8 + 13 + 13 + 1 + 16 + 1 + 2 + 2)],
    ...[Buffer.from([points.length, 0, 0, 0]), ...points.flat()],
  );
  const pool = of('pool', config, ...sorted([base, quote]).toReversed());
  run(
    ...([lab, DBC_PROGRAM, 'initialize_virtual_pool_with_token2022'] as const),
    [
      ...[readonlyAccount(config), readonlyAccount(of('pool_authority')), readonlySigner(taker), writableSigner(base)],
      ...[readonlyAccount(quote), writableAccount(pool)],
      ...[base, quote].map((mint) => writableAccount(of('token_vault', mint, pool))),
      ...[writableSigner(taker), readonlyAccount(TOKEN_PROGRAM), readonlyAccount(TOKEN_2022_PROGRAM)],
      ...[readonlyAccount(SYSTEM_PROGRAM), ...event],
    ],
    ...[text('Token'), text('TKN'), text('https://example.com/token.json')],
  );
  return pool;
}
