import type { Address } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { type KeyName, randomMintNumber } from '../../signer/index.js';
import { addMintNumber, takeMintNumber } from '../../store/launches.js';
import { keysOf, type StudioDeps } from './deps.js';

export interface LaunchKeys {
  mint: Address;
  config: Address;
  /** The names of both, as the signer knows them. */
  names: KeyName[];
}

type Deps = Pick<StudioDeps, 'store' | 'signer' | 'mintSuffix'>;

/**
 * Crafts with keys that no other launch has: from the mint pool if there is a suffix, else random. A number of the pool
 * takes hours to find: it goes back if nothing was crafted with it. @throws AppError CRAFT_FAILED
 */
export async function withLaunchKeys<T>(deps: Deps, craft: (keys: LaunchKeys) => Promise<T>): Promise<T> {
  const { store, mintSuffix } = deps;
  const number = await takeNumber(deps);
  try {
    return await craft(await launchKeys(deps, number));
  } catch (error) {
    if (mintSuffix !== '') await store.single((tx) => addMintNumber(tx, number, mintSuffix));
    throw error;
  }
}

async function takeNumber({ store, mintSuffix }: Deps): Promise<number> {
  if (mintSuffix === '') return randomMintNumber();
  const number = await store.single((tx) => takeMintNumber(tx, mintSuffix));
  if (number !== undefined) return number;
  throw new AppError('CRAFT_FAILED', {
    message: 'Failed to craft the transaction',
    details: { details: `no address that ends in ${mintSuffix} has been found yet; try again in a while` },
  });
}

async function launchKeys({ signer }: Deps, number: number): Promise<LaunchKeys> {
  const names = keysOf(number);
  const [mint, config] = await Promise.all([signer.publicKey(names.mint), signer.publicKey(names.config)]);
  return { mint, config, names: [names.mint, names.config] };
}
