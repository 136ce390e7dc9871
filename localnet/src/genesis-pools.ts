import { hash } from 'node:crypto';
import {
  encodePool,
  INITIAL_POOL_TOKENS,
  LIMIT_ORDER_ADDRESSES,
  type Pool,
  type PoolFees,
  poolAuthority,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  encodeLookupTable,
  encodeMint,
  encodeTokenAccount,
  INSTRUCTIONS_SYSVAR,
  rentExemptLamports,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { Account, AddressedAccount, PricedToken } from './types.js';

/** SOL as the genesis knows it; `usd` is its price at the start. */
export const SOL: PricedToken = { symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9, usd: 150 };

const NO_FEE = { numerator: 0n, denominator: 0n };
const POOL_DECIMALS = 9;
/** Both sides together begin with no more than this, so that the price has room to fall by many orders before a u64 is full. */
const MOST_UNITS = 10n ** 16n;
/** With fewer units a side could not follow a price closely. */
const LEAST_UNITS = 10n ** 6n;

interface PoolPlan {
  a: PricedToken;
  b: PricedToken;
  /** What each side is worth. */
  usd: number;
  /** Basis points of the input: all of it stays in the pool, and the owner gets pool tokens for its part. */
  tradeBps: bigint;
  ownerBps: bigint;
}

/** A pool of the genesis with all its accounts. */
export interface GenesisPool {
  address: Address;
  a: PricedToken;
  b: PricedToken;
  /** What its vaults hold, in the smallest unit. */
  reserveA: bigint;
  reserveB: bigint;
  accounts: AddressedAccount[];
}

/**
 * The pools of the sandbox. SOL and the stable have none together, so that a route between them takes two hops; USDC and
 * SOL have two of different depth and fee, so that splitting a large trade pays.
 */
function planPools([usdc, platform, stable]: (PricedToken | undefined)[]): PoolPlan[] {
  const rows: [PricedToken | undefined, PricedToken | undefined, number, bigint, bigint][] = [
    [SOL, usdc, 4_000_000, 20n, 5n],
    [usdc, SOL, 1_000_000, 10n, 0n],
    [platform, usdc, 3_000_000, 20n, 5n],
    [SOL, platform, 2_000_000, 25n, 0n],
    [stable, usdc, 5_000_000, 5n, 0n],
    [platform, stable, 500_000, 25n, 0n],
  ];
  return rows.flatMap(([a, b, usd, tradeBps, ownerBps]) =>
    a && b && a.mint !== b.mint ? [{ a, b, usd, tradeBps, ownerBps }] : [],
  );
}

/**
 * The pools between SOL and these tokens: USDC, the platform token and the stable, in that order, as far as they are
 * there. Their addresses follow from the mints and the fee. The faucet holds their pool tokens.
 */
export function genesisPools(tokens: (PricedToken | undefined)[], faucet: Address): GenesisPool[] {
  return planPools(tokens).flatMap((plan) => {
    const [reserveA, reserveB] = reserves(plan);
    return reserveA < LEAST_UNITS || reserveB < LEAST_UNITS ? [] : [poolOf(plan, reserveA, reserveB, faucet)];
  });
}

function reserves({ a, b, usd }: PoolPlan): [bigint, bigint] {
  const units = (token: PricedToken) =>
    (BigInt(Math.round((usd / token.usd) * 1e6)) * 10n ** BigInt(token.decimals)) / 1_000_000n;
  const [unitsA, unitsB] = [units(a), units(b)];
  const divisor = 1n + (unitsA + unitsB) / MOST_UNITS;
  return [unitsA / divisor, unitsB / divisor];
}

function poolOf(plan: PoolPlan, reserveA: bigint, reserveB: bigint, faucet: Address): GenesisPool {
  const { a, b, tradeBps, ownerBps } = plan;
  const named = (part: string) =>
    addressFromBytes(hash('sha256', `slipway sandbox ${part} ${a.mint} ${b.mint} ${tradeBps + ownerBps}`, 'buffer'));
  const address = named('pool');
  const authority = poolAuthority(address);
  const pool: Pool = {
    bump: authority.bump,
    tokenProgram: TOKEN_PROGRAM,
    vaultA: named('vault a'),
    vaultB: named('vault b'),
    poolMint: named('pool mint'),
    mintA: a.mint,
    mintB: b.mint,
    feeAccount: named('pool fees'),
    fees: feesOf(plan),
  };
  const mint = encodeMint({
    decimals: POOL_DECIMALS,
    supply: INITIAL_POOL_TOKENS,
    mintAuthority: authority.address,
    initialized: true,
  });
  const accounts = [
    { address, account: rentExempt(encodePool(pool), TOKEN_SWAP_PROGRAM) },
    { address: pool.poolMint, account: rentExempt(mint, TOKEN_PROGRAM) },
    { address: pool.vaultA, account: tokenAccount(authority.address, a.mint, reserveA) },
    { address: pool.vaultB, account: tokenAccount(authority.address, b.mint, reserveB) },
    { address: pool.feeAccount, account: tokenAccount(faucet, pool.poolMint, 0n) },
    {
      address: associatedTokenAddress(faucet, pool.poolMint),
      account: tokenAccount(faucet, pool.poolMint, INITIAL_POOL_TOKENS),
    },
  ];
  return { address, a, b, reserveA, reserveB, accounts };
}

/**
 * A lookup table with what swaps over these pools and fills of limit orders name, so that routes of several hops fit into
 * a transaction.
 */
export function genesisLookupTable(pools: readonly GenesisPool[], authority: Address): AddressedAccount {
  const ofOrders = [LIMIT_ORDER_ADDRESSES.eventAuthority, LIMIT_ORDER_ADDRESSES.fee, INSTRUCTIONS_SYSVAR];
  const addresses = new Set<Address>([TOKEN_SWAP_PROGRAM, TOKEN_PROGRAM, ...ofOrders]);
  for (const { address, a, b, accounts } of pools) {
    const named = [poolAuthority(address).address, a.mint, b.mint, ...accounts.map((each) => each.address)];
    for (const each of named) addresses.add(each);
  }
  const data = encodeLookupTable({
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0n,
    lastExtendedFrom: 0,
    authority,
    addresses: [...addresses],
  });
  const address = addressFromBytes(
    hash('sha256', `slipway sandbox lookup table ${[...addresses].join(' ')}`, 'buffer'),
  );
  return { address, account: rentExempt(data, ADDRESS_LOOKUP_TABLE_PROGRAM) };
}

function feesOf({ tradeBps, ownerBps }: PoolPlan): PoolFees {
  const bps = (numerator: bigint) => (numerator === 0n ? NO_FEE : { numerator, denominator: 10_000n });
  return { trade: bps(tradeBps), ownerTrade: bps(ownerBps), ownerWithdraw: NO_FEE, host: NO_FEE };
}

/** In one of wrapped SOL the amount lies there in lamports, on top of the rent. */
function tokenAccount(owner: Address, mint: Address, amount: bigint): Account {
  const isNative = mint === WRAPPED_SOL_MINT;
  const rentExemptReserve = rentExemptLamports(165);
  const data = encodeTokenAccount({
    mint,
    owner,
    amount,
    isNative,
    state: 'initialized',
    delegatedAmount: 0n,
    ...(isNative && { rentExemptReserve }),
  });
  const account = rentExempt(data, TOKEN_PROGRAM);
  return isNative ? { ...account, lamports: account.lamports + amount } : account;
}

function rentExempt(data: Uint8Array, owner: Address): Account {
  return { lamports: rentExemptLamports(data.length), owner, executable: false, data };
}
