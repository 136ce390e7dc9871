import type { Address } from '@slipway/wire';
import { type Chain, isMade } from '../../chain/index.js';
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

type Deps = Pick<StudioDeps, 'store' | 'signer' | 'mintSuffix'> & { chain: Pick<Chain, 'account'> };

/**
 * Crafts with keys that no other launch has: from the mint pool if there is a suffix, else random. A number of the pool
 * takes hours to find: it goes back if nothing was crafted with it, unless its mint is on the chain. A database that was restored
 * from a backup has the numbers again that were used since, and the pool would never lose them. @throws AppError CRAFT_FAILED
 */
export async function withLaunchKeys<T>(deps: Deps, craft: (keys: LaunchKeys) => Promise<T>): Promise<T> {
  const { store, mintSuffix } = deps;
  for (;;) {
    const number = await takeNumber(deps);
    let keys: LaunchKeys | undefined;
    try {
      keys = await launchKeys(deps, number);
      return await craft(keys);
    } catch (error) {
      if (mintSuffix === '') throw error;
      if (keys && (await isUsed(deps, keys))) continue;
      await store.single((tx) => addMintNumber(tx, number, mintSuffix));
      throw error;
    }
  }
}

/** False also where the chain gives no answer. */
function isUsed({ chain }: Deps, { mint }: LaunchKeys): Promise<boolean> {
  return chain.account(mint).then(isMade, () => false);
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
