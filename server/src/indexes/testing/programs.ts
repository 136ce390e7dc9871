import { generateKeypair } from '@slipway/wire';
import * as send from '../../areas/send/testing.js';
import { newWallet, placeOrder } from '../../areas/trigger-v1/testing.js';
import type { Store } from '../../store/sql.js';
import type { IndexDeps } from '../indexed-program.js';
import { openIndexWorld, SMALL } from '../limit-orders/testing.js';
import type { IndexedChain } from './nodes.js';

/** A program with a history, and an index of it. */
export interface ProgramWorld extends IndexedChain {
  store: Store;
  /** Another index of the same program, as in another instance or after a restart. */
  newIndex(changes?: Partial<IndexDeps>): { sync(): Promise<void>; keepUp(): Promise<void>; close(): Promise<void> };
  /** Lands transactions without telling any index; returns their signatures. */
  happen(count: number): Promise<string[]>;
  /** The transactions whose events are stored. */
  transactions(): Promise<string[]>;
  /** Everything indexed, without positions within slots. */
  contents(): Promise<unknown>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

export const PROGRAMS: Record<string, () => Promise<ProgramWorld>> = {
  async 'limit orders'() {
    const world = await openIndexWorld();
    world.deps.index = { ...world.newIndex(), sync: async () => {} };
    return {
      ...world,
      program: world.deps.addresses.program,
      async happen(count) {
        const maker = await newWallet(world);
        const placed = [];
        for (let n = 0; n < count; n++) placed.push((await placeOrder(world, maker, SMALL)).signature);
        return placed;
      },
      transactions: () => column(world.store, `select tx_id from limit_order_events where tx_id <> ''`),
      contents: async () => (await world.contents()).slice(0, 2),
      forget: world.forgetOrders,
    };
  },
  async invites() {
    const world = await send.openSendWorld();
    return {
      ...world,
      async happen(count) {
        const sender = await send.newWallet(world);
        const signatures = [];
        for (let n = 0; n < count; n++) {
          const { key, signature } = await send.makeInvite(world, sender, 1_000_000n);
          signatures.push(signature);
          if (n % 3 === 2 && ++n < count) signatures.push(await send.claim(world, key, generateKeypair().address));
        }
        return signatures;
      },
      transactions: () => column(world.store, 'select signature from invite_events'),
      contents: () => send.listsOf(world),
      forget: () => send.forget(world),
    };
  },
};

async function column(store: Store, text: string): Promise<string[]> {
  const { rows } = await store.query<Record<string, string>>(text);
  return rows.map((row) => Object.values(row)[0]!);
}
