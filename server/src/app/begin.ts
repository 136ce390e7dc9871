import { mkdirSync, writeFileSync } from 'node:fs';
import { lockFolder } from '@slipway/localnet';
import { type Config, dataFolder } from '../config/index.js';
import { type DatabaseThread, startDatabaseThread } from '../store/postgres/pglite-thread.js';

/** What is begun before the code of the service is loaded. */
export interface Beginning {
  /** Lets other processes use the data folder. */
  unlock: () => void;
  /** Of an embedded database, which is what a start waits for longest. */
  databaseThread: DatabaseThread | undefined;
}

/** Takes the data folder for this process, and begins to open the embedded database in it. */
export function begin(config: Config): Beginning {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(config.dataDir);
  if (!config.sandbox) writeFileSync(dataFolder(config).production, '', { mode: 0o600 });
  const isEmbedded = config.store.kind === 'embedded';
  return { unlock, databaseThread: isEmbedded ? startDatabaseThread(dataFolder(config).database) : undefined };
}
