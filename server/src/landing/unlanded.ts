import { type Chain, type Rpc, type SignatureStatus, statusesOf } from '../chain/index.js';
import { type Deaths, deadAt, type Lifetime } from './lifetime.js';

interface UnlandedDeps {
  chain: Chain;
  sendRpcs: readonly Rpc[];
}

/**
 * The slot at which a transaction that was told landed is dead, and has not: the node, which has reached that slot, does not have
 * it, or has it as failed for good, and so it is with each other one that answers. Undefined where it may have, or may yet. One
 * false status lands nothing, and a fork undoes what was confirmed. `said` is what nodes have said of its death before.
 * @throws ChainUnavailable
 */
export async function unlandedAt(
  { chain, sendRpcs }: UnlandedDeps,
  { signature, lifetime, said }: { signature: string; lifetime: Lifetime; said: Deaths },
): Promise<bigint | undefined> {
  const death = await deadAt(lifetime, chain, said);
  if (death === undefined) return undefined;
  const { slot, found } = await chain.statuses([signature], { history: true });
  if (slot < death || mayHaveLanded(found[0])) return undefined;
  const others = await Promise.all(
    sendRpcs.map((rpc) =>
      statusesOf(rpc, [signature], true).then(
        (told) => mayHaveLanded(told.found[0]),
        // Some take transactions, and tell nothing.
        () => false,
      ),
    ),
  );
  return others.includes(true) ? undefined : death;
}

function mayHaveLanded(status: SignatureStatus | undefined): boolean {
  return status !== undefined && !(status.err !== null && status.finalized);
}
