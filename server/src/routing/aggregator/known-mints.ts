import type { Address } from '@slipway/wire';
import type { LiveAccounts, Reading } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';
import { type PoolMint, readMint } from './mints.js';

const MAX_MINTS = 50_000;
/**
 * For so long an account that never changes is believed to be what a node has said: it may have lied once. No less than what else
 * is known of a mint (see `Chain.mint`).
 */
export const BELIEVED_MS = 60_000;
/** Four calls: their turns come soon, also where others wait. */
const AGAIN_AT_ONCE = 400;
/** After this, the others are left to the next time. */
const SOON_MS = 1_000;

interface Deps {
  live: LiveAccounts;
  steadyNow: () => number;
}

/** Caches mints: what we need of a mint never changes, unless somebody may reopen it. */
export class KnownMints {
  readonly #deps: Deps;
  readonly #mints = new GrowingCache<Address, { facts: PoolMint; until: number }>(MAX_MINTS);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Reads the mints that are not cached, or were a while ago. @throws ChainUnavailable if one is not known */
  async read(addresses: readonly Address[]): Promise<void> {
    const now = this.#deps.steadyNow();
    const wanted = [...new Set(addresses)].filter((address) => !((this.#mints.get(address)?.until ?? 0) > now));
    if (wanted.length === 0) return;
    for (const [address, { account }] of await readAgain(this.#deps, wanted, this.#mints)) {
      const read = readMint(account);
      const facts = read ? this.#noted(address, read) : this.get(address);
      if (facts) this.#mints.set(address, { facts, until: now + BELIEVED_MS });
    }
  }

  /** Undefined if the address is not a mint, or has not been read. */
  get(address: Address): PoolMint | undefined {
    return this.#mints.get(address)?.facts;
  }

  /** One that was reopened with other decimals is not priced by them before everybody here knows these. */
  #noted(address: Address, facts: PoolMint): PoolMint {
    const before = this.get(address);
    return before?.mayReopen && before.decimals !== facts.decimals ? { ...facts, mayReopen: true } : facts;
  }
}

/**
 * Reads accounts, of which some were read before: of those as many as come soon, those first that are due the longest. While clients
 * ask for more than the node may be asked, there are too many to read at once, and what is known goes on: until it is read, whatever
 * that says, it stays due. @throws ChainUnavailable if one is not known
 */
export async function readAgain(
  { live, steadyNow }: Deps,
  addresses: readonly Address[],
  known: { get(address: Address): { until: number } | undefined },
): Promise<[Address, Reading][]> {
  const all = addresses.map((address) => ({ address, due: known.get(address)?.until }));
  const read = [...(await live.refresh(all.filter(({ due }) => due === undefined).map(({ address }) => address)))];
  const again = all
    .filter(({ due }) => due !== undefined)
    .sort((a, b) => a.due! - b.due!)
    .map(({ address }) => address);
  const began = steadyNow();
  for (let at = 0; at < again.length && steadyNow() - began < SOON_MS; at += AGAIN_AT_ONCE) {
    const more = await live.refresh(again.slice(at, at + AGAIN_AT_ONCE)).catch(() => undefined);
    if (!more) break;
    read.push(...more);
  }
  return read;
}
