import { type Address, addressToBytes, CLOCK_SYSVAR, SYSTEM_PROGRAM } from '@slipway/wire';
import { type ChainAccount, readClock } from '../../../../chain/index.js';
import type { PoolState, PoolToken, Side, Trade, Venue } from '../../venue.js';
import { FIRST_NUMBER_AT, readOnce } from '../anchor.js';
import { createDerivation } from '../derived.js';
import { moreSteps } from '../more-steps.js';
import { openVault, type Vault } from '../vaults.js';
import {
  decodeOracle,
  decodeTickArray,
  decodeWhirlpool,
  POOL_SIZE,
  type TickArray,
  type WhirlpoolAccount,
} from './accounts.js';
import { adaptiveFee, type FeeRate, RATE_UNIT, staticFee } from './fee-rate.js';
import { whirlpoolSwap } from './instruction.js';
import { depthOf, type Estimates, estimatesOf, ladderOf, NO_ESTIMATES, startsAhead, startsAround } from './ladder.js';
import { ARRAY_UNITS, STEP_UNITS, stepPoints } from './moves.js';
import { MAX_TICK } from './ticks.js';
import { type Ladder, trade } from './trade.js';

/** Liquidity counts as depth behind the price up to four times and down to a fourth of it. */
const NEAR = 4;
const ONE = 2 ** 64;

const NO_POOL = 'no Whirlpool that is understood';

/** Concentrated liquidity of Orca: https://github.com/orca-so/whirlpools has the interface. */
export function whirlpoolVenue(program: Address): Venue {
  const reader = createReader(program);
  return {
    label: 'Whirlpool',
    program,
    poolSize: POOL_SIZE,
    amountOffset: FIRST_NUMBER_AT,
    mintOffsets: [101, 181],
    describe(address, account) {
      const pool = reader.poolOf(account);
      if (!pool) return NO_POOL;
      const accounts = [...pool.vaults, ...startsAround(pool).map((start) => reader.arrayAt(address, start))];
      if (pool.isAdaptive) accounts.push(reader.oracleAt(address), CLOCK_SYSVAR);
      return { mints: pool.mints, accounts };
    },
    open: (address, account, others) => openPool(reader, address, account, others),
  };
}

type Reader = ReturnType<typeof createReader>;

/** Reads the accounts of a program, and derives where they are. */
function createReader(program: Address) {
  const derive = createDerivation(program);
  return {
    program,
    poolOf: readOnce((account) => decodeWhirlpool(program, account)),
    ticksOf: readOnce((account) => decodeTickArray(program, account)),
    oracleOf: readOnce((account) => decodeOracle(program, account)),
    arrayAt: (pool: Address, start: number) =>
      derive(`${pool} ${start}`, () => [Buffer.from('tick_array'), addressToBytes(pool), Buffer.from(String(start))]),
    oracleAt: (pool: Address) => derive(`${pool} oracle`, () => [Buffer.from('oracle'), addressToBytes(pool)]),
  };
}

type Accounts = readonly (ChainAccount | undefined)[];

function openPool(
  reader: Reader,
  address: Address,
  account: ChainAccount,
  [accountA, accountB, ...others]: Accounts,
): PoolState | string {
  const pool = reader.poolOf(account);
  if (!pool) return NO_POOL;
  const [a, b] = [openVault(accountA, pool.mints[0], true), openVault(accountB, pool.mints[1], true)];
  if (typeof a === 'string') return `vault A: ${a}`;
  if (typeof b === 'string') return `vault B: ${b}`;
  if (a.vault.owner !== address || b.vault.owner !== address) return 'vaults of another owner';
  const arrays = readArrays(reader, address, pool, others);
  if (!arrays) return 'ticks that cannot be read';
  if (isEmpty(pool, arrays)) return 'it has no liquidity';
  const feesOf = pool.isAdaptive ? readFees(reader, address, pool, others.slice(-2)) : () => staticFee(pool.feeRate);
  if (typeof feesOf === 'string') return feesOf;
  const groupSize = pool.isAdaptive ? reader.oracleOf(others.at(-2)!)?.fee.groupSize : undefined;
  return stateOf({ reader, address, pool, vaults: [a, b], arrays, feesOf, groupSize });
}

function readArrays(reader: Reader, address: Address, pool: WhirlpoolAccount, accounts: Accounts) {
  const arrays = new Map<number, TickArray>();
  for (const [i, start] of startsAround(pool).entries()) {
    const account = accounts[i];
    // Anybody who sends lamports to the address creates an account, which the program treats as missing.
    if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0)) continue;
    const array = reader.ticksOf(account);
    if (array?.start !== start || array.pool !== address || !isWithin(array, pool.tickSpacing)) return undefined;
    arrays.set(start, array);
  }
  return arrays;
}

