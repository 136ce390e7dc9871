import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import { Outage } from '../../errors/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import type { KeyName } from '../bare-keys.js';
import { SignerRefused } from '../policies/index.js';
import type { Role, SignerHealth } from '../signer.js';
import { isWalletRole, type OwnWallets, WALLET_ROLES } from '../wallet-keys.js';
import { away, type Connection, greet, reasonOf, SignerFault } from './connection.js';
import type { Endpoint } from './endpoint.js';
import type { KeyPort } from './protocol.js';

const RECONNECT = { firstMs: 50, longestMs: 1_000 };
const MOST_ADDRESSES = 10_000;
const SIGNS_NOTHING = 'the signer signs nothing: its log and "slipway doctor" say why';
const OTHER_KEYS = 'it has other keys than before: if that is meant, restart this service';

/** The keys of a signer in another process. */
export interface RemoteSigner extends KeyPort {
  /** Whom the signer takes this process for. */
  readonly caller: string;
  /** How the signer is. @throws Outage when it is away, or signs nothing; a client may read why */
  probe(): Promise<SignerHealth>;
  close(): void;
}

interface RemoteSignerOptions {
  endpoint: Endpoint;
  /** As the operator knows it, for messages. */
  name: string;
  /** How long to wait for the signer at first. */
  patienceMs: number;
  /** Hears of each signature that is not made. */
  refused?: (refusal: SignerRefused) => void;
  /** Told when the signer is away, and when it is back. */
  onChange?: (change: { away: string } | { back: true }) => void;
}

/**
 * The keys of a signer in another process. Connects again by itself; what is asked while the signer is away, or was not
 * answered when it went, fails at once with an Outage, and with SignerRefused what it does not do.
 *
 * @throws Error when there is no signer in time, or it speaks another version.
 */
export async function connectSigner(options: RemoteSignerOptions): Promise<RemoteSigner> {
  const first = await greetAtFirst(options);
  let wallets = await first.ask('wallets', {});
  const publicKeys = new GrowingCache<KeyName, Address>(MOST_ADDRESSES);
  const closing = new AbortController();
  const { caller, addresses } = first.welcome;
  const take = (found: OwnWallets): boolean => {
    if (!continues(found, wallets)) return false;
    wallets = found;
    return true;
  };
  const line = new Line(first, { ...options, take }, closing.signal);
  const ask: Connection['ask'] = async (...asked) => line.connection().ask(...asked);
  const told = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: Error) => {
      if (error instanceof SignerRefused) options.refused?.(error);
      throw error;
    });
  const address = (role: Role): Address =>
    isWalletRole(role) ? wallets[role].addresses[wallets[role].current]! : addresses[role];
  return {
    caller,
    address,
    wallets: () => wallets,
    async rotate(role, step) {
      take(await ask('rotate', { role, step }));
      return wallets;
    },
    async reload() {
      take(await ask('wallets', {}));
    },
    async publicKey(key) {
      const known = publicKeys.get(key) ?? (Object.hasOwn(addresses, key) ? address(key as Role) : undefined);
      if (known !== undefined) return known;
      const found = await ask('publicKey', { key });
      publicKeys.set(key, found);
      return found;
    },
    sign: (key, message) => ask('sign', { key, message }),
    cosign: ({ keys, message, order, request }) => told(ask('cosign', { keys: [...keys], message, order, request })),
    issueLogin: (request) => told(ask('issueLogin', request)),
    sealOrder: (request) => told(ask('sealOrder', request)),
    sealRow: (row) => ask('sealRow', { row }),
    secrets: {
      seal: (text, place) => ask('sealSecret', { text, place }),
      open: (sealed, place) => ask('openSecret', { sealed, place }),
      mark: (text) => ask('markSecret', { text }),
    },
    findMint: (suffix, signal) => ask('findMint', { suffix }, { signal, hasDeadline: false }),
    describe: async () => (await ask('describe', {})).source,
    state: () => ask('state', {}),
    async probe() {
      const health = await ask('state', {});
      if (health.fault === undefined) return health;
      throw new Outage('SIGNER_UNAVAILABLE', `the signer signs nothing: ${health.fault}`, { told: SIGNS_NOTHING });
    },
    hearStops: (stopped) => ask('hearStops', { stopped }),
    close() {
      closing.abort();
      line.close();
    },
  };
}

interface LineOptions extends RemoteSignerOptions {
  /** Takes over the wallets of a signer that is back, if it is the same one. */
  take(wallets: OwnWallets): boolean;
}

/** Has a connection whenever there is a signer. */
class Line {
  readonly #options: LineOptions;
  readonly #first: Connection;
  readonly #closing: AbortSignal;
  #current: Connection | undefined;

  constructor(first: Connection, options: LineOptions, closing: AbortSignal) {
    this.#first = first;
    this.#options = options;
    this.#closing = closing;
    void this.#stay();
  }

  /** @throws Outage */
  connection(): Connection {
    if (this.#current === undefined) throw away('no connection');
    return this.#current;
  }

  close(): void {
    this.#current?.close();
  }

  async #stay(): Promise<void> {
    const { onChange } = this.#options;
    for (let next: Connection | undefined = this.#first; next !== undefined; next = await this.#again()) {
      this.#current = next;
      if (next !== this.#first) onChange?.({ back: true });
      const reason = await next.ended;
      this.#current = undefined;
      if (!this.#closing.aborted) onChange?.({ away: reason });
    }
  }

  /** Connects again, however long that takes; undefined once the client is closed. */
  async #again(): Promise<Connection | undefined> {
    const { endpoint, onChange, take } = this.#options;
    for (let waitMs = RECONNECT.firstMs; ; waitMs = Math.min(2 * waitMs, RECONNECT.longestMs)) {
      await sleep(waitMs, undefined, { signal: this.#closing }).catch(() => undefined);
      if (this.#closing.aborted) return undefined;
      const found = await greet(endpoint, this.#closing).catch(() => undefined);
      const wallets = await found?.ask('wallets', {}).catch(() => undefined);
      if (found === undefined || wallets === undefined) {
        found?.close();
        continue;
      }
      if (hasSameKeys(found, this.#first) && take(wallets)) return found;
      found.close();
      onChange?.({ away: OTHER_KEYS });
    }
  }
}

/** The first connection, for which a signer that starts at the same time is waited for. */
async function greetAtFirst({ endpoint, name, patienceMs }: RemoteSignerOptions): Promise<Connection> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const found = await greet(endpoint).catch((error: Error) => error);
    if (!(found instanceof Error)) return found;
    if (found instanceof SignerFault || performance.now() >= giveUpAt) {
      throw new Error(`the signer at ${name} does not answer (${reasonOf(found)})`, { cause: found });
    }
    await sleep(RECONNECT.firstMs);
  }
}

function hasSameKeys({ welcome: { addresses } }: Connection, { welcome: first }: Connection): boolean {
  const roles = (Object.keys(first.addresses) as Role[]).filter((role) => !isWalletRole(role));
  return roles.every((role) => addresses[role] === first.addresses[role]);
}

/** Whether these are the wallets from before, a key of which may have been exchanged since. */
function continues(found: OwnWallets, before: OwnWallets): boolean {
  return WALLET_ROLES.every((role) => {
    const { addresses, current } = before[role];
    const now = found[role];
    return now.current >= current && now.addresses[current] === addresses[current];
  });
}
