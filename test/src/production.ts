import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@slipway/client';
import { startLocalnet } from '@slipway/localnet';
import { ROUTER_PROGRAM } from '@slipway/programs';
import type { Address, Keypair } from '@slipway/wire';
import { BUCKET, credentials, REGION, startStrictS3 } from '../../server/dist/objects/s3/testing.js';
import { callbackSigner } from './client.js';
import { run, SLIPWAY } from './command.js';
import { startHermes, startProxy } from './outside.js';
import { openStore, type Store, usePostgres } from './postgres.js';
import {
  canRunAs,
  mayRead,
  openSignerIn,
  ownedFolder,
  type SignerInProduction,
  USERS,
  type User,
} from './production-signer.js';
import { request, type Service, startService } from './service.js';
import { RECEIVER } from './wallet.js';

const ADMIN_TOKEN = 'admin-token-of-the-production';

/** What a team runs: two copies of the API behind a proxy, a keeper, and a signer, on what they do not make themselves. */
export interface Production {
  /** Where clients reach it. */
  url: string;
  rpcUrl: string;
  apiKey: string;
  copies: Record<'api1' | 'api2' | 'keeper', Service>;
  signer: SignerInProduction;
  /** As somebody who can write to the database. */
  store: Store;
  /** Whether each part runs as a user of its own. */
  hasUsers: boolean;
  /** Addresses of the service's own wallets. */
  wallets: Record<'gas' | 'keeper', Address>;
  tracker: Address;
  clientOf(wallet: Keypair): ReturnType<typeof createClient>;
  setPrice(mint: string, usd: number): void;
  /** Gives a wallet SOL and tokens on the chain, in the smallest unit. */
  fund(wallet: string, lamports: bigint, tokens?: Readonly<Record<string, bigint>>): Promise<void>;
  /** One request to the admin API. */
  admin<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** `slipway …` with the settings of the first copy of the API, as its user. */
  command(...args: string[]): ReturnType<typeof run>;
  /** `slipway …` as the operator on the signer's machine, with the keys behind his own socket. */
  operate(...args: string[]): ReturnType<typeof run>;
  /** Ends both copies of the API and the keeper, does this, and starts them again. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  /** Whether a program that runs as this user can read the file. */
  canRead(user: User, path: string): boolean;
  close(): Promise<void>;
}

