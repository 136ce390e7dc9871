// Pools of ticks and of bins that the programs create themselves, with liquidity and limit orders.

import { DLMM_PROGRAM, IMMUTABLE_WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { newAddress } from '@slipway/programs/testing';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressToBytes,
  associatedTokenAddress,
  findProgramAddress,
  MEMO_PROGRAM,
  RENT_SYSVAR,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  address as toAddress,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { accountTag } from '../anchor.js';
import type { Lab } from './lab.js';
import { derive, fundedTaker, run, sorted, u8, u16, u64, u128 } from './made-pools.js';

const ONE = 1n << 64n;
/** DLMM lets anybody create pairs that are priced in this token. */
const USDC = toAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const CUSTOM_BASE = toAddress('MFGQxwAmB91SwuYX36okv2Qmdc9aMuHTwWGUrp4AtB1');

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
const u32 = (value: number) => i32(value);
const keyBytes = (key: Address) => Buffer.from(addressToBytes(key));

// ---- Orca -------------------------------------------------------------------------------------------------------------

const SPACING = 64;
const ARRAY = 88 * SPACING;
const ADAPTIVE_TIER = 1_024 + SPACING;

/** Three positions over fixed and dynamic accounts of ticks, one of them on one side of the price only. */
export function makeWhirlpool(lab: Lab, isAdaptive: boolean): Address {
  const { vm } = lab;
  const taker = fundedTaker(lab);
  const [a, b] = sorted([vm.mint(), vm.mint()]) as [Address, Address];
  const of = (seed: string, ...keys: Address[]) => derive(IMMUTABLE_WHIRLPOOL_PROGRAM, seed, ...keys);
  const config = writeConfig(lab);
  const seeds = [Buffer.from('whirlpool'), ...[config, a, b].map(keyBytes), u16(isAdaptive ? ADAPTIVE_TIER : SPACING)];
  const pool = findProgramAddress(seeds, IMMUTABLE_WHIRLPOOL_PROGRAM).address;
  const vaults = [newAddress(), newAddress()];
  const tier = isAdaptive ? writeAdaptiveTier(lab, config) : writeTier(lab, config);
  const accounts = [
    ...[config, a, b, of('token_badge', config, a), of('token_badge', config, b)].map(readonlyAccount),
    ...[writableSigner(taker), ...(isAdaptive ? [readonlySigner(taker)] : []), writableAccount(pool)],
    ...[...(isAdaptive ? [writableAccount(of('oracle', pool))] : []), ...vaults.map(writableSigner)],
    ...[tier, TOKEN_PROGRAM, TOKEN_PROGRAM, SYSTEM_PROGRAM, RENT_SYSVAR].map(readonlyAccount),
  ];
  const [name, ...terms] = isAdaptive
    ? (['initialize_pool_with_adaptive_fee', u128(ONE), u8(0)] as const)
    : (['initialize_pool_v2', u16(SPACING), u128(ONE)] as const);
  run(lab, IMMUTABLE_WHIRLPOOL_PROGRAM, name, accounts, ...terms);
  for (const start of [-2 * ARRAY, -ARRAY, 0, ARRAY]) makeTicks(lab, pool, start);
  const parties = { pool, mints: [a, b], vaults };
  addPosition(lab, parties, { lower: -ARRAY - 640, upper: ARRAY + 640, liquidity: 10n ** 12n });
  addPosition(lab, parties, { lower: -128, upper: 64, liquidity: 3n * 10n ** 12n });
  addPosition(lab, parties, { lower: 640, upper: 1_280, liquidity: 5n * 10n ** 12n });
  return pool;
}

function writeConfig({ vm, taker }: Lab): Address {
  const data = Buffer.concat([Buffer.alloc(8), ...[taker, taker, taker].map(keyBytes), u16(1_300), u16(0)]);
  data.writeBigUInt64LE(accountTag('WhirlpoolsConfig'));
  return vm.put(newAddress(), data, IMMUTABLE_WHIRLPOOL_PROGRAM);
}

function writeTier({ vm }: Lab, config: Address): Address {
  const data = Buffer.concat([Buffer.alloc(8), keyBytes(config), u16(SPACING), u16(3_000)]);
  data.writeBigUInt64LE(accountTag('FeeTier'));
  return vm.put(newAddress(), data, IMMUTABLE_WHIRLPOOL_PROGRAM);
}

function writeAdaptiveTier({ vm }: Lab, config: Address): Address {
  const periods = [u16(30), u16(600), u16(5_000)];
  const volatility = [u32(4_000), u32(350_000), u16(SPACING), u16(SPACING)];
  const data = Buffer.concat([
    ...[Buffer.alloc(8), keyBytes(config), u16(ADAPTIVE_TIER), u16(SPACING), Buffer.alloc(64)],
    ...[u16(1_000), ...periods, ...volatility, Buffer.alloc(128)],
  ]);
  data.writeBigUInt64LE(accountTag('AdaptiveFeeTier'));
  return vm.put(newAddress(), data, IMMUTABLE_WHIRLPOOL_PROGRAM);
}

function ticksAt(pool: Address, tick: number): Address {
  const start = Math.floor(tick / ARRAY) * ARRAY;
  const seeds = [Buffer.from('tick_array'), keyBytes(pool), Buffer.from(String(start))];
  return findProgramAddress(seeds, IMMUTABLE_WHIRLPOOL_PROGRAM).address;
}

function makeTicks(lab: Lab, pool: Address, start: number): void {
  const payer = writableSigner(lab.taker);
  const accounts = [
    readonlyAccount(pool),
    payer,
    writableAccount(ticksAt(pool, start)),
    readonlyAccount(SYSTEM_PROGRAM),
  ];
  if (start < 0) run(lab, IMMUTABLE_WHIRLPOOL_PROGRAM, 'initialize_tick_array', accounts, i32(start));
  else run(lab, IMMUTABLE_WHIRLPOOL_PROGRAM, 'initialize_dynamic_tick_array', accounts, i32(start), u8(0));
}

function addPosition(
  lab: Lab,
  { pool, mints, vaults }: { pool: Address; mints: Address[]; vaults: Address[] },
  { lower, upper, liquidity }: { lower: number; upper: number; liquidity: bigint },
): void {
  const { taker } = lab;
  const mint = newAddress();
  const position = derive(IMMUTABLE_WHIRLPOOL_PROGRAM, 'position', mint);
  const token = associatedTokenAddress(taker, mint);
  const opened = [
    ...[writableSigner(taker), readonlyAccount(taker), writableAccount(position), writableSigner(mint)],
    ...[writableAccount(token), readonlyAccount(pool)],
    ...[TOKEN_PROGRAM, SYSTEM_PROGRAM, RENT_SYSVAR, ASSOCIATED_TOKEN_PROGRAM].map(readonlyAccount),
  ];
  run(lab, IMMUTABLE_WHIRLPOOL_PROGRAM, 'open_position', opened, u8(0), i32(lower), i32(upper));
  const accounts = [
    ...[writableAccount(pool), ...[TOKEN_PROGRAM, TOKEN_PROGRAM, MEMO_PROGRAM].map(readonlyAccount)],
    ...[readonlySigner(taker), writableAccount(position), readonlyAccount(token), ...mints.map(readonlyAccount)],
    ...[...mints.map((each) => lab.purse(each, TOKEN_PROGRAM)), ...vaults].map(writableAccount),
    ...[ticksAt(pool, lower), ticksAt(pool, upper)].map(writableAccount),
  ];
  const most = u64(2n ** 62n);
  run(lab, IMMUTABLE_WHIRLPOOL_PROGRAM, 'increase_liquidity_v2', accounts, u128(liquidity), most, most, u8(0));
}

// ---- DLMM -------------------------------------------------------------------------------------------------------------

const ACTIVE = 33;
const REACH = 34;

/** A pair with liquidity around a bin, and limit orders on either side of it. */
export function makeDlmmPair(lab: Lab, collectFeeMode: number): Address {
  const { vm } = lab;
  const taker = fundedTaker(lab);
  const [x, y] = [vm.mint(), vm.mint({ address: USDC })];
  const of = (seed: string, ...keys: Address[]) => derive(DLMM_PROGRAM, seed, ...keys);
  const find = (...seeds: Buffer[]) => findProgramAddress(seeds, DLMM_PROGRAM).address;
  const pair = find(keyBytes(CUSTOM_BASE), ...sorted([x, y]).map(keyBytes));
  const reserves = [x, y].map((mint) => find(keyBytes(pair), keyBytes(mint)));
  const purses = [x, y].map((mint) => lab.purse(mint, TOKEN_PROGRAM)) as [Address, Address];
  const none = readonlyAccount(DLMM_PROGRAM);
  const event = [readonlyAccount(of('__event_authority')), none];
  const bins = [-1, 0].map((index) => find(Buffer.from('bin_array'), keyBytes(pair), i64(index)));
  run(
    ...([lab, DLMM_PROGRAM, 'initialize_customizable_permissionless_lb_pair2'] as const),
    [
      ...[writableAccount(pair), none, readonlyAccount(x), readonlyAccount(y), ...reserves.map(writableAccount)],
      ...[writableAccount(of('oracle', pair)), readonlyAccount(purses[0]), writableSigner(taker), none, none],
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, SYSTEM_PROGRAM, purses[1]].map(readonlyAccount),
      ...event,
    ],
    // By time, no vault and no point of activation; the owner cannot close it; limit orders.
    ...[i32(ACTIVE), u16(25), u16(10_000), u8(1, 0, 0, 0, 0, 0, collectFeeMode), Buffer.alloc(60)],
  );
  for (const [i, address] of bins.entries()) {
    const accounts = [
      readonlyAccount(pair),
      writableAccount(address),
      writableSigner(taker),
      readonlyAccount(SYSTEM_PROGRAM),
    ];
    run(lab, DLMM_PROGRAM, 'initialize_bin_array', accounts, i64(i - 1));
  }
  const position = newAddress();
  run(
    ...([lab, DLMM_PROGRAM, 'initialize_position'] as const),
    [
      ...[writableSigner(taker), writableSigner(position), readonlyAccount(pair), readonlySigner(taker)],
      ...[readonlyAccount(SYSTEM_PROGRAM), readonlyAccount(RENT_SYSVAR), ...event],
    ],
    ...[i32(ACTIVE - REACH), i32(2 * REACH + 1)],
  );
  const span = [i32(ACTIVE - REACH), i32(ACTIVE + REACH), u8(6), Buffer.alloc(64)];
  run(
    ...([lab, DLMM_PROGRAM, 'add_liquidity_by_strategy2'] as const),
    [
      ...[writableAccount(position), writableAccount(pair), none, ...[...purses, ...reserves].map(writableAccount)],
      ...[readonlyAccount(x), readonlyAccount(y), readonlySigner(taker)],
      ...[readonlyAccount(TOKEN_PROGRAM), readonlyAccount(TOKEN_PROGRAM), ...event, ...bins.map(writableAccount)],
    ],
    ...[u64(10n ** 11n), u64(10n ** 11n), i32(ACTIVE), i32(0), ...span, u32(0)],
  );
  for (const [side, id] of [ACTIVE + 5, ACTIVE - 3].entries()) {
    const accounts = [
      ...[writableAccount(pair), none, writableAccount(reserves[side]!), readonlyAccount([x, y][side]!)],
      ...[writableSigner(newAddress()), writableSigner(taker), readonlyAccount(taker), writableAccount(purses[side]!)],
      ...[readonlySigner(taker), readonlyAccount(TOKEN_PROGRAM), readonlyAccount(SYSTEM_PROGRAM), ...event],
      writableAccount(bins[1]!),
    ];
    const order = [u8(side === 0 ? 1 : 0), Buffer.alloc(16), u8(0), u32(1), i32(id), u64(7n * 10n ** 9n), u32(0)];
    run(lab, DLMM_PROGRAM, 'place_limit_order', accounts, ...order);
  }
  return pair;
}

function i64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}
