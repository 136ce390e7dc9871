import type { Clock } from '../lib/clock.js';
import { tell } from '../store/event-outbox.js';
import { claimMany, findTwins, type LedgerRow, settleMany, unclaim } from '../store/ledger.js';
import type { LossBar } from '../store/losses.js';
import { groupCalls } from '../store/postgres/group-calls.js';
import type { Store, Tx } from '../store/sql.js';
import { endEvents } from './end-events.js';
import type { Purse } from './purses.js';
import type { SigningKey } from './signing-keys.js';
import type { Spending } from './spending.js';
import type { Verdict } from './tracker.js';

/** What an area adds to the claim and the settlement of its requests, in the same store transaction, in groups. */
export interface Settlement {
  /** The only keys of ours that sign its transactions, whatever its rows say; none by default. */
  readonly keys?: readonly SigningKey[];
  /** What may be lost where one of our wallets pays; without one there is no bound. */
  readonly purse?: Purse;
  /** Nobody has asked for its transactions, so nobody is told of their end. */
  readonly isOurs?: true;
  /** Returns, by request id, why requests are refused. Their claims are undone as if they had never been posted. */
  reserve?(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>>;
  settle?(tx: Tx, settled: readonly LedgerRow[]): Promise<void>;
}

export interface Claimed {
  id: string;
  /** What the area passed to `execute`. */
  detail: unknown;
}

/** The area refused the request; nothing was sent, and the request is unchanged. */
export class ReservationRefused extends Error {
  override readonly name = 'ReservationRefused';
  /** `bar`: set if our wallet does not pay for it now. */
  constructor(
    message: string,
    readonly bar?: LossBar,
  ) {
    super(message);
  }
}

export interface WantedClaim extends Claimed {
  area: string;
  signature: string | null;
  wire: Uint8Array;
  /** What a signer counts for it beyond the fee, in lamports, where its purse bounds that. */
  rents?: bigint | undefined;
}

export type ClaimResult = 'won' | 'lost' | { refused: string; bar?: LossBar };

/** Ends a transaction that must change nothing. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed';
  constructor(readonly results: ClaimResult[]) {
    super('a rehearsal changes nothing');
  }
}

const BARRED: Readonly<Record<LossBar, string>> = {
  'under-way':
    'another transaction of this wallet that the service pays for is under way: post it again when that has ended',
  failed:
    'a transaction of this wallet that the service paid for has failed: ask for a new one later, or with SOL for gas',
  'too-many': 'too many transactions that the service paid for have failed: try again later, or with SOL for gas',
  'rents-of-wallet': 'as much rent as may be within an hour was signed for this wallet: what makes no account goes on',
  'rents-of-all': 'as much rent as may be within an hour was signed for all wallets: what makes no account goes on',
};

const TWIN = 'the same transaction was sent for another request: ask for a new one';

interface GroupedWritesDeps {
  store: Store;
  clock: Clock;
  /** By area. */
  settlements: Readonly<Record<string, Settlement>>;
  spending: Pick<Spending, 'bar'>;
}

export type GroupedWrites = ReturnType<typeof createGroupedWrites>;

/** Writes claims and verdicts of many requests in groups, each in one store transaction with what their areas add. */
export function createGroupedWrites({ store, clock, settlements, spending }: GroupedWritesDeps) {
  const claim = groupCalls<WantedClaim, ClaimResult>({
    run: (wanted) => store.transaction((tx) => writeClaims(tx, wanted)),
    maxGroup: 200,
  });
  const rehearse = groupCalls<WantedClaim, ClaimResult>({
    run: (wanted) => rehearseClaims(wanted),
    maxGroup: 200,
  });
  const settle = groupCalls<{ id: string; verdict: Verdict }, LedgerRow | undefined>({
    run: (items) => store.transaction((tx) => writeVerdicts(tx, items)),
    maxGroup: 200,
  });

  async function writeClaims(tx: Tx, wanted: WantedClaim[]): Promise<ClaimResult[]> {
    const sentAt = new Date(clock.now());
    const won = await claimMany(
      tx,
      wanted.map(({ id, signature, wire, rents }) => ({ id, signature, wire, sentAt, rents })),
    );
    const twins = await findTwins(
      tx,
      wanted.map(({ id }) => id).filter((id) => !won.has(id)),
    );
    const barred = await spending.bar(
      tx,
      wanted.filter(({ id }) => won.has(id)),
    );
    const refused = new Map([...barred].map(([id, why]) => [id, BARRED[why]]));
    const claimed = wanted.filter(({ id }) => won.has(id) && !barred.has(id));
    for (const [area, group] of byArea(claimed)) {
      for (const [id, why] of (await settlements[area]?.reserve?.(tx, group)) ?? []) refused.set(id, why);
    }
    for (const id of refused.keys()) await unclaim(tx, id);
    return wanted.map(({ id }) => {
      const why = twins.has(id) ? TWIN : refused.get(id);
      const bar = barred.get(id);
      if (why !== undefined) return { refused: why, ...(bar && { bar }) };
      return won.has(id) ? 'won' : 'lost';
    });
  }

  /** What claims would get now. Nothing is claimed. */
  async function rehearseClaims(wanted: WantedClaim[]): Promise<ClaimResult[]> {
    try {
      return await store.transaction(async (tx) => {
        throw new Rehearsed(await writeClaims(tx, wanted));
      });
    } catch (error) {
      if (error instanceof Rehearsed) return error.results;
      throw error;
    }
  }

  async function writeVerdicts(tx: Tx, items: { id: string; verdict: Verdict }[]): Promise<(LedgerRow | undefined)[]> {
    const settledAt = new Date(clock.now());
    const settled = await settleMany(
      tx,
      items.map(({ id, verdict }) => ({
        id,
        event: verdict.event,
        slot: verdict.slot ?? undefined,
        error: verdict.error,
        settledAt,
      })),
    );
    await tell(tx, endEvents(settled.filter(({ area }) => !settlements[area]?.isOurs)));
    for (const [area, rows] of byArea(settled)) await settlements[area]?.settle?.(tx, rows);
    const byId = new Map(settled.map((row) => [row.id, row]));
    return items.map(({ id }) => byId.get(id));
  }

  return { claim, rehearse, settle };
}

function byArea<T extends { area: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.area);
    if (group) group.push(item);
    else groups.set(item.area, [item]);
  }
  // Sorted, so that two groups that lock rows for the same areas cannot deadlock.
  return new Map([...groups].sort(([one], [other]) => (one < other ? -1 : 1)));
}
