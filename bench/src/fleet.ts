import { join } from 'node:path';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import type { Store } from '../../server/dist/store/sql.js';
import { type Rig, startProgram } from './processes.js';
import { type Service, startService } from './service.js';
import { startDatabase } from './targets.js';

const API_COPIES = 2;
const KEEPERS = 3;

/** Copies of the service on one PostgreSQL and one chain, each in a process of its own. */
export interface Fleet {
  apis: Service[];
  keepers: Service[];
  /** The database that all of them use. */
  store: Store;
}

/** Two copies with the role `api`, three with the role `keeper`. */
export async function startFleet(rig: Rig): Promise<Fleet> {
  const databaseUrl = await startDatabase(rig);
  const env = {
    DATABASE_URL: databaseUrl,
    ...(await startChain(rig)),
    SLIPWAY_SANDBOX: '1',
    SLIPWAY_SIGNER_FILE: join(rig.folder(), 'signer.json'),
    SLIPWAY_SIGNER_PASSPHRASE: 'passphrase of the fleet',
  };
  const start = async (role: string, count: number): Promise<Service[]> => {
    const copies: Service[] = [];
    while (copies.length < count) {
      copies.push(await startService(rig, rig.folder(), { ...env, SLIPWAY_ROLES: role }));
    }
    return copies;
  };
  const apis = await start('api', API_COPIES);
  const keepers = await start('keeper', KEEPERS);
  const store = await openStore({ kind: 'postgres', url: databaseUrl });
  rig.add(() => store.close());
  return { apis, keepers, store };
}

/** The chain in a process of its own, as the service's settings name it. */
export async function startChain(rig: Rig): Promise<{ SLIPWAY_RPC_URL: string; SLIPWAY_RPC_WS_URL: string }> {
  const { output } = await startProgram(rig, {
    file: 'localnet/dist/main.js',
    args: ['--rpc-port', '0', '--data-dir', rig.folder()],
    ready: /Funded wallets[\s\S]*\n/,
  });
  return {
    SLIPWAY_RPC_URL: /RPC +(http\S+)/.exec(output)![1]!,
    SLIPWAY_RPC_WS_URL: /WebSocket +(ws\S+)/.exec(output)![1]!,
  };
}
