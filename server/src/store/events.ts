import type { EventKind } from './event-outbox.js';
import type { Sql, Tx } from './sql.js';

/** An event in the list of one account. */
export interface EventRow {
  account: string;
  /** 1, 2, 3 ... without gaps in one account. */
  number: bigint;
  kind: EventKind;
  at: Date;
  /** When it got its number, as far as that is known. */
  toldAt: Date;
  /** The wallet that it is about; null where it concerns everybody. */
  wallet: string | null;
  data: Record<string, unknown>;
}

/** As it stands in a page. */
type StoredEvent = Pick<EventRow, 'kind' | 'wallet' | 'data'> & { at: string };

interface StoredPage {
  account: string;
  last: bigint;
  count: number;
  told_at: Date;
  page: string;
}

/** The channel that notifies readers of accounts with new events. */
export const EVENTS_CHANNEL = 'events';
/** The channel that notifies whoever posts to webhooks that there is something for one of them. */
export const WEBHOOKS_CHANNEL = 'webhooks';
/** A notification holds at most 8,000 bytes. */
const ACCOUNTS_PER_NOTIFICATION = 100;
/** Of what waits for a number: what concerns everybody, and what accounts hear. */
const OF_ALL = `accounts[1] like 'kind:%'`;
const OF_SOME = `accounts[1] not like 'kind:%'`;

// The rows to take are given as an array, because the outbox is mostly empty: a join, planned for an empty table, would compare
// each of a thousand with each. What they concern stands in the text, because there is an index for each of the two.
const numbering = (concern: string) => `
  with turn as materialized (
    select pg_try_advisory_xact_lock(hashtextextended('slipway events', 0)) as mine
  ), waiting as materialized (
    select id from event_outbox where (select mine from turn) and ${concern} order by id limit $1
  ), taken as (
    delete from event_outbox where id = any(array(select id from waiting)) returning *
  ), told as (
    select id, page.* from taken, unnest(accounts, counts, times, pages)
      with ordinality as page(heard_by, count, at, events, place)
  ), heard as (
    select id, place, heard_by as account, count, at, events from told where heard_by not like 'kind:%'
    union all
    select id, place, account, count, at, events from told
      join event_followers f on heard_by = 'kind:' || f.kind and until > at
  ), placed as materialized (
    select *, sum(count) over (partition by account) as of_all, sum(count) over (partition by account order by id, place) as up_to
    from heard
  ), grown as (
    insert into event_accounts as known (account, last) select account, sum(count) from placed group by account
    on conflict (account) do update set last = known.last + excluded.last
    returning account, last
  ), numbered as (
    insert into events (account, last, count, at, page, told_at)
    select account, grown.last - of_all + up_to, count, at, events, $2::timestamptz from placed join grown using (account) order by id, place
  ), notified as (
    select pg_notify('${EVENTS_CHANNEL}', string_agg(account, ' ')) from (
      select account, row_number() over () / ${ACCOUNTS_PER_NOTIFICATION} as part from grown
    ) as parts group by part
    union all
    select pg_notify('${WEBHOOKS_CHANNEL}', '') where exists (select from grown join webhooks using (account))
  )
  select (select count(*) from waiting) as found, (select count(*) from notified) as notified,
    exists (select from event_outbox where ${OF_ALL}) as waits_for_all`;
const NUMBER = { ofAll: numbering(OF_ALL), ofSome: numbering(OF_SOME) };

/** What giving numbers has come to. */
interface Numbered {
  /** How many transactions were found that had told something; 0 also if another instance gives them their numbers. */
  found: number;
  /** Whether something that concerns everybody waited for its number when this began. */
  waitsForAll: boolean;
}

/**
 * Gives what up to `limit` transactions have told its numbers, in the order in which it was told. Only one instance does at a
 * time, and its numbers are visible before the next one begins: so who has seen a number can see every smaller one. One
 * statement, which may have begun before the turn of another instance ended: what that one has numbered is found, but not
 * numbered again.
 */
export async function numberEvents(tx: Tx, limit: number, now: Date): Promise<Numbered> {
  return numbered(tx, limit, NUMBER.ofSome, now);
}

/**
 * The same for the next event that concerns everybody, which `numberEvents` leaves out: it is written for each account that
 * follows its kind. Alone in its statement: however many follow, and however many such events wait, the others go on.
 */
export async function numberEventOfAll(tx: Tx, now: Date): Promise<Numbered> {
  return numbered(tx, 1, NUMBER.ofAll, now);
}

