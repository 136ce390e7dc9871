import { type Address, decodeTransaction } from '@slipway/wire';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Chain } from '../../chain/index.js';
import { craftInvite } from '../../crafting/invite.js';
import type { Crafted } from '../../crafting/transaction.js';
import { type InviteIndex, readInvite } from '../../indexes/invites/index.js';
import { explain, INVITE_PURSE, type Landing, rememberOwn, type Settlement, tryOut } from '../../landing/index.js';
import { BackOffs } from '../../lib/back-offs.js';
import type { Clock } from '../../lib/clock.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { blame } from '../../store/blamed-claims.js';
import { dueInvites } from '../../store/invite-lists.js';
import { insertCrafted, type LedgerRow } from '../../store/ledger.js';
import type { Store, Tx } from '../../store/sql.js';
import { Expiries } from '../expiries.js';
import type { KeeperWallet } from '../wallet.js';
import { MOST_UNDER_WAY, type Work, Worker } from '../worker.js';

export interface InviteKeeperDeps {
  store: Store;
  landing: Pick<Landing, 'execute'>;
  chain: Chain;
  /** The time for transactions and invites; in a sandbox it runs ahead. */
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
  index: Pick<InviteIndex, 'sync'>;
  /** The wallet of the signer's role `keeper`. */
  keeper: Address;
  wallet: Pick<KeeperWallet, 'canPay'>;
  /** The program that holds the invites. */
  program: Address;
}

/** The ledger area of the keeper's transactions. */
export const INVITE_AREA = 'invites';
export const inviteSettlement: Settlement = {
  keys: ['keeper'],
  purse: INVITE_PURSE,
  isOurs: true,

  /** Anybody sends an expired invite back before us. It must not keep others of the sender from being claimed. */
  async settle(tx: Tx, settled: readonly LedgerRow[]): Promise<void> {
    const failed = settled.filter(({ state, slot }) => state === 'failed' && slot !== null);
    await blame(
      tx,
      failed.map(({ id }) => id),
      'invite',
    );
  },
};
/**
 * The most invites that the keeper pays to expire in an hour: creating invites and letting them expire costs an
 * attacker only about as much as it costs us to send them back. The sender can claw an invite back at any time, and
 * anybody can send back an expired one.
 */
export const EXPIRIES_AN_HOUR = 200;

const INTERVAL_MS = 2_000;
const HOUR_MS = 60 * 60_000;
const FAILED = { firstMs: 2_000, longestMs: 60 * 60_000 };
const LOOK_AT = 1_000;
const LONGEST_SYNC_MS = 5_000;
/** The index may be reading for long; interrupting it loses nothing. */
const LONGEST_CLOSE_MS = 2_000;

interface PreparedExpiry {
  sender: Address;
  crafted: Crafted;
  lastValidBlockHeight: bigint;
}

/** Sends invites that were not claimed in time back to their senders. */
export type InviteKeeper = Worker<Address, PreparedExpiry>;

export function createInviteKeeper(deps: InviteKeeperDeps): InviteKeeper {
  const { store, steadyNow, log, wallet } = deps;
  const backOffs = new BackOffs(FAILED, steadyNow);
  const work = new InviteWork(deps, backOffs);
  return new Worker(work, {
    // The index is synced once all have ended.
    begin: 'together',
    intervalMs: INTERVAL_MS,
    firstMs: INTERVAL_MS,
    longestCloseMs: LONGEST_CLOSE_MS,
    log,
    failure: 'cannot look for expired invites; will try again',
    backOffs,
    // A second instance's transaction would fail, at our cost.
    lease: { store, nameOf: (invite) => `invite ${invite}` },
    wallet,
  });
}

export function startInviteKeeper(deps: InviteKeeperDeps): InviteKeeper {
  const keeper = createInviteKeeper(deps);
  keeper.start();
  return keeper;
}

class InviteWork implements Work<Address, PreparedExpiry> {
  readonly #deps: InviteKeeperDeps;
  readonly #backOffs: BackOffs;
  readonly #expiries = new Expiries();
  readonly #attempts: Counter<'outcome'>;
  /** When invites were sent back within the last hour; steady time. */
  readonly #sentAt: number[] = [];
  #hasAllowance = true;

