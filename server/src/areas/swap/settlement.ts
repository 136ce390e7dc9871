import type { Claimed, Settlement } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import { barGas, type GasBar, type GasBounds, gasBarOf } from '../../store/gas-paid.js';
import type { Sql, Tx } from '../../store/sql.js';

/** How long a taker pays its own gas after its order has cost the gas wallet a fee for nothing. */
const BARRED_MS = 10 * 60_000;
const LOSS_WINDOW_MS = 60 * 60_000;
/** Failed orders that the gas wallet pays for within that window, over all takers. */
const MAX_LOST = 200;

const REASONS: Readonly<Record<GasBar, string>> = {
  'under-way': 'another gasless order of this taker is under way: post it again when that has ended',
  failed: 'a gasless order of this taker has failed: ask for a new order in ten minutes, or with SOL for gas',
  'too-many': 'too many gasless orders have failed: post it again later, or ask for one with SOL for gas',
};

/** Sends sponsored orders only while failures stay within these bounds. */
export function swapSettlement(clock: Clock): Settlement {
  return {
    keys: ['gas'],

    async reserve(tx: Tx, claimed: readonly Claimed[]): Promise<Map<string, string>> {
      const ids = claimed.map(({ id }) => id);
      const barred = await barGas(tx, ids, boundsAt(clock));
      return new Map([...barred].map(([id, why]) => [id, REASONS[why]]));
    },
  };
}

/** Whether this taker may have a gasless order now, judging by earlier gasless orders. */
export async function mayHaveGasPaid(store: Sql, clock: Clock, taker: string): Promise<boolean> {
  return (await gasBarOf(store, taker, boundsAt(clock))) === undefined;
}

function boundsAt(clock: Clock): GasBounds {
  const now = clock.now();
  return { walletSince: new Date(now - BARRED_MS), allSince: new Date(now - LOSS_WINDOW_MS), maxLost: MAX_LOST };
}
