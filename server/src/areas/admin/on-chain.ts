import type { Rpc } from '../../chain/index.js';
import type { OnChain } from './watch-schema.js';

const MOST_LOGS = 200;

interface Found {
  slot: number;
  blockTime?: number | null;
  meta: {
    fee: number;
    err: unknown;
    computeUnitsConsumed?: number;
    logMessages?: string[] | null;
  } | null;
}

/** What the chain says of a transaction; undefined if it has none. @throws ChainUnavailable, RpcError */
export async function readOnChain(rpc: Rpc, signature: string): Promise<OnChain | undefined> {
  const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 };
  const found = await rpc.call<Found | null>('getTransaction', [signature, options]);
  if (!found?.meta) return undefined;
  const { fee, err, computeUnitsConsumed = null, logMessages } = found.meta;
  return {
    slot: found.slot,
    blockTime: found.blockTime ? new Date(found.blockTime * 1_000).toISOString() : null,
    fee: String(fee),
    error: err === null ? null : JSON.stringify(err),
    computeUnits: computeUnitsConsumed,
    logs: (logMessages ?? []).slice(0, MOST_LOGS),
  };
}
