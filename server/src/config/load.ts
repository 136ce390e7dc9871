import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import {
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  ROUTER_PROGRAM,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import { type Address, address } from '@slipway/wire';
import type { ChainConfig, Config, LogLevel, PriceSource, Role, TierConfig, TokenConfig } from './config.js';
import { ConfigError } from './config-error.js';
import { type Environment, readEnvironment, type VariableName } from './environment.js';
import { readObjects } from './read-objects.js';
import { readSettingsFile, type Settings } from './settings-file.js';

const BODY_LIMIT = 1024 * 1024;
const HTTP = ['http', 'https'] as const;
const ROLES: readonly Role[] = ['api', 'keeper'];
const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const defaultTokens = {
  platform: { symbol: 'JUP', mint: address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'), decimals: 6 },
  stable: { symbol: 'JUPUSD', mint: address('JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD'), decimals: 6 },
  usdc: { symbol: 'USDC', mint: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), decimals: 6 },
} as const satisfies Config['tokens'];

const SANDBOX_RECEIVER = address('8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2');

const PRICE_SOURCES: readonly PriceSource[] = ['fixed', 'simulated', 'hermes', 'pools'];
const PUBLIC_DFLOW = 'https://quote-api.dflow.net';
const PUBLIC_OKX = 'https://web3.okx.com';
const PUBLIC_HERMES = 'https://hermes.pyth.network';

const PUBLIC_SCORES = 'wss://sports-api.polymarket.com/ws';

const defaultFeeBps: Config['swap']['feeBps'] = {
  newToken: 50,
  buyPlatform: 0,
  pegged: 0,
  solStable: 2,
  lstStable: 5,
  other: 10,
};

const defaultTiers: Record<string, TierConfig> = {
  free: { perMinute: 60, executePer10s: 500 },
  developer: { perMinute: 600, executePer10s: 1000 },
  launch: { perMinute: 3000, executePer10s: 1000 },
  pro: { perMinute: 9000, executePer10s: 1000 },
};

/**
 * Reads `env` and the settings file (`slipway.config.json` in `cwd`, or what SLIPWAY_CONFIG names). Throws a
 * ConfigError whose one line says which setting is wrong, what was given (no secret) and what is expected.
 */
export function loadConfig(env: Record<string, string | undefined>, options: { cwd: string }): Config {
  const variables = readEnvironment(env);
  const fileName = variables.text('SLIPWAY_CONFIG');
  const settings = readSettingsFile(resolve(options.cwd, fileName ?? 'slipway.config.json'), fileName !== undefined);

  const sandbox = readSandbox(variables);
  const http = readHttp(variables, sandbox);
  const chain = readChain(variables, options.cwd);
  const dataDir = resolve(options.cwd, variables.text('SLIPWAY_DATA_DIR') ?? '.slipway');
  const databaseUrl = variables.url('DATABASE_URL', ['postgres', 'postgresql']);
  const passphrase = variables.text('SLIPWAY_SIGNER_PASSPHRASE');
  const adminToken = readAdminToken(variables);
  const challengePrefix = readChallengePrefix(variables);

  checkHost(http.host, sandbox);
  checkPorts(http.port, chain);
  if (!sandbox) checkProduction(chain, passphrase, settings);

  return {
    sandbox,
    roles: new Set(variables.choices('SLIPWAY_ROLES', ROLES) ?? ROLES),
    http,
    chain,
    dataDir,
    store: databaseUrl === undefined ? { kind: 'embedded' } : { kind: 'postgres', url: databaseUrl },
    signer: {
      file: resolve(options.cwd, variables.text('SLIPWAY_SIGNER_FILE') ?? resolve(dataDir, 'signer.json')),
      ...(passphrase !== undefined && { passphrase }),
    },
    ...(adminToken !== undefined && { adminToken }),
    ...(challengePrefix !== undefined && { challengePrefix }),
    logLevel: variables.choice('SLIPWAY_LOG_LEVEL', LOG_LEVELS) ?? (sandbox ? 'warn' : 'info'),
    ...readSettings(settings),
    swap: readSwap(settings, sandbox),
    programs: readProgramIds(settings, sandbox),
    services: readServices(variables),
    prices: readPrices(variables, settings, sandbox),
    scores: readScores(variables, settings),
    studio: readStudio(settings),
    objects: readObjects(variables, settings),
    tokenList: (settings.tokenList ?? []).map((token) => ({
      ...token,
      mint: token.mint as Address,
      tags: token.tags ?? [],
    })),
  };
}

function readSwap({ swap = {} }: Settings, sandbox: boolean): Config['swap'] {
  const { feeReceiver } = swap as { feeReceiver?: Address };
  return {
    budgetMs: swap.budgetMs ?? 400,
    gasless: swap.gasless ?? sandbox,
    ...(feeReceiver !== undefined && { feeReceiver }),
    feeBps: { ...defaultFeeBps, ...swap.feeBps },
    stables: (swap.stables ?? []) as Address[],
    lsts: (swap.lsts ?? []) as Address[],
    blueChips: (swap.blueChips ?? []) as Address[],
    pools: (swap.pools ?? []) as Address[],
    lookupTables: (swap.lookupTables ?? []) as Address[],
  };
}

/** Everybody can know the key of the router's address: only in a sandbox is it certain that the program there is ours. */
function readProgramIds({ programs = {} }: Settings, sandbox: boolean): Config['programs'] {
  const router = (programs.router as Address | undefined) ?? (sandbox ? ROUTER_PROGRAM : undefined);
  return {
    ...(router !== undefined && { router }),
    orderEngine: (programs.orderEngine as Address | undefined) ?? ORDER_ENGINE_PROGRAM,
    limitOrder: (programs.limitOrder as Address | undefined) ?? LIMIT_ORDER_PROGRAM,
    invite: (programs.invite as Address | undefined) ?? INVITE_PROGRAM,
    tokenSwap: (programs.tokenSwap as Address | undefined) ?? TOKEN_SWAP_PROGRAM,
  };
}

/** What is sent in a header. */
function headerText(variables: Environment, name: VariableName): string | undefined {
  const value = variables.text(name);
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value)) {
    throw new ConfigError(`${name} must be printable ASCII without spaces`);
  }
  return value;
}

