import { type Address, decodeTransaction, WireError } from '@slipway/wire';
import { ask, ChainUnavailable, type Rpc, RpcError } from '../chain/index.js';

/** A transaction that is on the chain, landed or failed. */
export interface Found {
  signature: string;
  wire: Uint8Array;
  slot: bigint;
  err: unknown;
}

interface MessageSearch {
  message: Uint8Array;
  /** An account that the message mentions; preferably one with few transactions. */
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
/** The transaction's version is above 0, so it is not one of ours. */
const UNSUPPORTED_VERSION = -32015;
/** Missing in a node's history: cleaned up, not available, skipped, or missing in long-term storage. */
const GAPS: ReadonlySet<number> = new Set([-32001, -32004, -32007, -32009]);
/** How far a validator's clock may be behind ours. */
const CLOCK_SKEW_MS = 60_000;
/** How often a listed but unreadable transaction is read again after the message is dead. */
const LAST_READS = 60;

/**
 * Searches the chain for a message whose signature is unknown. Each call skips what earlier calls have read. Once the
 * message is dead, pass `atLeastSlot`: only a node that has reached this slot may answer.
 * @throws ChainUnavailable, also if some listed transactions cannot be read yet. Once the message is dead, these are
 * given up after some calls, so that a gap in a node's history cannot keep the search going forever.
 */
export function createMessageSearch(rpc: Rpc, { message, account, notBefore }: MessageSearch) {
  const seen = new Set<string>();
  const lastReads = new Map<string, number>();

  /** Null if the node does not have the transaction; undefined if it is not the one we search for. */
  async function read(signature: string): Promise<Found | undefined | null> {
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const answer = await rpc.call<RpcTransaction | null>('getTransaction', [signature, options]).catch((error) => {
      if (error instanceof RpcError && error.code === UNSUPPORTED_VERSION) return undefined;
      if (error instanceof RpcError && GAPS.has(error.code)) return null;
      throw error;
    });
    if (answer === null) return null;
    seen.add(signature);
    if (answer === undefined) return undefined;
    const wire = Buffer.from(answer.transaction[0], 'base64');
    if (!hasMessage(wire, message)) return undefined;
    return { signature, wire, slot: BigInt(answer.slot), err: answer.meta?.err ?? null };
  }

  function isGivenUp(signature: string, isDead: boolean): boolean {
    const reads = (lastReads.get(signature) ?? 0) + (isDead ? 1 : 0);
    lastReads.set(signature, reads);
    if (reads > LAST_READS) seen.add(signature);
    return reads > LAST_READS;
  }

  return async (atLeastSlot?: bigint): Promise<Found | undefined> => {
    let unread: string | undefined;
    const nothing = (): undefined => {
      if (unread !== undefined) throw new ChainUnavailable(`${rpc.name}: ${unread} is listed, but cannot be read yet`);
    };
    for (let before: string | undefined; ; ) {
      const options = {
        commitment: 'confirmed',
        limit: PAGE,
        ...(before !== undefined && { before }),
        ...(atLeastSlot !== undefined && { minContextSlot: Number(atLeastSlot) }),
      };
      const rows = await ask(rpc, 'getSignaturesForAddress', [account, options], readRows);
      for (const { signature, blockTime } of rows) {
        if (blockTime !== null && blockTime * 1_000 < notBefore - CLOCK_SKEW_MS) return nothing();
        const found = seen.has(signature) ? undefined : await read(signature);
        if (found) return found;
        // Ours may come later in the list.
        if (found === null && !isGivenUp(signature, atLeastSlot !== undefined)) unread ??= signature;
      }
      if (rows.length < PAGE) return nothing();
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
