import { isDeepStrictEqual } from 'node:util';
import { type Address, CLOCK_SYSVAR, decodeTransaction, type Instruction, tokenTransferChecked } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Chain, ChainAccount, LiveAccounts, SimulationOutcome } from '../../chain/index.js';
import { MAX_COMPUTE_UNITS } from '../../crafting/budget.js';
import { craftTransaction } from '../../crafting/transaction.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import type { Pool } from './legs.js';
import type { Pools } from './pools.js';
import type { PoolState, PoolToken, Side, SwapAccounts } from './venue.js';
import { openVault } from './venues/index.js';
import type { WatchedPool } from './watched-pool.js';

/** How long a pool is left out after a trial, and for how long it is not tried out again. */
const ASIDE_MS = 60_000;
const PAUSE_MS = 10_000;
/** Pools that are tried out at the same time. */
const MAX_TRIALS = 4;
const MAX_KNOWN = 10_000;
/** What is tried, as parts of what can be traded: the smallest that yields anything. */
const PARTS = [10_000, 1_000, 100];
/** How often one trial looks at a pool that moves meanwhile. */
const LOOKS = 3;
export const FAILS = 'trades with it fail';

interface PoolTrialsDeps {
  pools: Pools;
  live: LiveAccounts;
  chain: Pick<Chain, 'latestBlockhash' | 'simulate'>;
  payer: () => Address;
  steadyNow: () => number;
  log: Logger;
}

type Parties = Pick<SwapAccounts, 'owner' | 'source'> & { amount: bigint };

interface TrialTrade {
  pool: WatchedPool;
  from: Side;
  /** Whose tokens are sold, and who gets what is bought. */
  holders: readonly [Parties, Parties];
  /** What is sold and what is bought. */
  tokens: readonly [PoolToken, PoolToken];
  accounts: SwapAccounts;
  swap: Instruction;
  /** The pool's accounts, as they were then; the clock never stands still, and makes no difference to so loose a trade. */
  madeFrom: readonly { address: Address; account: ChainAccount | undefined }[];
  /** At which they were known. */
  slot: number;
}

/**
 * Tries out pools at which the simulation of an order has failed, and sets aside those that fail for everybody. A
 * client can make its own order fail, so nothing in a trial is the client's: a small amount goes from another pool's
 * vault to another pool's vault, which only a simulation can do.
 */
export class PoolTrials {
  readonly #deps: PoolTrialsDeps;
  /** From when on a pool is tried again, in steady milliseconds: because an order has failed, and because it has changed. */
  readonly #due = new GrowingCache<Address, number>(MAX_KNOWN);
  readonly #dueAgain = new GrowingCache<Address, number>(MAX_KNOWN);
  #running = 0;
  /** One at a time, beside the others: whoever changes many pools must not keep those of orders from being tried. */
  #isTryingAgain = false;

  constructor(deps: PoolTrialsDeps) {
    this.#deps = deps;
  }

  /**
   * Tries a pool out, unless that was done a moment ago or others are being tried; resolves when it is done, and never
   * rejects.
   */
  async suspect(address: Address, inputMint: Address): Promise<void> {
    if (this.#running >= MAX_TRIALS || !this.#isDue(this.#due, address)) return;
    this.#running++;
    await this.#works(address, inputMint);
    this.#running--;
  }

  /**
   * A pool that has changed while it was left out comes back only if trades with it work now. Some can be made to work and
   * to fail in turn: one that has come back is left out as soon as an order fails, and comes back so once a minute.
   */
  async #tryAgain(address: Address, inputMint: Address): Promise<void> {
    const { pools, steadyNow } = this.#deps;
    if (this.#isTryingAgain || !this.#isDue(this.#dueAgain, address)) return;
    this.#isTryingAgain = true;
    if (await this.#works(address, inputMint)) {
      this.#due.delete(address);
      this.#dueAgain.set(address, steadyNow() + ASIDE_MS);
      pools.watched(address)?.readmit();
    }
    this.#isTryingAgain = false;
  }

  #isDue(due: GrowingCache<Address, number>, address: Address): boolean {
    const now = this.#deps.steadyNow();
    if (now < (due.get(address) ?? now)) return false;
    due.set(address, now + PAUSE_MS);
    return true;
  }

