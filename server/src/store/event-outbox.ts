import { accountOfKey, accountOfWallet } from './event-accounts.js';
import { anyOf, type Tx } from './sql.js';

/** What can happen. */
export const eventKinds = [
  'transaction.landed',
  'transaction.failed',
  'transaction.expired',
  'order.opened',
  'order.triggered',
  'order.partly_filled',
  'order.filled',
  'order.cancelled',
  'order.expired',
  'order.failed',
  'verification.requested',
  'verification.approved',
  'verification.rejected',
  'launch.created',
  'launch.migrated',
  'invite.created',
  'invite.claimed',
  'invite.taken_back',
  'invite.expired',
  'score.changed',
  'price.changed',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** What has happened, before it has its numbers. */
export interface NewEvent {
  kind: EventKind;
  at: Date;
  /**
   * The wallets that hear of it; the first one is the wallet that it is about. Without any, it concerns everybody: those
   * hear of it who follow its kind.
   */
  wallets: readonly string[];
  /**
   * What began it: the key behind that request hears of it too. `apiKey`, where it is known, saves looking it up, also for
   * other events of that request in the same transaction.
   */
  begunBy: { requestId: string; apiKey?: string | null } | { signature: string } | undefined;
  /**
   * Names what is read from the chain, where it may be read again: what was told before is not told again, as long as that
   * is kept.
   */
  once?: string;
  /**
   * JSON without undefined, bigint and NUL characters. Amounts are decimal strings in the smallest unit. What is null is left
   * out.
   */
  data: object;
}

/** The channel that notifies of events that wait for their numbers. */
export const OUTBOX_CHANNEL = 'event_outbox';
/** The account of what concerns all that follow its kind begins so. */
const OF_ALL = 'kind:';
/** A page is read whole. */
const MOST_IN_A_PAGE = 100;

/** Events that one account hears of, one after the other; or one event, for all that follow its kind. */
interface Page {
  account: string;
  events: string[];
  /** The latest of its events. */
  at: Date;
}

const told = new WeakMap<Tx, NewEvent[]>();

/**
 * Tells what this transaction changes: readers hear of it once it has committed. Written as one row before it commits, and
 * one for each event that concerns everybody, without a lock that other writers wait for, but for those that tell the same `once`.
 */
export async function tell(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const before = told.get(tx);
  if (before) {
    before.push(...events);
    return;
  }
  const all = [...events];
  told.set(tx, all);
  tx.beforeCommit(() => write(tx, all));
}

// The pages are one text of a line each, which JSON never breaks: as an array, each of their quotes would have to be escaped
// here, and read again there.
const PAGES = 'string_to_array($4, chr(10))';
const NOTIFY = `select pg_notify('${OUTBOX_CHANNEL}', '')`;
const WRITE = `
  with told as (insert into event_outbox (accounts, counts, times, pages) values ($1, $2, $3, ${PAGES}))
  ${NOTIFY}`;
// What concerns everybody is a row of its own: its number is given by itself.
const WRITE_EACH = `
  with told as (
    insert into event_outbox (accounts, counts, times, pages)
    select array[account], array[count], array[at], array[page]
    from unnest($1::text[], $2::integer[], $3::timestamptz[], ${PAGES}) with ordinality as t(account, count, at, page, place)
    order by place
  )
  ${NOTIFY}`;

async function write(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const fresh = await followed(tx, await toldFirst(tx, events));
  const pages = pagesOf(fresh, await keysBehind(tx, fresh));
  const isOfAll = ({ account }: Page) => account.startsWith(OF_ALL);
  await writePages(
    tx,
    WRITE,
    pages.filter((page) => !isOfAll(page)),
  );
  await writePages(tx, WRITE_EACH, pages.filter(isOfAll));
}

async function writePages(tx: Tx, statement: string, pages: readonly Page[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(statement, [
    pages.map(({ account }) => account),
    pages.map((page) => page.events.length),
    pages.map(({ at }) => at),
    pages.map((page) => `[${page.events.join()}]`).join('\n'),
  ]);
}

/** Leaves out what was told before. */
async function toldFirst(tx: Tx, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const nameOf = ({ wallets, once }: NewEvent) => `${wallets[0]} ${once}`;
  const named = new Map(events.flatMap((event) => (event.once ? [[nameOf(event), event]] : [])));
  if (named.size === 0) return events;
  // Sorted, so that two that tell the same cannot deadlock.
  const { rows } = await tx.query<{ name: string }>(
    `insert into told_once (name, at) select name, at from unnest($1::text[], $2::timestamptz[]) as t(name, at) order by name
     on conflict do nothing returning name`,
    [[...named.keys()], [...named.values()].map(({ at }) => at)],
  );
  const isNew = new Set(rows.map(({ name }) => name));
  // The first of a name, and no other.
  return events.filter((event) => !event.once || isNew.delete(nameOf(event)));
}

/** Leaves out what concerns everybody, and nobody follows. */
async function followed(tx: Tx, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const kinds = new Map<EventKind, Date>();
  for (const { kind, wallets, at } of events) if (wallets.length === 0) kinds.set(kind, earlier(kinds.get(kind), at));
  if (kinds.size === 0) return events;
  const { rows } = await tx.query<{ kind: EventKind }>(
    `select kind from unnest($1::text[], $2::timestamptz[]) as t(kind, at)
     where exists (select from event_followers f where f.kind = t.kind and until > t.at)`,
    [[...kinds.keys()], [...kinds.values()]],
  );
  const isFollowed = new Set(rows.map(({ kind }) => kind));
  return events.filter(({ kind, wallets }) => wallets.length > 0 || isFollowed.has(kind));
}

/** With the keys that have taken the place of these. */
const withSuccessors = (keys: string) => `
  with recursive behind(name, key) as (
    (${keys})
    union select behind.name, api_keys.id from behind join api_keys on rotated_from = key
  )
  select name, key from behind`;
const KEYS_OF_REQUESTS = withSuccessors(
  `select id, api_key from ledger where id = ${anyOf('$1')} and api_key is not null`,
);
const KEYS_OF_SIGNATURES = withSuccessors(
  `select signature, api_key from ledger where signature = ${anyOf('$1')} and api_key is not null
   union select signature, api_key from opened_by_keys where signature = ${anyOf('$1')}`,
);

/** The keys behind what began events, by request id or signature, with those that have replaced them since. */
async function keysBehind(tx: Tx, events: readonly NewEvent[]): Promise<Map<string, Set<string>>> {
  const keys = new Map<string, Set<string>>();
  const asked = { requests: new Set<string>(), signatures: new Set<string>() };
  for (const { begunBy } of events) {
    if (!begunBy) continue;
    if ('signature' in begunBy) asked.signatures.add(begunBy.signature);
    else if (begunBy.apiKey === undefined) asked.requests.add(begunBy.requestId);
    else keys.set(begunBy.requestId, new Set(begunBy.apiKey === null ? [] : [begunBy.apiKey]));
  }
  const requests = [...asked.requests].filter((id) => !keys.has(id));
  const found = async (text: string, names: readonly string[]) =>
    names.length === 0 ? [] : (await tx.query<{ name: string; key: string }>(text, [names])).rows;
  const rows = [
    ...(await found(KEYS_OF_REQUESTS, requests)),
    ...(await found(KEYS_OF_SIGNATURES, [...asked.signatures])),
  ];
  for (const { name, key } of rows) keys.set(name, (keys.get(name) ?? new Set()).add(key));
  return keys;
}

function pagesOf(events: readonly NewEvent[], keys: ReadonlyMap<string, ReadonlySet<string>>): Page[] {
  const pages: Page[] = [];
  const open = new Map<string, Page>();
  for (const { kind, at, wallets, begunBy, data } of events) {
    const left = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
    const event = JSON.stringify({ kind, at, wallet: wallets[0] ?? null, data: left });
    // Until when somebody follows is compared with the time of each event.
    if (wallets.length === 0) pages.push({ account: OF_ALL + kind, events: [event], at });
    const name = begunBy && ('signature' in begunBy ? begunBy.signature : begunBy.requestId);
    const heard = [...wallets.map(accountOfWallet), ...[...(keys.get(name ?? '') ?? [])].map(accountOfKey)];
    for (const account of new Set(heard)) {
      const page = open.get(account);
      if (page && page.events.length < MOST_IN_A_PAGE) {
        page.events.push(event);
        if (at > page.at) page.at = at;
      } else {
        const begun = { account, events: [event], at };
        open.set(account, begun);
        pages.push(begun);
      }
    }
  }
  return pages;
}

function earlier(one: Date | undefined, other: Date): Date {
  return one && one < other ? one : other;
}
