import type { Address } from '@slipway/wire';
import type { ErrorShape } from '../errors/index.js';

/** A valid key, as the hooks need it. */
export interface ApiKey {
  readonly id: string;
  readonly tier: string;
  /** Case-sensitive path prefixes that the key may use; empty: all. */
  readonly prefixes: readonly string[];
  /** The origins of the pages that it stands in, where everybody reads it; empty: it is kept secret. */
  readonly origins: readonly string[];
}

/**
 * The key behind the text of an `x-api-key` header. Synchronous where possible: a promise costs a turn of the event
 * loop.
 */
export type KeyLookup = (key: string) => ApiKey | undefined | Promise<ApiKey | undefined>;

/** The wallet that a login token stands for; undefined if the token is not valid. */
export type WalletLookup = (token: string) => Promise<Address | undefined>;

export type Bucket = 'main' | 'execute';

/** Whom calls are counted for. */
export interface Payer {
  readonly id: string;
  readonly tier: string;
  readonly bucket: Bucket;
  /** Whose calls these are, too: of the clients that share a key, all together have its limit. */
  readonly within?: Payer;
  /** What many clients share: the id of a key that stands in pages, or that they have none. */
  readonly together?: string;
}

export interface LimitState {
  readonly allowed: boolean;
  /** Calls left in the window; may be negative. */
  readonly remaining: number;
  /** Calls in the window, this one included. */
  readonly current: number;
  /** Unix seconds at which the oldest call leaves the window. */
  readonly resetUnixSeconds: number;
  /** Seconds until then, at least 1. */
  readonly retrySeconds: number;
  /** The calls that the window may have, and its length. */
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Limiter {
  /**
   * Counts a call, which weighs as much as `weight` ordinary ones (1 if left out). One that weighs more than is left takes
   * what is left, and is not allowed.
   */
  take(keyId: string, bucket: Bucket, tier: string, weight?: number): LimitState | Promise<LimitState>;
}

/** What an admin may do: look; stop, decide and set; make keys; everything, admins included. */
export type AdminRole = 'read' | 'operate' | 'keys' | 'all';

/** Who may call the admin API. */
export interface Admin {
  readonly name: string;
  readonly roles: readonly AdminRole[];
}

/** The holder of the configured token. */
export const ROOT: Admin = { name: 'root', roles: ['all'] };

/** The admins besides the holder of the configured token. */
export interface AdminLookup {
  byToken(token: string): Promise<Admin | undefined>;
  byName(name: string): Promise<Admin | undefined>;
}

/** Writes down what an admin asks for, before it is done. */
export type RecordAct = (act: { who: string; what: string; requestId: string; body: unknown }) => Promise<void>;

/** What the operator has stopped. */
export interface StopCheck {
  /** @throws an Outage if crafting is stopped, or nobody knows whether it is */
  require(deed: 'crafts'): Promise<void>;
}

export type Readiness = () => Promise<{ ok: boolean; checks: Record<string, string> }>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body shape of this route's errors. Every route must say it. */
    errorShape?: ErrorShape;
    /**
     * Who may call: a holder of an API key, one who has logged in with a wallet as well or may have, a holder of the admin
     * token, or anybody. Every route must say it.
     */
    auth?: 'key' | 'key-or-wallet' | 'wallet' | 'admin' | 'none';
    /** Pages of any origin may call: what is public, and changes nothing. */
    anyOrigin?: true;
    /** A key is required even if the operator serves calls without one. */
    keyless?: false;
    /** The errors that only this route answers, by status, for the API document. */
    errors?: Readonly<Record<number, string>>;
    /** The role that a route with `auth: 'admin'` takes, or `all`; when left out, `read` of GET and `all` of others. */
    role?: AdminRole;
    /** It crafts transactions, which the operator can stop. */
    crafts?: true;
    /** Asked again and again by whoever watches: neither the terminal nor the log has a line for its calls. */
    isWatched?: true;
    /** In a sandbox whose key everybody knows, a browser on the same machine may open it without. */
    opensHere?: true;
    /** Which rate limit counts a call of a route with `auth: 'key'` or `'wallet'`; `main` when left out. */
    bucket?: Bucket;
  }
  interface FastifyRequest {
    /** Whom its rate limit is counted for, on routes with `auth: 'key'` or `'wallet'`. */
    payer: Payer | undefined;
    /**
     * Counts `weight` further calls for what it turns out to cost; undefined where nothing is counted. The state says
     * whether so much was left. `bucket`: of another rate limit than the route's.
     */
    charge(weight: number, bucket?: Bucket): Promise<LimitState | undefined>;
    /** Set on routes with `auth: 'key'` or `'wallet'`, unless the call came without a key. */
    apiKey: ApiKey | undefined;
    /**
     * The wallet that has logged in, on routes with `auth: 'wallet'`, and with `'key-or-wallet'` if one has. It must not be
     * read on others.
     */
    wallet: Address;
    /** The token that says so. */
    loginToken: string;
    /** The name of the admin who calls, on routes with `auth: 'admin'`. It must not be read on others. */
    adminName: string;
  }
}
