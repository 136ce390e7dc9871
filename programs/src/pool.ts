import {
  type Address,
  addressFromBytes,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  TOKEN_PROGRAM,
  address as toAddress,
} from '@slipway/wire/formats';

/** The address that SPL Token Swap (version 3) has on the public clusters. */
export const TOKEN_SWAP_PROGRAM: Address = toAddress('SwapsVeCiPHMUAtzQWZw7RjsKjgCjhwU55QGu4U1Szw');

/** Bytes of a pool account. */
export const POOL_SIZE = 324;
/** Pool tokens that the creator of a pool is given, in base units. */
export const INITIAL_POOL_TOKENS = 1_000_000_000n;

const FEES_AT = 227;
const FEES_SIZE = 64;
const CURVE_TYPE_AT = 291;

/** A fraction below 1; 0 of 0 for none. */
export interface Fee {
  numerator: bigint;
  denominator: bigint;
}

export interface PoolFees {
  /** Of the input; stays in the pool. */
  trade: Fee;
  /** Of the input; stays in the pool, and its worth in pool tokens is minted to the fee account. */
  ownerTrade: Fee;
  /** Of the pool tokens that are withdrawn; goes to the fee account. */
  ownerWithdraw: Fee;
  /** The host's share of the pool tokens that are minted for `ownerTrade`. */
  host: Fee;
}

export interface Pool {
  bump: number;
  /** Token program of the pool's own tokens. */
  tokenProgram: Address;
  vaultA: Address;
  vaultB: Address;
  poolMint: Address;
  mintA: Address;
  mintB: Address;
  feeAccount: Address;
  fees: PoolFees;
}

/** The pool in an account's data; undefined when that is not an initialized constant-product pool. */
export function decodePool(data: Uint8Array): Pool | undefined {
  if (data.length !== POOL_SIZE || data[0] !== 1 || data[1] !== 1 || data[CURVE_TYPE_AT] !== 0) return undefined;
  return {
    bump: data[2]!,
    tokenProgram: addressFromBytes(data, 3),
    vaultA: addressFromBytes(data, 35),
    vaultB: addressFromBytes(data, 67),
    poolMint: addressFromBytes(data, 99),
    mintA: addressFromBytes(data, 131),
    mintB: addressFromBytes(data, 163),
    feeAccount: addressFromBytes(data, 195),
    fees: decodeFees(data.subarray(FEES_AT, FEES_AT + FEES_SIZE)),
  };
}

/** The data of the account of this pool: what `decodePool` reads. */
export function encodePool(pool: Pool): Uint8Array {
  const data = new Uint8Array(POOL_SIZE);
  data.set([1, 1, pool.bump]);
  const keys = [pool.tokenProgram, pool.vaultA, pool.vaultB, pool.poolMint, pool.mintA, pool.mintB, pool.feeAccount];
  for (const [i, key] of keys.entries()) data.set(addressToBytes(key), 3 + 32 * i);
  data.set(encodeFees(pool.fees), FEES_AT);
  return data;
}

function decodeFees(data: Uint8Array): PoolFees {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const fee = (i: number): Fee => ({
    numerator: view.getBigUint64(16 * i, true),
    denominator: view.getBigUint64(16 * i + 8, true),
  });
  return { trade: fee(0), ownerTrade: fee(1), ownerWithdraw: fee(2), host: fee(3) };
}

function encodeFees({ trade, ownerTrade, ownerWithdraw, host }: PoolFees): Uint8Array {
  const parts = [trade, ownerTrade, ownerWithdraw, host];
  return u64s(parts.flatMap(({ numerator, denominator }) => [numerator, denominator]));
}

/** The authority of a pool: owner of its vaults and authority of its mint. */
export function poolAuthority(
  pool: Address,
  program: Address = TOKEN_SWAP_PROGRAM,
): { address: Address; bump: number } {
  return findProgramAddress([addressToBytes(pool)], program);
}

export interface InitializePool {
  pool: Address;
  vaultA: Address;
  vaultB: Address;
  poolMint: Address;
  feeAccount: Address;
  /** Token account for the first pool tokens. */
  receiver: Address;
  fees: PoolFees;
  program?: Address;
}

/**
 * Initializes a pool: an account of the program with POOL_SIZE bytes of zero, two funded vaults and an empty mint that
 * belong to its authority. To be sent with what funds the vaults: anybody may initialize them.
 */
export function initializePool(input: InitializePool): Instruction {
  const { pool, vaultA, vaultB, poolMint, feeAccount, receiver, fees, program = TOKEN_SWAP_PROGRAM } = input;
  const data = new Uint8Array(1 + FEES_SIZE + 33);
  data.set(encodeFees(fees), 1);
  return {
    program,
    accounts: [
      writable(pool),
      readonly(poolAuthority(pool, program).address),
      readonly(vaultA),
      readonly(vaultB),
      writable(poolMint),
      readonly(feeAccount),
      writable(receiver),
      readonly(TOKEN_PROGRAM),
    ],
    data,
  };
}

/** A pool's accounts as its instructions need them. */
export interface PoolAccounts {
  pool: Address;
  authority: Address;
  vaultA: Address;
  vaultB: Address;
  poolMint: Address;
  feeAccount: Address;
  mintA: Address;
  mintB: Address;
  /** Token programs of the two traded tokens. */
  programA: Address;
  programB: Address;
  program?: Address;
}

