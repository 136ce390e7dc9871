import type { EventKind } from './event-outbox.js';
import { isLeaseOver, leaseEnd } from './leases.js';
import type { Sql, Tx } from './sql.js';
import { ADDED_BY, COLUMNS, type SealedWebhook } from './webhooks.js';

/** How long a silent copy's turn with a webhook lasts, in milliseconds: longer than an attempt may take. */
const TURN_LEASE = 30_000;
const IS_FREE = `coalesce(${isLeaseOver('w.lease_until', TURN_LEASE)}, true)`;

/** One copy's turn with a webhook. */
export interface WebhookTurn {
  holder: string;
  now: Date;
}

/** How many webhooks are taken: in all, and of what one key has added, besides those of it that are under way. */
export interface MostTurns {
  inAll: number;
  ofKey: number;
  /** Those under way, by `addedBy`. */
  underWay: ReadonlyMap<string, number>;
}

/**
 * Takes webhooks that something waits for, and that do not rest: of one that takes what is new, only what is tried again does. First
 * those of keys of which the fewest are under way, then of the key whose last turn was longest ago, and of each key those that have
 * waited longest. None of a key that is none any more, whose webhooks are deleted soon. (The id of a key follows `key:`, and what
 * follows `wall` in another account is none.)
 */
export async function takeDueWebhooks(
  tx: Tx,
  { holder, now }: WebhookTurn,
  { inAll, ofKey, underWay }: MostTurns,
): Promise<SealedWebhook[]> {
  const { rows } = await tx.query<SealedWebhook>(
    `with keys as (
       select ${ADDED_BY} as added_by, max(w.lease_until) as last_turn from webhooks w group by 1
     ), due as (
       select w.id, ${ADDED_BY} as added_by,
         row_number() over (partition by ${ADDED_BY} order by w.lease_until nulls first) as place
       from webhooks w
       where ${IS_FREE} and not exists (select from api_keys k
           where k.id = substr(w.account, 5) and (k.revoked_at is not null or k.expires_at <= $1))
         and (coalesce(w.rest_until <= $1, true)
             and exists (select from webhook_deliveries d where d.webhook_id = w.id and d.due_at <= $1)
           or (w.failures = 0 or coalesce(w.rest_until <= $1, true))
             and exists (select from event_accounts a where a.account = w.account and a.last > w.last))
     ), taken as (
       select w.id from webhooks w join due using (id) join keys using (added_by)
         left join unnest($5::text[], $6::int[]) as busy(added_by, turns) on busy.added_by = due.added_by
       where due.place + coalesce(busy.turns, 0) <= $4 and ${IS_FREE}
       order by due.place + coalesce(busy.turns, 0), keys.last_turn nulls first, w.lease_until nulls first limit $3
       for update of w skip locked
     )
     update webhooks w set lease_holder = $2, lease_until = ${leaseEnd(TURN_LEASE)} from taken where w.id = taken.id
     returning ${COLUMNS}`,
    [now, holder, inAll, ofKey, [...underWay.keys()], [...underWay.values()]],
  );
  return rows;
}

/** Ends a turn: everything up to `last` has been tried, or was not wanted. */
export async function releaseWebhook(sql: Sql, id: string, holder: string, last: bigint): Promise<void> {
  await sql.query(
    `update webhooks set last = greatest(last, $3), lease_until = ${leaseEnd(0)} where id = $1 and lease_holder = $2`,
    [id, holder, last],
  );
}

/** An event on its way to a webhook. */
export interface Delivery {
  number: bigint;
  kind: EventKind;
  /** Since when it waits: when it was told, and not when it was. */
  at: Date;
  body: string;
  /** How often it was tried. */
  tries: number;
}

/**
 * Those that are to be tried again now: first what its owner has asked for, then what has failed once, and then what has been due the
 * longest. What is refused each time keeps no others waiting.
 */
export async function dueDeliveries(sql: Sql, id: string, now: Date, most: number): Promise<Delivery[]> {
  const isDue = 'webhook_id = $1 and due_at <= $2';
  const { rows } = await sql.query<Delivery>(
    `select number, kind, at, body, tries from (
       (select * from webhook_deliveries where ${isDue} and tries <= 1 order by tries, due_at limit $3)
       union all (select * from webhook_deliveries where ${isDue} and tries > 1 order by due_at limit $3)
     ) as due order by least(tries, 2), due_at, number limit $3`,
    [id, now, most],
  );
  return rows;
}

