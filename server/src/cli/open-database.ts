import { existsSync } from 'node:fs';
import { lockFolder } from '@slipway/localnet';
import { type Config, dataFolder } from '../config/index.js';
import type { Disposal } from '../lib/disposal.js';
import { openStore } from '../store/postgres/open-store.js';
import type { Store } from '../store/sql.js';
import { CommandError } from './context.js';

/**
 * Opens the database of the configuration in this process, until `disposal` closes it.
 * @throws CommandError where it is embedded, and another process holds it or nobody has made it.
 */
export async function openDatabase(config: Config, disposal: Disposal): Promise<Store> {
  if (config.store.kind === 'embedded') disposal.add('data folder', lockDataFolder(config.dataDir));
  const store = await openStore(
    config.store.kind === 'embedded'
      ? { kind: 'embedded', dir: dataFolder(config).database }
      : { ...config.store, poolSize: 2 },
  );
  disposal.add('store', () => store.close());
  return store;
}

function lockDataFolder(folder: string): () => void {
  if (!existsSync(folder)) throw new CommandError(`there is no data folder ${folder}`);
  try {
    return lockFolder(folder);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
