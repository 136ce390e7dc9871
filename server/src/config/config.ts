import type { Address } from '@slipway/wire';

export type Role = 'api' | 'keeper';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface TokenConfig {
  readonly symbol: string;
  readonly mint: Address;
  readonly decimals: number;
}

/** A token that the operator vouches for; what is not given is read from the chain. */
export interface ListedToken {
  readonly mint: Address;
  readonly symbol: string;
  readonly name: string;
  readonly icon?: string;
  readonly tags: readonly string[];
}

/**
 * Where prices come from, in order of preference: `fixed` and `simulated` (sandbox only), `hermes` (Pyth's HTTP API),
 * `pools` (what the pools say).
 */
export type PriceSource = 'fixed' | 'simulated' | 'hermes' | 'pools';

/** Basis points of the default fee by the kind of pair; the first that applies. */
export interface FeeTable {
  /** One of the tokens is younger than 24 hours, and in none of the classes. */
  readonly newToken: number;
  /** The platform token bought with SOL or a stable. */
  readonly buyPlatform: number;
  /** Stable for stable, or liquid-staked SOL for liquid-staked SOL. */
  readonly pegged: number;
  readonly solStable: number;
  readonly lstStable: number;
  readonly other: number;
}

export interface TierConfig {
  /** Calls in any 60 seconds. */
  readonly perMinute: number;
  /** Calls of the execute and submit paths in any 10 seconds. */
  readonly executePer10s: number;
}

export type ChainConfig =
  | {
      readonly kind: 'embedded';
      /** JSON-RPC over HTTP; the WebSocket listens on the next port. 0: any two free ports. */
      readonly rpcPort: number;
      /** A folder of `<programId>.so`, absolute. */
      readonly programsDir?: string;
      readonly forkUrl?: string;
    }
  | {
      readonly kind: 'outside';
      readonly rpcUrl: string;
      readonly wsUrl?: string;
      /** Further RPCs that transactions are sent to. */
      readonly sendUrls: readonly string[];
    };

/** A bucket of S3, or of a service with its interface. */
export interface S3Config {
  readonly kind: 's3';
  readonly bucket: string;
  readonly region: string;
  /** Of a service other than AWS; the bucket is then the first step of the path. */
  readonly endpoint?: string;
  /** Undefined: as AWS's own tools find them (role of the machine, AWS_ variables, profile). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Where everybody can read the bucket, without a slash at the end. */
  readonly publicUrl: string;
}

/** What the operator has set, checked and typed. Made by `loadConfig` only. */
export interface Config {
  readonly sandbox: boolean;
  readonly roles: ReadonlySet<Role>;
  readonly http: {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
    /** Without a slash at the end. */
    readonly publicUrl: string;
    /** `localhost`: every origin on this machine. */
    readonly corsOrigins: 'localhost' | readonly string[];
    /** Bytes. */
    readonly bodyLimit: number;
  };
  readonly chain: ChainConfig;
  /** Absolute. */
  readonly dataDir: string;
  readonly store: { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string };
  readonly signer: { readonly file: string; readonly passphrase?: string };
  readonly adminToken?: string;
  /** What a login message begins with, in place of our own words. */
  readonly challengePrefix?: string;
  readonly logLevel: LogLevel;
  readonly tokens: { readonly platform: TokenConfig; readonly stable: TokenConfig; readonly usdc: TokenConfig };
  readonly express: { readonly receiver: Address; readonly gasless: boolean };
  readonly fees: {
    /** Which percentile of the recent prioritization fees is paid, 0 to 100. */
    readonly percentile: number;
    /** Cap of the compute unit price, micro-lamports per compute unit. */
    readonly maxMicroLamports: number;
  };
  readonly swap: {
    /** Milliseconds that the routers have for their quotes. */
    readonly budgetMs: number;
    /** Whether the gas wallet pays for takers without SOL. */
    readonly gasless: boolean;
    /** The wallet whose token accounts get the default fee; undefined: the gas wallet. */
    readonly feeReceiver?: Address;
    readonly feeBps: FeeTable;
    /** Mints by class, beside SOL and the configured tokens. */
    readonly stables: readonly Address[];
    readonly lsts: readonly Address[];
    readonly blueChips: readonly Address[];
    /** Pools to route over, beside those that are found on the chain. */
    readonly pools: readonly Address[];
    /** With the accounts that routes name, so that longer ones fit into a transaction. */
    readonly lookupTables: readonly Address[];
  };
  readonly programs: {
    /** Our router program; undefined where it is not deployed. */
    readonly router?: Address;
    readonly orderEngine: Address;
    /** The limit order program, or ours with its interface. */
    readonly limitOrder: Address;
    /** The invite program, or ours with its interface. */
    readonly invite: Address;
    /** SPL Token Swap, or our program with its interface. */
    readonly tokenSwap: Address;
  };
  /** Routing services of other companies; asked where there are credentials. */
  readonly services: {
    readonly dflow?: { readonly url: string; readonly apiKey: string };
    readonly okx?: {
      readonly url: string;
      readonly apiKey: string;
      readonly secretKey: string;
      readonly passphrase: string;
    };
  };
  readonly prices: {
    readonly sources: readonly PriceSource[];
    readonly hermesUrl: string;
    /** API key of Hermes. */
    readonly hermesKey?: string;
    /** Pyth's feed id (64 hex digits) by mint. */
    readonly feeds: Readonly<Record<string, string>>;
    /** An older price is no price. */
    readonly maxAgeMs: number;
    /** A price whose confidence interval is wider, in basis points of it, is no price. */
    readonly maxConfidenceBps: number;
  };
  readonly scores: {
    /** WebSocket of Polymarket's public sports channel. */
    readonly url: string;
    /** Event id -> the game's number or slug in that channel. */
    readonly games: Readonly<Record<string, string>>;
  };
  readonly studio: {
    /** Gets the operator's half of the trading fees of launched tokens; undefined: the gas wallet. */
    readonly feeClaimer?: Address;
    /** What the addresses of launched tokens end in; empty: anything. */
    readonly mintSuffix: string;
  };
  readonly objects: {
    readonly store: { readonly kind: 'local' } | S3Config;
    readonly maxImageBytes: number;
    /** How long a presigned URL is good. */
    readonly urlSeconds: number;
  };
  readonly tokenList: readonly ListedToken[];
  /** By name. The tier `unlimited` is built in and not listed. */
  readonly tiers: Readonly<Record<string, TierConfig>>;
  readonly submit: { readonly minTipLamports: bigint; readonly tipAccounts: readonly Address[] };
}
