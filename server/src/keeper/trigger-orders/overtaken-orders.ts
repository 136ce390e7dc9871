import { type Address, decodeTokenAccount, isAddress } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain } from '../../chain/index.js';
import { isSince } from '../../landing/index.js';
import type { Clock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { orderAccounts, type Signer } from '../../signer/index.js';
import { endGone, type RestingOrder, restingOrders } from '../../store/overtaken-orders.js';
import type { Store } from '../../store/sql.js';
import { changeOrders, type OrderChange } from '../../store/trigger-order-changes.js';
import { oweRents } from '../../store/trigger-order-rents.js';
import { lockTriggerOrders } from '../../store/trigger-orders.js';
import { IllegalEvent, liveLegs } from '../../trigger-orders/order.js';
import type { Chore } from '../keeper.js';
import { isDust } from './conclude-fill.js';
import { saleOf } from './sale.js';
import { fillEvent } from './settlement.js';

/** How often orders are looked at. What this database does not know of may land for a minute or two. */
const EVERY_MS = 5 * 60_000;
/** What is found must be there in so many looks in a row, and in so many answers of each: of several nodes one may lie. */
const LOOKS = 3;
const ANSWERS = 3;
const BATCH = 500;

interface OvertakenOrdersDeps {
  store: Store;
  chain: Pick<Chain, 'accountReading' | 'rpc'>;
  signer: Pick<Signer, 'publicKey'>;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
}

/** What the accounts of an order show: that it has none, or that its entry was bought, and what is left of either token. */
type Shown = 'gone' | { left: bigint; bought: bigint };

/**
 * Looks for what has happened to orders without their rows being told, as after a restored backup. An OTOCO order whose deposit was
 * sold gets its exits, with what is there; one that waits for its withdrawal, and has no accounts, has ended.
 */
export function overtakenOrdersChore(deps: OvertakenOrdersDeps): Chore {
  const { store, steadyNow, log } = deps;
  /** In how many looks in a row something was found, by the order and whether it waits for its withdrawal; in the last look and in this one. */
  let found = new Map<string, number>();
  let times = new Map<string, number>();
  let after = '';
  let nextAt = Number.NEGATIVE_INFINITY;

  /** What an order is to be told. */
  async function look(order: RestingOrder): Promise<Shown | undefined> {
    const key = `${order.id} ${order.state === 'ready_to_cancel'}`;
    const before = found.get(key) ?? 0;
    const shown = await shownBy(deps.chain, order);
    if (shown === 'as told') return undefined;
    times.set(key, shown === 'behind' ? before : before + 1);
    return shown === 'behind' || before + 1 < LOOKS ? undefined : shown;
  }

  /** Whoever can write to the database must not hold up the others. */
  async function trying<T>(order: RestingOrder, what: () => Promise<T>): Promise<T | undefined> {
    try {
      return await what();
    } catch (error) {
      const key = `${order.id} ${order.state === 'ready_to_cancel'}`;
      times.set(key, found.get(key) ?? 0);
      log.warn(
        { order: order.id, reason: (error as Error).message },
        'cannot compare an order with the chain; will try again',
      );
      return undefined;
    }
  }

  return async (isClosing) => {
    if (steadyNow() < nextAt) return;
    // A page in each turn: others need the node's calls as well.
    const page = await restingOrders(store, after, BATCH);
    const shown = await Promise.all(page.map((order) => trying(order, () => look(order))));
    // One after the other: others need the database's connections.
    for (const [i, order] of page.entries()) {
      const what = shown[i];
      if (isClosing()) return;
      if (what !== undefined)
        await trying(order, () => (what === 'gone' ? end(deps, order) : enter(deps, order.id, what)));
    }
    after = page.length === BATCH ? page.at(-1)!.id : '';
    if (after !== '') return;
    [found, times] = [times, new Map()];
    nextAt = steadyNow() + EVERY_MS;
  };
}

/** By several answers; `behind`: a node may not have its deposit yet. */
async function shownBy(
  chain: OvertakenOrdersDeps['chain'],
  order: RestingOrder,
): Promise<Shown | 'as told' | 'behind'> {
  let all: Shown | undefined;
  for (let answers = 0; answers < ANSWERS; answers++) {
    const shown = await answerOf(chain, order);
    if (shown === 'as told' || shown === 'behind') return shown;
    if (all === undefined || all === 'gone' || shown === 'gone' || shown.bought < all.bought) all = shown;
  }
  return all!;
}

/**
 * Nothing that may yet land makes either untrue: once a deposit is sold, or an account closed, no transaction of ours brings it back. So
 * each node counts that knows the deposit, however far it is behind.
 */
async function answerOf(
  chain: OvertakenOrdersDeps['chain'],
  { vault, inputAccount, outputAccount, remaining, slot: least, state }: RestingOrder,
): Promise<Shown | 'as told' | 'behind'> {
  const accounts = [inputAccount, outputAccount].filter((account) => account !== null).filter(isAddress);
  const readings = await Promise.all(accounts.map((account) => chain.accountReading(account)));
  for (const { slot } of readings) if (!(await isSince(slot, least ?? 0n, chain))) return 'behind';
  const [left, bought] = readings.map(({ account }) => {
    const tokens = account && decodeTokenAccount(account.data);
    return tokens?.owner === vault ? tokens.amount : undefined;
  });
  if (state === 'ready_to_cancel') return left === undefined && bought === undefined ? 'gone' : 'as told';
  return bought && isDust(left ?? 0n, remaining) ? { left: left ?? 0n, bought } : 'as told';
}

async function end({ store, chain, signer, clock, log }: OvertakenOrdersDeps, order: RestingOrder): Promise<void> {
  const { id, wallet, depositRequestId } = order;
  // Its vault may be another one than at the time of the backup.
  const vault = await signer.publicKey(`vault:${wallet as Address}`);
  const readings = await Promise.all(
    orderAccounts(vault, depositRequestId).map((account) => chain.accountReading(account)),
  );
  if (readings.some(({ account }) => account && decodeTokenAccount(account.data)?.owner === vault)) return;
  const isEnded = await store.transaction((tx) => endGone(tx, id, uuidv7(clock), new Date(clock.now())));
  if (isEnded) log.warn({ order: id }, 'an order that waited for its withdrawal has no accounts: it has ended');
}

/** Records that the entry of an order was bought, and opens its exits with what is there. */
async function enter(
  { store, clock, log }: OvertakenOrdersDeps,
  id: string,
  { left, bought }: Exclude<Shown, 'gone'>,
): Promise<void> {
  const at = new Date(clock.now());
  const entered = await store.transaction(async (tx) => {
    const [order] = await lockTriggerOrders(tx, [id], { skip: true });
    if (order?.progress.stage !== 'entry' || !liveLegs(order.progress).includes('entry')) return undefined;
    const { entry, held } = order.progress;
    // Its exits may have sold some of what the row knows of: what they find to be sold is what is there.
    const [input, output] = [entry.remaining - left, bought > held ? bought - held : 1n];
    const fill = { id: uuidv7(clock), state: 'success', amount: input, at } as const;
    const changes: Omit<OrderChange, 'id'>[] = [
      { event: { type: 'triggered', leg: 'entry' }, times: { retryAt: null } },
      { event: { type: 'sent' } },
      {
        event: { type: 'fill_landed', input, output, into: 'vault', whole: true },
        history: (after) => [{ ...fillEvent(saleOf(after), fill), outputAmount: output }],
      },
      { event: { type: 'exit_opened' } },
    ];
    for (const change of changes) {
      const outcome = (await changeOrders(tx, [{ id, ...change }], at)).get(id);
      if (outcome instanceof IllegalEvent) throw outcome;
    }
    // Whether there is something to close is looked at more than once.
    await oweRents(tx, [id]);
    return { input: `${input}`, output: `${output}` };
  });
  if (entered)
    log.warn(
      { order: id, ...entered },
      'the entry of an order was bought, and its row did not tell: its exits are open',
    );
}
