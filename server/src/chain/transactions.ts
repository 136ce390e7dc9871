import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, decodeTransaction } from '@slipway/wire';
import { steadyNow } from '../lib/clock.js';
import { amountIn, bytesIn, wholeIn } from './node-values.js';
import { ask, ChainUnavailable, Refused, type Rpc } from './rpc.js';

/** What an account held before and after a transaction. */
export interface Held {
  before: bigint;
  after: bigint;
}

/** A transaction that is on the chain, and what it moved. */
export interface LandedTransaction {
  /** Charged to the first signer, whatever the transaction did. */
  feeLamports: bigint;
  /** By the accounts of the transaction, the first signer first. */
  lamports: ReadonlyMap<Address, Held>;
  /** Token accounts, in the smallest unit; 0 while an account that the transaction created or closed did not exist. */
  tokens: ReadonlyMap<Address, Held>;
}

interface RpcTokenBalance {
  accountIndex: number;
  uiTokenAmount: { amount: string };
}

interface RpcTransaction {
  transaction: [string, 'base64'];
  meta: {
    fee: number;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances?: RpcTokenBalance[] | null;
    postTokenBalances?: RpcTokenBalance[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] };
  } | null;
}

/** A node that knows a transaction's status may know its balances only a moment later. */
const TRIES = 10;
const RETRY_MS = 200;

/**
 * A landed transaction of version 0 or older; undefined if the node does not have it, by default within two seconds.
 * @throws ChainUnavailable
 */
