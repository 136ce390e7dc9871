import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  DAMM_V2_PROGRAM,
  migratedPool,
} from './bonding-curve-addresses.js';
import { FEE_PER_BPS, LEAST_SQRT_PRICE, MOST_SQRT_PRICE } from './bonding-curve-math.js';
import { discriminator, equalBytes } from './borsh.js';
import { LOCKER_EVENTS, LOCKER_PROGRAM } from './locker.js';
import { isMadeOf } from './made-of.js';

const MIGRATE = discriminator('9ca9e66735e45040');
const CREATE_LOCKER = discriminator('a75a899a4b2f1154');

/** Locks the tokens that a creator gets later, once the curve is sold out: before the migration of a pool that has any. */
export function createLocker(
  { pool, config, baseMint, baseVault }: Omit<BondingCurvePool, 'metadata'>,
  creator: Address,
  payer: Address,
): Instruction {
  const { base, owner: escrow, account } = lockerAccount({ pool, baseMint });
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      writableAccount(pool),
      readonlyAccount(config),
      ...[BONDING_CURVE_AUTHORITY, baseVault, baseMint, base].map(writableAccount),
      readonlyAccount(creator),
      ...[escrow, account].map(writableAccount),
      writableSigner(payer),
      ...[TOKEN_PROGRAM, LOCKER_PROGRAM, LOCKER_EVENTS, SYSTEM_PROGRAM].map(readonlyAccount),
    ],
    data: CREATE_LOCKER,
  };
}

/** Whose tokens a `createLocker` locks, and who pays; undefined for any other instruction. */
export function parseCreateLocker(instruction: Instruction): { creator: Address; payer: Address } | undefined {
  const at = accountsAfter(instruction, CREATE_LOCKER);
  if (!at) return undefined;
  const pool = { pool: at(0), config: at(1), baseVault: at(3), baseMint: at(4), quoteMint: at(4), quoteVault: at(3) };
  const [creator, payer] = [at(6), at(9)];
  return isMadeOf(instruction, () => createLocker(pool, creator, payer)) ? { creator, payer } : undefined;
}

/** Where the lock program keeps what the creator gets later: the account must be there before `createLocker`. */
export function lockerAccount({ pool, baseMint }: Pick<BondingCurvePool, 'pool' | 'baseMint'>): {
  base: Address;
  /** The lock, to which the token account belongs. */
  owner: Address;
  account: Address;
} {
  const base = derived(BONDING_CURVE_PROGRAM, 'base_locker', pool);
  const owner = derived(LOCKER_PROGRAM, 'escrow', base);
  return { base, owner, account: associatedTokenAddress(owner, baseMint) };
}

/** The migration of a pool whose curve is sold out to DAMM v2; anybody may do it. */
export interface Migration {
  pool: Omit<BondingCurvePool, 'metadata'>;
  /** One of `MIGRATED_POOL_CONFIGS`, by the pool's option for its fee. */
  dammConfig: Address;
  /**
   * Mints of the tokens that stand for the shares of liquidity: fresh keys, which sign. One, unless both the creator and
   * the operator get some.
   */
  positions: readonly [Address, Address?];
  /** Signs, and pays the rent of what is made. */
  payer: Address;
}

/** Moves what a sold-out curve holds into a pool of DAMM v2. Takes about 280,000 compute units. */
export function migrateToDammV2({ pool, dammConfig, positions, payer }: Migration): Instruction {
  const damm = migratedPool(dammConfig, pool.baseMint, pool.quoteMint);
  const vault = (mint: Address) => derived(DAMM_V2_PROGRAM, 'token_vault', mint, damm);
  const [first, second] = positions;
  // The program stands for an absent account.
  const absent = readonlyAccount(BONDING_CURVE_PROGRAM);
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      writableAccount(pool.pool),
      readonlyAccount(derived(BONDING_CURVE_PROGRAM, 'damm_v2', pool.pool)),
      readonlyAccount(pool.config),
      writableAccount(BONDING_CURVE_AUTHORITY),
      writableAccount(damm),
      ...positionAccounts(first),
      ...(second ? positionAccounts(second) : [absent, absent, absent]),
      readonlyAccount(derived(DAMM_V2_PROGRAM, 'pool_authority')),
      readonlyAccount(DAMM_V2_PROGRAM),
      ...[pool.baseMint, pool.quoteMint, vault(pool.baseMint), vault(pool.quoteMint)].map(writableAccount),
      ...[pool.baseVault, pool.quoteVault].map(writableAccount),
      writableSigner(payer),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map(readonlyAccount),
      readonlyAccount(derived(DAMM_V2_PROGRAM, '__event_authority')),
      ...[SYSTEM_PROGRAM, dammConfig].map(readonlyAccount),
    ],
    data: MIGRATE,
  };
}

/** What a `migrateToDammV2` moves, and who pays; undefined for any other instruction. */
export function parseMigrateToDammV2(instruction: Instruction): Migration | undefined {
  const at = accountsAfter(instruction, MIGRATE);
  if (!at) return undefined;
  const [pool, config, baseMint, quoteMint] = [at(0), at(2), at(13), at(14)];
  const second = at(8) === BONDING_CURVE_PROGRAM ? undefined : at(8);
  const migration: Migration = {
    pool: { pool, config, baseMint, quoteMint, baseVault: at(17), quoteVault: at(18) },
    dammConfig: at(25),
    positions: second === undefined ? [at(5)] : [at(5), second],
    payer: at(19),
  };
  return isMadeOf(instruction, () => migrateToDammV2(migration)) ? migration : undefined;
}

/** The comparison with what the builder makes refuses a list that is too short. */
function accountsAfter({ program, accounts, data }: Instruction, tag: Uint8Array) {
  const isSo = program === BONDING_CURVE_PROGRAM && equalBytes(data, tag);
  return isSo ? (i: number) => accounts[i]?.address ?? program : undefined;
}

function positionAccounts(mint: Address) {
  return [
    writableSigner(mint),
    writableAccount(derived(DAMM_V2_PROGRAM, 'position_nft_account', mint)),
    writableAccount(derived(DAMM_V2_PROGRAM, 'position', mint)),
  ];
}

function derived(program: Address, name: string, ...keys: Address[]): Address {
  return findProgramAddress([Buffer.from(name), ...keys.map(addressToBytes)], program).address;
}

/** Bytes of a DAMM v2 configuration with a fixed fee, for a chain that nobody has furnished with the public ones. */
export function encodeDammV2Config(feeBps: number): Uint8Array {
  const bytes = Buffer.alloc(328);
  bytes.set(discriminator('9b0caae01efacc82'));
  bytes.set(addressToBytes(BONDING_CURVE_AUTHORITY), 40);
  bytes.writeBigUInt64LE(BigInt(feeBps) * FEE_PER_BPS, 72);
  bytes[152] = 20; // percent of fees that are the protocol's
  bytes[154] = 20; // and the referrer's
  bytes[200] = 1; // activated by time
  bytes[201] = 1; // fees in the quote
  writeU128(bytes, LEAST_SQRT_PRICE, 216);
  writeU128(bytes, MOST_SQRT_PRICE, 232);
  return bytes;
}

function writeU128(bytes: Buffer, value: bigint, at: number): void {
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  bytes.writeBigUInt64LE(value >> 64n, at + 8);
}
