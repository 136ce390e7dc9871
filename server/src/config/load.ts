import { resolve } from 'node:path';
import { address } from '@slipway/wire';
import type { ChainConfig, Config, SignerConfig } from './config.js';
import { ConfigError } from './config-error.js';
import { readSettings } from './read.js';
import { listenUrl, ofSignerTls } from './rules.js';
import { defaultTiers } from './settings/service.js';
import type { Values } from './settings/table.js';

/**
 * Reads `env` and the settings file (`slipway.config.json` in `cwd`, or what SLIPWAY_CONFIG names). Throws a
 * ConfigError that says for every wrong setting what was given (no secret) and what is expected.
 */
export function loadConfig(env: Record<string, string | undefined>, options: { cwd: string }): Config {
  const { values, faults } = readSettings(env, options);
  if (faults.length > 0) throw new ConfigError(faults);
  return configOf(values, options.cwd);
}

function configOf(values: Values, cwd: string): Config {
  const dataDir = resolve(cwd, values.SLIPWAY_DATA_DIR);
  const databaseUrl = values.DATABASE_URL;
  const adminToken = values.SLIPWAY_ADMIN_TOKEN;
  const challengePrefix = values.SLIPWAY_CHALLENGE_PREFIX;
  const { feeClaimer, mintSuffix = '', migrationBudgetSol } = values.studio;
  return {
    sandbox: values.sandbox,
    publicSandbox: values.SLIPWAY_SANDBOX_PUBLIC,
    roles: new Set(values.SLIPWAY_ROLES),
    http: httpOf(values),
    chain: chainOf(values, cwd),
    rpc: values.rpc,
    dataDir,
    store: databaseUrl === undefined ? { kind: 'embedded' } : { kind: 'postgres', url: databaseUrl },
    signer: signerOf(values, cwd, dataDir),
    ...(adminToken !== undefined && { adminToken }),
    ...(challengePrefix !== undefined && { challengePrefix }),
    logLevel: values.SLIPWAY_LOG_LEVEL,
    tokens: values.tokens,
    express: values.express,
    fees: values.fees,
    swap: values.swap,
    programs: values.programs,
    services: servicesOf(values),
    prices: pricesOf(values),
    triggerOrders: values.triggerOrders,
    scores: { url: values.SLIPWAY_SCORES_URL, games: values.scores.games },
    events: values.events,
    studio: { ...(feeClaimer !== undefined && { feeClaimer }), mintSuffix, migrationBudgetSol },
    objects: {
      store: objectStoreOf(values),
      maxImageBytes: values.uploads.maxImageBytes,
      urlSeconds: values.uploads.urlSeconds,
    },
    tokenList: values.tokenList,
    tiers: { ...defaultTiers, ...values.tiers },
    submit: { ...values.submit, minTipLamports: BigInt(values.submit.minTipLamports) },
  };
}

function signerOf(values: Values, cwd: string, dataDir: string): SignerConfig {
  const { SLIPWAY_SIGNER_URL: url, SLIPWAY_SIGNER_PASSPHRASE: passphrase } = values;
  if (url === undefined) {
    const file = resolve(cwd, values.SLIPWAY_SIGNER_FILE ?? resolve(dataDir, 'signer.json'));
    return { kind: 'file', file, ...(passphrase !== undefined && { passphrase }) };
  }
  const [certificate, key, ca] = ofSignerTls.map((name) => values[name]);
  // The rules report TLS without these, and these without TLS.
  if (certificate === undefined || key === undefined || ca === undefined) return { kind: 'process', url };
  const tls = { certificate: resolve(cwd, certificate), key: resolve(cwd, key), ca: resolve(cwd, ca) };
  return { kind: 'process', url, tls };
}

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';
const withoutSlash = (url: string) => url.replace(/\/+$/, '');

