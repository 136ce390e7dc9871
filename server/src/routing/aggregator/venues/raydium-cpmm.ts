import { instructionTag, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import {
  type Address,
  CLOCK_SYSVAR,
  findProgramAddress,
  readonlyAccount,
  readonlySigner,
  writableAccount,
} from '@slipway/wire';
import { type ChainAccount, type ClockTime, readClock } from '../../../chain/index.js';
import type { PoolState, PoolToken, Side, SwapAccounts, Trade, Venue } from '../venue.js';
import { accountTag, addressAt, anchorInstruction, FIRST_NUMBER_AT, readOnce, taggedView, u64At } from './anchor.js';
import { type RoughCurve, roughIn, roughOut } from './estimates.js';
import { openVault, type Vault } from './vaults.js';

const POOL = { program: RAYDIUM_CPMM_PROGRAM, tag: accountTag('PoolState'), size: 637 };
const CONFIG = { program: RAYDIUM_CPMM_PROGRAM, tag: accountTag('AmmConfig'), size: 236 };
const AUTHORITY = findProgramAddress([Buffer.from('vault_and_lp_mint_auth_seed')], RAYDIUM_CPMM_PROGRAM).address;
const SWAP = instructionTag('swap_base_input');
const SWAP_DISABLED = 4;
/** Fees are fractions of this. */
const WHOLE = 1_000_000n;
const U64_MAX = 2n ** 64n - 1n;
/** What a creator's fee is taken from: whichever token comes in, or always this one. */
const CREATOR_FEE_ON = ['input', 0, 1] as const;

/** Raydium's constant-product pools ("CPMM"): https://github.com/raydium-io/raydium-cp-swap has the program's source. */
export function raydiumCpmmVenue(): Venue {
  return {
    label: 'Raydium CP',
    program: RAYDIUM_CPMM_PROGRAM,
    poolSize: POOL.size,
    mintOffsets: [168, 200],
    amountOffset: FIRST_NUMBER_AT,
    describe(_, account) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      return { mints: pool.mints, accounts: [pool.config, ...pool.vaults, CLOCK_SYSVAR] };
    },
    open(address, account, [config, vault0, vault1, clock]) {
      const pool = decodePool(account);
      if (typeof pool === 'string') return pool;
      const rates = config ? decodeConfig(config) : undefined;
      if (!rates) return 'its configuration is none of the program';
      const now = readClock(clock);
      if (!now) return 'the clock cannot be read';
      const refusal = refusalOf(pool, rates, now);
      if (refusal !== undefined) return refusal;
      const [a, b] = [openVault(vault0, pool.mints[0]), openVault(vault1, pool.mints[1])];
      if (typeof a === 'string') return `vault 0: ${a}`;
      if (typeof b === 'string') return `vault 1: ${b}`;
      return stateOf({ address, pool, rates, vaults: [a, b] });
    },
  };
}

interface Pool {
  config: Address;
  vaults: [Address, Address];
  mints: [Address, Address];
  observation: Address;
  status: number;
  /** What of the vaults is owed to the protocol, the fund and the creator. */
  owed: [bigint, bigint];
  /** Unix seconds. */
  openTime: bigint;
  hasCreatorFee: boolean;
  creatorFeeOn: (typeof CREATOR_FEE_ON)[number];
}

const decodePool = readOnce((account: ChainAccount): Pool | string => {
  const view = taggedView(account, POOL);
  if (!view) return 'no pool of the program';
  const at = (offset: number) => addressAt(account.data, offset);
  const [flag, on] = [view.getUint8(390), CREATOR_FEE_ON[view.getUint8(389)]];
  if (flag > 1 || on === undefined) return 'its type of creator fee is unknown';
  const mints: Pool['mints'] = [at(168), at(200)];
  if (mints[0] === mints[1]) return 'its tokens are the same';
  return {
    config: at(8),
    vaults: [at(72), at(104)],
    mints,
    observation: at(296),
    status: view.getUint8(329),
    owed: [
      u64At(view, 341) + u64At(view, 357) + u64At(view, 397),
      u64At(view, 349) + u64At(view, 365) + u64At(view, 405),
    ],
    openTime: u64At(view, 373),
    hasCreatorFee: flag === 1,
    creatorFeeOn: on,
  };
});

/** Fee rates, in parts of WHOLE. */
interface Rates {
  trade: bigint;
  creator: bigint;
}

