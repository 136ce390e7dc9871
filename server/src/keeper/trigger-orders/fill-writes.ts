import { backOffMs } from '../../lib/back-offs.js';
import type { Clock } from '../../lib/clock.js';
import { groupedLedger } from '../../store/grouped.js';
import { nextLeaseEnd } from '../../store/leases.js';
import type { NewRequest } from '../../store/ledger.js';
import { groupCalls } from '../../store/postgres/group-calls.js';
import type { Store, Tx } from '../../store/sql.js';
import { changeOrders, type OrderChange } from '../../store/trigger-order-changes.js';
import { CLAIM_LEASE, type PendingFill, pendingAmong } from '../../store/trigger-order-fills.js';
import { oweRents } from '../../store/trigger-order-rents.js';
import { lockTriggerOrders, type TriggerOrderRow } from '../../store/trigger-orders.js';
import { IllegalEvent, type Leg } from '../../trigger-orders/order.js';
import type { Sale } from './sale.js';
import { BACK_OFF, fillEvent, isSameTime } from './settlement.js';

/** The most orders that one transaction locks. */
const MAX_GROUP = 100;

/** What a fill has moved, in the smallest units. */
export interface Moved {
  input: bigint;
  output: bigint;
  /** Whether the account of the input was closed. */
  isClosed: boolean;
}

interface Concluded {
  fill: PendingFill;
  sale: Sale;
  /** Whether it offered all that was left. */
  whole: boolean;
  moved: Moved;
}

/** What a keeper writes for its orders. Those that come together share a transaction. */
export interface FillWrites {
  /** Claims an order for a leg; undefined if somebody else has it, or it no longer waits. */
  claim(wanted: { id: string; leg: Leg }): Promise<TriggerOrderRow | undefined>;
  /** Releases an order, if it still has the claim, until `retryAt`. */
  release(released: { order: TriggerOrderRow; retryAt: Date }): Promise<undefined>;
  /** Stores a request that only our keys sign. */
  remember(request: NewRequest): Promise<void>;
  /** Records what a landed fill has moved; false if that was recorded before. */
  conclude(concluded: Concluded): Promise<boolean>;
}

export function createFillWrites({ store, clock }: { store: Store; clock: Clock }): FillWrites {
  const grouped = <T, R>(write: (tx: Tx, items: T[], now: Date) => Promise<R[]>) =>
    groupCalls<T, R>({
      run: (items) => store.transaction((tx) => write(tx, items, new Date(clock.now()))),
      maxGroup: MAX_GROUP,
    });
  return {
    claim: grouped(claimAll),
    release: grouped(releaseAll),
    remember: groupedLedger(store).remember,
    conclude: grouped(concludeAll),
  };
}

async function claimAll(
  tx: Tx,
  wanted: { id: string; leg: Leg }[],
  now: Date,
): Promise<(TriggerOrderRow | undefined)[]> {
  const times = { leaseUntil: await nextLeaseEnd(tx, CLAIM_LEASE), retryAt: null };
  const changes = wanted.map(({ id, leg }): OrderChange => ({ id, event: { type: 'triggered', leg }, times }));
  const outcomes = await changeOrders(tx, changes, now, { skip: true });
  return wanted.map(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome instanceof IllegalEvent ? undefined : outcome;
  });
}

async function releaseAll(
  tx: Tx,
  released: { order: TriggerOrderRow; retryAt: Date }[],
  now: Date,
): Promise<undefined[]> {
  const changes = released.map(
    ({ order, retryAt }): OrderChange => ({
      id: order.id,
      event: { type: 'released' },
      when: ({ leaseUntil }) => isSameTime(leaseUntil, order.leaseUntil),
      times: { leaseUntil: null, retryAt },
    }),
  );
  await changeOrders(tx, changes, now);
  return released.map(() => undefined);
}

async function concludeAll(tx: Tx, concluded: Concluded[], now: Date): Promise<boolean[]> {
  const fills = concluded.map(({ fill }) => fill);
  const locked = await lockTriggerOrders(
    tx,
    fills.map(({ orderId }) => orderId),
    { skip: false },
  );
  const pending = await pendingAmong(tx, fills);
  // A fill may be there twice: by its keeper, and by the one that takes over what others have left.
  const isFirst = ({ fill }: Concluded, index: number) =>
    fills.findIndex(({ requestId }) => requestId === fill.requestId) === index;
  const isDue = concluded.map((each, index) => pending.has(each.fill.requestId) && isFirst(each, index));
  const due = concluded.filter((_, index) => isDue[index]);
  const outcomes = await changeOrders(
    tx,
    due.map((each) => landed(each, now)),
    now,
    { locked: locked.filter(({ id }) => due.some(({ fill }) => fill.orderId === id)) },
  );
  for (const outcome of outcomes.values()) if (outcome instanceof IllegalEvent) throw outcome;
  const ended = due.filter(({ whole }) => whole);
  const idsOf = (some: Concluded[]) => some.map(({ fill }) => fill.orderId);
  await oweRents(tx, idsOf(ended.filter(({ moved }) => !moved.isClosed)));
  const bought = idsOf(ended.filter(({ sale }) => sale.vaultOutput));
  await changeOrders(
    tx,
    bought.map((id) => ({ id, event: { type: 'exit_opened' } })),
    now,
  );
  return isDue;
}

function landed({ fill, sale, whole, moved: { input, output } }: Concluded, at: Date): OrderChange {
  const told = { id: fill.requestId, state: 'success', amount: input, at } as const;
  return {
    id: fill.orderId,
    event: { type: 'fill_landed', input, output, into: sale.vaultOutput ? 'vault' : 'wallet', whole },
    // After a partial fill, the market has nothing more to give for now.
    times: { retryAt: whole ? null : new Date(at.getTime() + backOffMs(1, BACK_OFF)) },
    history: () => [{ ...fillEvent(sale, told), signature: fill.signature, outputAmount: output }],
  };
}
