import {
  type Address,
  type Instruction,
  METADATA_PROGRAM,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_EVENTS,
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
} from './bonding-curve-addresses.js';
import { type BondingCurveConfig, bondingCurveConfig } from './bonding-curve-config.js';
import { type Codec, concatBytes, decodeAfter, discriminator, struct, text, u8, u64 } from './borsh.js';
import { isMadeOf } from './made-of.js';

// Instructions of Meteora's Dynamic Bonding Curve program, from its published interface. Base and quote are of SPL Token.

const CREATE_CONFIG = discriminator('c9cff3724b6f2fbd');
const INITIALIZE_POOL = discriminator('8c55d7b06636684f');
const CLAIM_CREATOR_FEE = discriminator('52dcfabd03556b2d');
const CLAIM_PARTNER_FEE = discriminator('08ec5931987db151');
const SWAP = discriminator('414b3f4ceb5b5b88');

const EVENTS = [readonlyAccount(BONDING_CURVE_EVENTS), readonlyAccount(BONDING_CURVE_PROGRAM)];

/** The making of a configuration, whose own key signs. */
export interface CreateCurveConfig {
  config: Address;
  /** Gets the operator's part of the fees. */
  feeClaimer: Address;
  /** Gets the base that is left over after the migration. */
  leftoverReceiver: Address;
  quoteMint: Address;
  /** Pays the rent. */
  payer: Address;
  terms: BondingCurveConfig;
}

/** Makes the configuration of a pool. Throws a RangeError that names the term for a value that does not fit. */
export function createCurveConfig({
  config,
  feeClaimer,
  leftoverReceiver,
  quoteMint,
  payer,
  terms,
}: CreateCurveConfig): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      writableSigner(config),
      ...[feeClaimer, leftoverReceiver, quoteMint].map(readonlyAccount),
      writableSigner(payer),
      readonlyAccount(SYSTEM_PROGRAM),
      ...EVENTS,
    ],
    data: concatBytes(CREATE_CONFIG, bondingCurveConfig.encode(terms, 'terms')),
  };
}

/** What a `createCurveConfig` makes; undefined for another instruction. */
export function parseCreateCurveConfig(instruction: Instruction): CreateCurveConfig | undefined {
  const [accounts, terms] = read(instruction, CREATE_CONFIG, bondingCurveConfig) ?? [];
  if (!accounts || !terms) return undefined;
  const [config, feeClaimer, leftoverReceiver, quoteMint, payer] = accounts;
  const made: CreateCurveConfig = { config, feeClaimer, leftoverReceiver, quoteMint, payer, terms };
  return isMadeOf(instruction, () => createCurveConfig(made)) ? made : undefined;
}

/** The opening of a pool with a new mint, whose own key signs. */
export interface InitializeCurvePool {
  pool: BondingCurvePool;
  /** Owns what the pool's creator gets, and pays. */
  creator: Address;
  name: string;
  symbol: string;
  /** Where the token's metadata can be read. */
  uri: string;
}

const initializePoolText = struct<Pick<InitializeCurvePool, 'name' | 'symbol' | 'uri'>>({
  name: text,
  symbol: text,
  uri: text,
});

/** Opens a pool: makes the mint, its supply and its metadata. */
export function initializeCurvePool({ pool, creator, ...texts }: InitializeCurvePool): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      readonlyAccount(pool.config),
      readonlyAccount(BONDING_CURVE_AUTHORITY),
      readonlySigner(creator),
      writableSigner(pool.baseMint),
      readonlyAccount(pool.quoteMint),
      ...[pool.pool, pool.baseVault, pool.quoteVault, pool.metadata].map(writableAccount),
      readonlyAccount(METADATA_PROGRAM),
      writableSigner(creator),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, SYSTEM_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data: concatBytes(INITIALIZE_POOL, initializePoolText.encode(texts, 'text')),
  };
}

/** What an `initializeCurvePool` opens; undefined for another instruction. The addresses are as given, not derived again. */
export function parseInitializeCurvePool(instruction: Instruction): InitializeCurvePool | undefined {
  const [accounts, texts] = read(instruction, INITIALIZE_POOL, initializePoolText) ?? [];
  if (!accounts || !texts) return undefined;
  const [config, , creator, baseMint, quoteMint, pool, baseVault, quoteVault, metadata] = accounts;
  const addresses = { config, baseMint, quoteMint, pool, baseVault, quoteVault, metadata };
  const made: InitializeCurvePool = { pool: addresses, creator, ...texts };
  return isMadeOf(instruction, () => initializeCurvePool(made)) ? made : undefined;
}

