import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import type { RpcAccount } from './accounts.js';

/** Subscriptions to accounts over one WebSocket, which is reopened whenever it breaks. */
export interface AccountSocket {
  follow(addresses: readonly Address[]): void;
  unfollow(addresses: readonly Address[]): void;
  /** Steady milliseconds of the last sign of life of the open connection; -Infinity while there is none. */
  aliveAt(): number;
  close(): void;
}

interface AccountSocketDeps {
  url: string;
  steadyNow: () => number;
  log: Logger;
  /** An account's content after a change; null if there is no account. Throws if that makes no sense. */
  onAccount(address: Address, slot: number, account: RpcAccount | null): void;
  /** Changes of these are reported from now on; what changed before is not known. */
  onFollowed(addresses: Address[]): void;
  /** All subscriptions are lost. */
  onLost(): void;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 15_000;
const PING_MS = 3_000;
/** A connection that is silent for this long is given up. */
const SILENCE_MS = 8_000;
/** A node that has confirmed so many fewer than it was asked for, of accounts that are let go by now, is asked anew. */
const MOST_LET_GO = 20_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

interface Message {
  id?: number;
  result?: unknown;
  params?: { subscription: number; result: { context: { slot: number }; value: RpcAccount | null } };
}

export function createAccountSocket(deps: AccountSocketDeps): AccountSocket {
  const { url, steadyNow, log, onLost } = deps;
  const host = new URL(url).host;
  const wanted = new Set<Address>();
  let connection: Connection | undefined;
  let retryMs = FIRST_RETRY_MS;
  let openedAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function connect(): void {
    const socket = new WebSocket(url, { handshakeTimeout: SILENCE_MS, maxPayload: MAX_MESSAGE_BYTES });
    const opened = new Connection(socket, wanted, deps);
    socket.on('open', () => {
      connection = opened;
      openedAt = steadyNow();
      opened.follow([...wanted]);
    });
    // The error may quote the URL, which may hold a key; the close that follows it says enough.
    socket.on('error', () => {});
    socket.on('close', (code) => {
      opened.end();
      connection = undefined;
      onLost();
      if (closed) return;
      // Only after it has stood for a while: a node that talks nonsense must not be asked again at once, forever.
      if (steadyNow() - openedAt >= LAST_RETRY_MS) retryMs = FIRST_RETRY_MS;
      openedAt = Number.POSITIVE_INFINITY;
      log.warn({ host, code, retryMs }, 'the account subscriptions broke; polling meanwhile');
      timer = setTimeout(connect, retryMs).unref();
      retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    });
  }

  connect();
  const pinging = setInterval(() => connection?.ping(steadyNow()), PING_MS).unref();
  return {
    follow(addresses) {
      for (const address of addresses) wanted.add(address);
      connection?.follow(addresses);
    },
    unfollow(addresses) {
      for (const address of addresses) wanted.delete(address);
      connection?.unfollow(addresses);
    },
    aliveAt: () => connection?.aliveAt() ?? Number.NEGATIVE_INFINITY,
    close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(pinging);
      connection?.end();
    },
  };
}

/** One WebSocket: which request and which subscription belongs to which account. */
class Connection {
  readonly #socket: WebSocket;
  readonly #wanted: ReadonlySet<Address>;
  readonly #deps: AccountSocketDeps;
  /** What is not confirmed yet, also of accounts that were let go meanwhile: a node may name both subscriptions of one account alike. */
  readonly #asked = new Map<number, Address>();
  readonly #unconfirmed = new Set<Address>();
  readonly #followed = new Map<number, Address>();
  #nextId = 1;
  #aliveAt: number;
  #confirmed: Address[] = [];

  constructor(socket: WebSocket, wanted: ReadonlySet<Address>, deps: AccountSocketDeps) {
    this.#socket = socket;
    this.#wanted = wanted;
    this.#deps = deps;
    this.#aliveAt = deps.steadyNow();
    socket.on('pong', () => {
      this.#aliveAt = deps.steadyNow();
    });
    socket.on('message', (data) => this.#hear(data.toString()));
  }

  follow(addresses: readonly Address[]): void {
    for (const address of addresses) {
      if (this.#unconfirmed.has(address)) continue;
      this.#unconfirmed.add(address);
      this.#asked.set(this.#nextId, address);
      this.#send('accountSubscribe', [address, { encoding: 'base64', commitment: 'confirmed' }]);
    }
    if (this.#asked.size > 2 * this.#wanted.size + MOST_LET_GO) this.#socket.terminate();
  }

  unfollow(addresses: readonly Address[]): void {
    const gone = new Set(addresses);
    for (const [subscription, address] of this.#followed) {
      if (!gone.has(address)) continue;
      this.#followed.delete(subscription);
      this.#send('accountUnsubscribe', [subscription]);
    }
  }

  aliveAt(): number {
    return this.#aliveAt;
  }

  ping(now: number): void {
    if (now - this.#aliveAt > SILENCE_MS) this.#socket.terminate();
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  end(): void {
    this.#socket.terminate();
  }

  #send(method: string, params: unknown[]): void {
    const id = this.#nextId++;
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  #hear(text: string): void {
    // A connection that was given up still delivers what it has received.
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#aliveAt = this.#deps.steadyNow();
    try {
      this.#read(text);
    } catch (error) {
      // The message is lost, so none of its subscriptions can be trusted any more.
      const about = { host: new URL(this.#deps.url).host, reason: (error as Error).message };
      this.#deps.log.warn(about, 'malformed message on the account subscriptions');
      this.#socket.terminate();
    }
  }

  #read(text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) {
      this.#answered(message.id, message.result);
      return;
    }
    const address = message.params && this.#followed.get(message.params.subscription);
    if (!address) return;
    const { context, value } = message.params!.result;
    this.#deps.onAccount(address, context.slot, value);
  }

  #answered(id: number, subscription: unknown): void {
    const address = this.#asked.get(id);
    // An answer to something else.
    if (!address) return;
    this.#asked.delete(id);
    this.#unconfirmed.delete(address);
    if (typeof subscription !== 'number') {
      this.#deps.log.debug({ address }, 'an account subscription was refused');
    } else if (!this.#wanted.has(address)) {
      this.#send('accountUnsubscribe', [subscription]);
    } else {
      this.#followed.set(subscription, address);
      if (this.#confirmed.push(address) === 1) setImmediate(() => this.#tellConfirmed());
    }
  }

  #tellConfirmed(): void {
    const addresses = this.#confirmed;
    this.#confirmed = [];
    this.#deps.onFollowed(addresses);
  }
}
