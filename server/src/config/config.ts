import type { Address } from '@slipway/wire';

export type Role = 'api' | 'keeper';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface TokenConfig {
  readonly symbol: string;
  readonly mint: Address;
  readonly decimals: number;
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
  readonly logLevel: LogLevel;
  readonly tokens: { readonly platform: TokenConfig; readonly stable: TokenConfig; readonly usdc: TokenConfig };
  readonly express: { readonly receiver: Address; readonly gasless: boolean };
  readonly fees: {
    /** Which percentile of the recent prioritization fees is paid, 0 to 100. */
    readonly percentile: number;
    /** Cap of the compute unit price, micro-lamports per compute unit. */
    readonly maxMicroLamports: number;
  };
  /** By name. The tier `unlimited` is built in and not listed. */
  readonly tiers: Readonly<Record<string, TierConfig>>;
  readonly submit: { readonly minTipLamports: bigint; readonly tipAccounts: readonly Address[] };
}
