import { decodePool, type Fee, POOL_SIZE, type Pool, poolSwap } from '@slipway/programs';
import { type Address, TOKEN_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from '../../../chain/index.js';
import type { PoolState, Side, Trade, Venue } from '../venue.js';
import { readOnce } from './anchor.js';
import { openVault, type Vault } from './vaults.js';

const U64_MAX = 2n ** 64n - 1n;
/** Whatever program owns the account. */
const readPool = readOnce(({ data }) => decodePool(data));
const NO_POOL = 'no constant-product pool of the program';

/** Constant-product pools of SPL Token Swap, or of a program with its interface. */
export function tokenSwapVenue(program: Address): Venue {
  return {
    label: 'Token Swap',
    program,
    poolSize: POOL_SIZE,
    mintOffsets: [131, 163],
    amountOffset: 1,
    describe(_, account) {
      const pool = readPool(account);
      if (!pool || pool.mintA === pool.mintB) return NO_POOL;
      return { mints: [pool.mintA, pool.mintB], accounts: [pool.vaultA, pool.vaultB] };
    },
    open: (address, account, vaults) => openPool(program, address, account, vaults),
  };
}

function openPool(
  program: Address,
  address: Address,
  account: ChainAccount,
  [accountA, accountB]: readonly (ChainAccount | undefined)[],
): PoolState | string {
  const pool = account.owner === program ? readPool(account) : undefined;
  if (!pool || pool.tokenProgram !== TOKEN_PROGRAM) return NO_POOL;
  const { trade, ownerTrade } = pool.fees;
  if (!isFraction(trade) || !isFraction(ownerTrade)) return 'its fees are no fractions';
  const a = openVault(accountA, pool.mintA);
  const b = openVault(accountB, pool.mintB);
  if (typeof a === 'string') return `vault A: ${a}`;
  if (typeof b === 'string') return `vault B: ${b}`;
  if (a.vault.owner !== b.vault.owner) return 'its vaults have different owners';
  return stateOf({ program, address, pool, vaults: [a, b] });
}

interface Parts {
  program: Address;
  address: Address;
  pool: Pool;
  vaults: [Vault, Vault];
}

function stateOf({ program, address, pool, vaults: [a, b] }: Parts): PoolState {
  const balances = [a.vault.amount, b.vault.amount] as const;
  const reserves = [Number(balances[0]), Number(balances[1])] as const;
  const { trade, ownerTrade } = pool.fees;
  // Each fee is less than 1, but both together may be more: the program then refuses every trade.
  const feeShare = Math.min(1, share(trade) + share(ownerTrade));
  const kept = 1 - feeShare;
  const accounts = {
    program,
    pool: address,
    authority: a.vault.owner,
    vaultA: pool.vaultA,
    vaultB: pool.vaultB,
    poolMint: pool.poolMint,
    feeAccount: pool.feeAccount,
    mintA: pool.mintA,
    mintB: pool.mintB,
    programA: a.tokenProgram,
    programB: b.tokenProgram,
  };
  return {
    tokens: [
      { mint: pool.mintA, tokenProgram: a.tokenProgram, vault: pool.vaultA },
      { mint: pool.mintB, tokenProgram: b.tokenProgram, vault: pool.vaultB },
    ],
    reserves,
    feeShare,
    quote: (from, amount) => quote(pool, balances[from], balances[other(from)], amount),
    estimateOut(from, amount) {
      const traded = amount * kept;
      return (reserves[other(from)] * traded) / (reserves[from] + traded);
    },
    estimateIn(from, amount) {
      const out = reserves[other(from)];
      return amount >= out ? Number.POSITIVE_INFINITY : (reserves[from] * amount) / (out - amount) / kept;
    },
    leaves: 'dust',
    price: (from) => reserves[other(from)] / reserves[from],
    swap(from, { owner, source, destination, amountIn, minOut }) {
      const swap = { accounts, aToB: from === 0, authority: owner, source, destination };
      return poolSwap({ ...swap, amountIn, minimumAmountOut: minOut });
    },
  };
}

const other = (side: Side): Side => (side === 0 ? 1 : 0);
const isFraction = ({ numerator, denominator }: Fee) => numerator === 0n || numerator < denominator;
const share = ({ numerator, denominator }: Fee) => (numerator === 0n ? 0 : Number(numerator) / Number(denominator));

/** The program's arithmetic (programs/pool/src/curve.h), rounding included. */
function quote({ fees }: Pool, balanceIn: bigint, balanceOut: bigint, offered: bigint): Trade | undefined {
  if (offered <= 0n || balanceIn + offered > U64_MAX) return undefined;
  const fee = feeOf(fees.trade, offered) + feeOf(fees.ownerTrade, offered);
  if (fee > offered) return undefined;
  const invariant = balanceIn * balanceOut;
  const newIn = balanceIn + offered - fee;
  if (newIn === 0n) return undefined;
  const left = invariant / newIn;
  if (left === 0n) return undefined;
  if (left * newIn === invariant) {
    return left === balanceOut ? undefined : { paid: offered, received: balanceOut - left, fee };
  }
  const newOut = left + 1n;
  if (newOut === balanceOut) return undefined;
  // Only as much of the offer is taken as the rounded output needs.
  const needed = (invariant + newOut - 1n) / newOut;
  return { paid: needed - balanceIn + fee, received: balanceOut - newOut, fee };
}

function feeOf({ numerator, denominator }: Fee, amount: bigint): bigint {
  if (numerator === 0n) return 0n;
  const part = (amount * numerator) / denominator;
  return part === 0n ? 1n : part;
}
