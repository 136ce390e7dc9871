import type { Address } from '@slipway/wire';
import { tell } from './event-outbox.js';
import { type LedgerState, next } from './ledger-state.js';
import { noneOf, type Sql, type Tx } from './sql.js';

/** A token whose launch transaction was crafted. */
interface NewLaunch {
  mint: string;
  /** The request's id in the ledger, where it must exist already. */
  requestId: string;
  creator: string;
  config: string;
  pool: string;
  quoteMint: string;
  name: string;
  symbol: string;
  /** Over how many slots the anti-sniper fee falls; null without one. */
  sniperSlots: number | null;
  createdAt: Date;
}

export interface Launch extends NewLaunch {
  /** The content for the token's page that came with the submission. */
  content: string | null;
  headerKey: string | null;
  /** Whether its uploads have the id of its request in their names, as those of all that are made now. */
  uploadsByRequest: boolean;
  /** When its files were published or, if it did not land, removed. */
  finishedAt: Date | null;
  /** The state of its request. */
  state: LedgerState;
  lastValidBlockHeight: bigint;
}

const SELECT = `
  select mint, request_id as "requestId", creator, config, pool, quote_mint as "quoteMint", name, symbol,
    sniper_slots as "sniperSlots", content, header_key as "headerKey", uploads_by_request as "uploadsByRequest",
    launches.created_at as "createdAt", finished_at as "finishedAt", ledger.state, last_valid_block_height as "lastValidBlockHeight"
  from launches join ledger on ledger.id = request_id`;

export async function insertLaunch(tx: Tx, launch: NewLaunch): Promise<void> {
  const { mint, requestId, creator, config, pool, quoteMint, name, symbol, sniperSlots, createdAt } = launch;
  await tx.query(
    `insert into launches (mint, request_id, creator, config, pool, quote_mint, name, symbol, sniper_slots, created_at,
       uploads_by_request)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true)`,
    [mint, requestId, creator, config, pool, quoteMint, name, symbol, sniperSlots, createdAt],
  );
}

/** The launch of one of these mints. */
export async function findLaunch(sql: Sql, mints: readonly string[]): Promise<Launch | undefined> {
  const { rows } = await sql.query<Launch>(`${SELECT} where mint = any($1)`, [mints]);
  return rows[0];
}

/**
 * Launched tokens whose symbol or name begins with a text in upper or lower case: those called exactly so first, then the
 * oldest. Of launches that have not landed, only those are read that are still under way: the others cost nothing to make.
 */
export async function findLaunchesNamed(
  sql: Sql,
  text: string,
  limit: number,
): Promise<{ mint: Address; symbol: string; name: string }[]> {
  const { rows } = await sql.query<{ mint: Address; symbol: string; name: string }>(
    `select mint, symbol, name from launches join ledger on ledger.id = request_id
     where not never_landed and (lower(symbol) like lower($1) || '%' or lower(name) like lower($1) || '%')
       and ledger.state = 'landed'
     order by lower(symbol) = lower($2) desc, lower(name) = lower($2) desc, launches.created_at limit $3`,
    [text.replace(/[\\%_]/g, '\\$&'), text, limit],
  );
  return rows;
}

/** The token's page, stored when its transaction is claimed. */
export interface LaunchPage {
  content: string | null;
  headerKey: string | null;
}

export async function setPage(tx: Tx, requestId: string, { content, headerKey }: LaunchPage): Promise<void> {
  await tx.query('update launches set content = $2, header_key = $3 where request_id = $1', [
    requestId,
    content,
    headerKey,
  ]);
}

/** Tells of the launches whose transactions have landed, by their requests. */
export async function tellLaunches(tx: Tx, requestIds: readonly string[], at: Date): Promise<void> {
  if (requestIds.length === 0) return;
  const { rows } = await tx.query<Launch & { signature: string }>(
    `select mint, request_id as "requestId", creator, config, pool, quote_mint as "quoteMint", name, symbol, signature
     from launches join ledger on ledger.id = request_id where request_id = any($1) order by mint`,
    [requestIds],
  );
  await tell(
    tx,
    rows.map(({ requestId, creator, mint, pool, config, quoteMint, name, symbol, signature }) => ({
      kind: 'launch.created',
      at,
      wallets: [creator],
      begunBy: { requestId },
      data: { requestId, mint, pool, config, quoteMint, name, symbol, signature },
    })),
  );
}