/** Those that were given up, the newest first. */
export async function failedDeliveries(sql: Sql, id: string, most: number): Promise<Delivery[]> {
  const { rows } = await sql.query<Delivery>(
    `select number, kind, at, body, tries from webhook_deliveries where webhook_id = $1 and due_at is null
     order by number desc limit $2`,
    [id, most],
  );
  return rows;
}

/** How many were given up. */
export async function countFailed(sql: Sql, id: string): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>(
    'select count(*) as count from webhook_deliveries where webhook_id = $1 and due_at is null',
    [id],
  );
  return Number(rows[0]!.count);
}

/** What became of one attempt. */
export interface WebhookAttempt {
  number: bigint;
  at: Date;
  /** The HTTP status; null where there was no answer. */
  status: number | null;
  error: string | null;
  milliseconds: number;
}

/** The latest attempts, the newest first. */
export async function listAttempts(sql: Sql, id: string): Promise<WebhookAttempt[]> {
  const { rows } = await sql.query<WebhookAttempt>(
    'select number, at, status, error, milliseconds from webhook_attempts where webhook_id = $1 order by id desc',
    [id],
  );
  return rows;
}

/** The latest attempts of several webhooks, the newest first, and at most `most` of each. */
export async function latestAttempts(
  sql: Sql,
  ids: readonly string[],
  most: number,
): Promise<(WebhookAttempt & { webhookId: string })[]> {
  const { rows } = await sql.query<WebhookAttempt & { webhookId: string }>(
    `select asked.id as "webhookId", found.* from unnest($1::text[]) as asked(id), lateral (
       select number, at, status, error, milliseconds from webhook_attempts where webhook_id = asked.id
       order by id desc limit $2
     ) as found`,
    [ids, most],
  );
  return rows;
}

const KEPT_ATTEMPTS = 100;

export async function addAttempt(tx: Tx, id: string, attempt: WebhookAttempt): Promise<void> {
  const { number, at, status, error, milliseconds } = attempt;
  await tx.query(
    `with added as (
       insert into webhook_attempts (webhook_id, number, at, status, error, milliseconds) values ($1, $2, $3, $4, $5, $6)
     )
     delete from webhook_attempts where webhook_id = $1 and id <= (
       select id from webhook_attempts where webhook_id = $1 order by id desc offset $7 limit 1
     )`,
    [id, number, at, status, error, milliseconds, KEPT_ATTEMPTS - 1],
  );
}

/**
 * These have arrived, and everything up to `last` has been tried. False where this copy's turn is over: then another one has sent
 * them, or will.
 */
export async function recordSuccess(
  tx: Tx,
  id: string,
  holder: string,
  { numbers, last, now }: { numbers: readonly bigint[]; last: bigint; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update webhooks set last = greatest(last, $3), failures = 0, rest_until = null, lease_until = ${leaseEnd(TURN_LEASE)}
     where id = $1 and lease_holder = $2`,
    [id, holder, last],
  );
  if (rowCount === 0) return false;
  const again = await tx.query('delete from webhook_deliveries where webhook_id = $1 and number = any($2)', [
    id,
    numbers,
  ]);
  if (again.rowCount > 0) await hasten(tx, id, now, 2 * again.rowCount);
  return true;
}

/**
 * The receiver has taken what it did not take before. It may have taken nothing for a while, and what failed then would wait as long
 * once more. So each that arrives has two others be tried at once; what is refused for good has none.
 */
async function hasten(tx: Tx, id: string, now: Date, most: number): Promise<void> {
  await tx.query(
    `update webhook_deliveries set due_at = $2 where webhook_id = $1 and number in (
       select number from webhook_deliveries where webhook_id = $1 and due_at > $2 order by due_at, number limit $3
     )`,
    [id, now, most],
  );
}

/**
 * These have not arrived: they are due again at `dueAt`, but for what was told before `lostBefore`, which is given up, and the
 * webhook rests. What its owner has asked for since is tried once. Everything up to `last` was tried. False where the turn is over.
 */
export async function recordFailure(
  tx: Tx,
  id: string,
  holder: string,
  failed: {
    deliveries: readonly Delivery[];
    last: bigint;
    dueAt: Date;
    failures: number;
    restUntil: Date | null;
    lostBefore: Date;
  },
): Promise<boolean> {
  const { deliveries, last, dueAt, failures, restUntil, lostBefore } = failed;
  const { rowCount } = await tx.query(
    `update webhooks set last = greatest(last, $3), failures = $4, rest_until = $5, lease_until = ${leaseEnd(TURN_LEASE)}
     where id = $1 and lease_holder = $2`,
    [id, holder, last, failures, restUntil],
  );
  if (rowCount === 0) return false;
  await putDeliveries(tx, id, deliveries, dueAt);
  const lost = await tx.query(
    `update webhook_deliveries set due_at = null
     where webhook_id = $1 and due_at is not null and at <= $2 and (tries > 0 or due_at <= $2)`,
    [id, lostBefore],
  );
  if (lost.rowCount > 0) await keepNewestGivenUp(tx, id);
  return true;
}

/** These were given up, and nothing up to `last` is to be tried any more. False, and nothing is written, where the turn is over. */
export async function recordGivenUp(
  tx: Tx,
  id: string,
  holder: string,
  { deliveries, last }: { deliveries: readonly Delivery[]; last: bigint },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update webhooks set last = greatest(last, $3), lease_until = ${leaseEnd(TURN_LEASE)}
     where id = $1 and lease_holder = $2`,
    [id, holder, last],
  );
  if (rowCount === 0) return false;
  await putDeliveries(tx, id, deliveries, null);
  return true;
}

