import type { Address } from '@slipway/wire';
import { AppError } from '../errors/index.js';
import { AnswerTooLong, type Rpc } from './rpc.js';
import { readWallet, type Wallet } from './wallet.js';

/** Of one caller, at a time. An ordinary wallet takes a tenth of a second. */
const MOST_OF_ONE = 4;

/** Who has a wallet read. */
export interface Reader {
  /** Whom its calls are counted for; none where they are not counted. */
  payer: { readonly id: string } | undefined;
  /** Counts what the wallet has cost, also one that has more than is read. Not allowed where fewer calls were left. */
  charge: (wallet: Wallet | undefined) => Promise<{ allowed: boolean } | undefined>;
}

interface Caller {
  running: number;
  waiting: ((isSpent: boolean) => void)[];
}

/**
 * Reads wallets for callers. What one has cost is known only afterwards, so a caller has few read at a time, and what
 * waits when the first have cost more calls than it has is refused.
 */
export class WalletReads {
  readonly #callers = new Map<string, Caller>();

  /** All that a wallet holds, as `readWallet` does. @throws AppError RATE_LIMITED */
  async read(rpc: Rpc, owner: Address, { payer, charge }: Reader): Promise<Wallet> {
    const leave = payer && (await this.#enter(payer.id));
    let isSpent = false;
    const count = async (wallet: Wallet | undefined) => {
      isSpent = true;
      isSpent = (await charge(wallet))?.allowed === false;
    };
    try {
      const wallet = await readWallet(rpc, owner);
      await count(wallet);
      return wallet;
    } catch (error) {
      if (error instanceof AnswerTooLong) await count(undefined);
      throw error;
    } finally {
      leave?.(isSpent);
    }
  }

  async #enter(id: string): Promise<(isSpent: boolean) => void> {
    const caller = this.#callers.get(id) ?? { running: 0, waiting: [] };
    this.#callers.set(id, caller);
    if (caller.running >= MOST_OF_ONE) {
      const isSpent = await new Promise<boolean>((resolve) => caller.waiting.push(resolve));
      if (isSpent) throw new AppError('RATE_LIMITED', { message: 'Too many requests: large wallets count as many' });
    } else caller.running += 1;
    return (isSpent) => {
      if (isSpent) for (const refuse of caller.waiting.splice(0)) refuse(true);
      const next = caller.waiting.shift();
      if (next) return next(false);
      caller.running -= 1;
      if (caller.running === 0) this.#callers.delete(id);
    };
  }
}