export async function readTransaction(
  rpc: Rpc,
  signature: string,
  { tries = TRIES } = {},
): Promise<LandedTransaction | undefined> {
  const params = [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
  const end = steadyNow() + tries * RETRY_MS;
  for (let left = tries; left > 0; left--) {
    const found = await ask(rpc, 'getTransaction', params, read);
    if (found) return found;
    if (steadyNow() >= end) break;
    if (left > 1) await sleep(RETRY_MS);
  }
  return undefined;
}

/** How a transaction has ended. */
export interface TransactionEnd {
  slot: bigint;
  /** As the RPC writes a TransactionError; null if it has succeeded. */
  err: unknown;
}

/**
 * How this very transaction has ended; undefined if the node does not have it, or not yet; `untold` if it cannot tell.
 * A status does not say that: nodes know recent transactions by the first 20 bytes of their signatures, and of two that were
 * signed with the same nonce they tell what has become of one for both.
 * @throws ChainUnavailable
 */
export async function endOf(
  rpc: Rpc,
  signature: string,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<TransactionEnd | 'untold' | undefined> {
  const params = [signature, { encoding: 'base64', commitment, maxSupportedTransactionVersion: 0 }];
  return unlessUntold(
    rpc,
    'getTransaction',
    params,
    (answer: { slot: number; meta: { err: unknown } | null } | null) => {
      if (answer === null) return undefined;
      const err = answer.meta?.err;
      return err === undefined ? 'untold' : { slot: wholeIn(answer.slot), err };
    },
  );
}

interface Listed {
  signature: string;
  slot: number;
  err?: unknown;
}

/** How many of a payer's transactions are listed besides those that are looked for: strangers may have landed newer ones that name it. */
const NEWEST = 25;
const MOST_NEWEST = 100;
/** How many more, where they stand behind these. */
const NEXT = 100;

/** What a node lists of a payer's transactions. */
export interface Ends {
  /** How they have ended, as `endOf` says of each; those that are missing it has not listed. */
  ends: Map<string, TransactionEnd | 'untold'>;
  /** Whether those that are missing may stand behind newer ones. */
  isBuried: boolean;
  /** Why nothing is known of those that are missing, where the node has listed a few, and not the rest. */
  failure?: ChainUnavailable;
}

/**
 * How these transactions of one payer have ended. A node lists them in no time whatever they do, where it may take ten seconds to give a
 * single one. Of the payer's, the newest few are listed, or with `isBuried` a hundred more: a line may have five kilobytes of memos.
 * With `isFewFirst`, only as many as are looked for at first: a list that a node's own ledger does not fill it asks its archive
 * for, which may be slow, or away. None that landed before the slot `since` is looked for.
 * @throws ChainUnavailable; Refused where the node does not list them
 */
export async function endsOf(
  rpc: Rpc,
  payer: Address,
  signatures: ReadonlySet<string>,
  { since, isBuried = false, isFewFirst = false }: { since: bigint; isBuried?: boolean; isFewFirst?: boolean },
): Promise<Ends | 'untold'> {
  const ends: Ends['ends'] = new Map();
  let last: { signature: string; slot: bigint } | undefined;
  const newest = Math.min(NEWEST + signatures.size, MOST_NEWEST);
  const few = isFewFirst ? Math.min(signatures.size, newest) : 0;
  for (const limit of [few, newest - few, isBuried ? NEXT : 0]) {
    if (limit === 0) continue;
    const params = [payer, { commitment: 'confirmed', limit, ...(last && { before: last.signature }) }];
    const rows = await listOf(rpc, params).catch((error: ChainUnavailable) => {
      if (last === undefined) throw error;
      return error;
    });
    if (rows === 'untold') return rows;
    if (rows instanceof ChainUnavailable) return { ends, isBuried: false, failure: rows };
    for (const { signature, slot, err } of rows)
      if (signatures.has(signature)) ends.set(signature, err === undefined ? 'untold' : { slot, err });
    last = rows.at(-1);
    const isWhole = rows.length < limit || last!.slot < since;
    if (ends.size === signatures.size || isWhole) return { ends, isBuried: false };
  }
  return { ends, isBuried: true };
}

function listOf(rpc: Rpc, params: unknown[]) {
  return unlessUntold(rpc, 'getSignaturesForAddress', params, (rows: Listed[]) => {
    if (!Array.isArray(rows)) throw new TypeError('no list');
    return rows.map(({ signature, slot, err }) => ({ signature, slot: wholeIn(slot), err }));
  });
}

/** The codes of nodes that keep no history, and of those that know no such method. Others may answer the next time. */
const NO_HISTORY: ReadonlySet<number> = new Set([-32011, -32601]);

/** `untold` where the node keeps no history. */
async function unlessUntold<R, T>(
  rpc: Rpc,
  method: string,
  params: unknown[],
  read: (answer: R) => T,
): Promise<T | 'untold'> {
  try {
    return await ask(rpc, method, params, read);
  } catch (error) {
    if (error instanceof Refused && NO_HISTORY.has(error.refusal!)) return 'untold';
    throw error;
  }
}

function read(answer: RpcTransaction | null): LandedTransaction | undefined {
  if (!answer?.meta) return undefined;
  const { meta, transaction } = answer;
  const { decoded } = decodeTransaction(bytesIn(transaction[0]));
  const loaded = meta.loadedAddresses ?? { writable: [], readonly: [] };
  const accounts = [...decoded.accounts, ...loaded.writable, ...loaded.readonly] as Address[];
  const lamports = new Map<Address, Held>();
  for (const [index, account] of accounts.entries()) {
    lamports.set(account, { before: wholeIn(meta.preBalances[index]), after: wholeIn(meta.postBalances[index]) });
  }
  const tokens = new Map<Address, Held>();
  for (const when of ['before', 'after'] as const) {
    const balances = when === 'before' ? meta.preTokenBalances : meta.postTokenBalances;
    for (const { accountIndex, uiTokenAmount } of balances ?? []) {
      const account = accounts[accountIndex]!;
      const held = tokens.get(account) ?? { before: 0n, after: 0n };
      tokens.set(account, { ...held, [when]: amountIn(uiTokenAmount.amount) });
    }
  }
  return { feeLamports: wholeIn(meta.fee), lamports, tokens };
}
