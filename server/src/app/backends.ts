import { existsSync } from 'node:fs';
import { startLocalnet } from '@slipway/localnet';
import type { Logger } from 'pino';
import {
  type CallBudget,
  createCallBudget,
  createHttpRpc,
  createLocalRpc,
  type Purpose,
  type Rpc,
} from '../chain/index.js';
import { type Config, dataFolder, SANDBOX_KEY } from '../config/index.js';
import { allOpen } from '../lib/all-open.js';
import { type Clock, steadyNow } from '../lib/clock.js';
import { lamportsOf } from '../lib/decimal.js';
import type { Disposal } from '../lib/disposal.js';
import { LEAST_SECRET } from '../lib/least-secret.js';
import { createLocalStore, createS3Store, type LocalStore, type S3Store } from '../objects/index.js';
import {
  challengePrefixOf,
  connectSigner,
  endpointOf,
  type KeyPort,
  LossLimits,
  type MintFinder,
  openSigner,
  type RemoteSigner,
  readOrCreateSecret,
  type SecretBox,
  type ServiceWords,
  type Signer,
  type SignerAddress,
  type SignerRefused,
  watchWallets,
} from '../signer/index.js';
import { beginToOpenStore, type OpeningStore } from '../store/postgres/open-store.js';
import type { Store } from '../store/sql.js';
import type { Beginning } from './begin.js';

/** The parts whose implementation the configuration chooses. */
export interface Backends {
  store: Store;
  /** Resolves when the database is open. `claimDatabase` waits for it, and nobody uses the store before. */
  storeOpened: Promise<void>;
  signer: Signer & MintFinder & Pick<KeyPort, 'state'>;
  secrets: SecretBox;
  /** Set where the keys are in another process. */
  remoteSigner: RemoteSigner | undefined;
  node: Node;
  adminToken: string;
  /** The API key of a sandbox; undefined elsewhere. */
  sandboxKey: string | undefined;
}

export interface Node {
  rpcFor: CallBudget['rpcFor'];
  /** Every RPC that transactions are sent to, that of `rpcFor` first. */
  sendRpcsFor: (purpose: Purpose) => readonly Rpc[];
  /** What bounds the calls to each of them. */
  budgets: readonly CallBudget[];
  rpcUrl: string;
  wsUrl: string | undefined;
  /** Resolves when the embedded chain has died. */
  died: Promise<Error>;
}

/** At the start of a machine, the signer may take longer than the service. */
const SIGNER_PATIENCE_MS = 30_000;
/** More than there are. */
const ALL_SOL = 1e9;

interface BackendsDeps extends Pick<Beginning, 'databaseThread'> {
  config: Config;
  log: Logger;
  disposal: Disposal;
  /** Measures the calls to an RPC. */
  metered: (rpc: Rpc) => Rpc;
  clock: Clock;
  /** Where clients reach the service, once its port is known. */
  publicUrl: () => string;
  /** Hears of what the signer does not sign. */
  refused: (refusal: SignerRefused) => void;
}

/**
 * Opens the backends, all at once, and resolves while the database is still being opened, which takes longest. `disposal`
 * closes those that have been opened, also if another fails.
 */
export async function openBackends(deps: BackendsDeps): Promise<Backends> {
  const { config } = deps;
  const paths = dataFolder(config);
  const { store, opened: storeOpened } = openDatabase(deps);
  const [signer, node, adminToken, sandboxKey] = await allOpen([
    openKeys(deps),
    openChain(deps),
    config.adminToken ?? readOrCreateSecret(paths.adminToken),
    config.publicSandbox ? readOrCreateSecret(paths.sandboxKey) : config.sandbox ? SANDBOX_KEY : undefined,
  ]);
  const remoteSigner = 'probe' in signer ? signer : undefined;
  return { store, storeOpened, signer, secrets: signer.secrets, remoteSigner, node, adminToken, sandboxKey };
}

function openDatabase({ config, databaseThread, disposal }: BackendsDeps): OpeningStore {
  const opening = beginToOpenStore(
    config.store.kind === 'embedded'
      ? { kind: 'embedded', dir: dataFolder(config).database, thread: databaseThread }
      : config.store,
  );
  disposal.add('store', async () => {
    await opening.opened.catch(() => {});
    await opening.store.close();
  });
  return opening;
}

async function openKeys(deps: BackendsDeps): Promise<KeyPort | RemoteSigner> {
  const { config, clock, publicUrl, refused } = deps;
  if (config.signer.kind === 'process') return openRemoteKeys(config.signer, deps);
  const { file } = config.signer;
  const isWeak = !config.sandbox && (config.signer.passphrase?.length ?? 0) < LEAST_SECRET;
  // A file that exists stays open to its operator.
  if (isWeak && !existsSync(file)) {
    throw new Error(
      `SLIPWAY_SIGNER_PASSPHRASE has fewer than ${LEAST_SECRET} characters: choose a longer one for the new signer file`,
    );
  }
  // In production the configuration requires the operator's passphrase.
  const isRandom = config.signer.passphrase === undefined;
  const passphrase = config.signer.passphrase ?? (await readOrCreateSecret(dataFolder(config).signerPassphrase));
  const service: ServiceWords = {
    challengePrefix: () => config.challengePrefix ?? challengePrefixOf(publicUrl()),
    host: () => new URL(publicUrl()).host,
    maxUnsignedSlippageBps: config.triggerOrders.maxUnsignedSlippageBps,
  };
  const signer = await openSigner({
    file,
    passphrase,
    isRandom,
    create: true,
    programs: config.programs,
    service,
    clock,
    limits: await limitsOf(deps),
    refused,
  });
  watchKeys(signer, deps);
  return signer;
}

