import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalnet } from '@slipway/localnet';
import { openStore, type Store, type TestPostgres, usePostgres } from './postgres.js';
import { type Service, startService } from './service.js';

/** Copies of the service, each in a process of its own, on one PostgreSQL and one chain. */
export interface Fleet {
  copies: Service[];
  postgres: TestPostgres;
  /** The database of all copies. */
  store: Store;
  /** Kills a copy like the kernel does, and starts it again in its folder. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts one copy for each of these values of SLIPWAY_ROLES. They reach the chain by the URL that `reach` makes of its. */
export async function startFleet(
  roles: readonly string[],
  reach: (rpcUrl: string) => Promise<string> = async (rpcUrl) => rpcUrl,
  openPostgres: () => Promise<TestPostgres> = usePostgres,
): Promise<Fleet> {
  const [postgres, localnet] = await Promise.all([openPostgres(), startLocalnet({ rpcPort: 0 })]);
  const url = await postgres.createDatabase(postgres.template);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  const env = {
    DATABASE_URL: url,
    SLIPWAY_RPC_URL: await reach(localnet.rpcUrl),
    SLIPWAY_RPC_WS_URL: localnet.wsUrl,
    SLIPWAY_SANDBOX: '1',
    SLIPWAY_ADMIN_TOKEN: 'admin-token-of-the-copies',
    SLIPWAY_SIGNER_FILE: join(folder, 'signer.json'),
    SLIPWAY_SIGNER_PASSPHRASE: 'passphrase of the copies',
    // As copies have one URL in production: a login at one of them is one at all.
    SLIPWAY_CHALLENGE_PREFIX: 'Log in to the copies as',
  };
  const copies: Service[] = [];
  let store: Store | undefined;
  const start = async (role: string, dataDir?: string): Promise<Service> => {
    const copy = await startService({
      env: { ...env, SLIPWAY_ROLES: role },
      ...(dataDir !== undefined && { dataDir }),
    });
    // The tests look at the chain itself.
    return { ...copy, rpcUrl: localnet.rpcUrl };
  };
  const close = async () => {
    for (const copy of copies) await copy.close();
    await store?.close();
    await localnet.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const role of roles) copies.push(await start(role));
    store = await openStore({ kind: 'postgres', url });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    copies,
    postgres,
    store,
    close,
    async restart(index) {
      const { dataDir, kill } = copies[index]!;
      await kill();
      copies[index] = await start(roles[index]!, dataDir);
    },
  };
}