export interface PoolSwap {
  accounts: PoolAccounts;
  aToB: boolean;
  /** Owner or delegate of `source`; signs. */
  authority: Address;
  source: Address;
  destination: Address;
  /** The most that is paid; the program takes less where rounding allows. */
  amountIn: bigint;
  minimumAmountOut: bigint;
  /** Account of pool tokens for the host's share of the owner's fee. */
  hostFeeAccount?: Address;
}

/** Trades with the pool. Fails with 16 when less than `minimumAmountOut` would come out. */
export function poolSwap(input: PoolSwap): Instruction {
  const { accounts: pool, aToB, authority, source, destination, hostFeeAccount } = input;
  const a = { vault: pool.vaultA, mint: pool.mintA, program: pool.programA };
  const b = { vault: pool.vaultB, mint: pool.mintB, program: pool.programB };
  const [from, to] = aToB ? [a, b] : [b, a];
  return {
    program: pool.program ?? TOKEN_SWAP_PROGRAM,
    accounts: [
      readonly(pool.pool),
      readonly(pool.authority),
      signer(authority),
      writable(source),
      writable(from.vault),
      writable(to.vault),
      writable(destination),
      writable(pool.poolMint),
      writable(pool.feeAccount),
      readonly(from.mint),
      readonly(to.mint),
      readonly(from.program),
      readonly(to.program),
      readonly(TOKEN_PROGRAM),
      ...(hostFeeAccount ? [writable(hostFeeAccount)] : []),
    ],
    data: instructionData(1, [input.amountIn, input.minimumAmountOut]),
  };
}

export interface PoolLiquidity {
  accounts: PoolAccounts;
  /** Owner or delegate of what is paid; signs. */
  authority: Address;
  accountA: Address;
  accountB: Address;
  /** Account of pool tokens. */
  poolTokens: Address;
  poolTokenAmount: bigint;
  /** The most to pay (deposit) or the least to receive (withdrawal) of A and of B. */
  limitA: bigint;
  limitB: bigint;
}

/** Pays in both tokens in the pool's proportion and mints `poolTokenAmount` pool tokens. */
export function poolDeposit(input: PoolLiquidity): Instruction {
  const { accounts: pool, authority, accountA, accountB, poolTokens } = input;
  return {
    program: pool.program ?? TOKEN_SWAP_PROGRAM,
    accounts: [
      readonly(pool.pool),
      readonly(pool.authority),
      signer(authority),
      writable(accountA),
      writable(accountB),
      writable(pool.vaultA),
      writable(pool.vaultB),
      writable(pool.poolMint),
      writable(poolTokens),
      ...[pool.mintA, pool.mintB, pool.programA, pool.programB, TOKEN_PROGRAM].map(readonly),
    ],
    data: instructionData(2, [input.poolTokenAmount, input.limitA, input.limitB]),
  };
}

/** Burns `poolTokenAmount` pool tokens, less the owner's fee, and pays out their share of both tokens. */
export function poolWithdraw(input: PoolLiquidity): Instruction {
  const { accounts: pool, authority, accountA, accountB, poolTokens } = input;
  return {
    program: pool.program ?? TOKEN_SWAP_PROGRAM,
    accounts: [
      readonly(pool.pool),
      readonly(pool.authority),
      signer(authority),
      writable(pool.poolMint),
      writable(poolTokens),
      writable(pool.vaultA),
      writable(pool.vaultB),
      writable(accountA),
      writable(accountB),
      writable(pool.feeAccount),
      ...[pool.mintA, pool.mintB, TOKEN_PROGRAM, pool.programA, pool.programB].map(readonly),
    ],
    data: instructionData(3, [input.poolTokenAmount, input.limitA, input.limitB]),
  };
}

/** Errors of the pool program by number; those above 28 are not part of the public interface. */
export const POOL_ERRORS = {
  0: 'AlreadyInUse',
  1: 'InvalidProgramAddress',
  2: 'InvalidOwner',
  3: 'InvalidOutputOwner',
  4: 'ExpectedMint',
  5: 'ExpectedAccount',
  6: 'EmptySupply',
  7: 'InvalidSupply',
  8: 'InvalidDelegate',
  9: 'InvalidInput',
  10: 'IncorrectSwapAccount',
  11: 'IncorrectPoolMint',
  14: 'InvalidInstruction',
  15: 'RepeatedMint',
  16: 'ExceededSlippage',
  17: 'InvalidCloseAuthority',
  18: 'InvalidFreezeAuthority',
  19: 'IncorrectFeeAccount',
  20: 'ZeroTradingTokens',
  22: 'ConversionFailure',
  23: 'InvalidFee',
  24: 'IncorrectTokenProgramId',
  25: 'UnsupportedCurveType',
  27: 'UnsupportedCurveOperation',
  28: 'InvalidFeeAccount',
  29: 'UnsupportedToken',
  30: 'IncorrectTradedMint',
} as const;

function instructionData(tag: number, amounts: bigint[]): Uint8Array {
  const data = new Uint8Array(1 + 8 * amounts.length);
  data[0] = tag;
  data.set(u64s(amounts), 1);
  return data;
}

function u64s(values: bigint[]): Uint8Array {
  const data = new Uint8Array(8 * values.length);
  const view = new DataView(data.buffer);
  for (const [i, value] of values.entries()) {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError(`${value} is not an unsigned 64-bit number`);
    view.setBigUint64(8 * i, value, true);
  }
  return data;
}

const readonly = (address: Address) => ({ address, signer: false, writable: false });
const writable = (address: Address) => ({ address, signer: false, writable: true });
const signer = (address: Address) => ({ address, signer: true, writable: false });