/** What the wallets may lose by what this copy signs; nothing bounds it in a sandbox whose settings do not. */
async function limitsOf({ config, log }: Pick<BackendsDeps, 'config' | 'log'>): Promise<LossLimits | undefined> {
  const { walletSolPerHour: hour, walletSolPerDay: day } = config.fees;
  if (hour === undefined && day === undefined) return undefined;
  const limit = { hour: lamportsOf(hour ?? ALL_SOL), day: lamportsOf(day ?? ALL_SOL) };
  return LossLimits.open({
    limits: { gas: limit, keeper: limit },
    clock: { now: steadyNow },
    nearing: (key, reason) => log.warn({ key, reason }, 'a wallet comes near its limit'),
  });
}

/** Learns of exchanged keys of the wallets, which "slipway signer rotate" makes while this process runs. */
function watchKeys(signer: KeyPort, { log, disposal }: Pick<BackendsDeps, 'log' | 'disposal'>): void {
  let failure = '';
  const unwatch = watchWallets(signer, ({ message }) => {
    if (message !== failure) log.warn({ reason: message }, 'the keys of the wallets cannot be read again');
    failure = message;
  });
  disposal.add('wallet keys', unwatch);
}

async function openRemoteKeys(
  at: SignerAddress,
  { log, disposal, refused }: Pick<BackendsDeps, 'log' | 'disposal' | 'refused'>,
): Promise<RemoteSigner> {
  const signer = await connectSigner({
    endpoint: await endpointOf(at),
    name: at.url,
    patienceMs: SIGNER_PATIENCE_MS,
    refused,
    onChange: (change) =>
      'away' in change
        ? log.error({ reason: change.away }, 'the signer is away: nothing can be signed')
        : log.info('the signer is back'),
  });
  disposal.add('signer', () => signer.close());
  // While the signer is away, that is said already.
  disposal.add(
    'wallet keys',
    watchWallets(signer, () => {}),
  );
  return signer;
}

async function openChain({ config, log, disposal, metered }: BackendsDeps): Promise<Node> {
  if (config.chain.kind === 'outside') {
    const { rpcUrl, wsUrl, sendUrls } = config.chain;
    const rpcs = [rpcUrl, ...sendUrls].map((url) => metered(createHttpRpc({ url })));
    return { ...budgeted(rpcs, config), rpcUrl, wsUrl, died: new Promise(() => {}) };
  }
  const { rpcPort, programsDir, forkUrl } = config.chain;
  const { platform, stable, usdc } = config.tokens;
  const localnet = await startLocalnet({
    rpcPort,
    hosts: config.http.hosts,
    dataDir: dataFolder(config).chain,
    ...(programsDir !== undefined && { programsDir }),
    ...(forkUrl !== undefined && { forkUrl }),
    genesis: { tokens: [usdc, platform, stable], receiver: config.express.receiver, receiverMint: platform.mint },
    log: (line) => log.info({ part: 'chain' }, line),
  });
  disposal.add('chain', () => localnet.close());
  const rpc = metered(createLocalRpc((method, params) => localnet.call(method, params)));
  const died = new Promise<Error>((resolve) => {
    void localnet.closed.then((error) => error && resolve(error));
  });
  return { ...budgeted([rpc], config), rpcUrl: localnet.rpcUrl, wsUrl: localnet.wsUrl, died };
}

/** Each RPC has a budget of its own: what one of them takes says nothing about the others. */
function budgeted(rpcs: readonly Rpc[], { rpc: { callsPerSecond } }: Config) {
  const budgets = rpcs.map((rpc) => createCallBudget({ rpc, callsPerSecond, steadyNow }));
  const sendRpcsFor = (purpose: Purpose) => budgets.map((budget) => budget.rpcFor(purpose));
  return { budgets, sendRpcsFor, rpcFor: budgets[0]!.rpcFor.bind(budgets[0]) };
}

/** Where uploads are kept. `publicUrl` is called for the first URL, when the service's port is known. */
export async function openObjectStore(
  config: Config,
  clock: Clock,
  publicUrl: () => string,
): Promise<S3Store | LocalStore> {
  if (config.objects.store.kind === 's3') return createS3Store(config.objects.store);
  const { objects: dir, objectsSecret } = dataFolder(config);
  return createLocalStore({ dir, secret: await readOrCreateSecret(objectsSecret), publicUrl, clock });
}