/** The paying out of the creator's part of the trading fees. Amounts are the most that is paid, in the smallest unit. */
export interface ClaimCreatorFee {
  pool: Omit<BondingCurvePool, 'config' | 'metadata'>;
  creator: Address;
  baseAccount: Address;
  quoteAccount: Address;
  maxBase: bigint;
  maxQuote: bigint;
}

const claimAmounts = struct<Pick<ClaimCreatorFee, 'maxBase' | 'maxQuote'>>({ maxBase: u64, maxQuote: u64 });

export function claimCreatorFee({
  pool,
  creator,
  baseAccount,
  quoteAccount,
  ...amounts
}: ClaimCreatorFee): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      readonlyAccount(BONDING_CURVE_AUTHORITY),
      ...[pool.pool, baseAccount, quoteAccount, pool.baseVault, pool.quoteVault].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint].map(readonlyAccount),
      readonlySigner(creator),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data: concatBytes(CLAIM_CREATOR_FEE, claimAmounts.encode(amounts, 'amount')),
  };
}

/** The paying out of the operator's part of the trading fees. */
export interface ClaimPartnerFee extends Omit<ClaimCreatorFee, 'pool' | 'creator'> {
  pool: Omit<BondingCurvePool, 'metadata'>;
  /** Whom the configuration names. */
  feeClaimer: Address;
}

export function claimPartnerFee({
  pool,
  feeClaimer,
  baseAccount,
  quoteAccount,
  ...amounts
}: ClaimPartnerFee): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      ...[BONDING_CURVE_AUTHORITY, pool.config].map(readonlyAccount),
      ...[pool.pool, baseAccount, quoteAccount, pool.baseVault, pool.quoteVault].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint].map(readonlyAccount),
      readonlySigner(feeClaimer),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data: concatBytes(CLAIM_PARTNER_FEE, claimAmounts.encode(amounts, 'amount')),
  };
}

/** What a `claimCreatorFee` pays out and where to; undefined for another instruction. */
export function parseClaimCreatorFee(instruction: Instruction): ClaimCreatorFee | undefined {
  const [accounts, amounts] = read(instruction, CLAIM_CREATOR_FEE, claimAmounts) ?? [];
  if (!accounts || !amounts) return undefined;
  const [, pool, baseAccount, quoteAccount, baseVault, quoteVault, baseMint, quoteMint, creator] = accounts;
  const addresses = { pool, baseVault, quoteVault, baseMint, quoteMint };
  const claim: ClaimCreatorFee = { pool: addresses, creator, baseAccount, quoteAccount, ...amounts };
  return isMadeOf(instruction, () => claimCreatorFee(claim)) ? claim : undefined;
}

/** A trade on the curve. Amounts in the smallest unit. */
export interface CurveSwap {
  pool: Omit<BondingCurvePool, 'metadata'>;
  trader: Address;
  inputAccount: Address;
  outputAccount: Address;
  amountIn: bigint;
  leastOut: bigint;
  /** Takes only as much as is left until the pool migrates. */
  partial: boolean;
}

const PARTIAL_FILL = 1;
const EXACT_IN = 0;

export function curveSwap({
  pool,
  trader,
  inputAccount,
  outputAccount,
  amountIn,
  leastOut,
  partial,
}: CurveSwap): Instruction {
  const amounts = [u64.encode(amountIn, 'amountIn'), u64.encode(leastOut, 'leastOut')];
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      ...[BONDING_CURVE_AUTHORITY, pool.config].map(readonlyAccount),
      ...[pool.pool, inputAccount, outputAccount, pool.baseVault, pool.quoteVault].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint].map(readonlyAccount),
      readonlySigner(trader),
      // No referrer: the program stands for an absent account.
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, BONDING_CURVE_PROGRAM].map(readonlyAccount),
      ...EVENTS,
    ],
    data: concatBytes(SWAP, ...amounts, u8.encode(partial ? PARTIAL_FILL : EXACT_IN, 'mode')),
  };
}

type FirstAccounts = [Address, Address, Address, Address, Address, Address, Address, Address, Address];

function read<T>(
  { program, accounts, data }: Instruction,
  start: Uint8Array,
  codec: Codec<T>,
): [FirstAccounts, T] | undefined {
  if (program !== BONDING_CURVE_PROGRAM) return undefined;
  const decoded = decodeAfter(start, codec, data);
  // The comparison with what the builder makes refuses a list that is too short.
  const padded = Array.from({ length: 9 }, (_, i) => accounts[i]?.address ?? program);
  return decoded && [padded as FirstAccounts, decoded];
}