export async function startProduction(): Promise<Production> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-production-'));
  chmodSync(folder, 0o755);
  const hasUsers = canRunAs(USERS.signer, folder);
  const userOf = (user: User) => (hasUsers ? USERS[user] : undefined);
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const { localnet, hermes, proxy, url, env } = await openOutside(folder, ends);
    const { signer, wallets, tracker } = await openSignerIn(folder, url, userOf);
    ends.push(signer.kill);
    await signer.start();

    const ownOf = (name: string, role: string) => ({
      SLIPWAY_ROLES: role,
      SLIPWAY_SIGNER_URL: `unix:${signer.socketOf(name)}`,
    });
    const start = async (name: string, role: 'api' | 'keeper'): Promise<Service> => {
      const dataDir = ownedFolder(join(folder, name), { owner: userOf(role), mode: 0o700 });
      const copy = await startService({ env: { ...env, ...ownOf(name, role) }, dataDir, user: userOf(role) });
      ends.push(copy.close);
      return { ...copy, rpcUrl: localnet.rpcUrl };
    };
    const copies = {
      api1: await start('api1', 'api'),
      api2: await start('api2', 'api'),
      keeper: await start('keeper', 'keeper'),
    };
    const lead = () => proxy.leadTo([copies.api1, copies.api2].map((copy) => Number(new URL(copy.url).port)));
    lead();
    const store = await openStore({ kind: 'postgres', url: env.DATABASE_URL });
    ends.push(() => store.close());

    const admin = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-api-key': undefined };
      const answer = await request<T>(`${url}/admin/v1${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      if (answer.status !== 200)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const { key: apiKey } = await admin<{ key: string }>('POST', '/keys', { name: 'app', tier: 'unlimited' });
    const production: Production = {
      url,
      rpcUrl: localnet.rpcUrl,
      apiKey,
      copies,
      signer,
      store,
      hasUsers,
      wallets,
      tracker,
      clientOf: (wallet) =>
        createClient({
          url,
          apiKey,
          rpcUrl: localnet.rpcUrl,
          signer: callbackSigner(wallet),
          programs: { router: ROUTER_PROGRAM },
          // Its store has no https.
          uploadHosts: [new URL(env.SLIPWAY_S3_ENDPOINT).host],
        }),
      setPrice: hermes.setPrice,
      async fund(wallet, lamports, tokens = {}) {
        await localnet.call('requestAirdrop', [wallet, Number(lamports)]);
        for (const [mint, amount] of Object.entries(tokens))
          await localnet.call('localnet_airdropToken', [wallet, mint, amount.toString()]);
      },
      admin,
      command: (...args) =>
        run(SLIPWAY, args, {
          cwd: folder,
          user: userOf('api'),
          env: {
            ...env,
            ...ownOf('api1', 'api'),
            SLIPWAY_DATA_DIR: copies.api1.dataDir,
            SLIPWAY_PORT: new URL(copies.api1.url).port,
          },
        }),
      operate: (...args) =>
        run(SLIPWAY, args, {
          cwd: signer.folder,
          user: userOf('signer'),
          env: { ...env, ...ownOf('operator', 'api'), SLIPWAY_DATA_DIR: signer.folder },
        }),
      async restart(meanwhile) {
        await Promise.all(Object.values(copies).map((copy) => copy.kill()));
        await meanwhile();
        const names = ['api1', 'api2', 'keeper'] as const;
        const started = await Promise.all(names.map((name) => start(name, name === 'keeper' ? 'keeper' : 'api')));
        for (const [index, name] of names.entries()) copies[name] = started[index]!;
        lead();
      },
      canRead: (user, path) => mayRead(userOf(user), path),
      close,
    };
    for (const wallet of Object.values(wallets)) await production.fund(wallet, 10_000_000_000n);
    return production;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Everything that the service does not bring itself, and the settings by which it finds that. */
async function openOutside(folder: string, ends: (() => unknown)[]) {
  const [localnet, postgres, hermes] = await Promise.all([startLocalnet({ rpcPort: 0 }), usePostgres(), startHermes()]);
  ends.push(
    () => localnet.close(),
    () => postgres.stop(),
    hermes.close,
  );
  const proxy = await startProxy();
  ends.push(proxy.close);
  const s3 = await startStrictS3(join(folder, 's3'));
  ends.push(() => s3.close());
  const url = `http://127.0.0.1:${proxy.port}`;
  writeFileSync(join(folder, 'slipway.config.json'), JSON.stringify(settings(hermes.feeds)));
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: await postgres.createDatabase(postgres.template),
    SLIPWAY_RPC_URL: localnet.rpcUrl,
    SLIPWAY_RPC_WS_URL: localnet.wsUrl,
    SLIPWAY_PUBLIC_URL: url,
    SLIPWAY_CONFIG: join(folder, 'slipway.config.json'),
    SLIPWAY_ADMIN_TOKEN: ADMIN_TOKEN,
    SLIPWAY_HERMES_URL: hermes.url,
    SLIPWAY_S3_BUCKET: BUCKET,
    SLIPWAY_S3_REGION: REGION,
    SLIPWAY_S3_ENDPOINT: s3.endpoint,
    SLIPWAY_S3_PUBLIC_URL: `${s3.endpoint}/${BUCKET}`,
    SLIPWAY_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    SLIPWAY_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  return { localnet, hermes, proxy, url, env };
}

function settings(feeds: Readonly<Record<string, string>>): object {
  return {
    express: { receiver: RECEIVER },
    prices: { feeds },
    programs: { router: ROUTER_PROGRAM },
    studio: { migrationBudgetSol: 5 },
    swap: { gasless: true },
  };
}