/**
 * Launches whose files must still be published or, if they can no longer land and were created before `before`,
 * removed; those `without` these mints.
 */
export async function unfinishedLaunches(
  sql: Sql,
  { now, before, without }: { now: Date; before: Date; without: readonly string[] },
  limit: number,
): Promise<Launch[]> {
  const { rows } = await sql.query<Launch>(
    `${SELECT} where finished_at is null and mint ${noneOf('$4')} and (ledger.state = 'landed' or launches.created_at < $2 and
       (ledger.state in ('failed', 'expired') or ledger.state = 'crafted' and ledger.expires_at < $1))
     order by ledger.state <> 'landed', launches.created_at limit $3`,
    [now, before, limit, without],
  );
  return rows;
}

/** `isOnChain`: its token is there, whatever the ledger says. */
export async function finishLaunch(tx: Tx, mint: string, at: Date, { isOnChain = false } = {}): Promise<void> {
  await tx.query(
    `update launches set finished_at = $2, never_landed = ledger.state <> 'landed' and not $3 from ledger
     where mint = $1 and finished_at is null and ledger.id = request_id`,
    [mint, at, isOnChain],
  );
}

/** The number of a mint key in the mint pool, at random, so that two callers seldom get the same; undefined if it is empty. */
export async function findMintNumber(sql: Sql, suffix: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ number: bigint }>(
    'select number from mint_numbers where suffix = $1 order by random() limit 1',
    [suffix],
  );
  return rows[0] && Number(rows[0].number);
}

/** Takes the number of a mint key out of the mint pool; false if somebody else has taken it. */
export async function takeMintNumber(tx: Tx, number: number): Promise<boolean> {
  const { rowCount } = await tx.query('delete from mint_numbers where number = $1', [number]);
  return rowCount === 1;
}

export async function addMintNumber(tx: Tx, number: number, suffix: string): Promise<void> {
  await tx.query('insert into mint_numbers (number, suffix) values ($1, $2) on conflict do nothing', [number, suffix]);
}

/**
 * Forgets a launch that can no longer land, and puts the number of its mint back into the mint pool. From then on its
 * request cannot be claimed for sending. False, with nothing changed, if its request has not ended.
 */
export async function releaseMint(tx: Tx, mint: string, suffix: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with ended as (
       update ledger set state = case state when 'crafted' then $4 else state end
       where id = (select request_id from launches where mint = $1)
         and (state in ('failed', 'expired') or state = 'crafted' and expires_at < $3)
       returning id, cosigners
     ), gone as (
       delete from launches using ended where mint = $1 and request_id = ended.id returning cosigners
     )
     insert into mint_numbers (number, suffix)
     select substring(cosigner from 6)::bigint, $2 from gone, unnest(cosigners) as cosigner where cosigner ~ '^mint:[0-9]+$'
     on conflict do nothing`,
    [mint, suffix, now, next('crafted', 'expired')],
  );
  return rowCount === 1;
}

/** How many launches that this caller, or those that share this key, had crafted have neither landed nor come to their end. */
export async function countLaunchesUnderWay(sql: Sql, caller: string): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>(
    `select count(*) as count from launches join ledger on ledger.id = request_id
     where finished_at is null and ledger.state <> 'landed' and $1 in (ledger.payload->>'caller', ledger.payload->>'together')`,
    [caller],
  );
  return Number(rows[0]!.count);
}

export async function countMintNumbers(sql: Sql, suffix: string): Promise<number> {
  const { rows } = await sql.query<{ count: bigint }>('select count(*) as count from mint_numbers where suffix = $1', [
    suffix,
  ]);
  return Number(rows[0]!.count);
}