/**
 * Of one webhook, the newest of those that were given up. Each is a copy of an event for each webhook of its account, and a
 * client makes as many events as it may make calls.
 */
export const MOST_GIVEN_UP = 1_000;

/** Keeps what has not arrived, until `dueAt`; null: until its owner asks for it. */
export async function putDeliveries(
  tx: Tx,
  id: string,
  deliveries: readonly Delivery[],
  dueAt: Date | null,
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ number, ...rest }) => ({ ...rest, number: number.toString() }));
  await tx.query(
    `insert into webhook_deliveries as known (webhook_id, number, kind, at, body, tries, due_at)
     select $1, number, kind, at, body, tries, $3
     from json_to_recordset($2::json) as r(number bigint, kind text, at timestamptz, body text, tries integer)
     on conflict (webhook_id, number) do update
       set at = least(known.at, excluded.at), tries = excluded.tries, due_at = excluded.due_at`,
    [id, JSON.stringify(rows), dueAt],
  );
  if (dueAt === null) await keepNewestGivenUp(tx, id);
}

async function keepNewestGivenUp(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `delete from webhook_deliveries where webhook_id = $1 and due_at is null and number <= (
       select number from webhook_deliveries where webhook_id = $1 and due_at is null order by number desc offset $2 limit 1
     )`,
    [id, MOST_GIVEN_UP],
  );
}

/** Has those that were given up sent again, now; returns how many. */
export async function retryFailed(tx: Tx, id: string, now: Date): Promise<number> {
  const { rowCount } = await tx.query(
    'update webhook_deliveries set due_at = $2, tries = 0 where webhook_id = $1 and due_at is null',
    [id, now],
  );
  return rowCount;
}

/** Something is to be sent now, however often it has failed. */
export async function wakeWebhook(tx: Tx, id: string): Promise<void> {
  await tx.query('update webhooks set rest_until = null where id = $1', [id]);
}

export interface WebhookBacklog {
  /** How many events were given up. */
  deadLetters: number;
  /** Since when the oldest event waits for a webhook whose receiver is there, whatever it refuses; it may have been away once. */
  waitingSince: Date | null;
}

/** What has not arrived, of all webhooks. */
export async function webhookBacklog(sql: Sql): Promise<WebhookBacklog> {
  const { rows } = await sql.query<{ deadLetters: bigint; waitingSince: Date | null }>(
    `select (select count(*) from webhook_deliveries where due_at is null) as "deadLetters",
       (select min(next.at) from webhooks w join event_accounts a on a.account = w.account and a.last > w.last, lateral (
          select coalesce(told_at, at) as at from events e where e.account = w.account and e.last > w.last order by e.last limit 1
        ) as next where w.failures <= 1) as "waitingSince"`,
  );
  const { deadLetters, waitingSince } = rows[0]!;
  return { deadLetters: Number(deadLetters), waitingSince };
}

/** Forgets up to `limit` events that were given up and told before a time; returns how many. */
export async function deleteFailed(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from webhook_deliveries where (webhook_id, number) in (
       select webhook_id, number from webhook_deliveries where due_at is null and at < $1 order by at limit $2
     )`,
    [before, limit],
  );
  return rowCount;
}
