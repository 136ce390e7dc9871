import { setImmediate } from 'node:timers/promises';
import { CLOCK_SYSVAR, SYSTEM_PROGRAM } from '@slipway/wire';
import type { Chain } from '../chain.js';
import type { Account, AddressedAccount, ChainEvent } from '../types.js';
import { type Call, guarded } from './call.js';
import { invalidParam, methodNotFound, RPC_CODE, RpcError } from './errors.js';
import { type AccountFilter, passesFilters, readFilters } from './filters.js';
import { integer, stringifyJson } from './json.js';
import { readAddress, readConfig, readFlag, readList, readObject, readParams, readSignature } from './params.js';
import { type AccountView, readAccountView, renderAccounts } from './render.js';

type Kind = 'account' | 'logs' | 'program' | 'signature' | 'slot' | 'root';

interface Subscription {
  id: number;
  kind: Kind;
  /** Which events it wants, see `topic`. */
  topic: string;
  connection: Connection;
  view: AccountView;
  /** The view as text: those of one form are shown the same. */
  form: string;
  filters: AccountFilter[];
  received: boolean;
}

/** One WebSocket: `call` answers its requests, notifications go to the `notify` it was opened with. */
interface Connection {
  call: Call;
  notify: (text: string) => void;
  /** Its own, so that its end costs what it had and not what all connections have. */
  subscriptions: Set<Subscription>;
  /** How many of these wait for the same. */
  ofTopic: Map<string, number>;
  close: () => void;
}

/**
 * A service that watches ten thousand pools has some thirty thousand on its one connection, each for something else. What tells of
 * the same, such as of each slot, costs all others at once.
 */
export const MAX_SUBSCRIPTIONS = { ofConnection: 100_000, ofTopic: 1_000, ofAll: 150_000 };

/** After so many notifications, what waits has its turn. */
const TOLD_AT_ONCE = 1_000;

/** A closed account, as a validator notifies of it. */
const NO_ACCOUNT: Account = { lamports: 0n, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };

/** What a subscription method asks for, before it has an id. */
type Wish = Pick<Subscription, 'kind' | 'topic'> & Partial<Pick<Subscription, 'view' | 'filters' | 'received'>>;

/**
 * The subscriptions of all connections, found by what they wait for, so that an event costs what it concerns and not
 * what is subscribed.
 */
export class Subscriptions {
  readonly #chain: Chain;
  readonly #log: (line: string) => void;
  readonly #byTopic = new Map<string, Set<Subscription>>();
  readonly #byId = new Map<number, Subscription>();
  readonly #stop: () => void;
  #lastId = 0;
  #programSubscriptions = 0;
  /** Account notifications read the chain and keep their order by waiting for each other. */
  #accountsTold: Promise<void> = Promise.resolve();
  /** For the same reason. */
  #logsTold: Promise<void> = Promise.resolve();
  #clockIsTold = true;
  /** Of `slot` and `root`: those whose subscribers are still being told of one. */
  readonly #slotsTold = new Set<string>();

  constructor(chain: Chain, log: (line: string) => void) {
    this.#chain = chain;
    this.#log = log;
    this.#stop = chain.on((event) => this.#publish(event));
  }