function httpOf(values: Values): Config['http'] {
  const { SLIPWAY_HOST: host, SLIPWAY_PORT: port, SLIPWAY_OPERATIONS_PORT: operationsPort } = values;
  return {
    host,
    port,
    ...(operationsPort !== undefined && { operationsPort }),
    // Nobody can call all addresses: those who publish the port of a container call it by this name.
    publicUrl: withoutSlash(
      values.SLIPWAY_PUBLIC_URL ??
        listenUrl(values.SLIPWAY_SANDBOX_PUBLIC && isWildcard(host) ? 'localhost' : host, port),
    ),
    hosts: values.SLIPWAY_HOSTS as readonly string[],
    keyless: values.SLIPWAY_KEYLESS,
    console: values.SLIPWAY_CONSOLE,
    trustedProxies: values.SLIPWAY_TRUSTED_PROXIES as readonly string[],
    corsOrigins: values.SLIPWAY_CORS_ORIGINS ?? (values.sandbox ? 'localhost' : []),
    strict: values.SLIPWAY_STRICT,
  };
}

function chainOf(values: Values, cwd: string): ChainConfig {
  const { SLIPWAY_RPC_URL: rpcUrl, SLIPWAY_RPC_WS_URL: wsUrl, SLIPWAY_SEND_URLS: sendUrls } = values;
  if (rpcUrl !== undefined) return { kind: 'outside', rpcUrl, ...(wsUrl !== undefined && { wsUrl }), sendUrls };
  const { SLIPWAY_RPC_PORT: rpcPort, SLIPWAY_PROGRAMS_DIR: programsDir, SLIPWAY_FORK_URL: forkUrl } = values;
  return {
    kind: 'embedded',
    rpcPort,
    ...(programsDir !== undefined && { programsDir: resolve(cwd, programsDir) }),
    ...(forkUrl !== undefined && { forkUrl }),
  };
}

function servicesOf(values: Values): Config['services'] {
  const dflowKey = values.SLIPWAY_DFLOW_API_KEY;
  const apiKey = values.SLIPWAY_OKX_API_KEY;
  const secretKey = values.SLIPWAY_OKX_SECRET_KEY;
  const passphrase = values.SLIPWAY_OKX_PASSPHRASE;
  const hasOkx = apiKey !== undefined && secretKey !== undefined && passphrase !== undefined;
  return {
    ...(dflowKey !== undefined && { dflow: { url: withoutSlash(values.SLIPWAY_DFLOW_URL), apiKey: dflowKey } }),
    ...(hasOkx && { okx: { url: withoutSlash(values.SLIPWAY_OKX_URL), apiKey, secretKey, passphrase } }),
  };
}

function pricesOf(values: Values): Config['prices'] {
  const { feeds, maxAgeSeconds, maxConfidenceBps, pools } = values.prices;
  const hermesKey = values.SLIPWAY_HERMES_KEY;
  return {
    sources: values.SLIPWAY_PRICES,
    ...(hermesKey !== undefined && { hermesKey }),
    hermesUrl: withoutSlash(values.SLIPWAY_HERMES_URL),
    feeds: Object.fromEntries(Object.entries(feeds).map(([mint, feed]) => [address(mint), feed.replace(/^0x/, '')])),
    maxAgeMs: maxAgeSeconds * 1_000,
    maxConfidenceBps,
    pools,
  };
}

/** Where uploads are kept: in a bucket if one is named, else in the data folder. */
function objectStoreOf(values: Values): Config['objects']['store'] {
  const { SLIPWAY_S3_BUCKET: bucket, SLIPWAY_S3_REGION: region, SLIPWAY_S3_PUBLIC_URL: publicUrl } = values;
  // The rules report a bucket without these.
  if (bucket === undefined || region === undefined || publicUrl === undefined) return { kind: 'local' };
  const endpoint = values.SLIPWAY_S3_ENDPOINT;
  const accessKeyId = values.SLIPWAY_S3_ACCESS_KEY_ID;
  const secretAccessKey = values.SLIPWAY_S3_SECRET_ACCESS_KEY;
  const hasKeys = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    kind: 's3',
    bucket,
    region,
    publicUrl: withoutSlash(publicUrl),
    ...(endpoint !== undefined && { endpoint: withoutSlash(endpoint) }),
    ...(hasKeys && { credentials: { accessKeyId, secretAccessKey } }),
  };
}
