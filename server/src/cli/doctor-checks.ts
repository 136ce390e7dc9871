import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '@slipway/wire';
import { type Config, ConfigError, dataFolder } from '../config/index.js';
import { createClock } from '../lib/clock.js';
import { LEAST_SECRET } from '../lib/least-secret.js';
import {
  connectSigner,
  endpointOf,
  openSigner,
  PrivateFileError,
  readPrivateFile,
  type SignerAddress,
} from '../signer/index.js';
import type { CliContext } from './context.js';
import { chainUrl, checkChain, checkClock, checkHistory, checkKeeperWallet } from './doctor-chain.js';
import type { Check } from './doctor-check.js';
import { checkDatabase } from './doctor-database.js';
import { checkObjects } from './doctor-objects.js';
import { checkPrices, checkSwaps, type GasWallet } from './doctor-swaps.js';
import { type Answer, adminToken, adminUrl, configOf, requestJson, serviceUrl, Unreachable } from './service.js';

/** Checks everything that the service needs, without lasting changes. Throws UsageError only for a wrong `--url`. */
export async function runChecks(context: CliContext, url: string | undefined): Promise<Check[]> {
  let config: Config;
  try {
    config = configOf(context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const next = 'correct it, then run this again';
    return error.faults.map((detail) => ({ name: 'configuration', ok: false, detail, next }));
  }
  const base = serviceUrl(context, url);
  const service = await findService(base);
  const chain = await checkChain(config, service !== undefined);
  const { check: signer, gas, keeper } = await checkSigner(config);
  const rpcUrl = chainUrl(config, service !== undefined);
  return [
    checkConfiguration(context, config),
    await checkDataFolder(config),
    checkService(base, service),
    ...chain,
    ...(chain[0]?.ok ? [...(await checkHistory(config)), ...(await checkClock(config, createClock().now))] : []),
    await checkDatabase(config, service),
    await checkObjects(config),
    signer,
    ...(keeper && rpcUrl !== undefined && chain[0]?.ok ? await checkKeeperWallet(config, rpcUrl, keeper) : []),
    await checkAdminToken(context, config, adminUrl(context, url), service !== undefined),
    ...(rpcUrl !== undefined && chain[0]?.ok ? await checkSwaps(config, rpcUrl, gas) : []),
    checkPrices(config),
    ...checkBrowsers(config),
  ];
}

function checkConfiguration({ env }: CliContext, { sandbox, roles }: Config): Check {
  const detail = `${sandbox ? 'sandbox' : 'production'}, ${[...roles].join(' and ')}`;
  const isOpen = !sandbox && env.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  const next =
    'NODE_TLS_REJECT_UNAUTHORIZED=0 has whoever stands between taken for your RPC, prices and bucket: unset it, and name an authority of your own in NODE_EXTRA_CA_CERTS';
  return { name: 'configuration', ok: true, detail, ...(isOpen && { next }) };
}

/** The answer of the service's own readiness check; undefined if no service answers. */
async function findService(base: string): Promise<Answer | undefined> {
  try {
    return await requestJson(`${base}/readyz`);
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}

function checkService(base: string, service: Answer | undefined): Check {
  const name = 'service';
  if (service === undefined) return { name, ok: true, detail: `none answers at ${base}` };
  if (service.status === 200) return { name, ok: true, detail: `ready at ${base}` };
  const { checks } = (service.body ?? {}) as { checks?: Record<string, string> };
  const reasons = Object.entries(checks ?? {}).map(([part, state]) => `${part}: ${state}`);
  return {
    name,
    ok: false,
    detail: `not ready at ${base} (${service.status}) ${reasons.join(', ')}`.trimEnd(),
    next: 'look into its log: slipway logs',
  };
}

async function checkDataFolder({ dataDir, sandbox }: Config): Promise<Check> {
  const name = 'data folder';
  for (let folder = dataDir; ; folder = dirname(folder)) {
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      if (folder !== dataDir) return { name, ok: true, detail: `${dataDir} (made at the first start)` };
      const isOpen = !sandbox && ((await stat(folder)).mode & 0o077) !== 0;
      const next = `close it to other users: chmod 700 ${dataDir}`;
      return { name, ok: true, detail: isOpen ? `${dataDir}, open to other users` : dataDir, ...(isOpen && { next }) };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (missing && folder !== dirname(folder)) continue;
      return {
        name,
        ok: false,
        detail: `${folder} cannot be written`,
        next: 'give this user the right to, or set SLIPWAY_DATA_DIR',
      };
    }
  }
}

/** Whether pages may call the service; no check in a sandbox, where those of this machine may. */
function checkBrowsers({ http: { corsOrigins }, sandbox }: Config): Check[] {
  if (sandbox) return [];
  const name = 'browsers';
  if (corsOrigins.length > 0)
    return [{ name, ok: true, detail: `pages of ${[corsOrigins].flat().join(', ')} may call` }];
  const next = 'if pages call it themselves, set SLIPWAY_CORS_ORIGINS to where they are';
  return [{ name, ok: true, detail: 'no page may call the service, only servers', next }];
}

/** Opens the signer file; if that works, also returns the wallets. There is no gas wallet before the first start. */
async function checkSigner(config: Config): Promise<{ check: Check; gas?: GasWallet; keeper?: Address }> {
  const name = 'signer';
  if (config.signer.kind === 'process') return checkSignerProcess(config.signer);
  const { file } = config.signer;
  try {
    if ((await readPrivateFile(file)) === undefined) {
      return { check: { name, ok: true, detail: `${file} is made at the first start` } };
    }
    const generated = await readPrivateFile(dataFolder(config).signerPassphrase);
    const passphrase = config.signer.passphrase ?? (config.sandbox ? generated?.toString('utf8').trim() : undefined);
    const signer = await openSigner({ file, passphrase, create: false });
    const gasWallet = signer.address('gas');
    const detail = `${await signer.describe()} opens, and its keys sign; the gas wallet is ${gasWallet}`;
    const isWeak = !config.sandbox && (passphrase?.length ?? 0) < LEAST_SECRET;
    const next = `its passphrase has fewer than ${LEAST_SECRET} characters: keep the file where nobody can copy it`;
    return {
      check: { name, ok: true, detail, ...(isWeak && { next }) },
      gas: { address: gasWallet },
      keeper: signer.address('keeper'),
    };
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    const next = 'see "The signer file" in docs/operations.md';
    return { check: { name, ok: false, detail: error.message, next }, gas: { address: undefined } };
  }
}

/** Connects to the signer as the service will. */
async function checkSignerProcess(at: SignerAddress): ReturnType<typeof checkSigner> {
  const name = 'signer';
  try {
    const signer = await connectSigner({ endpoint: await endpointOf(at), name: at.url, patienceMs: 0 });
    const [source, health] = await Promise.all([signer.describe(), signer.state()]).finally(() => signer.close());
    const { fault, warnings, stopped } = health;
    const gasWallet = signer.address('gas');
    const detail = `${at.url} answers, and knows this caller as ${signer.caller}; its keys are in ${source}, and sign; the gas wallet is ${gasWallet}`;
    const stops = stopped.map(
      ({ what, why, by }) =>
        `${what} is stopped ${by === undefined ? 'by "slipway signer stop"' : `as ${by} has said`}: ${why}`,
    );
    const next = [fault, ...warnings, ...stops].filter((each) => each !== undefined).join('; ');
    const check = { name, ok: fault === undefined, detail, ...(next !== '' && { next }) };
    return { check, gas: { address: gasWallet }, keeper: signer.address('keeper') };
  } catch (error) {
    const next = 'start it with "slipway signer", and see docs/signer.md';
    return { check: { name, ok: false, detail: (error as Error).message, next }, gas: { address: undefined } };
  }
}

async function checkAdminToken(context: CliContext, config: Config, base: string, running: boolean): Promise<Check> {
  const name = 'admin token';
  try {
    if (!running) {
      if (config.adminToken !== undefined) return { name, ok: true, detail: 'set in the environment' };
      const file = dataFolder(config).adminToken;
      const made = (await readPrivateFile(file)) !== undefined;
      return { name, ok: true, detail: made ? file : `${file} is made at the first start` };
    }
    const authorization = `Bearer ${await adminToken(context, base)}`;
    const { status } = await requestJson(`${base}/admin/v1/makers`, { headers: { authorization } });
    if (status === 200) return { name, ok: true, detail: 'the service accepts it' };
    const next = 'set SLIPWAY_ADMIN_TOKEN to what the service was started with';
    return { name, ok: false, detail: `the service at ${base} answers ${status} to it`, next };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, ok: false, detail, next: 'set SLIPWAY_ADMIN_TOKEN, or correct the file' };
  }
}
