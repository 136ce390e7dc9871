import { randomUUID } from 'node:crypto';
import { CommandError } from './context.js';

/** What one token may be spent of, in its smallest unit, as long as the program runs. */
export interface Limit {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly most: bigint;
}

export interface Spending {
  readonly mint: string;
  readonly amount: bigint;
}

/** Counts what is spent, and refuses what is above a limit. */
export interface Purse {
  /** All of it or nothing. @throws CommandError where a token has no limit, or too little of it is left */
  reserve(spendings: readonly Spending[]): void;
  /** Takes back what was reserved and not spent. */
  release(spendings: readonly Spending[]): void;
  left(): (Limit & { left: bigint })[];
}

/** @throws CommandError for two limits of one token: by the service's word, that may be another one than was named */
export function createPurse(limits: readonly Limit[]): Purse {
  const left = new Map(limits.map(({ mint, most }) => [mint, most]));
  const twice = limits.find(({ mint }, i) => limits.findIndex((other) => other.mint === mint) < i);
  if (twice) throw new CommandError(`--limit: two are of the token ${twice.mint}; name each token once, by its mint`);
  const add = (spendings: readonly Spending[], sign: 1n | -1n) => {
    for (const { mint, amount } of spendings) left.set(mint, left.get(mint)! + sign * amount);
  };
  return {
    reserve(spendings) {
      const wanted = new Map<string, bigint>();
      for (const { mint, amount } of spendings) wanted.set(mint, (wanted.get(mint) ?? 0n) + amount);
      for (const [mint, amount] of wanted) {
        const rest = left.get(mint);
        if (rest === undefined) throw new CommandError(`the operator has set no limit for ${mint}: it is not spent`);
        if (amount > rest)
          throw new CommandError(`${amount} of ${mint} are above what is left of the operator's limit: ${rest}`);
      }
      add(spendings, -1n);
    },
    release: (spendings) => add(spendings, 1n),
    left: () => limits.map((limit) => ({ ...limit, left: left.get(limit.mint)! })),
  };
}

/** How long a quote can be executed. */
const QUOTE_MS = 60_000;
const MOST_QUOTES = 100;

/** What would be done, shown before it is. */
export interface Quoted<Options> {
  readonly spends: readonly Spending[];
  run(options: Options): Promise<object>;
}

/** Quotes that wait to be executed: each once, and only for a minute. */
export function createQuotes<Options>(now: () => number) {
  const kept = new Map<string, { quoted: Quoted<Options>; until: number }>();
  return {
    keep(quoted: Quoted<Options>): string {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_QUOTES && oldest !== undefined) kept.delete(oldest);
      const id = randomUUID();
      kept.set(id, { quoted, until: now() + QUOTE_MS });
      return id;
    },
    /** @throws CommandError for one that is not there, was executed, or is too old */
    take(id: string): Quoted<Options> {
      const found = kept.get(id);
      kept.delete(id);
      if (found !== undefined && now() <= found.until) return found.quoted;
      throw new CommandError('no such quote: a quote can be executed once, within a minute; ask for a new one');
    },
  };
}
