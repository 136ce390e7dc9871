import type { Logger } from 'pino';
import { Counter, Histogram } from 'prom-client';
import type { Metrics } from '../http/index.js';
import { INVITE_AREA, inviteSettlement } from '../keeper/invites/index.js';
import { LAUNCH_MIGRATION_AREA, migrationSettlement } from '../keeper/launches/index.js';
import { LIMIT_ORDER_AREA, limitOrderSettlement } from '../keeper/limit-orders/index.js';
import { TABLE_AREA, tableSettlement } from '../keeper/lookup-tables/index.js';
import { FILL_AREA, fillSettlement, RENT_AREA, rentSettlement } from '../keeper/trigger-orders/index.js';
import { Landing, type Settlement } from '../landing/index.js';
import type { LedgerRow } from '../store/ledger.js';
import { areas } from './areas.js';
import type { Base } from './base.js';

/** Opens landing, and resumes what an earlier run of this process left under way. */
export async function openLanding(base: Base): Promise<Landing> {
  const { config, store, clock, steadyNow, chains, node, signer, stops, metrics, log, disposal } = base;
  const ofAreas = areas.map(({ settlement }) => settlement?.(clock, log));
  const ofKeepers: Record<string, Settlement> = {
    [FILL_AREA]: fillSettlement,
    [RENT_AREA]: rentSettlement,
    [TABLE_AREA]: tableSettlement,
    [LIMIT_ORDER_AREA]: limitOrderSettlement,
    [INVITE_AREA]: inviteSettlement,
    [LAUNCH_MIGRATION_AREA]: migrationSettlement,
  };
  const landing = new Landing({
    store,
    clock,
    steadyNow,
    chain: chains.landing,
    // Whatever is posted is simulated, also what its client knows to fail: that must not cost landings and fills.
    trialChain: (area) => (area in ofKeepers ? chains.keeper : chains.posts),
    searchChain: chains.searches,
    endsChain: chains.ends,
    sendRpcs: node.sendRpcsFor('landing'),
    strangers: { chain: chains.strangers, sendRpcs: node.sendRpcsFor('strangers'), ...config.submit },
    signer,
    stops,
    settlements: Object.assign({}, ...ofAreas, ofKeepers),
    observe: settlementObserver(metrics, log),
    log,
  });
  disposal.add('landing', () => landing.close());
  // An embedded store has one process, so whatever is under way was left by a run that has ended.
  await landing.resume({ all: store.kind === 'embedded' });
  return landing;
}

const LANDING_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 90];

/** Logs, counts and times settled transactions, in one place. */
function settlementObserver(metrics: Metrics, log: Logger): (row: LedgerRow) => void {
  const counter = new Counter({
    name: 'slipway_transactions_total',
    help: 'Transactions that have come to their end here, by area and state (landed, failed, expired)',
    labelNames: ['area', 'state'],
    registers: [metrics.registry],
  });
  const durations = new Histogram({
    name: 'slipway_landing_duration_seconds',
    help: 'Time from the first sending of a transaction that has landed until that is known here, by area',
    labelNames: ['area'],
    buckets: LANDING_SECONDS,
    registers: [metrics.registry],
  });
  return ({ id, area, state, signature, sentAt, settledAt }) => {
    counter.inc({ area, state });
    if (state === 'landed' && sentAt && settledAt)
      durations.observe({ area }, (settledAt.getTime() - sentAt.getTime()) / 1_000);
    log.info({ request: id, area, signature, state }, 'transaction settled');
  };
}
