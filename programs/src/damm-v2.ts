import {
  type Address,
  address,
  addressFromBytes,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  readonlySigner,
  TOKEN_PROGRAM,
  writableAccount,
} from '@slipway/wire/formats';
import { DAMM_V2_PROGRAM, migratedPool } from './bonding-curve-addresses.js';
import { concatBytes, discriminator, u8, u64, u128 } from './borsh.js';

/** Owns the vaults of all pools of DAMM v2. */
export const DAMM_V2_AUTHORITY: Address = address('HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC');
/** Signs the events that the program writes into its own instructions. */
export const DAMM_V2_EVENTS: Address = address('3rmHSu74h1ZcmAisVcWerTCiRDQbUrBKmcwptYGjHfet');

const SWAP_2 = discriminator('414b3f4ceb5b5b88');
const CLAIM_POSITION_FEE = discriminator('b4269a118521a2d3');
const REFRESH_VESTING = discriminator('095ed80e74ccf700');
const REMOVE_LIQUIDITY = discriminator('5055d14818ceb16c');
const POSITION = discriminator('aabc8fe47a40f7d0');
const POSITION_SIZE = 408;

/** A pool of two mints of SPL Token, which a migrated launch has: the token and the quote. */
export interface DammV2Pool {
  pool: Address;
  baseMint: Address;
  quoteMint: Address;
  baseVault: Address;
  quoteVault: Address;
}

/** Who holds the token of a position's mint owns that part of the pool's liquidity. */
export interface DammV2Position {
  mint: Address;
  /** Holds the one token of the mint. */
  tokenAccount: Address;
  position: Address;
}

/** Derives the addresses of a pool that a launch has migrated to with this configuration. */
export function dammV2Pool(config: Address, baseMint: Address, quoteMint: Address): DammV2Pool {
  const pool = migratedPool(config, baseMint, quoteMint);
  const vault = (mint: Address) => derived('token_vault', mint, pool);
  return { pool, baseMint, quoteMint, baseVault: vault(baseMint), quoteVault: vault(quoteMint) };
}

/** Derives the addresses of a position from its mint. */
export function dammV2Position(mint: Address): DammV2Position {
  return { mint, tokenAccount: derived('position_nft_account', mint), position: derived('position', mint) };
}

function derived(name: string, ...keys: Address[]): Address {
  return findProgramAddress([new TextEncoder().encode(name), ...keys.map(addressToBytes)], DAMM_V2_PROGRAM).address;
}

const EVENTS = [readonlyAccount(DAMM_V2_EVENTS), readonlyAccount(DAMM_V2_PROGRAM)];

/** What a trade names: what it pays, what it pays at most as far as the pool can take it, or what it gets. */
export type DammV2SwapMode = 'exactIn' | 'partialFill' | 'exactOut';
const MODES: readonly DammV2SwapMode[] = ['exactIn', 'partialFill', 'exactOut'];

/** A trade with a pool. Amounts in the smallest unit; the limit is the least output, or the most input for `exactOut`. */
export interface DammV2Swap {
  pool: DammV2Pool;
  trader: Address;
  inputAccount: Address;
  outputAccount: Address;
  mode: DammV2SwapMode;
  amount: bigint;
  limit: bigint;
}

export function dammV2Swap({ pool, trader, inputAccount, outputAccount, ...terms }: DammV2Swap): Instruction {
  const { mode, amount, limit } = terms;
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [
      readonlyAccount(DAMM_V2_AUTHORITY),
      ...[pool.pool, inputAccount, outputAccount, pool.baseVault, pool.quoteVault].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint].map(readonlyAccount),
      readonlySigner(trader),
      // No referrer: the program stands for an absent account.
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, DAMM_V2_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data: concatBytes(
      SWAP_2,
      u64.encode(amount, 'amount'),
      u64.encode(limit, 'limit'),
      u8.encode(MODES.indexOf(mode), 'mode'),
    ),
  };
}

/** What the owner of a position does with it, and where what it pays goes. */
export interface DammV2PositionChange {
  pool: DammV2Pool;
  position: DammV2Position;
  owner: Address;
  baseAccount: Address;
  quoteAccount: Address;
}

/** Pays out the fees of a position. */
export function claimDammV2Fee(change: DammV2PositionChange): Instruction {
  return positionChange(change, readonlyAccount, CLAIM_POSITION_FEE);
}

/** Takes liquidity that is neither locked nor waiting out of a pool, for at least these amounts. */
export function removeDammV2Liquidity(
  change: DammV2PositionChange & { liquidity: bigint; leastBase: bigint; leastQuote: bigint },
): Instruction {
  const amounts = [u64.encode(change.leastBase, 'leastBase'), u64.encode(change.leastQuote, 'leastQuote')];
  const terms = concatBytes(REMOVE_LIQUIDITY, u128.encode(change.liquidity, 'liquidity'), ...amounts);
  return positionChange(change, writableAccount, terms);
}

function positionChange(
  { pool, position, owner, baseAccount, quoteAccount }: DammV2PositionChange,
  poolAccount: typeof writableAccount,
  data: Uint8Array,
): Instruction {
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [
      readonlyAccount(DAMM_V2_AUTHORITY),
      poolAccount(pool.pool),
      ...[position.position, baseAccount, quoteAccount, pool.baseVault, pool.quoteVault].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint, position.tokenAccount].map(readonlyAccount),
      readonlySigner(owner),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data,
  };
}

/** Frees the liquidity of a position that has waited long enough. Anybody may send it. */
export function refreshDammV2Vesting(
  pool: Address,
  { position, tokenAccount }: DammV2Position,
  owner: Address,
): Instruction {
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [readonlyAccount(pool), writableAccount(position), ...[tokenAccount, owner].map(readonlyAccount)],
    data: REFRESH_VESTING,
  };
}

/** What a position's account says. Liquidity in the pool's own unit, fees in the smallest unit of the tokens. */
export interface DammV2PositionState {
  pool: Address;
  mint: Address;
  unlockedLiquidity: bigint;
  /** Becomes unlocked at `vestingEnd`, in unix seconds, with a `refreshDammV2Vesting`. */
  vestedLiquidity: bigint;
  vestingEnd: bigint;
  permanentlyLockedLiquidity: bigint;
}

/** The position in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeDammV2Position(data: Uint8Array): DammV2PositionState | undefined {
  if (data.length !== POSITION_SIZE || POSITION.some((byte, i) => data[i] !== byte)) return undefined;
  const at = (offset: number) => u128.decode(data, offset)!.value;
  return {
    pool: addressFromBytes(data, 8),
    mint: addressFromBytes(data, 40),
    unlockedLiquidity: at(152),
    vestedLiquidity: at(168),
    permanentlyLockedLiquidity: at(184),
    vestingEnd: u64.decode(data, 312)!.value,
  };
}
