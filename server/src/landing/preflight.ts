import type { Chain } from '../chain/index.js';
import { askSince, statusSince } from './ask-since.js';

/** The transaction would fail on the chain as it is now; nothing was sent, and the request is unchanged. */
export class WouldFail extends Error {
  override readonly name = 'WouldFail';
  constructor(
    readonly err: unknown,
    readonly logs: string[],
  ) {
    super('the simulation of the transaction failed');
  }
}

/** Simulation errors that depend on the node, not on the transaction. */
export const INCONCLUSIVE: ReadonlySet<unknown> = new Set([
  'BlockhashNotFound',
  'AlreadyProcessed',
  'AccountInUse',
  'ClusterMaintenance',
]);

/**
 * Simulates a transaction, because a failing one would cost its payer the fee. Inconclusive errors do not count.
 * Neither does a failure of a transaction that is on the chain already, since it may fail only for that reason, nor one at a node
 * that is behind: it may lack what the payer was given a moment before, and what has landed since.
 * @throws ChainUnavailable
 */
export async function preflight(
  chain: Chain,
  wire: Uint8Array,
  signature: string | null,
): Promise<WouldFail | undefined> {
  const tried = await askSince(
    chain.newestSlot,
    () => failureAtOnce(chain, wire, signature),
    (failed) => failed?.slot,
  );
  return tried?.failure;
}

/** What one node says, which may be behind; undefined where it would not fail. */
export async function failureAtOnce(
  chain: Chain,
  wire: Uint8Array,
  signature: string | null,
): Promise<{ failure: WouldFail; slot: bigint | undefined } | undefined> {
  const { err, logs, slot: told } = await chain.simulate(wire, { sigVerify: false });
  if (err === null || INCONCLUSIVE.has(err)) return undefined;
  // A node that does not tell its slot is taken for one that is not behind.
  const slot = told === undefined ? undefined : BigInt(told);
  if (signature && (await statusSince(chain, signature, async () => slot ?? chain.newestSlot()))) return undefined;
  return { failure: new WouldFail(err, logs), slot };
}