/** Whether there is no liquidity at the price, nor where a trade could move it. */
const isEmpty = ({ liquidity }: WhirlpoolAccount, arrays: ReadonlyMap<number, TickArray>) =>
  liquidity === 0n && [...arrays.values()].every(({ ticks }) => ticks.every(({ net }) => net === 0n));

function readFees(reader: Reader, address: Address, pool: WhirlpoolAccount, [account, clock]: Accounts) {
  const oracle = account && reader.oracleOf(account);
  const now = readClock(clock)?.unixTimestamp;
  if (oracle?.pool !== address) return 'an oracle that cannot be read';
  if (now === undefined) return 'the clock cannot be read';
  if (now < oracle.opensAt) return 'trading has not begun';
  return (from: Side) => adaptiveFee(oracle.fee, pool.feeRate, pool.tick, Number(now), from === 0);
}

const isWithin = ({ start, ticks }: TickArray, tickSpacing: number) =>
  ticks.every(({ offset }) => Math.abs(start + offset * tickSpacing) <= MAX_TICK);

interface Parts {
  reader: Reader;
  address: Address;
  pool: WhirlpoolAccount;
  vaults: readonly [Vault, Vault];
  arrays: ReadonlyMap<number, TickArray>;
  /** The fees of a trade that begins now; undefined if the program refuses the time. */
  feesOf(from: Side): FeeRate | undefined;
  /** Ticks between which an adaptive fee is constant. */
  groupSize: number | undefined;
}

const ofTrades = (fees: FeeRate | undefined, ladder: Ladder): Estimates =>
  fees ? estimatesOf(ladder, fees) : NO_ESTIMATES;

function stateOf({ reader, address, pool, vaults, arrays, feesOf, groupSize }: Parts): PoolState {
  const tokenOf = (side: Side): PoolToken => {
    return { mint: pool.mints[side], tokenProgram: vaults[side].tokenProgram, vault: pool.vaults[side] };
  };
  const tokens = [tokenOf(0), tokenOf(1)] as const;
  const ladders: [Ladder?, Ladder?] = [];
  const ladder = (from: Side) => (ladders[from] ??= ladderOf(pool, arrays, from === 0));
  const feeRate = Number(feesOf(0)?.rate() ?? pool.feeRate);
  const known: [Estimates?, Estimates?] = [];
  /** What a trade would do: what looked better than it can be quoted would be chosen before what is good. */
  const estimates = (from: Side) => (known[from] ??= ofTrades(feesOf(from), ladder(from)));
  const whole: [Estimates?, Estimates?] = [];
  /** All that is there: anybody can make another's pool one of many steps, and takes none of its depth by that. */
  const depth = (from: Side) => (whole[from] ??= depthOf(ladder(from), feeRate));
  const arraysAhead = (from: Side) => startsAhead(pool, from === 0).map((start) => reader.arrayAt(address, start));
  const price = (Number(pool.sqrtPrice) / ONE) ** 2;
  return {
    tokens,
    leaves: 'part',
    feeShare: feeRate / RATE_UNIT,
    baseFeeShare: pool.feeRate / RATE_UNIT,
    get reserves() {
      return [depth(1).outWithin(NEAR), depth(0).outWithin(NEAR)] as const;
    },
    quote(from, amount, effort): Trade | undefined {
      const fees = amount > 0n ? feesOf(from) : undefined;
      const done = fees && trade(ladder(from), amount, fees, effort);
      // A pool usually has what it owes; a trade with one that does not can only fail.
      if (!done || done.amountOut === 0n || done.amountOut > vaults[from === 0 ? 1 : 0].vault.amount) return undefined;
      return { paid: done.amountIn, received: done.amountOut, fee: done.fee, units: done.units };
    },
    estimateOut: (from, amount) => estimates(from).out(amount),
    estimateIn: (from, amount) => estimates(from).in(amount),
    depthIn: (from, amount) => depth(from).in(amount),
    price: (from) => (from === 0 ? price : 1 / price),
    moreUnits(from, amount, share) {
      const groups = groupSize === undefined ? undefined : { tick: pool.tick, size: groupSize };
      const behind = stepPoints(ladder(from === 0 ? 1 : 0), true, groups);
      const ahead = stepPoints(ladder(from), false, groups);
      return ARRAY_UNITS + STEP_UNITS * moreSteps(behind, ahead, Number(amount), share);
    },
    swap(from, accounts) {
      const tickArrays = arraysAhead(from);
      const parts = { program: reader.program, pool: address, tokens, tickArrays, oracle: reader.oracleAt(address) };
      return whirlpoolSwap(parts, from, accounts);
    },
    movingAccounts: arraysAhead,
  };
}
