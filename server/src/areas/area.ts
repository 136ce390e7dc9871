import type { LimitOrderAddresses } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, Purpose } from '../chain/index.js';
import type { Config, TokenList } from '../config/index.js';
import type { ErrorShape } from '../errors/index.js';
import type { InviteIndex } from '../indexes/invites/index.js';
import type { LimitOrderIndex } from '../indexes/limit-orders/index.js';
import type { Landing, Settlement } from '../landing/index.js';
import type { AdjustableClock, Clock } from '../lib/clock.js';
import type { RecentLines } from '../lib/recent-lines.js';
import type { TypedServer } from '../lib/typed-server.js';
import type { LocalStore, Objects, S3Store } from '../objects/index.js';
import type { Prices } from '../prices/index.js';
import type { Aggregator } from '../routing/aggregator/index.js';
import type { Makers } from '../routing/makers/index.js';
import type { Routing } from '../routing/race.js';
import type { Sandbox } from '../sandbox/index.js';
import type { LoginTokens, SecretBox, Signer } from '../signer/index.js';
import type { GroupedLedger } from '../store/grouped.js';
import type { Store } from '../store/sql.js';
import type { Stops } from '../store/stops.js';

/** One area of the API. `app/areas.ts` lists them all; nothing else in the service knows one by name. */
export interface Area {
  readonly name: string;
  /** The tag of its operations in the API document; absent if it has none there. */
  readonly tag?: string;
  /** What the tag stands for there. */
  readonly about?: string;
  readonly errorShape: ErrorShape;
  /** What it calls the chain for; `quotes`, with which it crafts, when left out. */
  readonly calls?: Purpose;
  /** For the operator: served on the port of operations, where there is one. */
  readonly isOperations?: true;
  /** What it adds to the claim and the settlement of its transactions, by the area's name in the ledger. */
  readonly settlement?: (clock: Clock, log: Logger) => Readonly<Record<string, Settlement>>;
  /** Registers its routes. An area that is off (the sandbox's in production, say) registers none. */
  register(server: TypedServer, services: Services): void;
  /** Throws, saying what to do about it, if the area could not work. Called when the service listens. */
  check?(services: Services): void;
}

/** What this process has measured of late, and some of what it can see now. */
export interface MetricsHistory {
  copy: string;
  everySeconds: number;
  /** Unix milliseconds, the oldest first. */
  times: number[];
  /** A number for each of the times; null where nothing was measured. */
  series: Record<string, (number | null)[]>;
  now: { name: string; labels: Record<string, string>; value: number }[];
}

/** The last lines of the log of this process, as pino has written them, by their numbers. */
export interface OwnLog {
  readonly lines: Pick<RecentLines, 'oldest' | 'newest' | 'at'>;
  /** Names the process. */
  readonly copy: string;
  readonly startedAt: string;
  /** By the clock of the wall. */
  readonly now: () => number;
}

/** Everything that an area may use. `app/` opens it; each area takes what it needs in its `register`. */
export interface Services {
  readonly config: Config;
  readonly log: Logger;
  /** Mints that stand for a US dollar. */
  readonly stables: ReadonlySet<Address>;
  /** What the operator vouches for. */
  readonly tokenList: TokenList;
  readonly clock: AdjustableClock;
  readonly steadyNow: () => number;
  readonly store: Store;
  /** The configured admin token, or that of the data folder. */
  readonly adminToken: string;
  /** What the operator has stopped. */
  readonly stops: Stops;
  readonly ledger: GroupedLedger;
  readonly signer: Signer;
  readonly secrets: SecretBox;
  readonly chain: Chain;
  /** Where this service reaches the chain's node. */
  readonly node: { readonly rpcUrl: string; readonly wsUrl: string | undefined };
  readonly prices: Prices;
  /** USD price of a whole token by the pools. */
  readonly poolUsd: (mint: Address) => number | undefined;
  readonly routing: Routing;
  /** Tells the aggregator of a pool that was just made; resolves when it routes over it. Never rejects. */
  readonly learnPool: (pool: Address) => Promise<void>;
  /** The pools that the aggregator routes over, as they are now. */
  readonly pools: Aggregator['pools'];
  readonly makers: Makers;
  readonly landing: Landing;
  /** What was measured after a time, in Unix milliseconds. */
  readonly history: (since: number) => Promise<MetricsHistory>;
  /** What this process has logged of late. */
  readonly ownLog: OwnLog;
  readonly logins: LoginTokens;
  readonly objects: Objects;
  readonly objectStore: S3Store | LocalStore;
  readonly limitOrders: { readonly addresses: LimitOrderAddresses; readonly index: LimitOrderIndex };
  readonly invites: InviteIndex;
  /** Where clients reach this service; with the actual port once it listens. */
  readonly publicUrl: () => string;
  readonly sandbox: Sandbox | undefined;
  /** The API key of the sandbox. */
  readonly sandboxKey: string | undefined;
  /** The wallet that pays for what the keepers do. */
  readonly keeperWallet: {
    /** Reads its balance. @throws ChainUnavailable */
    canPay(): Promise<boolean>;
    /** Whether enough is left for the fills of orders once something else is paid. @throws ChainUnavailable */
    leavesFills(): Promise<boolean>;
    /** Why the keepers begin nothing, by the last reading. */
    readonly shortage: string | undefined;
    /** `shortage`, or why no invite is claimed. */
    readonly warning: string | undefined;
  };
  /** Does all work that is due now, if this instance is a keeper; resolves when it is done. */
  readonly runDue: () => Promise<void>;
}
