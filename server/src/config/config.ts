import type { Address } from '@slipway/wire';
import type { Static } from 'typebox';
import type { Fees, Programs } from './settings/chain.js';
import type { Events, Express } from './settings/products.js';
import type { logLevels, roles, TierConfig } from './settings/service.js';
import type { FeeBps, ListedToken, PoolPriceRules, priceSources, Swap, TokenConfig } from './settings/swaps.js';

export type { ListedToken, TierConfig, TokenConfig };

export type Role = (typeof roles)[number];
export type LogLevel = (typeof logLevels)[number];

/**
 * Where prices come from, in order of preference: `fixed` and `simulated` (sandbox only), `hermes` (Pyth's HTTP API),
 * `pools` (what the pools say).
 */
export type PriceSource = (typeof priceSources)[number];

/** Basis points of the default fee by the kind of pair; the first that applies. */
export type FeeTable = Readonly<Static<typeof FeeBps>>;

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

/** The keys are in this process, opened from a file, or in a process of their own. */
export type SignerConfig =
  | { readonly kind: 'file'; readonly file: string; readonly passphrase?: string }
  | {
      readonly kind: 'process';
      /** `unix:<path>` or `tls://<host>:<port>`. */
      readonly url: string;
      /** Absolute paths of PEM files, with TLS. */
      readonly tls?: { readonly certificate: string; readonly key: string; readonly ca: string };
    };

/** A bucket of S3, or of a service with its interface. */
export interface S3Config {
  readonly kind: 's3';
  readonly bucket: string;
  readonly region: string;
  /** For a service other than AWS, where the bucket is the first segment of the path. */
  readonly endpoint?: string;
  /** Undefined: found as AWS's own tools do (role of the machine, AWS_ variables, profile). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Where everybody can read the bucket, without a trailing slash. */
  readonly publicUrl: string;
}

/**
 * The operator's settings, checked and typed. Created by `loadConfig` only. Groups that match the settings file take
 * their types, and the meaning of their fields, from the table (settings/).
 */
export interface Config {
  readonly sandbox: boolean;
  /** A sandbox that other machines may reach, and whose key is its own. */
  readonly publicSandbox: boolean;
  readonly roles: ReadonlySet<Role>;
  readonly http: {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
    /** Of metrics and the admin API, where they have one of their own. */
    readonly operationsPort?: number;
    /** Without a trailing slash. */
    readonly publicUrl: string;
    /** Further names by which clients reach the service, in lower case. */
    readonly hosts: readonly string[];
    /** Whether calls without a key are served. */
    readonly keyless: boolean;
    /** Whether a sandbox serves the console. */
    readonly console: boolean;
    /** IP addresses and CIDR ranges. */
    readonly trustedProxies: readonly string[];
    /** `localhost`: every origin on this machine. */
    readonly corsOrigins: 'localhost' | readonly string[];
    /** Whether unknown parameters and body fields are refused. */
    readonly strict: boolean;
  };
  readonly chain: ChainConfig;
  /** To each RPC, from this process. */
  readonly rpc: { readonly callsPerSecond: number };
  /** Absolute. */
  readonly dataDir: string;
  readonly store: { readonly kind: 'embedded' } | { readonly kind: 'postgres'; readonly url: string };
  readonly signer: SignerConfig;
  readonly adminToken?: string;
  /** The start of a login message, instead of our own. */
  readonly challengePrefix?: string;
  readonly logLevel: LogLevel;
  readonly tokens: { readonly platform: TokenConfig; readonly stable: TokenConfig; readonly usdc: TokenConfig };
  readonly express: Readonly<Static<typeof Express>>;
  readonly fees: Readonly<Static<typeof Fees>>;
  readonly swap: Readonly<Static<typeof Swap>>;
  readonly programs: Readonly<Static<typeof Programs>>;
  /** Routing services of other companies, used if their credentials are set. */
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
    /** Older prices are ignored. */
    readonly maxAgeMs: number;
    /** Prices with a wider confidence interval, in basis points of the price, are ignored. */
    readonly maxConfidenceBps: number;
    /** Rules of prices by pools that orders of users may use. */
    readonly pools: Readonly<Static<typeof PoolPriceRules>>;
  };
  readonly triggerOrders: {
    /** The most that a fill may lose against the prices, in basis points. */
    readonly maxBelowFairBps: number;
    readonly maxUnsignedSlippageBps: number;
  };
  readonly scores: {
    /** WebSocket of Polymarket's public sports channel. */
    readonly url: string;
    /** Event id -> the game's number or slug in that channel. */
    readonly games: Readonly<Record<string, string>>;
  };
  readonly events: Readonly<Static<typeof Events>>;
  readonly studio: {
    /** Receives the operator's half of the trading fees of launched tokens; undefined: the gas wallet. */
    readonly feeClaimer?: Address;
    /** The suffix of launched tokens' addresses; empty: any. */
    readonly mintSuffix: string;
    /** A day; 0: the keeper migrates no launches. */
    readonly migrationBudgetSol: number;
  };
  readonly objects: {
    readonly store: { readonly kind: 'local' } | S3Config;
    readonly maxImageBytes: number;
    /** How long a presigned URL is valid. */
    readonly urlSeconds: number;
  };
  readonly tokenList: readonly ListedToken[];
  /** By name. The tier `unlimited` is built in and not listed. */
  readonly tiers: Readonly<Record<string, TierConfig>>;
  readonly submit: {
    readonly minTipLamports: bigint;
    readonly tipAccounts: readonly Address[];
    /** Of one caller and in all, in this process. */
    readonly underWayPerKey: number;
    readonly underWay: number;
    /** After its end. */
    readonly keepDays: number;
  };
}
