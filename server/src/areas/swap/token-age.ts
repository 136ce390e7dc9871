import type { Address } from '@slipway/wire';
import { ask, type Rpc } from '../../chain/index.js';
import type { Clock } from '../../lib/clock.js';
import { GrowingCache } from '../../lib/growing-cache.js';

const DAY_MS = 24 * 60 * 60_000;
const PAGE = 1_000;
/** How long an answer is cached. */
const CACHED_MS = 10 * 60_000;
/** The same for the first one that a mint is young, which a node that is wrong once can give. */
const FIRST_MS = 10_000;

/** The longest that a quote waits; later quotes use the answer that has arrived meanwhile. */
const WAIT_MS = 100;

interface Known {
  pending: Promise<boolean>;
  answer?: boolean;
  /** What the node has said this time, which counts where it says so again. */
  young?: boolean;
  until: number;
}

/**
 * Whether a mint is known to be younger than 24 hours, by its first transaction, if the node lists its whole history, and
 * has done so twice. A mint with more than 1,000 transactions in that time, with none, or without both answers from the node
 * yet counts as old. Never rejects, and answers within 100 ms.
 */
export function createTokenAges({ clock, steadyNow }: { clock: Clock; steadyNow: () => number }) {
  const known = new GrowingCache<Address, Known>(10_000);

  async function isYoung(rpc: Rpc, mint: Address): Promise<boolean> {
    const params = [mint, { limit: PAGE, commitment: 'confirmed' }];
    const oldest = await ask(rpc, 'getSignaturesForAddress', params, (rows: { blockTime: number | null }[]) =>
      rows.length < PAGE ? (rows.at(-1)?.blockTime ?? undefined) : undefined,
    );
    return oldest !== undefined && oldest * 1_000 > clock.now() - DAY_MS;
  }

  function start(rpc: Rpc, mint: Address, before: Known | undefined): Known {
    const pending = isYoung(rpc, mint).then((young) => {
      entry.young = young;
      if (young && !before?.young) entry.until = steadyNow() + FIRST_MS;
      return young && before?.young === true;
    });
    const entry: Known = { pending, until: steadyNow() + CACHED_MS };
    known.set(mint, entry);
    pending.then(
      (answer) => {
        entry.answer = answer;
      },
      // Do not cache a failure.
      () => known.get(mint) === entry && known.delete(mint),
    );
    return entry;
  }

  return async (rpc: Rpc, mint: Address): Promise<boolean> => {
    const before = known.get(mint);
    const { pending, answer } = before && before.until > steadyNow() ? before : start(rpc, mint, before);
    return answer ?? orFalse(pending);
  };
}

async function orFalse(pending: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, false);
  });
  try {
    return await Promise.race([pending.catch(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
