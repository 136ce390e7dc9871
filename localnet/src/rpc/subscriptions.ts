import { type Address, CLOCK_SYSVAR, SYSTEM_PROGRAM } from '@slipway/wire';
import type { Chain } from '../chain.js';
import type { Account, ChainEvent } from '../types.js';
import { accountNews, KeptTexts } from './account-news.js';
import { type Call, guarded } from './call.js';
import { methodNotFound, RPC_CODE, RpcError } from './errors.js';
import { integer, stringifyJson } from './json.js';
import { Line, type News } from './line.js';
import { Lines } from './lines.js';
import { readParams } from './params.js';
import { readAccountView } from './render.js';
import { WISHES, type Wish } from './wishes.js';

interface Subscription extends Required<Wish> {
  id: number;
  connection: Connection;
  /** The view as text: those of one form are shown the same. */
  form: string;
}

/** One WebSocket: `call` answers its requests, notifications go to the `notify` it was opened with. */
interface Connection {
  call: Call;
  notify: (text: string) => void;
  /** Its own, so that its end costs what it had and not what all connections have. */
  subscriptions: Set<Subscription>;
  /** Those of these that wait for the same. */
  ofTopic: Map<string, Set<Subscription>>;
  line: Line<Subscription>;
  close: () => void;
  /** Closes it, and the WebSocket. */
  end: () => void;
}

/**
 * A service that watches ten thousand pools has some thirty thousand on its one connection, each for something else. What tells of
 * the same, such as of each slot, costs all others at once. A few every connection may have, however many others have.
 */
export const MAX_SUBSCRIPTIONS = { ofConnection: 100_000, ofTopic: 1_000, ofAll: 150_000, ofAny: 50 };

/** A closed account, as a validator notifies of it. */
const NO_ACCOUNT: Account = { lamports: 0n, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };

/**
 * The subscriptions of all connections, found by what they wait for, so that an event costs what it concerns and not
 * what is subscribed.
 */
export class Subscriptions {
  readonly #chain: Chain;
  readonly #log: (line: string) => void;
  readonly #lines: Lines<Subscription>;
  readonly #kept = new KeptTexts();
  /** Who waits for what. */
  readonly #byTopic = new Map<string, Set<Connection>>();
  readonly #byId = new Map<number, Subscription>();
  readonly #stop: () => void;
  #lastId = 0;
  #programSubscriptions = 0;
  /** Accounts are told in the order in which they were to be read. */
  #accountsRead: Promise<void> = Promise.resolve();
  #clockIsRead = true;

  constructor(chain: Chain, log: (line: string) => void) {
    this.#chain = chain;
    this.#log = log;
    this.#lines = new Lines(log);
    this.#stop = chain.on((event) => this.#publish(event));
  }

  /** A new connection, whose notifications are given to `notify` as text; `end` is called where it asks for too much. */
  connect(notify: (text: string) => void, end: () => void): Connection {
    const subscriptions = new Set<Subscription>();
    const connection: Connection = {
      call: guarded(this.#chain, this.#log, (method, params) => this.#call(connection, method, readParams(params))),
      notify,
      subscriptions,
      ofTopic: new Map(),
      line: new Line(
        () => subscriptions.size,
        () => connection.end(),
      ),
      close: () => {
        for (const subscription of subscriptions) this.#remove(subscription);
        this.#lines.drop(connection.line);
      },
      end: () => {
        connection.close();
        end();
      },
    };
    return connection;
  }

  /** How many subscriptions there are. */
  get size(): number {
    return this.#byId.size;
  }

  close(): void {
    this.#stop();
    this.#byId.clear();
    this.#byTopic.clear();
  }

  #call(connection: Connection, method: string, params: unknown[]): number | true {
    const unsubscribed = /^([a-z]+)Unsubscribe$/.exec(method)?.[1];
    if (unsubscribed && WISHES.has(unsubscribed)) return this.#unsubscribe(connection, unsubscribed, params[0]);
    const wish = WISHES.get(/^([a-z]+)Subscribe$/.exec(method)?.[1] ?? '');
    if (!wish) throw methodNotFound();
    return this.#subscribe(connection, wish(params, this.#chain.slot));
  }