  /** Whether a small trade works; a pool with which it fails is set aside. Never rejects. */
  async #works(address: Address, inputMint: Address): Promise<boolean> {
    const { pools, steadyNow, log } = this.#deps;
    try {
      const err = await this.#errorOf(address, inputMint);
      const pool = pools.watched(address);
      if (!pool || !isInstructionError(err)) return err === null;
      log.warn({ pool: address, venue: pool.venue.label, err }, 'trades with a pool fail: left out for a minute');
      const onChange = () => void this.#tryAgain(address, inputMint);
      pool.setAside(steadyNow() + ASIDE_MS, FAILS, onChange);
    } catch (error) {
      log.info({ pool: address, err: error }, 'could not try a pool out');
    }
    return false;
  }

  /**
   * Why a small trade fails; null if it works. Undefined if there is none to try, or if no look says more than that the pool has
   * moved: a trade that was made at another price may name other accounts, and fails with a pool that works.
   */
  async #errorOf(address: Address, inputMint: Address): Promise<unknown> {
    let failed: unknown;
    let isExplained = false;
    for (let look = 0; look < LOOKS; look++) {
      const trade = this.#tradeWith(address, inputMint);
      const outcome = trade && (await this.#tried(trade));
      if (!outcome || !isInstructionError(outcome.err)) return outcome?.err;
      failed = outcome.err;
      if (await this.#stoodStill(trade, outcome.slot)) return failed;
      isExplained ||= !this.#isStillMade(trade);
    }
    // Anybody changes a broken pool as often as he likes, by a unit that is sent to a vault: that explains nothing.
    return isExplained ? undefined : failed;
  }

  #tradeWith(address: Address, inputMint: Address): TrialTrade | undefined {
    const { pools, live, steadyNow } = this.#deps;
    const now = steadyNow();
    const pool = pools.watched(address);
    const state = pool?.stateForTrial(now);
    if (!pool || !state) return undefined;
    const from: Side = pool.mints[0] === inputMint ? 0 : 1;
    const [source, destination] = [this.#holder(pool, from, now), this.#holder(pool, from === 0 ? 1 : 0, now)];
    const offer = source && smallOffer(state, from, source.amount);
    if (!source || !destination || !offer) return undefined;
    const accounts = { owner: source.owner, source: source.source, destination: destination.source, ...offer };
    const known = pool.accounts.filter((one) => one !== CLOCK_SYSVAR).map((one) => live.get(one)!);
    return {
      pool,
      from,
      holders: [source, destination],
      tokens: from === 0 ? state.tokens : [state.tokens[1], state.tokens[0]],
      accounts,
      swap: state.swap(from, accounts),
      madeFrom: known.map(({ address, account }) => ({ address, account })),
      slot: Math.max(...known.map(({ slot }) => slot)),
    };
  }

  /** How the trade ends by itself; undefined if it cannot be tried, or something else fails. @throws ChainUnavailable */
  async #tried(trade: TrialTrade): Promise<Pick<SimulationOutcome, 'err' | 'slot'> | undefined> {
    const { chain, payer } = this.#deps;
    const [source, destination] = trade.holders;
    const areThere = await Promise.all([
      this.#transferToItself(trade.tokens[0], source, trade.accounts.amountIn),
      this.#transferToItself(trade.tokens[1], destination, 0n),
    ]);
    if (!areThere.every((transfer) => transfer !== undefined)) return undefined;
    const { blockhash } = await chain.latestBlockhash();
    const { wire } = craftTransaction({
      // Whoever sells may have no SOL, as vaults have none: then nothing would be told of the pool.
      feePayer: payer(),
      instructions: [...areThere, trade.swap],
      blockhash,
      budget: { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n },
    });
    const outcome = await chain.simulate(wire, { sigVerify: false });
    const last = decodeTransaction(wire).decoded.instructions.length - 1;
    return isInstructionError(outcome.err) && outcome.err.InstructionError[0] !== last ? undefined : outcome;
  }

  /**
   * Whether the pool that failed at this slot was the one from which the trade was made. Nodes are not at one slot: what one says
   * of a slot before the bytes were read, or what was read before it, tells nothing. @throws ChainUnavailable
   */
  async #stoodStill({ pool, madeFrom, slot: madeAt }: TrialTrade, slot: number | undefined): Promise<boolean> {
    const { live } = this.#deps;
    const { accounts } = pool;
    const readings = await live.refresh(accounts);
    // It is made of other accounts now, which the next look needs.
    if (pool.accounts !== accounts) await live.refresh(pool.accounts);
    if (slot === undefined || slot < madeAt) return false;
    return madeFrom.every(({ address, account }) => {
      const reading = readings.get(address);
      // An account that has changed, if only to and fro, is another object.
      return reading !== undefined && reading.slot >= slot && live.get(address)?.account === account;
    });
  }

  /** Whether the trade would be the same, and go through, by what the pool is now. */
  #isStillMade({ pool, from, accounts, swap }: TrialTrade): boolean {
    const state = pool.stateForTrial(this.#deps.steadyNow());
    const received = state?.quote(from, accounts.amountIn)?.received ?? -1n;
    return received >= accounts.minOut && isDeepStrictEqual(state?.swap(from, accounts), swap);
  }

  /**
   * Fails where these tokens are not there any more, or are frozen: they are another pool's, which is anybody's. Then the trial says
   * nothing of the pool that is tried. Undefined if their mint is gone. @throws ChainUnavailable
   */
  async #transferToItself(
    { mint, tokenProgram }: PoolToken,
    { owner, source }: Parties,
    amount: bigint,
  ): Promise<Instruction | undefined> {
    const known = await this.#deps.pools.mint(mint);
    if (!known) return undefined;
    const { decimals } = known;
    return tokenTransferChecked({
      source,
      mint,
      destination: source,
      authority: owner,
      amount,
      decimals,
      tokenProgram,
    });
  }

  /** The fullest vault of a token among the other pools; each is read once, as it was for its pool: there may be thousands. */
  #holder({ address, mints }: Pool, side: Side, now: number): Parties | undefined {
    const { pools, live } = this.#deps;
    let fullest: Parties | undefined;
    for (const pool of pools.market().pools) {
      const at = pool.mints.indexOf(mints[side]);
      const token = at < 0 || pool.address === address ? undefined : pool.state(now)?.tokens[at];
      if (!token) continue;
      const opened = openVault(live.get(token.vault)?.account, token.mint, true);
      if (typeof opened === 'string' || opened.vault.amount <= (fullest?.amount ?? 0n)) continue;
      fullest = { owner: opened.vault.owner, source: token.vault, amount: opened.vault.amount };
    }
    return fullest;
  }
}

function isInstructionError(err: unknown): err is { InstructionError: [index: number, cause: unknown] } {
  return typeof err === 'object' && err !== null && 'InstructionError' in err;
}

/** A small amount that the pool takes by its quote, and half of what it gives for that. */
function smallOffer(state: PoolState, from: Side, most: bigint): Pick<SwapAccounts, 'amountIn' | 'minOut'> | undefined {
  for (const part of PARTS) {
    const amountIn = BigInt(Math.ceil(state.reserves[from] / part)) || 1n;
    const trade = amountIn <= most ? state.quote(from, amountIn) : undefined;
    if (trade) return { amountIn, minOut: trade.received / 2n };
  }
  return undefined;
}
