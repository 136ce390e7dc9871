import type { Chain } from '../chain/index.js';

/** The transaction would fail on the chain as it is now; nothing has left, and the request id is as it was. */
export class WouldFail extends Error {
  override readonly name = 'WouldFail';
  constructor(
    readonly err: unknown,
    readonly logs: string[],
  ) {
    super('the simulation of the transaction failed');
  }
}

/** Errors of a simulation that depend on the node that was asked, not on the transaction. */
const INCONCLUSIVE: ReadonlySet<unknown> = new Set([
  'BlockhashNotFound',
  'AlreadyProcessed',
  'AccountInUse',
  'ClusterMaintenance',
]);

/**
 * A doomed transaction would cost its payer the fee. Neither a node that cannot tell stops a good one, nor the fact that
 * a second one like it would fail stops one that its owner has landed already.
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
