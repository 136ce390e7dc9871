import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import type { AdminSessions } from './admin-sessions.js';
import type { ConsoleOptions } from './console.js';
import type { Descriptions } from './descriptions.js';
import type { Examples, RecordedCalls } from './examples.js';
import type { Metrics } from './metrics.js';
import type { Tag } from './openapi.js';
import type { AdminLookup, KeyLookup, Limiter, Readiness, RecordAct, StopCheck, WalletLookup } from './ports.js';
import type { PrintRequest } from './request-lines.js';
import type { MintOf } from './symbols.js';

/** What the server is given. */
export interface ServerDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly keys: KeyLookup;
  readonly limiter: Limiter;
  /** Needed where a route has `auth: 'wallet'`. */
  readonly wallets?: WalletLookup;
  /** Needed where a route has `crafts`. */
  readonly stops?: StopCheck;
  readonly metrics: Metrics;
  readonly ready: Readiness;
  /** Whether it serves `/metrics`; true if left out. */
  readonly hasMetrics?: boolean;
  /** Milliseconds that never step back; the process's own if left out. */
  readonly steadyNow?: () => number;
  /** Takes a line for each request, for a terminal. */
  readonly print?: PrintRequest | undefined;
  /** Values for the API document. */
  readonly examples?: () => Examples;
  /** What calls were recorded for the API document. */
  readonly recordedCalls?: () => RecordedCalls;
  /** Words for the API document. */
  readonly descriptions?: Descriptions;
  /** For whoever sends a symbol in place of a mint. */
  readonly mintOf?: MintOf;
  /** Serves the console, if set. */
  readonly console?: ConsoleOptions | undefined;
  /** Who may call admin routes besides the holder of the configured token. */
  readonly admins?: AdminLookup | undefined;
  /** Called before an admin's act is done; if it throws, it is not done. */
  readonly recordAct?: RecordAct | undefined;
  /** The sessions of the console's part for the operator, if it has one. */
  readonly adminSessions?: AdminSessions | undefined;
  /** The tags of the API document, in its order; 'Operations' comes last. */
  readonly tags?: readonly Tag[];
}
