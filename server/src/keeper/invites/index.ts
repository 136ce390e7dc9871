import { randomUUID } from 'node:crypto';
import { type Address, decodeTransaction } from '@slipway/wire';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Chain } from '../../chain/index.js';
import { unitLimitFrom } from '../../crafting/budget.js';
import { craftInvite } from '../../crafting/invite.js';
import type { Crafted } from '../../crafting/transaction.js';
import { type InviteIndex, readInvite } from '../../indexes/invites/index.js';
import { explain, type Landing, rememberOwn } from '../../landing/index.js';
import { tryOut } from '../../landing/try-out.js';
import type { AdjustableClock } from '../../lib/clock.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { dueInvites } from '../../store/invite-lists.js';
import { holdLease, releaseLease } from '../../store/leases.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import type { KeeperLoop } from '../index.js';

export interface InviteKeeperDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  /** Of transactions and invites; in a sandbox it runs ahead. */
  clock: AdjustableClock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  index: Pick<InviteIndex, 'sync'>;
  /** The wallet of the signer's role `keeper`. */
  keeper: Address;
  /** The program that holds the invites. */
  program: Address;
}

/** The area of the ledger that the keeper's transactions are in. */
export const INVITE_AREA = 'invites';

const INTERVAL_MS = 2_000;
const HOUR_MS = 60 * 60_000;
/** Longer than a transaction lives: a copy that has died holds an invite up for no longer. */
const LEASE_MS = 90_000;
const FIRST_BACK_OFF_MS = 2_000;
const LONGEST_BACK_OFF_MS = 60 * 60_000;
const MOST_AT_ONCE = 16;
const LOOK_AT = 1_000;
const MOST_ROUNDS = 100;
const LONGEST_CLOSE_MS = 2_000;
/**
 * Making invites and letting them expire costs about what it costs to send them back: beyond so many in an hour the
 * keeper does not pay. The sender can take them back at any time, and anybody else can send them back, too.
 */
export const EXPIRIES_AN_HOUR = 200;
/** A wallet with less cannot pay for token accounts until the rents pay it back. */
const LEAST_LAMPORTS = 10_000_000n;