function readServices(variables: Environment): Config['services'] {
  const urlOf = (name: VariableName, usual: string) => {
    const url = (variables.url(name, HTTP) ?? usual).replace(/\/+$/, '');
    const { protocol, hostname } = new URL(url);
    if (protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
      throw new ConfigError(`${name} must be https: credentials are sent there`);
    }
    return url;
  };
  const dflowKey = headerText(variables, 'SLIPWAY_DFLOW_API_KEY');
  const apiKey = headerText(variables, 'SLIPWAY_OKX_API_KEY');
  const secretKey = headerText(variables, 'SLIPWAY_OKX_SECRET_KEY');
  const passphrase = headerText(variables, 'SLIPWAY_OKX_PASSPHRASE');
  const okx = { url: urlOf('SLIPWAY_OKX_URL', PUBLIC_OKX), apiKey, secretKey, passphrase };
  const isWhole = apiKey !== undefined && secretKey !== undefined && passphrase !== undefined;
  if (!isWhole && (apiKey ?? secretKey ?? passphrase) !== undefined) {
    throw new ConfigError(
      'OKX wants all three of SLIPWAY_OKX_API_KEY, SLIPWAY_OKX_SECRET_KEY and SLIPWAY_OKX_PASSPHRASE: set the others, or none',
    );
  }
  return {
    ...(dflowKey !== undefined && { dflow: { url: urlOf('SLIPWAY_DFLOW_URL', PUBLIC_DFLOW), apiKey: dflowKey } }),
    ...(isWhole && { okx: { ...okx, apiKey, secretKey, passphrase } }),
  };
}

