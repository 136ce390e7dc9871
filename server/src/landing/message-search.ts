import { type Address, decodeTransaction, WireError } from '@slipway/wire';
import { ask, ChainUnavailable, type Rpc, RpcError } from '../chain/rpc.js';

/** A transaction that the chain has taken, landed or failed. */
export interface Found {
  signature: string;
  wire: Uint8Array;
  slot: bigint;
  err: unknown;
}

export interface MessageSearch {
  message: Uint8Array;
  /** An account that the message names; the fewer transactions it has, the better. */
  account: Address;
  /** Unix milliseconds before which the message did not exist. */
  notBefore: number;
}

interface SignatureRow {
  signature: string;
  blockTime: number | null;
}

interface RpcTransaction {
  slot: number;
  meta: { err: unknown } | null;
  transaction: [string, 'base64'];
}

const PAGE = 1_000;
/** Of a transaction that is newer than version 0: not one of ours. */
const UNSUPPORTED_VERSION = -32015;
/** How far a validator's clock may be behind ours. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Looks for a message on the chain of which no signature is known that names it. Each call goes on from what the calls
 * before have seen; `atLeastSlot`: only a node that has come so far may answer.
 * @throws ChainUnavailable
 */
export function createMessageSearch(rpc: Rpc, { message, account, notBefore }: MessageSearch) {
  const seen = new Set<string>();

  async function read(signature: string): Promise<Found | undefined> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const answer = await rpc.call<RpcTransaction | null>('getTransaction', [signature, options]).catch((error) => {
      if (error instanceof RpcError && error.code === UNSUPPORTED_VERSION) return undefined;
      throw error;
    });
    if (answer === null) throw new ChainUnavailable(`${rpc.name}: ${signature} is listed, but cannot be read yet`);
    seen.add(signature);
    if (answer === undefined) return undefined;
    const wire = Buffer.from(answer.transaction[0], 'base64');
    if (!hasMessage(wire, message)) return undefined;
    return { signature, wire, slot: BigInt(answer.slot), err: answer.meta?.err ?? null };
  }

  return async (atLeastSlot?: bigint): Promise<Found | undefined> => {
    for (let before: string | undefined; ; ) {
      const options = {
        commitment: 'confirmed',
        limit: PAGE,
        ...(before !== undefined && { before }),
        ...(atLeastSlot !== undefined && { minContextSlot: Number(atLeastSlot) }),
      };
      const rows = await ask(rpc, 'getSignaturesForAddress', [account, options], readRows);
      for (const { signature, blockTime } of rows) {
        if (blockTime !== null && blockTime * 1_000 < notBefore - CLOCK_SKEW_MS) return undefined;
        const found = seen.has(signature) ? undefined : await read(signature);
        if (found) return found;
      }
      if (rows.length < PAGE) return undefined;
      before = rows.at(-1)!.signature;
    }
  };
}

function readRows(rows: SignatureRow[]): SignatureRow[] {
  return rows.map(({ signature, blockTime }) => ({
    signature: String(signature),
    blockTime: blockTime === null || blockTime === undefined ? null : Number(blockTime),
  }));
}

function hasMessage(wire: Uint8Array, message: Uint8Array): boolean {
  try {
    return Buffer.compare(decodeTransaction(wire).message, message) === 0;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}
