import { wholeIn } from './node-values.js';
import { ask, type Contextual, listOf, type Rpc } from './rpc.js';

export interface SignatureStatus {
  slot: bigint;
  err: unknown;
  confirmed: boolean;
  /** No fork can undo it. */
  finalized: boolean;
}

export interface Statuses {
  /** Of the node that answered: what it does not know may have landed after this slot. */
  slot: bigint;
  /** In the order of the request; undefined: unknown to the node. */
  found: (SignatureStatus | undefined)[];
}

interface RpcStatus {
  slot: number;
  err: unknown;
  /** Votes on top of its block; null once the block is rooted. */
  confirmations?: number | null;
  /** Old nodes and some gateways leave it out. */
  confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null;
}

/** As the cluster's own client reads it. */
function commitmentOf({ confirmations, confirmationStatus }: RpcStatus) {
  if (confirmationStatus) return confirmationStatus;
  if (typeof confirmations !== 'number') return 'finalized';
  return confirmations > 0 ? 'confirmed' : 'processed';
}

/** `Chain.statuses` of one node. */
export function statusesOf(rpc: Rpc, signatures: string[], history: boolean): Promise<Statuses> {
  const params = [signatures, { searchTransactionHistory: history }];
  type Answer = Contextual<(RpcStatus | null)[]>;
  return ask(rpc, 'getSignatureStatuses', params, ({ context, value }: Answer) => ({
    slot: wholeIn(context.slot),
    found: listOf(value, signatures.length).map((status) => {
      if (!status) return undefined;
      const { slot, err } = status;
      if (err === undefined) throw new TypeError('neither an error nor none');
      const commitment = commitmentOf(status);
      return {
        slot: wholeIn(slot),
        err,
        confirmed: commitment !== 'processed',
        finalized: commitment === 'finalized',
      };
    }),
  }));
}
