import type { Address } from '@slipway/wire';
import { type Chain, isMade } from '../../chain/index.js';
import { AppError } from '../../errors/index.js';
import { type KeyName, randomMintNumber } from '../../signer/index.js';
import { findMintNumber, takeMintNumber } from '../../store/launches.js';
import type { Tx } from '../../store/sql.js';
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
 * takes hours to find: it leaves the pool in the transaction of `keep`, which stores what was crafted, so that nothing
 * that fails before costs one; if another launch has taken it by then, this one is crafted again. It also leaves the pool
 * where its mint is on the chain: a database that was restored from a backup has the numbers again that were used since.
 * @throws AppError CRAFT_FAILED
 */
export async function withLaunchKeys<T>(
  deps: Deps,
  craft: (keys: LaunchKeys) => Promise<T>,
  keep: (tx: Tx, made: T) => Promise<void>,
): Promise<T> {
  const { store, mintSuffix } = deps;
  for (;;) {
    const number = await chooseNumber(deps);
    const keys = await launchKeys(deps, number);
    let made: T;
    try {
      made = await craft(keys);
    } catch (error) {
      if (mintSuffix === '' || !(await isUsed(deps, keys))) throw error;
      await store.single((tx) => takeMintNumber(tx, number));
      continue;
    }
    const isKept = await store.transaction(async (tx) => {
      if (mintSuffix !== '' && !(await takeMintNumber(tx, number))) return false;
      await keep(tx, made);
      return true;
    });
    if (isKept) return made;
  }
}

/** False also where the chain gives no answer. */
function isUsed({ chain }: Deps, { mint }: LaunchKeys): Promise<boolean> {
  return chain.account(mint).then(isMade, () => false);
}

async function chooseNumber({ store, mintSuffix }: Deps): Promise<number> {
  if (mintSuffix === '') return randomMintNumber();
  const number = await findMintNumber(store, mintSuffix);
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