  /** A new connection, whose notifications are given to `notify` as text. */
  connect(notify: (text: string) => void): Connection {
    const connection: Connection = {
      call: guarded(this.#chain, this.#log, (method, params) => this.#call(connection, method, readParams(params))),
      notify,
      subscriptions: new Set(),
      ofTopic: new Map(),
      close: () => {
        for (const subscription of connection.subscriptions) this.#remove(subscription);
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
    refuseTooMany(connection.subscriptions.size, MAX_SUBSCRIPTIONS.ofConnection, 'on one connection');
    refuseTooMany(this.size, MAX_SUBSCRIPTIONS.ofAll, 'on this chain');
    const same = connection.ofTopic.get(wish.topic) ?? 0;
    refuseTooMany(same, MAX_SUBSCRIPTIONS.ofTopic, 'for the same on one connection');
    const id = ++this.#lastId;
    const view = wish.view ?? readAccountView({});
    const defaults = { filters: [], received: false };
    const subscription: Subscription = { ...defaults, ...wish, view, form: JSON.stringify(view), id, connection };
    this.#byId.set(id, subscription);
    connection.subscriptions.add(subscription);
    connection.ofTopic.set(wish.topic, same + 1);
    if (wish.kind === 'program') this.#programSubscriptions++;
    const waiting = this.#byTopic.get(wish.topic);
    if (waiting) waiting.add(subscription);
    else this.#byTopic.set(wish.topic, new Set([subscription]));
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
    const { subscriptions, ofTopic } = subscription.connection;
    subscriptions.delete(subscription);
    const same = ofTopic.get(subscription.topic)! - 1;
    if (same > 0) ofTopic.set(subscription.topic, same);
    else ofTopic.delete(subscription.topic);
    if (subscription.kind === 'program') this.#programSubscriptions--;
    const waiting = this.#byTopic.get(subscription.topic);
    waiting?.delete(subscription);
    if (waiting?.size === 0) this.#byTopic.delete(subscription.topic);
  }

  #tellIfProcessed(subscription: Subscription): void {
    const status = this.#chain.status(subscription.topic.slice('signature:'.length));
    if (status) this.#tellSignature(subscription, status.slot, status.err);
  }

  #publish(event: ChainEvent): void {
    if (event.type === 'slot') {
      const value = { slot: integer(event.slot), parent: integer(event.parent), root: integer(event.root) };
      void this.#publishSlot('slot', value);
      void this.#publishSlot('root', integer(event.root));
      void this.#publishClock(event.slot);
      return;
    }
    if (event.type === 'transaction') this.#publishTransaction(event);
    void this.#publishAccounts(event.slot, event.changed);
  }

  /** Many who wait hear of none that comes while they are still being told of another one. */
  async #publishSlot(topic: string, value: unknown): Promise<void> {
    if (this.#slotsTold.has(topic)) return;
    const waiting = this.#waiting(topic);
    // Few are told at once, also of each slot of many that pass together.
    if (waiting.length >= TOLD_AT_ONCE) this.#slotsTold.add(topic);
    await this.#tellAll(waiting, value);
    this.#slotsTold.delete(topic);
  }

  /** Of no slot that comes while those who wait are still being told of another one. */
  async #publishClock(slot: bigint): Promise<void> {
    if (!this.#clockIsTold) return;
    this.#clockIsTold = false;
    await this.#publishAccounts(slot, [CLOCK_SYSVAR]);
    this.#clockIsTold = true;
  }

  #publishTransaction({ signature, slot, err, logs, accounts }: Extract<ChainEvent, { type: 'transaction' }>): void {
    for (const subscription of this.#waiting(`signature:${signature}`)) this.#tellSignature(subscription, slot, err);
    const topics = ['logs', ...accounts.map((address) => `logs:${address}`)];
    const waiting = topics.flatMap((topic) => this.#waiting(topic));
    if (waiting.length === 0) return;
    const told = inContext(slot, { signature, err, logs });
    this.#logsTold = this.#logsTold.then(() => this.#tellAll(waiting, told));
  }

  #tellSignature(subscription: Subscription, slot: bigint, err: unknown): void {
    if (subscription.received) this.#tell(subscription, inContext(slot, 'receivedSignature'));
    this.#tell(subscription, inContext(slot, { err }));
    this.#remove(subscription);
  }

  /** Resolves once all are told. */
  async #publishAccounts(
    slot: bigint,
    changed: Extract<ChainEvent, { type: 'transaction' }>['changed'],
  ): Promise<void> {
    const wanted =
      this.#programSubscriptions > 0 ? changed : changed.filter((address) => this.#byTopic.has(`account:${address}`));
    if (wanted.length === 0) return;
    // Read now, before the next transaction changes them again.
    const reading = this.#chain.accounts(wanted);
    this.#accountsTold = Promise.all([reading, this.#accountsTold])
      .then(async ([accounts]) => {
        for (const [index, address] of wanted.entries()) {
          const account = accounts[index] ?? NO_ACCOUNT;
          await this.#tellAccount(this.#waiting(`account:${address}`), slot, { address, account });
          const ofProgram = account === NO_ACCOUNT ? [] : this.#waiting(`program:${account.owner}`);
          const passed = ofProgram.filter(({ filters }) => passesFilters(account, filters));
          await this.#tellAccount(passed, slot, { address, account });
        }
      })
      .catch((error) => this.#log(`account notifications failed: ${error}`));
    await this.#accountsTold;
  }

  /** Those of one kind, of an account that is rendered once for each form that they want it in. */
  async #tellAccount(subscriptions: Subscription[], slot: bigint, account: AddressedAccount): Promise<void> {
    const rendered = new Map<string, string | undefined>();
    for (const [index, subscription] of subscriptions.entries()) {
      if (index % TOLD_AT_ONCE === TOLD_AT_ONCE - 1) await setImmediate();
      const { form } = subscription;
      if (!rendered.has(form)) rendered.set(form, await this.#render(subscription, slot, account));
      const text = rendered.get(form);
      if (text !== undefined) this.#send(subscription, text);
    }
  }

  /** Nothing where its caller cannot be shown the account, as a long one in base58: others hear of theirs all the same. */
  async #render(
    { kind, view }: Subscription,
    slot: bigint,
    { address, account }: AddressedAccount,
  ): Promise<string | undefined> {
    try {
      const [value] = await renderAccounts(this.#chain, [{ address, account }], view);
      return stringifyJson(inContext(slot, kind === 'program' ? { pubkey: address, account: value } : value));
    } catch (error) {
      if (!(error instanceof RpcError)) this.#log(`an account notification failed: ${error}`);
      return undefined;
    }
  }

  #waiting(topic: string): Subscription[] {
    return [...(this.#byTopic.get(topic) ?? [])];
  }

  async #tellAll(subscriptions: Subscription[], result: unknown): Promise<void> {
    try {
      const text = subscriptions.length > 0 ? stringifyJson(result) : '';
      for (const [index, subscription] of subscriptions.entries()) {
        if (index % TOLD_AT_ONCE === TOLD_AT_ONCE - 1) await setImmediate();
        this.#send(subscription, text);
      }
    } catch (error) {
      this.#log(`notifications failed: ${error}`);
    }
  }

  #tell(subscription: Subscription, result: unknown): void {
    this.#send(subscription, stringifyJson(result));
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

/** By the first word of the method. What is not here, such as `block` and `vote`, is not found. */
const WISHES = new Map<string, (params: unknown[], slot: bigint) => Wish>([
  [
    'account',
    (params, slot) => ({
      kind: 'account',
      topic: `account:${readAddress(params[0], 'pubkey')}`,
      view: readAccountView(readConfig(params[1], slot)),
    }),
  ],
  [
    'program',
    (params, slot) => {
      const topic = `program:${readAddress(params[0], 'program')}`;
      const config = readConfig(params[1], slot);
      return { kind: 'program', topic, view: readAccountView(config), filters: readFilters(config.filters) };
    },
  ],
  [
    'signature',
    (params, slot) => {
      const topic = `signature:${readSignature(params[0], 'signature')}`;
      const { enableReceivedNotification } = readConfig(params[1], slot);
      return { kind: 'signature', topic, received: readFlag(enableReceivedNotification, 'enableReceivedNotification') };
    },
  ],
  [
    'logs',
    (params, slot) => {
      readConfig(params[1], slot);
      return { kind: 'logs', topic: logsTopic(params[0]) };
    },
  ],
  ['slot', () => ({ kind: 'slot', topic: 'slot' })],
  ['root', () => ({ kind: 'root', topic: 'root' })],
]);

/** There are no votes on this chain, so that `all` and `allWithVotes` are the same. */
function logsTopic(filter: unknown): string {
  if (filter === 'all' || filter === 'allWithVotes') return 'logs';
  if (typeof filter !== 'object') throw invalidParam('filter', 'expected all, allWithVotes or an object with mentions');
  const mentions = readList(readObject(filter, 'filter').mentions, 'filter.mentions', Number.POSITIVE_INFINITY);
  if (mentions.length !== 1) throw new RpcError(RPC_CODE.invalidParams, 'Invalid Request: Only 1 address supported');
  return `logs:${readAddress(mentions[0], 'filter.mentions[0]')}`;
}

function inContext(slot: bigint, value: unknown): unknown {
  return { context: { slot: integer(slot) }, value };
}
