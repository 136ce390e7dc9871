import type { EventKind } from './event-outbox.js';
import type { Sql, Tx } from './sql.js';

/** Encrypts and opens texts, each for its own row; see the signer's secret box. */
export interface TextBox {
  seal(text: string, place: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, place: string): Promise<string | undefined>;
}

/** One that signs; `until`, in Unix milliseconds, is the end of one that another has replaced. */
export interface WebhookSecret {
  secret: string;
  until?: number;
}

/** Where an account has its events sent. */
export interface Webhook {
  id: string;
  account: string;
  url: string;
  /** The newest first. */
  secrets: readonly WebhookSecret[];
  /** As in the query of a stream. */
  kinds: string | null;
  wallet: string | null;
  createdAt: Date;
  /** The number of the last event that was tried, or was not wanted. */
  last: bigint;
  /** Names the key that it was added by; one from before keys were noted stands for itself. */
  addedBy: string;
  /** How often in a row it has failed, and until when it rests. */
  failures: number;
  restUntil: Date | null;
}

interface Sealed {
  urlSealed: Uint8Array;
  secretsSealed: Uint8Array;
}

/** A webhook as it is stored. */
export type SealedWebhook = Omit<Webhook, 'url' | 'secrets'> & Sealed;

const ADDED_BY = `coalesce(w.api_key, w.account)`;
const COLUMNS = `w.id, w.account, w.url_sealed as "urlSealed", w.secrets_sealed as "secretsSealed", w.kinds, w.wallet,
  w.created_at as "createdAt", w.last, ${ADDED_BY} as "addedBy", w.failures, w.rest_until as "restUntil"`;

const placeOf = (column: 'url' | 'secrets', id: string): string => `webhooks.${column} of ${id}`;

/** Undefined where the row does not hold what this service has written for it. */
async function opened(box: TextBox, { urlSealed, secretsSealed, ...row }: SealedWebhook): Promise<Webhook | undefined> {
  const [url, secrets] = await Promise.all([
    box.open(urlSealed, placeOf('url', row.id)),
    box.open(secretsSealed, placeOf('secrets', row.id)),
  ]);
  return url === undefined || secrets === undefined
    ? undefined
    : { ...row, url, secrets: JSON.parse(secrets) as WebhookSecret[] };
}

/** Those that this service has written, in their order. */
export async function openWebhooks(box: TextBox, rows: readonly SealedWebhook[]): Promise<Webhook[]> {
  const webhooks = await Promise.all(rows.map((row) => opened(box, row)));
  return webhooks.filter((webhook) => webhook !== undefined);
}

/** Encrypts what is stored of the webhooks with another box. What does not open is left as it is: it never will. */
export async function resealWebhooks(tx: Tx, from: TextBox, to: TextBox): Promise<void> {
  const { rows } = await tx.query<SealedWebhook>(`select ${COLUMNS} from webhooks w`);
  for (const { id, url, secrets } of await openWebhooks(from, rows)) {
    const [urlSealed, secretsSealed] = [await to.seal(url, placeOf('url', id)), await sealSecrets(to, id, secrets)];
    await tx.query('update webhooks set url_sealed = $2, secrets_sealed = $3 where id = $1', [
      id,
      urlSealed,
      secretsSealed,
    ]);
  }
}

type NewWebhook = Pick<Webhook, 'id' | 'account' | 'url' | 'secrets' | 'kinds' | 'wallet' | 'createdAt'> & {
  /** The id of the key that it is added by. */
  apiKey: string;
};

/** The most webhooks: of an account, and of all accounts that one key has added any for. */
interface MostWebhooks {
  ofAccount: number;
  ofKey: number;
}

/** What is stored of a new webhook. */
export async function sealWebhook(
  box: TextBox,
  { url, secrets, ...row }: NewWebhook,
): Promise<Omit<NewWebhook, 'url' | 'secrets'> & Sealed> {
  const [urlSealed, secretsSealed] = await Promise.all([
    box.seal(url, placeOf('url', row.id)),
    sealSecrets(box, row.id, secrets),
  ]);
  return { ...row, urlSealed, secretsSealed };
}

function sealSecrets(box: TextBox, id: string, secrets: readonly WebhookSecret[]): Promise<Uint8Array> {
  return box.seal(JSON.stringify(secrets), placeOf('secrets', id));
}

