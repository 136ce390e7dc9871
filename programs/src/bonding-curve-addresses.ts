import { type Address, address, addressToBytes, findProgramAddress, metadataAddress } from '@slipway/wire/formats';

/** Meteora's Dynamic Bonding Curve program. */
export const BONDING_CURVE_PROGRAM: Address = address('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN');
/** Meteora's DAMM v2, where pools live on once their curve is sold out. */
export const DAMM_V2_PROGRAM: Address = address('cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG');

// Addresses that no argument changes are written out: to derive them takes a tenth of the time in which a program loads.
/** Owns the vaults of all pools. */
export const BONDING_CURVE_AUTHORITY: Address = address('FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM');
/** Signs the events that the program writes into its own instructions. */
export const BONDING_CURVE_EVENTS: Address = address('8Ks12pbrD6PXxfty1hVQiE9sc289zgU1zHkvXhrSdriF');

/** The configurations of DAMM v2 that migrated pools are opened with, by the pool's option for its fee. */
export const MIGRATED_POOL_CONFIGS: readonly Address[] = [
  address('7F6dnUcRuyM2TwR8myT1dYypFXpPSxqwKNSFNkxyNESd'),
  address('2nHK1kju6XjphBLbNxpM5XRGFj7p9U8vvNzyZiha1z6k'),
  address('Hv8Lmzmnju6m7kcokVKvwqz7QPmdX9XfKjJsXz8RXcjp'),
  address('2c4cYd4reUYVRAB9kUUkrq55VPyy2FNQ3FDL4o12JXmq'),
  address('AkmQWebAwFvWk55wBoCr5D62C6VVDTzi84NJuD9H7cFD'),
  address('DbCRBj8McvPYHJG1ukj8RE15h2dCNUdTAESG49XpQ44u'),
  address('A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck'),
];

/** The fees of all but the last of them, in basis points; that one leaves its fee to the pool. */
export const MIGRATED_POOL_FEES: readonly number[] = [25, 30, 100, 200, 400, 600];

/** All accounts that a pool has of its own. */
export interface BondingCurvePool {
  config: Address;
  baseMint: Address;
  quoteMint: Address;
  pool: Address;
  baseVault: Address;
  quoteVault: Address;
  /** Of the base mint, in the metadata program. */
  metadata: Address;
}

/** Derives the addresses of a pool. Takes four derivations, about 0.2 ms each. */
export function bondingCurvePool(config: Address, baseMint: Address, quoteMint: Address): BondingCurvePool {
  const pool = poolAddress(config, baseMint, quoteMint, BONDING_CURVE_PROGRAM);
  const vault = (mint: Address) => derived('token_vault', mint, pool);
  return {
    config,
    baseMint,
    quoteMint,
    pool,
    baseVault: vault(baseMint),
    quoteVault: vault(quoteMint),
    metadata: metadataAddress(baseMint),
  };
}

/** Where a pool is after its migration: `config` is the one of DAMM v2 that it was opened with. */
export function migratedPool(config: Address, baseMint: Address, quoteMint: Address): Address {
  return poolAddress(config, baseMint, quoteMint, DAMM_V2_PROGRAM);
}

function poolAddress(config: Address, baseMint: Address, quoteMint: Address, program: Address): Address {
  const mints = [addressToBytes(baseMint), addressToBytes(quoteMint)].sort((a, b) => compareBytes(b, a));
  return findProgramAddress([seed('pool'), addressToBytes(config), ...mints], program).address;
}

function seed(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** As `Buffer.compare`: the first byte that differs decides. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

function derived(name: string, ...keys: Address[]): Address {
  return findProgramAddress([seed(name), ...keys.map(addressToBytes)], BONDING_CURVE_PROGRAM).address;
}
