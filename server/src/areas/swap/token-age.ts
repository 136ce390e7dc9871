import type { Address } from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import { ask, type Rpc } from '../../chain/index.js';
import type { Clock } from '../../lib/clock.js';

const DAY_MS = 24 * 60 * 60_000;
const PAGE = 1_000;
/** A token that is not new stays so; of others the chain is asked again after this long. */
const ASKED_AGAIN_MS = 10 * 60_000;

/**
 * Whether a mint is known to be younger than 24 hours: by its first transaction, where the node lists all it ever had.
 * A mint with more than 1,000 transactions in that time, without any, or that the node will not tell of counts as old.
 */
export function createTokenAges(deps: { rpc: Rpc; clock: Clock; steadyNow: () => number }) {
  const { rpc, clock, steadyNow } = deps;
  const known = new LRUCache<Address, { answer: Promise<boolean>; until: number }>({ max: 10_000 });

  async function find(mint: Address): Promise<boolean> {
    const params = [mint, { limit: PAGE, commitment: 'confirmed' }];
    const oldest = await ask(rpc, 'getSignaturesForAddress', params, (rows: { blockTime: number | null }[]) =>
      rows.length < PAGE ? (rows.at(-1)?.blockTime ?? undefined) : undefined,
    ).catch(() => undefined);
    return oldest !== undefined && oldest * 1_000 > clock.now() - DAY_MS;
  }

  return (mint: Address): Promise<boolean> => {
    const before = known.get(mint);
    if (before && before.until > steadyNow()) return before.answer;
    const answer = find(mint);
    known.set(mint, { answer, until: steadyNow() + ASKED_AGAIN_MS });
    return answer;
  };
}