async function numbered(tx: Tx, limit: number, statement: string, now: Date): Promise<Numbered> {
  const { rows } = await tx.query<{ found: bigint; waits_for_all: boolean }>(statement, [limit, now]);
  const { found, waits_for_all: waitsForAll } = rows[0]!;
  return { found: Number(found), waitsForAll };
}

/** An account, the id of the key that it follows by, and who calls by that key: it itself or, where it stands in pages, one address. */
interface Follower {
  account: string;
  apiKey: string;
  caller: string;
  until: Date;
}

/**
 * From now on an account hears of what concerns everybody, of these kinds, until `until`; whoever reads goes on saying so.
 * False where as many accounts of the caller, or of the key, follow one of them already: each is a row for each event.
 */
export async function followKinds(
  sql: Sql,
  { account, apiKey, caller, until }: Follower,
  kinds: readonly EventKind[],
  most: { ofCaller: number; ofKey: number },
): Promise<boolean> {
  if (kinds.length === 0) return true;
  const { rowCount } = await sql.query(
    `insert into event_followers as known (account, kind, until, api_key, caller)
     select $1, asked.kind, $3, $4, $5 from unnest($2::text[]) as asked(kind)
     where exists (select from event_followers f where f.account = $1 and f.kind = asked.kind)
       or (select count(*) from event_followers f where f.caller = $5 and f.kind = asked.kind) < $6
         and (select count(*) from event_followers f where f.api_key = $4 and f.kind = asked.kind) < $7
     on conflict (account, kind) do update set until = greatest(known.until, excluded.until)`,
    [account, kinds, until, apiKey, caller, most.ofCaller, most.ofKey],
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

// A row from before there were pages is an event. Of the pages found, those are left out that begin beyond the limit.
const AFTER = `
  select account, last, count, coalesce(told_at, at) as told_at, coalesce(page, json_build_array(
    json_build_object('kind', kind, 'at', at, 'wallet', wallet, 'data', data))::text) as page
  from unnest($1::text[], $2::bigint[]) as asked(heard_by, after), lateral (
    select *, min(last - count) over () as gone from (
      select * from events where account = heard_by and last > after order by last limit $3
    ) as next
  ) as found
  where last - count < greatest(after, gone) + $3 order by account, last`;

/** The next events of some accounts, each after a number, and at most `limit` for each; in the order of the numbers. */
export async function eventsAfter(
  sql: Sql,
  accounts: readonly { account: string; after: bigint }[],
  limit: number,
): Promise<EventRow[]> {
  if (accounts.length === 0) return [];
  const { rows } = await sql.query<StoredPage>(AFTER, [
    accounts.map(({ account }) => account),
    accounts.map(({ after }) => after.toString()),
    limit,
  ]);
  const left = new Map(accounts.map(({ account, after }) => [account, { after, limit }]));
  return rows.flatMap(({ account, last, count, page, told_at: toldAt }) => {
    const asked = left.get(account)!;
    const events = (JSON.parse(page) as StoredEvent[])
      .map((event, index) => {
        return { ...event, account, toldAt, number: last - BigInt(count - 1 - index), at: new Date(event.at) };
      })
      .filter(({ number }) => number > asked.after)
      .slice(0, asked.limit);
    asked.limit -= events.length;
    return events;
  });
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
    `select last, coalesce((select e.last - count from events e where e.account = $1 order by e.last limit 1), last) as gone
     from event_accounts where account = $1`,
    [account],
  );
  return rows[0] ?? { gone: 0n, last: 0n };
}

/**
 * Deletes up to `limit` pages of events that all happened before `before`; returns how many. Always the oldest numbers of
 * an account, so that what is left of it has no gaps. What is dated ahead of `now`, as by a node or a clock that was wrong, keeps
 * nothing: it goes with what has got its numbers after it, beyond the limit.
 */
export async function deleteEvents(
  tx: Tx,
  { before, now }: { before: Date; now: Date },
  limit: number,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with oldest as (
       select position, at from events
       where at <= $2 and (select at from events where at <= $2 order by position limit 1) < $1
       order by position limit $3
     ), kept as (
       select min(position) as first from oldest where at >= $1
     ), gone as (
       select max(position) as last from oldest, kept where kept.first is null or position < kept.first
     )
     delete from events using gone where position <= gone.last`,
    [before, now, limit],
  );
  return rowCount;
}

/** Forgets what was told once, and happened before a time. */
export async function forgetTold(sql: Sql, before: Date): Promise<void> {
  await sql.query('delete from told_once where at < $1', [before]);
}
