import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { type Chain, type Listed, listTransactions, readInstructions } from '../../chain/index.js';
import { coalesced } from '../../lib/single-flight.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { countInvites } from '../../store/invite-lists.js';
import {
  addInviteTransactions,
  beginInviteIndex,
  clearInviteIndex,
  countInviteTransactions,
  countUnreadInviteTransactions,
  type InviteEvent,
  indexedProgram,
  knownInviteTransactions,
  newestInviteTransaction,
  recordInviteTransactions,
  type UnreadTransaction,
  unreadInviteTransactions,
} from '../../store/invites.js';
import type { Store } from '../../store/sql.js';
import { factOf } from './facts.js';

/** What has become of invites, read from the chain into the store, so that it can be asked for by wallet. */
export interface InviteIndex {
  /**
   * Reads what the chain has had since; resolves when everything is in the store that the node knew when this was called
   * and could tell. The first time ever that is the program's whole history.
   * @throws ChainUnavailable, StoreUnavailable: what was read before stays, and the next call goes on from there.
   */
  sync(): Promise<void>;
  /**
   * Resolves when what is known is at most a slot old, or after two seconds; never rejects: then the answer is what is
   * known.
   */
  fresh(): Promise<void>;
  /** `sync` where that was called before, ever: a service without invites does not read those of a public program. */
  keepUp(): Promise<void>;
  /**
   * Forgets everything and reads it from the chain again; resolves after 20 seconds at the latest, and goes on.
   * @throws ChainUnavailable, StoreUnavailable
   */
  rebuild(): Promise<RebuiltInvites>;
}

export interface RebuiltInvites {
  done: boolean;
  transactions: number;
  /** Of these, how many are not read yet, or cannot be. */
  unread: number;
  invites: number;
  open: number;
}

export interface InviteIndexDeps {
  store: Store;
  chain: Chain;
  program: Address;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
}

/** Read and stored at once. */
const BATCH = 25;
/** A slot: what is newer, a node has hardly confirmed. */
const FRESH_MS = 400;
const LONGEST_WAIT_MS = 2_000;
const LONGEST_REBUILD_MS = 20_000;
const PATIENCE_MS = 10_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export function createInviteIndex(deps: InviteIndexDeps): InviteIndex {
  const { store, chain, program, steadyNow, log } = deps;
  const unread = new Gauge({
    name: 'slipway_invite_unread_transactions',
    help: 'Transactions of the invite program whose content the RPC cannot give; what they did is not in the lists',
    registers: [deps.registry],
  });
  const retry = { at: Number.NEGATIVE_INFINITY, waitMs: 0 };
  let syncedAt = Number.NEGATIVE_INFINITY;
  let awaited: { signature: string; until: number } | undefined;

  const sync = coalesced(async () => {
    const startedAt = steadyNow();
    if ((await indexedProgram(store)) !== program) await store.transaction((tx) => beginInviteIndex(tx, program));
    const isNew = await listNewer();
    const hasRead = await readNewer();
    const hasReadAgain = await readAgain();
    if (isNew || hasRead || hasReadAgain) unread.set(await countUnreadInviteTransactions(store));
    syncedAt = startedAt;
  });

  /** Whether there were any. A node that is behind names old ones again, which changes nothing. */
  async function listNewer(): Promise<boolean> {
    const until = await newestInviteTransaction(store);
    const found: Listed[] = [];
    for (let before: string | undefined; ; ) {
      const page = await listTransactions(chain.rpc, program, { before, until });
      const known = await knownInviteTransactions(
        store,
        page.map(({ txId }) => txId),
      );
      const unknown = page.filter(({ txId }) => !known.has(txId));
      found.push(...unknown);
      if (unknown.length === 0) break;
      before = page.at(-1)!.txId;
    }
    // All or none: what is between the newest and the known ones must not be missing.
    const listed = found.reverse().map(({ txId, ...rest }) => ({ signature: txId, ...rest }));
    if (listed.length > 0) await store.transaction((tx) => addInviteTransactions(tx, listed));
    return listed.length > 0;
  }

  async function readNewer(): Promise<boolean> {
    for (let hasRead = false; ; hasRead = true) {
      const batch = await unreadInviteTransactions(store, false, BATCH);
      if (batch.length === 0) return hasRead;
      const answers = await ask(batch);
      const missing = batch.length < BATCH ? answers.findIndex((answer) => 'isMissing' in answer) : -1;
      if (missing >= 0 && mayStillCome(batch[missing]!.signature)) {
        if (missing > 0) await take(batch.slice(0, missing), answers);
        return true;
      }
      if ((await take(batch, answers)) < batch.length)
        Object.assign(retry, { at: Number.NEGATIVE_INFINITY, waitMs: 0 });
    }
  }

  /** Of the newest: a node that lists a transaction may have it a little later, and what follows should not overtake it. */
  function mayStillCome(signature: string): boolean {
    if (awaited?.signature !== signature) awaited = { signature, until: steadyNow() + PATIENCE_MS };
    return steadyNow() < awaited.until;
  }

  /** Tries again what could not be read, the longer the more seldom. */
  async function readAgain(): Promise<boolean> {
    if (steadyNow() < retry.at) return false;
    const batch = await unreadInviteTransactions(store, true, BATCH);
    const read = batch.length > 0 ? await take(batch, await ask(batch)) : 0;
    retry.waitMs = read > 0 ? 0 : Math.min(LONGEST_RETRY_MS, retry.waitMs * 2 || FIRST_RETRY_MS);
    retry.at = steadyNow() + retry.waitMs;
    return batch.length > 0;
  }

  const ask = (batch: readonly UnreadTransaction[]) =>
    Promise.all(batch.map(({ signature }) => readInstructions(chain.rpc, signature)));

  /** Stores what these did; how many could be read. */
  async function take(batch: readonly UnreadTransaction[], answers: Awaited<ReturnType<typeof ask>>): Promise<number> {
    const read = new Map<string, InviteEvent[]>();
    const unreadable: string[] = [];
    for (const [index, { signature, slot, position, at }] of batch.entries()) {
      const answer = answers[index]!;
      if ('unreadable' in answer) {
        unreadable.push(signature);
        log.debug({ transaction: signature, reason: answer.unreadable }, 'a transaction of invites cannot be read');
        continue;
      }
      const facts = answer.instructions.flatMap((instruction) => factOf(instruction, program) ?? []);
      read.set(
        signature,
        facts.map((fact, number) => ({ slot, position, number, signature, at, fact })),
      );
    }
    if (unreadable.length > 0) {
      log.warn({ count: unreadable.length, first: unreadable[0] }, 'transactions of invites cannot be read yet');
    }
    await store.transaction((tx) => recordInviteTransactions(tx, read, unreadable));
    return read.size;
  }

  return {
    sync,
    async fresh() {
      if (steadyNow() - syncedAt < FRESH_MS) return;
      const synced = sync().catch((error: Error) => {
        log.warn({ reason: error.message }, 'cannot read invites from the chain; answering what is known');
      });
      await waitAtMost(LONGEST_WAIT_MS, synced);
    },
    async keepUp() {
      if ((await indexedProgram(store)) !== undefined) await sync();
    },
    async rebuild() {
      await store.transaction((tx) => clearInviteIndex(tx));
      const done = await waitAtMost(LONGEST_REBUILD_MS, sync());
      const [transactions, left, { all, open }] = await Promise.all([
        countInviteTransactions(store),
        countUnreadInviteTransactions(store),
        countInvites(store),
      ]);
      return { done, transactions, unread: left, invites: all, open };
    },
  };
}
