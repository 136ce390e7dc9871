import type { Address } from '@slipway/wire';
import { type ChainAccount, type RpcAccount, readRpcAccount } from './accounts.js';
import { ask, type Contextual, listOf, type Rpc } from './rpc.js';

export interface SimulationOutcome {
  /** As the RPC writes a TransactionError; null when it would succeed. */
  err: unknown;
  logs: string[];
  unitsConsumed: number;
  /** Of the node that simulated it; missing where it tells none. */
  slot?: number;
  /** The requested accounts, in their order, as they would be afterwards; none if it fails. */
  accounts: (ChainAccount | undefined)[];
}

interface RpcSimulation {
  err: unknown;
  logs: string[] | null;
  unitsConsumed?: number;
  accounts?: (RpcAccount | null)[] | null;
}

/** `Chain.simulate` of one node. */
export function simulate(
  rpc: Rpc,
  wire: Uint8Array,
  { sigVerify, accounts = [] }: { sigVerify: boolean; accounts?: Address[] },
): Promise<SimulationOutcome> {
  const options = {
    encoding: 'base64',
    commitment: 'confirmed',
    sigVerify,
    ...(accounts.length > 0 && { accounts: { encoding: 'base64', addresses: accounts } }),
  };
  const params = [Buffer.from(wire).toString('base64'), options];
  return ask(
    rpc,
    'simulateTransaction',
    params,
    ({ context, value }: Partial<Contextual<unknown>> & { value: RpcSimulation }) => {
      if (value.err === undefined) throw new TypeError('neither an error nor none');
      const afterwards = value.err === null && accounts.length > 0 ? listOf(value.accounts, accounts.length) : [];
      return {
        err: value.err,
        logs: value.logs ?? [],
        unitsConsumed: Number(value.unitsConsumed ?? 0),
        ...(Number.isSafeInteger(context?.slot) && { slot: context!.slot }),
        accounts: afterwards.map(readRpcAccount),
      };
    },
  );
}