  constructor(deps: InviteKeeperDeps, backOffs: BackOffs) {
    this.#deps = deps;
    this.#backOffs = backOffs;
    this.#attempts = new Counter({
      name: 'slipway_invite_expiries_total',
      help: 'What the keeper has done with invites that were not claimed in time: expired, failed',
      labelNames: ['outcome'],
      registers: [deps.registry],
    });
  }

  idOf(invite: Address): string {
    return invite;
  }

  /** Expired invites that are not backing off, those with the fewest failures first. */
  async due(): Promise<Address[]> {
    const { store, index } = this.#deps;
    // Those that are known are sent back, however long it takes to read of others.
    await waitAtMost(LONGEST_SYNC_MS, index.sync());
    const resting = this.#backOffs.resting();
    const due = await dueInvites(store, { nowSeconds: this.#nowSeconds(), except: resting, most: LOOK_AT });
    this.#backOffs.keepOnly(new Set([...resting, ...due]));
    due.sort((a, b) => this.#backOffs.triesOf(a) - this.#backOffs.triesOf(b));
    return due.slice(0, Math.min(MOST_UNDER_WAY, this.#allowance())) as Address[];
  }

  async prepare(inviteInfo: Address): Promise<PreparedExpiry | undefined> {
    const { chain, keeper, program } = this.#deps;
    const invite = await readInvite(chain, program, inviteInfo);
    // The index may not know (yet) that it has ended, or its account may be in use again.
    if (!invite || invite.expiry > this.#nowSeconds()) {
      this.#backOffs.fail(inviteInfo);
      return undefined;
    }
    const { sender, token } = invite;
    const tried = await tryOut(
      chain,
      (blockhash, budget) =>
        craftInvite({ do: 'expire', inviteInfo, sender, keeper, token }, program, blockhash, budget),
      { bid: { expired: this.#expiries.of(inviteInfo) } },
    );
    if ('err' in tried) throw new Error(explain(tried.err).message);
    return { sender, ...tried };
  }

  async send(invite: Address, { sender, crafted, lastValidBlockHeight }: PreparedExpiry): Promise<void> {
    const { store, landing, clock, steadyNow, log } = this.#deps;
    this.#sentAt.push(steadyNow());
    const own = { area: INVITE_AREA, wallet: sender, payload: { invite } };
    const expiry = { ...own, crafted, lastValidBlockHeight, cosigners: ['keeper'] as const };
    const request = await rememberOwn((row) => store.single((tx) => insertCrafted(tx, [row])), expiry, clock);
    const { state, signature } = await landing.execute(request, decodeTransaction(crafted.wire));
    this.#expiries.ended(invite, state);
    if (state !== 'landed') throw new Error(`the transaction has ${state}`);
    this.#attempts.inc({ outcome: 'expired' });
    log.info({ invite, signature }, 'invite expired');
  }

  failed(invite: Address, reason: string, tries: number): void {
    this.#attempts.inc({ outcome: 'failed' });
    this.#deps.log[tries === 1 ? 'info' : 'debug'](
      { invite, reason, tries },
      'cannot send an invite back; will try again',
    );
  }

  async turned(begun: number): Promise<void> {
    if (begun > 0) await waitAtMost(LONGEST_SYNC_MS, this.#deps.index.sync());
  }

  /** How many more may be sent back within the hour. */
  #allowance(): number {
    while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= this.#deps.steadyNow() - HOUR_MS) this.#sentAt.shift();
    const left = EXPIRIES_AN_HOUR - this.#sentAt.length;
    if (left <= 0 && this.#hasAllowance) {
      const reason = `${EXPIRIES_AN_HOUR} invites were sent back in an hour; the others wait`;
      this.#deps.log.warn({ reason }, 'expired invites are not being sent back');
    }
    this.#hasAllowance = left > 0;
    return left;
  }

  #nowSeconds(): bigint {
    return BigInt(Math.floor(this.#deps.clock.now() / 1_000));
  }
}
