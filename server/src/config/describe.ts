import type { Config, SignerConfig } from './config.js';

/** The configuration as it may be logged: without tokens and passphrases, and only the host of a URL. */
export function describeConfig(config: Config): Record<string, unknown> {
  const { chain, store } = config;
  const described =
    chain.kind === 'outside'
      ? {
          kind: chain.kind,
          rpc: hostOf(chain.rpcUrl),
          ws: chain.wsUrl && hostOf(chain.wsUrl),
          send: chain.sendUrls.map(hostOf),
        }
      : { ...chain, forkUrl: chain.forkUrl && hostOf(chain.forkUrl) };
  return {
    sandbox: config.sandbox,
    publicSandbox: config.publicSandbox,
    roles: [...config.roles],
    http: config.http,
    chain: described,
    rpc: config.rpc,
    dataDir: config.dataDir,
    store: store.kind === 'postgres' ? { kind: store.kind, host: hostOf(store.url) } : store,
    signer: describeSigner(config.signer),
    adminToken: config.adminToken === undefined ? 'not set' : 'set',
    challengePrefix: config.challengePrefix,
    logLevel: config.logLevel,
    tokens: config.tokens,
    express: config.express,
    fees: config.fees,
    swap: config.swap,
    programs: config.programs,
    services: Object.fromEntries(Object.entries(config.services).map(([name, { url }]) => [name, hostOf(url)])),
    prices: {
      ...config.prices,
      hermesUrl: hostOf(config.prices.hermesUrl),
      hermesKey: config.prices.hermesKey === undefined ? 'not set' : 'set',
      feeds: Object.keys(config.prices.feeds),
    },
    triggerOrders: config.triggerOrders,
    scores: { url: hostOf(config.scores.url), games: Object.keys(config.scores.games).length },
    events: config.events,
    studio: config.studio,
    objects: { ...config.objects, store: describeStore(config.objects.store) },
    tokenList: config.tokenList.length,
    tiers: config.tiers,
    submit: { ...config.submit, minTipLamports: config.submit.minTipLamports.toString() },
  };
}

function describeStore(store: Config['objects']['store']): object {
  if (store.kind === 'local') return store;
  const { credentials, endpoint, ...rest } = store;
  return {
    ...rest,
    endpoint: endpoint && hostOf(endpoint),
    credentials: credentials === undefined ? 'not set' : 'set',
  };
}

function describeSigner(signer: SignerConfig): object {
  if (signer.kind === 'process') return signer;
  const { kind, file, passphrase } = signer;
  return { kind, file, passphrase: passphrase === undefined ? 'not set' : 'set' };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
