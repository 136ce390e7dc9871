import {
  BONDING_CURVE_BASE_MINT_AT,
  BONDING_CURVE_POOL_SIZE,
  BONDING_CURVE_PROGRAM,
  type BondingCurveConfigState,
  type BondingCurvePoolState,
  decodeBondingCurveConfig,
  decodeBondingCurvePool,
} from '@slipway/programs';
import type { Address } from '@slipway/wire';
import { ask, type ChainAccount } from '../../chain/index.js';
import type { StudioDeps } from './deps.js';
import { refuse } from './launch-request.js';

export interface FoundPool {
  address: Address;
  state: BondingCurvePoolState;
  config: BondingCurveConfigState;
}

/** The pool at an address; undefined if it is not a pool of the launch program. */
export async function readPool({ chain }: StudioDeps, address: Address): Promise<FoundPool | undefined> {
  const state = ownData(await chain.account(address), decodeBondingCurvePool);
  if (!state) return undefined;
  const config = ownData(await chain.account(state.config), decodeBondingCurveConfig);
  return config && { address, state, config };
}

/** @throws AppError INVALID_REQUEST where there is no pool. */
export async function requirePool(deps: StudioDeps, address: Address): Promise<FoundPool> {
  const pool = await readPool(deps, address);
  if (!pool) throw refuse('poolAddress', 'expected the address of a bonding curve pool on this chain');
  return pool;
}

function ownData<T>(account: ChainAccount | undefined, decode: (data: Uint8Array) => T | undefined): T | undefined {
  return account?.owner === BONDING_CURVE_PROGRAM ? decode(account.data) : undefined;
}

/** Searches the chain for the pool of a token that was not launched here. */
export async function searchPool({ chain }: StudioDeps, mint: Address): Promise<Address | undefined> {
  const filters = [
    { dataSize: BONDING_CURVE_POOL_SIZE },
    { memcmp: { offset: BONDING_CURVE_BASE_MINT_AT, bytes: mint, encoding: 'base58' } },
  ];
  const options = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 }, filters };
  const found = await ask(
    chain.rpc,
    'getProgramAccounts',
    [BONDING_CURVE_PROGRAM, options],
    (rows: { pubkey: Address }[]) => rows.map(({ pubkey }) => pubkey),
  );
  return found[0];
}