  #subscribe(connection: Connection, wish: Wish): number {
    const { subscriptions, ofTopic } = connection;
    const same = ofTopic.get(wish.topic) ?? new Set();
    refuseTooMany(subscriptions.size, MAX_SUBSCRIPTIONS.ofConnection, 'on one connection');
    if (subscriptions.size >= MAX_SUBSCRIPTIONS.ofAny)
      refuseTooMany(this.size, MAX_SUBSCRIPTIONS.ofAll, 'on this chain');
    refuseTooMany(same.size, MAX_SUBSCRIPTIONS.ofTopic, 'for the same on one connection');
    const id = ++this.#lastId;
    const view = wish.view ?? readAccountView({});
    const defaults = { filters: [], received: false };
    const subscription: Subscription = { ...defaults, ...wish, view, form: JSON.stringify(view), id, connection };
    this.#byId.set(id, subscription);
    subscriptions.add(subscription);
    ofTopic.set(wish.topic, same.add(subscription));
    if (wish.kind === 'program') this.#programSubscriptions++;
    this.#byTopic.set(wish.topic, (this.#byTopic.get(wish.topic) ?? new Set()).add(connection));
    if (wish.kind === 'signature') this.#tellIfProcessed(subscription);
    return id;
  }

  #unsubscribe(connection: Connection, kind: string, id: unknown): true {
    const subscription = typeof id === 'number' ? this.#byId.get(id) : undefined;
    if (subscription?.connection !== connection || subscription.kind !== kind) {
      throw new RpcError(RPC_CODE.invalidParams, 'Invalid subscription id.');
    }
    this.#remove(subscription);
    return true;
  }

  #remove(subscription: Subscription): void {
    if (!this.#byId.delete(subscription.id)) return;
    const { topic, kind, connection } = subscription;
    const { subscriptions, ofTopic } = connection;
    subscriptions.delete(subscription);
    if (kind === 'program') this.#programSubscriptions--;
    const same = ofTopic.get(topic);
    same?.delete(subscription);
    if (same && same.size > 0) return;
    ofTopic.delete(topic);
    const waiting = this.#byTopic.get(topic);
    waiting?.delete(connection);
    if (waiting?.size === 0) this.#byTopic.delete(topic);
  }

  #tellIfProcessed(subscription: Subscription): void {
    const status = this.#chain.status(subscription.topic.slice('signature:'.length));
    if (status) this.#tellSignature(subscription, status.slot, status.err);
  }

  #publish(event: ChainEvent): void {
    if (event.type === 'slot') {
      const value = { slot: integer(event.slot), parent: integer(event.parent), root: integer(event.root) };
      this.#publishText('slot', '', value);
      this.#publishText('root', '', integer(event.root));
      void this.#publishClock(event.slot);
      return;
    }
    if (event.type === 'transaction') this.#publishTransaction(event);
    void this.#publishAccounts(event.slot, event.changed);
  }

  /** Of no slot that comes while the clock is still being read. */
  async #publishClock(slot: bigint): Promise<void> {
    if (!this.#clockIsRead) return;
    this.#clockIsRead = false;
    await this.#publishAccounts(slot, [CLOCK_SYSVAR]);
    this.#clockIsRead = true;
  }

  #publishTransaction({ signature, slot, err, logs, accounts }: Extract<ChainEvent, { type: 'transaction' }>): void {
    const news = { bytesFor: () => 0, tell: (waiting: Subscription) => this.#tellSignature(waiting, slot, err) };
    this.#publishNews(`signature:${signature}`, '', news);
    const topics = ['logs', ...accounts.map((address) => `logs:${address}`)].filter((topic) =>
      this.#byTopic.has(topic),
    );
    if (topics.length === 0) return;
    const told = inContext(slot, { signature, err, logs });
    for (const topic of topics) this.#publishText(topic, signature, told);
  }

  #tellSignature(subscription: Subscription, slot: bigint, err: unknown): void {
    if (subscription.received) this.#send(subscription, stringifyJson(inContext(slot, 'receivedSignature')));
    this.#send(subscription, stringifyJson(inContext(slot, { err })));
    this.#remove(subscription);
  }

  /** Resolves once they are read. */
  async #publishAccounts(
    slot: bigint,
    changed: Extract<ChainEvent, { type: 'transaction' }>['changed'],
  ): Promise<void> {
    const wanted =
      this.#programSubscriptions > 0 ? changed : changed.filter((address) => this.#byTopic.has(`account:${address}`));
    if (wanted.length === 0) return;
    // Read now, before the next transaction changes them again.
    const reading = this.#chain.accounts(wanted);
    this.#accountsRead = Promise.all([reading, this.#accountsRead])
      .then(([accounts]) => {
        for (const [index, address] of wanted.entries()) this.#publishAccount(slot, address, accounts[index]);
      })
      .catch((error) => this.#log(`account notifications failed: ${error}`));
    await this.#accountsRead;
  }

  #publishAccount(slot: bigint, address: Address, found: Account | undefined): void {
    const account = { address, account: found ?? NO_ACCOUNT };
    const deps = {
      chain: this.#chain,
      kept: this.#kept,
      log: this.#log,
      send: (subscription: Subscription, result: string) => this.#send(subscription, result),
    };
    const ofAccount = accountNews(account, { ...deps, inResult: (value) => inContext(slot, value) });
    this.#publishNews(`account:${address}`, '', ofAccount);
    if (!found) return;
    const inResult = (value: unknown) => inContext(slot, { pubkey: address, account: value });
    this.#publishNews(`program:${found.owner}`, address, accountNews(account, { ...deps, inResult }));
  }

  #publishText(topic: string, key: string, result: unknown): void {
    if (!this.#byTopic.has(topic)) return;
    const text = stringifyJson(result);
    this.#publishNews(topic, key, {
      bytesFor: () => text.length,
      tell: (subscription) => this.#send(subscription, text),
    });
  }

  /** Of one topic, only the last news by each key is told to those who have not heard the one before. */
  #publishNews(topic: string, key: string, news: News<Subscription>): void {
    const last = this.#lastId;
    for (const { line, ofTopic } of this.#byTopic.get(topic) ?? []) {
      const listeners = () => [...(ofTopic.get(topic) ?? [])].filter(({ id }) => id <= last);
      this.#lines.add(line, `${topic} ${key}`, { news, listeners });
    }
  }

  /** The result is JSON already, for all who are told the same. */
  #send({ id, kind, connection }: Subscription, result: string): void {
    if (!this.#byId.has(id)) return;
    connection.notify(
      `{"jsonrpc":"2.0","method":"${kind}Notification","params":{"result":${result},"subscription":${id}}}`,
    );
  }
}

/** The code is a validator's for its own limit. */
function refuseTooMany(count: number, limit: number, where: string): void {
  if (count < limit) return;
  throw new RpcError(RPC_CODE.internal, `Subscription refused: at most ${limit} ${where}; unsubscribe some first`);
}

function inContext(slot: bigint, value: unknown): unknown {
  return { context: { slot: integer(slot) }, value };
}
