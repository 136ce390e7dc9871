import { findRequests, insertCrafted, type LedgerRow, type NewRequest } from './ledger.js';
import { groupCalls } from './postgres/group-calls.js';
import { type EventScore, getScores } from './scores.js';
import type { Store } from './sql.js';
import { findHolders, type Holding, type PaidFor, paidFor } from './verifications.js';

export type GroupedLedger = ReturnType<typeof groupedLedger>;

/** Groups many requests into one statement, to save a database round trip for each. */
export function groupedLedger(store: Store) {
  return {
    remember: groupCalls<NewRequest, void>({
      run: async (rows) => {
        await store.single((tx) => insertCrafted(tx, rows));
        return rows.map(() => undefined);
      },
      maxGroup: 500,
    }),
    findRequest: groupCalls<string, LedgerRow | undefined>({
      run: async (ids) => {
        const rows = new Map((await findRequests(store, ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id));
      },
      maxGroup: 500,
    }),
    paidFor: groupCalls<string, PaidFor[]>({
      run: async (ids) => {
        const paid = await paidFor(store, ids);
        return ids.map((id) => paid.get(id) ?? []);
      },
      maxGroup: 500,
    }),
    findHolders: groupCalls<Holding, string[]>({ run: (wanted) => findHolders(store, wanted), maxGroup: 500 }),
  };
}

/** `getScores` for one event at a time. */
export function groupedScores(store: Store): (eventId: string) => Promise<EventScore | undefined> {
  return groupCalls({
    run: async (ids) => {
      const scores = new Map((await getScores(store, ids)).map((score) => [score.eventId, score]));
      return ids.map((id) => scores.get(id));
    },
    maxGroup: 500,
  });
}