/** Adds a webhook that gets what happens from now on. False where there are as many already. */
export async function insertWebhook(
  tx: Tx,
  webhook: Awaited<ReturnType<typeof sealWebhook>>,
  most: MostWebhooks,
): Promise<boolean> {
  const { id, account, urlSealed, secretsSealed, kinds, wallet, createdAt, apiKey } = webhook;
  for (const name of [account, `key ${apiKey}`])
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))`, [name]);
  const { rowCount } = await tx.query(
    `insert into webhooks (id, account, url_sealed, secrets_sealed, kinds, wallet, created_at, api_key, last)
     select $1, $2, $3, $4, $5, $6, $7, $8, coalesce((select last from event_accounts where account = $2), 0)
     where (select count(*) from webhooks where account = $2) < $9
       and (select count(*) from webhooks where api_key = $8) < $10`,
    [id, account, urlSealed, secretsSealed, kinds, wallet, createdAt, apiKey, most.ofAccount, most.ofKey],
  );
  return rowCount === 1;
}

/** The webhooks of an account, oldest first. */
export async function listWebhooks(sql: Sql, box: TextBox, account: string): Promise<Webhook[]> {
  const { rows } = await sql.query<SealedWebhook>(
    `select ${COLUMNS} from webhooks w where account = $1 order by created_at, id`,
    [account],
  );
  return openWebhooks(box, rows);
}

/** Which kinds of events the webhooks of an account want, each as in the query of a stream. */
export async function webhookKinds(sql: Sql, account: string): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ kinds: string | null }>('select kinds from webhooks where account = $1', [
    account,
  ]);
  return rows.map(({ kinds }) => kinds);
}

/** The webhooks of all accounts, the newest first. */
export async function listAllWebhooks(sql: Sql, box: TextBox, limit: number): Promise<Webhook[]> {
  const { rows } = await sql.query<SealedWebhook>(
    `select ${COLUMNS} from webhooks w order by created_at desc, id limit $1`,
    [limit],
  );
  return openWebhooks(box, rows);
}

/** Undefined where the account has no such webhook. */
export async function findWebhook(sql: Sql, box: TextBox, account: string, id: string): Promise<Webhook | undefined> {
  const { rows } = await sql.query<SealedWebhook>(`select ${COLUMNS} from webhooks w where account = $1 and id = $2`, [
    account,
    id,
  ]);
  return rows[0] && opened(box, rows[0]);
}

/** False where the account has no such webhook. */
export async function deleteWebhook(tx: Tx, account: string, id: string): Promise<boolean> {
  return (await tx.query('delete from webhooks where account = $1 and id = $2', [account, id])).rowCount === 1;
}

/** False where it has been deleted. */
export async function setWebhookSecrets(
  sql: Sql,
  box: TextBox,
  id: string,
  secrets: readonly WebhookSecret[],
): Promise<boolean> {
  const sealed = await sealSecrets(box, id, secrets);
  return (await sql.query('update webhooks set secrets_sealed = $2 where id = $1', [id, sealed])).rowCount === 1;
}

/** One copy's turn with a webhook. */
export interface WebhookLease {
  holder: string;
  now: Date;
  until: Date;
}

/** How many webhooks are taken: in all, and of what one key has added, besides those of it that are under way. */
export interface MostTurns {
  inAll: number;
  ofKey: number;
  /** Those under way, by `addedBy`. */
  underWay: ReadonlyMap<string, number>;
}

/** Takes webhooks that something waits for, those first that have waited longest. */
export async function takeDueWebhooks(
  tx: Tx,
  { holder, now, until }: WebhookLease,
  { inAll, ofKey, underWay }: MostTurns,
): Promise<SealedWebhook[]> {
  const { rows } = await tx.query<SealedWebhook>(
    `with due as (
       select w.id, ${ADDED_BY} as added_by,
         row_number() over (partition by ${ADDED_BY} order by w.lease_until nulls first) as place
       from webhooks w
       where coalesce(w.lease_until <= $1, true) and coalesce(w.rest_until <= $1, true)
         and (exists (select from event_accounts a where a.account = w.account and a.last > w.last)
           or exists (select from webhook_deliveries d where d.webhook_id = w.id and d.due_at <= $1))
     ), taken as (
       select w.id from webhooks w join due using (id)
         left join unnest($6::text[], $7::int[]) as busy(added_by, turns) on busy.added_by = due.added_by
       where due.place + coalesce(busy.turns, 0) <= $5 and coalesce(w.lease_until <= $1, true)
       order by w.lease_until nulls first limit $4 for update of w skip locked
     )
     update webhooks w set lease_holder = $2, lease_until = $3 from taken where w.id = taken.id returning ${COLUMNS}`,
    [now, holder, until, inAll, ofKey, [...underWay.keys()], [...underWay.values()]],
  );
  return rows;
}

/** Ends a turn: everything up to `last` has been tried, or was not wanted. */
export async function releaseWebhook(
  sql: Sql,
  id: string,
  { holder, now }: Pick<WebhookLease, 'holder' | 'now'>,
  last: bigint,
): Promise<void> {
  await sql.query(
    'update webhooks set last = greatest(last, $4), lease_until = $3 where id = $1 and lease_holder = $2',
    [id, holder, now, last],
  );
}

/** An event on its way to a webhook. */
export interface Delivery {
  number: bigint;
  kind: EventKind;
  at: Date;
  body: string;
  /** How often it was tried. */
  tries: number;
}

/** Those that have failed and are to be tried again now, the oldest first. */
export async function dueDeliveries(sql: Sql, id: string, now: Date, most: number): Promise<Delivery[]> {
  const { rows } = await sql.query<Delivery>(
    `select number, kind, at, body, tries from webhook_deliveries where webhook_id = $1 and due_at <= $2
     order by number limit $3`,
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

/** It has arrived. False where this copy's turn is over: then another one has sent it, or will. */
export async function recordSuccess(tx: Tx, id: string, lease: WebhookLease, number: bigint): Promise<boolean> {
  const { holder, until } = lease;
  const { rowCount } = await tx.query(
    `update webhooks set last = greatest(last, $3), failures = 0, rest_until = null, lease_until = $4
     where id = $1 and lease_holder = $2`,
    [id, holder, number, until],
  );
  if (rowCount === 0) return false;
  await tx.query('delete from webhook_deliveries where webhook_id = $1 and number = $2', [id, number]);
  return true;
}

/** It has not arrived: it is due again at `dueAt` (null: it is given up), and the webhook rests. */
export async function recordFailure(
  tx: Tx,
  id: string,
  lease: WebhookLease,
  failed: { delivery: Delivery; dueAt: Date | null; restUntil: Date; lostBefore: Date },
): Promise<void> {
  const { delivery, dueAt, restUntil, lostBefore } = failed;
  const { rowCount } = await tx.query(
    `update webhooks set last = greatest(last, $3), failures = failures + 1, rest_until = $4
     where id = $1 and lease_holder = $2`,
    [id, lease.holder, delivery.number, restUntil],
  );
  if (rowCount === 0) return;
  await putDeliveries(tx, id, [delivery], dueAt);
  const lost = await tx.query(
    'update webhook_deliveries set due_at = null where webhook_id = $1 and due_at is not null and at <= $2',
    [id, lostBefore],
  );
  if (lost.rowCount > 0) await keepNewestGivenUp(tx, id);
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
    `insert into webhook_deliveries (webhook_id, number, kind, at, body, tries, due_at)
     select $1, number, kind, at, body, tries, $3
     from json_to_recordset($2::json) as r(number bigint, kind text, at timestamptz, body text, tries integer)
     on conflict (webhook_id, number) do update set tries = excluded.tries, due_at = excluded.due_at`,
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
  /** Since when the oldest event waits for a webhook that does not fail. */
  waitingSince: Date | null;
}

/** What has not arrived, of all webhooks. */
export async function webhookBacklog(sql: Sql): Promise<WebhookBacklog> {
  const { rows } = await sql.query<{ deadLetters: bigint; waitingSince: Date | null }>(
    `select (select count(*) from webhook_deliveries where due_at is null) as "deadLetters",
       (select min(next.at) from webhooks w join event_accounts a on a.account = w.account and a.last > w.last, lateral (
          select at from events e where e.account = w.account and e.last > w.last order by e.last limit 1
        ) as next where w.failures = 0) as "waitingSince"`,
  );
  const { deadLetters, waitingSince } = rows[0]!;
  return { deadLetters: Number(deadLetters), waitingSince };
}

/** Forgets up to `limit` events that were given up and happened before a time; returns how many. */
export async function deleteFailed(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from webhook_deliveries where (webhook_id, number) in (
       select webhook_id, number from webhook_deliveries where due_at is null and at < $1 order by at limit $2
     )`,
    [before, limit],
  );
  return rowCount;
}