function readPrices(variables: Environment, { prices = {} }: Settings, sandbox: boolean): Config['prices'] {
  const sources =
    variables.choices('SLIPWAY_PRICES', PRICE_SOURCES) ?? (sandbox ? ['fixed', 'pools'] : ['hermes', 'pools']);
  const sandboxOnly = sources.find((source) => source === 'fixed' || source === 'simulated');
  if (sandboxOnly && !sandbox) {
    throw new ConfigError(`SLIPWAY_PRICES has ${sandboxOnly}, but only a sandbox has prices that are made up`);
  }
  const hermesKey = headerText(variables, 'SLIPWAY_HERMES_KEY');
  return {
    sources,
    ...(hermesKey !== undefined && { hermesKey }),
    hermesUrl: (variables.url('SLIPWAY_HERMES_URL', HTTP) ?? PUBLIC_HERMES).replace(/\/+$/, ''),
    feeds: Object.fromEntries(
      Object.entries(prices.feeds ?? {}).map(([mint, feed]) => [address(mint), feed.replace(/^0x/, '')]),
    ),
    maxAgeMs: (prices.maxAgeSeconds ?? 60) * 1_000,
    maxConfidenceBps: prices.maxConfidenceBps ?? 100,
  };
}

function readScores(variables: Environment, { scores = {} }: Settings): Config['scores'] {
  const games = scores.games ?? {};
  const simulated = Object.keys(games).find((eventId) => eventId.startsWith('SIM-'));
  if (simulated !== undefined) {
    throw new ConfigError(`scores.games has ${simulated}, but SIM- begins the ids of a sandbox's simulated games`);
  }
  const url = variables.url('SLIPWAY_SCORES_URL', ['ws', 'wss']) ?? PUBLIC_SCORES;
  if (new URL(url).hash) throw new ConfigError('SLIPWAY_SCORES_URL must be a URL without a fragment (#)');
  return { url, games };
}

function readStudio({ studio = {} }: Settings): Config['studio'] {
  const { feeClaimer, mintSuffix = '' } = studio as { feeClaimer?: Address; mintSuffix?: string };
  return { ...(feeClaimer !== undefined && { feeClaimer }), mintSuffix };
}

function readSettings(settings: Settings): Pick<Config, 'tokens' | 'express' | 'fees' | 'tiers' | 'submit'> {
  if (settings.tiers && Object.hasOwn(settings.tiers, 'unlimited')) {
    throw new ConfigError('tiers.unlimited is built in and cannot be set');
  }
  const minTipLamports = BigInt(settings.submit?.minTipLamports ?? '0');
  const tipAccounts = (settings.submit?.tipAccounts ?? []) as Address[];
  if (minTipLamports > 0n && tipAccounts.length === 0) {
    throw new ConfigError('submit.minTipLamports asks for a tip, but submit.tipAccounts names nobody to receive it');
  }
  return {
    tokens: { ...defaultTokens, ...(settings.tokens as Record<string, TokenConfig> | undefined) },
    express: {
      receiver: (settings.express?.receiver as Address | undefined) ?? SANDBOX_RECEIVER,
      gasless: settings.express?.gasless ?? false,
    },
    fees: {
      percentile: settings.fees?.percentile ?? 75,
      maxMicroLamports: settings.fees?.maxMicroLamports ?? 5_000_000,
    },
    tiers: { ...defaultTiers, ...settings.tiers },
    submit: { minTipLamports, tipAccounts },
  };
}

function readSandbox(variables: Environment): boolean {
  const asked = variables.flag('SLIPWAY_SANDBOX');
  if (asked !== undefined) return asked;
  return variables.text('NODE_ENV') !== 'production' && variables.text('SLIPWAY_RPC_URL') === undefined;
}

function readHttp(variables: Environment, sandbox: boolean): Config['http'] {
  const host = variables.text('SLIPWAY_HOST') ?? '127.0.0.1';
  const port = variables.port('SLIPWAY_PORT') ?? 8080;
  const publicUrl = variables.url('SLIPWAY_PUBLIC_URL', HTTP) ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(publicUrl)) throw new ConfigError(`SLIPWAY_HOST is ${JSON.stringify(host)}, which is not a host`);
  const { search, hash, username } = new URL(publicUrl);
  if (search || hash || username) {
    throw new ConfigError('SLIPWAY_PUBLIC_URL must be a URL without a user, a query and a fragment');
  }
  return {
    host,
    port,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    corsOrigins: readOrigins(variables) ?? (sandbox ? 'localhost' : []),
    bodyLimit: BODY_LIMIT,
  };
}

function readOrigins(variables: Environment): string[] | undefined {
  const origins = variables.list('SLIPWAY_CORS_ORIGINS');
  for (const origin of origins ?? []) {
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new ConfigError(
        `SLIPWAY_CORS_ORIGINS has ${JSON.stringify(origin)}, but must be a comma list of origins such as https://app.example.com`,
      );
    }
  }
  return origins;
}