const decodeConfig = readOnce((account: ChainAccount): Rates | undefined => {
  const view = taggedView(account, CONFIG);
  return view && { trade: u64At(view, 12), creator: u64At(view, 108) };
});

function refusalOf({ status, openTime }: Pool, { trade, creator }: Rates, now: ClockTime): string | undefined {
  if (status & SWAP_DISABLED) return 'trading is disabled';
  if (openTime > now.unixTimestamp) return 'trading has not begun';
  if (trade + creator >= WHOLE) return 'its fees are no fractions';
  // The program divides by the sum when it splits the fee.
  if (trade + creator === 0n) return 'it has no fee';
  return undefined;
}

interface Parts {
  address: Address;
  pool: Pool;
  rates: Rates;
  vaults: [Vault, Vault];
}

function stateOf({ address, pool, rates, vaults }: Parts): PoolState | string {
  const { mints, owed } = pool;
  const balances = [vaults[0].vault.amount - owed[0], vaults[1].vault.amount - owed[1]] as const;
  if (balances[0] <= 0n || balances[1] <= 0n) return 'it owes what is in its vaults';
  const creator = pool.hasCreatorFee ? rates.creator : 0n;
  const terms = (from: Side): Terms => {
    const isOnInput = pool.creatorFeeOn === 'input' || pool.creatorFeeOn === from;
    return {
      balanceIn: balances[from],
      balanceOut: balances[other(from)],
      feeIn: rates.trade + (isOnInput ? creator : 0n),
      feeOut: isOnInput ? 0n : creator,
    };
  };
  const sides = [terms(0), terms(1)] as const;
  const reserves = [Number(balances[0]), Number(balances[1])] as const;
  const curve = (from: Side): RoughCurve => ({
    reserveIn: reserves[from],
    reserveOut: reserves[other(from)],
    most: Number.POSITIVE_INFINITY,
    keptIn: 1 - share(sides[from].feeIn),
    keptOut: 1 - share(sides[from].feeOut),
  });
  const curves = [curve(0), curve(1)] as const;
  const token = (side: Side): PoolToken => ({
    mint: mints[side],
    tokenProgram: vaults[side].tokenProgram,
    vault: pool.vaults[side],
  });
  const tokens = [token(0), token(1)] as const;
  return {
    tokens,
    reserves,
    feeShare: share(rates.trade + creator),
    quote: (from, amount) => quote(sides[from], amount),
    estimateOut: (from, amount) => roughOut(curves[from], amount),
    estimateIn: (from, amount) => roughIn(curves[from], amount),
    price: (from) => reserves[other(from)] / reserves[from],
    swap: (from, accounts) => swap(address, pool, [tokens[from], tokens[other(from)]], accounts),
  };
}

const share = (rate: bigint) => Number(rate) / Number(WHOLE);
const other = (side: Side): Side => (side === 0 ? 1 : 0);

interface Terms {
  balanceIn: bigint;
  balanceOut: bigint;
  feeIn: bigint;
  feeOut: bigint;
}

/** The program's `swap_base_input`: fees are rounded up, the output is rounded down. */
function quote({ balanceIn, balanceOut, feeIn, feeOut }: Terms, offered: bigint): Trade | undefined {
  if (offered <= 0n || offered > U64_MAX) return undefined;
  const fee = ceilDiv(offered * feeIn, WHOLE);
  const traded = offered - fee;
  const swapped = (traded * balanceOut) / (balanceIn + traded);
  if (swapped === 0n) return undefined;
  const kept = ceilDiv(swapped * feeOut, WHOLE);
  const received = swapped - kept;
  return received > 0n ? { paid: offered, received, fee: fee + (kept * traded) / swapped } : undefined;
}

const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;

function swap(
  address: Address,
  pool: Pool,
  [input, output]: readonly [PoolToken, PoolToken],
  { owner, source, destination, amountIn, minOut }: SwapAccounts,
) {
  const accounts = [
    readonlySigner(owner),
    readonlyAccount(AUTHORITY),
    readonlyAccount(pool.config),
    ...[address, source, destination, input.vault, output.vault].map(writableAccount),
    ...[input.tokenProgram, output.tokenProgram, input.mint, output.mint].map(readonlyAccount),
    writableAccount(pool.observation),
  ];
  return anchorInstruction(RAYDIUM_CPMM_PROGRAM, accounts, { tag: SWAP, numbers: [amountIn, minOut] });
}
