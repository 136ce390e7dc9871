import type { EventKind } from './event-outbox.js';
import type { Sql, Tx } from './sql.js';

/** An event in the list of one account. */
export interface EventRow {
  account: string;
  /** 1, 2, 3 ... without gaps in one account. */
  number: bigint;
  kind: EventKind;
  at: Date;
  /** The wallet that it is about; null where it concerns everybody. */
  wallet: string | null;
  data: Record<string, unknown>;
}

/** The account of a key, by the key's id. */
export const accountOfKey = (keyId: string): string => `key:${keyId}`;
/** The account of a wallet. */
export const accountOfWallet = (wallet: string): string => `wallet:${wallet}`;

/** The channel that notifies readers of accounts with new events. */
export const EVENTS_CHANNEL = 'events';
/** A notification holds at most 8,000 bytes. */
const ACCOUNTS_PER_NOTIFICATION = 100;

// The rows to take are given as an array, because the outbox is mostly empty: a join, planned for an empty table, would compare
// each of a thousand with each.
const NUMBER = `
  with turn as materialized (
    select pg_try_advisory_xact_lock(hashtextextended('slipway events', 0)) as mine
  ), waiting as materialized (
    select id from event_outbox where (select mine from turn) order by id limit $1
  ), taken as (
    delete from event_outbox where id = any(array(select id from waiting)) returning *
  ), told as (
    select taken.*, heard.account from taken, lateral (
      select 'wallet:' || wallet as account from unnest(taken.wallets) as wallet
      union select 'key:' || api_key from ledger where ledger.id = taken.request_id and api_key is not null
      union select account from event_followers f where cardinality(wallets) = 0 and f.kind = taken.kind and until > at
      union select 'key:' || api_key from ledger where ledger.signature = taken.begun_by and api_key is not null
      union select 'key:' || api_key from opened_by_keys o where o.signature = taken.begun_by
    ) as heard
  ), grown as (
    insert into event_accounts as known (account, last) select account, count(*) from told group by account
    on conflict (account) do update set last = known.last + excluded.last
    returning account, last
  ), numbered as (
    insert into events (account, number, kind, at, wallet, once, data)
    select account, grown.last - count(*) over (partition by account)
      + row_number() over (partition by account order by told.id), kind, at, wallets[1], once, data
    from told join grown using (account) order by told.id
  ), notified as (
    select pg_notify('${EVENTS_CHANNEL}', string_agg(account, ' ')) from (
      select account, row_number() over () / ${ACCOUNTS_PER_NOTIFICATION} as part from grown
    ) as parts group by part
  )
  select (select count(*) from waiting) as found, (select count(*) from notified) as notified`;

/**
 * Gives up to `limit` waiting events their numbers, in the order in which they were told; returns how many it has found.
 * 0 also if another instance is doing it. Only one does at a time, and its numbers are visible before the next one begins:
 * so who has seen a number can see every smaller one. One statement, which may have begun before the turn of another
 * instance ended: what that one has numbered is found, but not numbered again.
 */
export async function numberEvents(tx: Tx, limit: number): Promise<number> {
  const { rows } = await tx.query<{ found: bigint }>(NUMBER, [limit]);
  return Number(rows[0]!.found);
}

/** An account, and the id of the key that it follows by. */
interface Follower {
  account: string;
  apiKey: string;
  until: Date;
}

/**
 * From now on an account hears of what concerns everybody, of these kinds, until `until`; whoever reads goes on saying so.
 * False where `most` accounts of the key follow one of them already: each is a row for each event.
 */
export async function followKinds(
  sql: Sql,
  { account, apiKey, until }: Follower,
  kinds: readonly EventKind[],
  most: number,
): Promise<boolean> {
  if (kinds.length === 0) return true;
  const { rowCount } = await sql.query(
    `insert into event_followers as known (account, kind, until, api_key)
     select $1, asked.kind, $3, $4 from unnest($2::text[]) as asked(kind)
     where exists (select from event_followers f where f.account = $1 and f.kind = asked.kind)
       or (select count(*) from event_followers f where f.api_key = $4 and f.kind = asked.kind) < $5
     on conflict (account, kind) do update set until = greatest(known.until, excluded.until)`,
    [account, kinds, until, apiKey, most],
  );
  return rowCount === kinds.length;
}

/** Forgets who has not said for long that they follow. */
export async function forgetFollowers(sql: Sql, now: Date): Promise<void> {
  await sql.query('delete from event_followers where until <= $1', [now]);
}

/** From `until` on an account no longer hears of what concerns everybody, of these kinds. */
export async function unfollowKinds(tx: Tx, account: string, kinds: readonly EventKind[], until: Date): Promise<void> {
  await tx.query('update event_followers set until = $3 where account = $1 and kind = any($2)', [
    account,
    kinds,
    until,
  ]);
}

/** The next events of some accounts, each after a number, and at most `limit` for each; in the order of the numbers. */
export async function eventsAfter(
  sql: Sql,
  accounts: readonly { account: string; after: bigint }[],
  limit: number,
): Promise<EventRow[]> {
  if (accounts.length === 0) return [];
  const { rows } = await sql.query<EventRow>(
    `select found.account, found.number, found.kind, found.at, found.wallet, found.data
     from unnest($1::text[], $2::bigint[]) as asked(account, after), lateral (
       select account, number, kind, at, wallet, data from events
       where events.account = asked.account and number > after order by number limit $3
     ) as found order by found.account, found.number`,
    [accounts.map(({ account }) => account), accounts.map(({ after }) => after.toString()), limit],
  );
  return rows;
}

/** The last numbers that accounts have; those without any event are left out. */
export async function lastNumbers(sql: Sql, accounts: readonly string[]): Promise<Map<string, bigint>> {
  const { rows } = await sql.query<{ account: string; last: bigint }>(
    'select account, last from event_accounts where account = any($1)',
    [accounts],
  );
  return new Map(rows.map(({ account, last }) => [account, last]));
}

/** Which numbers of an account are kept: all after `gone`, up to `last`. */
export async function keptNumbers(sql: Sql, account: string): Promise<{ gone: bigint; last: bigint }> {
  const { rows } = await sql.query<{ gone: bigint; last: bigint }>(
    `select last, coalesce((select number - 1 from events where account = $1 order by number limit 1), last) as gone
     from event_accounts where account = $1`,
    [account],
  );
  return rows[0] ?? { gone: 0n, last: 0n };
}

/**
 * Deletes up to `limit` events that happened before `before`; returns how many. Always the oldest numbers of an
 * account, so that what is left of it has no gaps.
 */
export async function deleteEvents(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `with oldest as (
       select position, at from events order by position limit $2
     ), kept as (
       select min(position) as first from oldest where at >= $1
     )
     delete from events using oldest, kept
     where events.position = oldest.position and (kept.first is null or oldest.position < kept.first)`,
    [before, limit],
  );
  return rowCount;
}
