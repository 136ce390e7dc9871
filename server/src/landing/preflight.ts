import type { Chain } from '../chain/index.js';

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
const INCONCLUSIVE: ReadonlySet<unknown> = new Set([
  'BlockhashNotFound',
  'AlreadyProcessed',
  'AccountInUse',
  'ClusterMaintenance',
]);

/**
 * Simulates a transaction, because a failing one would cost its payer the fee. Inconclusive errors do not count.
 * Neither does a failure of a transaction that is on the chain already, since it may fail only for that reason.
 */
export async function preflight(
  chain: Chain,
  wire: Uint8Array,
  signature: string | null,
): Promise<WouldFail | undefined> {
  const { err, logs } = await chain.simulate(wire, { sigVerify: false });
  if (err === null || INCONCLUSIVE.has(err)) return undefined;
  const found = signature && (await chain.statuses([signature], { history: true })).found[0];
  return found ? undefined : new WouldFail(err, logs);
}