/** Gives invites that nobody has claimed in time back to their senders. */
export function startInviteKeeper(deps: InviteKeeperDeps): KeeperLoop {
  const { store, landing, chain, clock, steadyNow, log, index, keeper, program } = deps;
  const holder = randomUUID();
  const backOffs = new Map<string, { tries: number; until: number }>();
  const expiries: number[] = [];
  const ends = new Counter({
    name: 'slipway_invite_expiries_total',
    help: 'What the keeper has done with invites that were not claimed in time: expired, failed',
    labelNames: ['outcome'],
    registers: [deps.registry],
  });
  let turn: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let warned = '';
  let closed = false;

  /** Sends back what is due; how many were. */
  async function once(): Promise<number> {
    await index.sync();
    const due = await free();
    const some = due.slice(0, Math.min(MOST_AT_ONCE, allowance()));
    if (some.length === 0 || closed || (await isPoor())) return 0;
    const done = await Promise.all(some.map((invitePda) => expire(invitePda as Address)));
    const count = done.filter(Boolean).length;
    if (count > 0) await index.sync();
    return count;
  }

  /** What is due and need not wait, that first which has failed the least often: the others must not be in its way. */
  async function free(): Promise<string[]> {
    const nowSeconds = BigInt(Math.floor(clock.now() / 1_000));
    const waiting = [...backOffs].filter(([, { until }]) => until > steadyNow()).map(([invitePda]) => invitePda);
    const due = await dueInvites(store, { nowSeconds, except: waiting, most: LOOK_AT });
    const wanted = new Set([...waiting, ...due]);
    for (const invitePda of backOffs.keys()) if (!wanted.has(invitePda)) backOffs.delete(invitePda);
    const triesOf = (invitePda: string) => backOffs.get(invitePda)?.tries ?? 0;
    return due.sort((a, b) => triesOf(a) - triesOf(b));
  }

  function allowance(): number {
    while (expiries[0] !== undefined && expiries[0] <= steadyNow() - HOUR_MS) expiries.shift();
    const left = EXPIRIES_AN_HOUR - expiries.length;
    if (left <= 0) warn(`${EXPIRIES_AN_HOUR} invites were sent back in an hour; the others wait`);
    return left;
  }

  async function isPoor(): Promise<boolean> {
    const lamports = (await chain.account(keeper))?.lamports ?? 0n;
    if (lamports >= LEAST_LAMPORTS) warned = '';
    else warn(`expired invites wait: the keeper wallet ${keeper} needs SOL`);
    return lamports < LEAST_LAMPORTS;
  }

  function warn(reason: string): void {
    if (warned !== reason) log.warn({ reason }, 'invites are not sent back');
    warned = reason;
  }

  /** One copy at a time works on an invite: the transaction of the second one would fail, at our cost. */
  async function expire(invitePda: Address): Promise<boolean> {
    const lease = { name: `invite ${invitePda}`, holder };
    try {
      const now = clock.now() - clock.offsetMs;
      if (!(await store.transaction((tx) => holdLease(tx, lease, now, now + LEASE_MS)))) return false;
      try {
        return await send(invitePda);
      } finally {
        await store.transaction((tx) => releaseLease(tx, lease));
      }
    } catch (error) {
      return failed(invitePda, (error as Error).message);
    }
  }

  async function send(inviteInfo: Address): Promise<boolean> {
    const invite = await readInvite(chain, program, inviteInfo);
    // The index may not know its end, now or ever, or its account may be used again.
    if (!invite || invite.expiry > BigInt(Math.floor(clock.now() / 1_000))) {
      backOff(inviteInfo);
      return false;
    }
    const { sender, token } = invite;
    const tried = await tryOut(
      chain,
      (blockhash, budget) =>
        craftInvite({ do: 'expire', inviteInfo, sender, keeper, token }, program, blockhash, budget),
      (units, computeUnitPrice) => ({ computeUnitLimit: unitLimitFrom(units), computeUnitPrice }),
    );
    if ('err' in tried) return failed(inviteInfo, explain(tried.err).message);
    expiries.push(steadyNow());
    const request = await remember(inviteInfo, sender, tried);
    const { state, signature } = await landing.execute(request, decodeTransaction(tried.crafted.wire));
    if (state !== 'landed') return failed(inviteInfo, `the transaction has ${state}`);
    backOffs.delete(inviteInfo);
    ends.inc({ outcome: 'expired' });
    log.info({ invite: inviteInfo, signature }, 'invite expired');
    return true;
  }

  async function remember(
    invite: Address,
    sender: Address,
    { crafted, lastValidBlockHeight }: { crafted: Crafted; lastValidBlockHeight: bigint },
  ): Promise<LedgerRow> {
    const own = { area: INVITE_AREA, wallet: sender, crafted, lastValidBlockHeight, payload: { invite } };
    return rememberOwn(store, { ...own, cosigners: ['keeper'] }, clock);
  }

  /** How often it was tried in vain. */
  function backOff(invitePda: string): number {
    const tries = (backOffs.get(invitePda)?.tries ?? 0) + 1;
    const wait = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (tries - 1));
    backOffs.set(invitePda, { tries, until: steadyNow() + wait });
    return tries;
  }

  function failed(invitePda: string, reason: string): false {
    const tries = backOff(invitePda);
    ends.inc({ outcome: 'failed' });
    log[tries === 1 ? 'info' : 'debug']({ invite: invitePda, reason, tries }, 'an invite is sent back later');
    return false;
  }

  function tick(): Promise<number> {
    const result = turn.then(() => (closed ? 0 : once()));
    turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      tick()
        .catch((error: Error) =>
          log.warn({ reason: error.message }, 'expired invites were not looked at; trying again'),
        )
        .finally(schedule);
    }, INTERVAL_MS);
  }
  schedule();

  return {
    async runDue() {
      backOffs.clear();
      for (let round = 0; round < MOST_ROUNDS && !closed && (await tick()) > 0; round++);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      // What is under way is left to the landing.
      await waitAtMost(LONGEST_CLOSE_MS, turn);
    },
  };
}