function readChain(variables: Environment, cwd: string): ChainConfig {
  const rpcUrl = variables.url('SLIPWAY_RPC_URL', HTTP);
  const wsUrl = variables.url('SLIPWAY_RPC_WS_URL', ['ws', 'wss']);
  const sendUrls = variables.urls('SLIPWAY_SEND_URLS', HTTP);
  const programsDir = variables.text('SLIPWAY_PROGRAMS_DIR');
  const forkUrl = variables.url('SLIPWAY_FORK_URL', HTTP);
  const rpcPort = variables.port('SLIPWAY_RPC_PORT') ?? 8899;

  if (rpcUrl !== undefined) {
    const embeddedOnly = programsDir !== undefined ? 'SLIPWAY_PROGRAMS_DIR' : forkUrl && 'SLIPWAY_FORK_URL';
    if (embeddedOnly) {
      throw new ConfigError(`${embeddedOnly} belongs to the embedded chain, but SLIPWAY_RPC_URL names an outside one`);
    }
    return { kind: 'outside', rpcUrl, ...(wsUrl !== undefined && { wsUrl }), sendUrls };
  }

  const outsideOnly = wsUrl !== undefined ? 'SLIPWAY_RPC_WS_URL' : sendUrls.length > 0 && 'SLIPWAY_SEND_URLS';
  if (outsideOnly) {
    throw new ConfigError(`${outsideOnly} belongs to an outside chain, but SLIPWAY_RPC_URL is not set`);
  }
  return {
    kind: 'embedded',
    rpcPort,
    ...(programsDir !== undefined && { programsDir: resolve(cwd, programsDir) }),
    ...(forkUrl !== undefined && { forkUrl }),
  };
}

function readAdminToken(variables: Environment): string | undefined {
  const token = variables.text('SLIPWAY_ADMIN_TOKEN');
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError('SLIPWAY_ADMIN_TOKEN must be printable ASCII without spaces, as a Bearer token can carry');
  }
  return token;
}

function readChallengePrefix(variables: Environment): string | undefined {
  const prefix = variables.text('SLIPWAY_CHALLENGE_PREFIX');
  if (prefix !== undefined && !/^[\x21-\x7e][\x20-\x7e]{0,198}[\x21-\x7e]$/.test(prefix)) {
    throw new ConfigError('SLIPWAY_CHALLENGE_PREFIX must be 2 to 200 printable ASCII characters, no space at an end');
  }
  return prefix;
}

function checkHost(host: string, sandbox: boolean): void {
  if (sandbox && !/^(?:localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(host)) {
    throw new ConfigError(
      `SLIPWAY_HOST is ${JSON.stringify(host)} while SLIPWAY_SANDBOX is on, but a sandbox, whose key everybody knows, listens on 127.0.0.1, ::1 or localhost only`,
    );
  }
}

function checkPorts(port: number, chain: ChainConfig): void {
  if (chain.kind !== 'embedded' || chain.rpcPort === 0) return;
  const { rpcPort } = chain;
  if (rpcPort === 65535) {
    throw new ConfigError('SLIPWAY_RPC_PORT is 65535, but must be at most 65534: the WebSocket takes the next port');
  }
  if (port === rpcPort || port === rpcPort + 1) {
    throw new ConfigError(
      `SLIPWAY_PORT is ${port}, but the chain takes ${rpcPort} and ${rpcPort + 1} (SLIPWAY_RPC_PORT and the next)`,
    );
  }
}

function checkProduction(chain: ChainConfig, passphrase: string | undefined, settings: Settings): void {
  if (chain.kind === 'embedded') throw new ConfigError('SLIPWAY_RPC_URL is required when SLIPWAY_SANDBOX is off');
  if (passphrase === undefined) {
    throw new ConfigError('SLIPWAY_SIGNER_PASSPHRASE is required when SLIPWAY_SANDBOX is off');
  }
  // The default receiver is a real address that belongs to somebody else.
  if (settings.express?.receiver === undefined) {
    throw new ConfigError(
      'express.receiver, who gets the payments, must be set in slipway.config.json when SLIPWAY_SANDBOX is off',
    );
  }
}
