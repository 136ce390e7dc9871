import { type Address, base58Decode, decodeTransaction, type Instruction, isSigner, isWritable } from '@slipway/wire';
import { ask, ChainUnavailable, listOf, type Rpc } from './rpc.js';

/** The most that getSignaturesForAddress may be asked for; a node may give less. */
const PAGE = 1_000;

/** A transaction as it stands in the list of a program's. */
export interface Listed {
  txId: string;
  slot: bigint;
  /** Of its block. Where the node does not know it, that of the next newer one of the page, or else of an older one. */
  at: Date;
}

interface Range {
  before?: string | undefined;
  until?: string | undefined;
  /** A node that has not seen this slot yet refuses to answer. */
  minContextSlot?: bigint | undefined;
}

/**
 * A page of a program's transactions, the newest first: those before one and after another, where these are given. Empty
 * when there are no more.
 * @throws ChainUnavailable also where there are none before one that the node does not know
 */
export async function listTransactions(rpc: Rpc, program: Address, range: Range): Promise<Listed[]> {
  type Row = { signature: string; slot: number | bigint; blockTime?: number | bigint | null };
  const { before, until, minContextSlot } = range;
  const options = {
    ...{ ...(before && { before }), ...(until && { until }), limit: PAGE, commitment: 'confirmed' },
    ...(minContextSlot && { minContextSlot: Number(minContextSlot) }),
  };
  const page = await ask(rpc, 'getSignaturesForAddress', [program, options], (rows: Row[]) => {
    let time = rows.find(({ blockTime }) => blockTime)?.blockTime ?? 0;
    return rows.map(({ signature, slot, blockTime }) => {
      time = blockTime ?? time;
      return { txId: signature, slot: BigInt(slot), at: new Date(Number(time) * 1_000) };
    });
  });
  // What a node does not know has nothing before it there, whatever the chain has.
  if (page.length === 0 && before && !(await knows(rpc, before))) {
    throw new ChainUnavailable(`${rpc.name} does not know ${before}, before which it was asked for transactions`);
  }
  return page;
}

/**
 * All of a program's transactions after the newest known one, the newest first. Where the node does not know that one, those
 * of later slots: a block's transactions are told all at once. `isWhole`: false where the node has not kept the known one, so that some between may be missing.
 * @throws ChainUnavailable also where the node has not seen the slot of the known one yet
 */
export async function listNewer(
  rpc: Rpc,
  program: Address,
  newest: { txId: string; slot: bigint },
): Promise<{ found: Listed[]; isWhole: boolean }> {
  const found: Listed[] = [];
  let until: string | undefined = newest.txId;
  for (;;) {
    const last = found.at(-1);
    const range: Range = { before: last?.txId, until, minContextSlot: newest.slot };
    const page: Listed[] | undefined = await listTransactions(rpc, program, range).catch(async (error) => {
      // Some nodes refuse to go up to what they do not know.
      if (until === undefined || (await knows(rpc, newest.txId))) throw error;
      return undefined;
    });
    if (!page) {
      until = undefined;
      continue;
    }
    if (last && page[0] && page[0].slot > last.slot) {
      throw new ChainUnavailable(`${rpc.name} gives transactions after ${last.txId} as those before it`);
    }
    // Others give all that they have.
    const end = page.findIndex(({ txId, slot }) => txId === newest.txId || slot < newest.slot);
    found.push(...(end < 0 ? page : page.slice(0, end)));
    if (page[end]?.txId === newest.txId) return { found, isWhole: true };
    const later = () => found.filter(({ slot }) => slot > newest.slot);
    if (end >= 0) return { found: later(), isWhole: true };
    if (page.length > 0) continue;
    if (found.length === 0 || (await knows(rpc, newest.txId))) return { found, isWhole: true };
    return { found: later(), isWhole: false };
  }
}

/** Whether the node has a transaction in its history. @throws ChainUnavailable */
function knows(rpc: Rpc, txId: string): Promise<boolean> {
  const params = [[txId], { searchTransactionHistory: true }];
  return ask(rpc, 'getSignatureStatuses', params, ({ value }: { value: unknown[] }) => listOf(value, 1)[0] !== null);
}

interface RpcInstruction {
  programIdIndex: number;
  accounts: number[];
  data: string;
}

interface RpcTransaction {
  transaction: [string, 'base64'];
  meta: {
    err: unknown;
    innerInstructions?: { index: number; instructions: RpcInstruction[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] } | null;
  } | null;
}

/**
 * What a transaction has run, in the order in which it did, with what its instructions called; nothing for one that has
 * failed. `unreadable`: why the node cannot tell; `isMissing`: it may have it a moment later.
 * @throws ChainUnavailable where the node gives no answer at all
 */
export async function readInstructions(
  rpc: Rpc,
  signature: string,
): Promise<{ instructions: Instruction[] } | { unreadable: string; isMissing?: boolean }> {
  const params = [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
  try {
    const answer = await rpc.call<RpcTransaction | null>('getTransaction', params);
    if (!answer?.meta) return { unreadable: 'the node does not have it', isMissing: true };
    if (answer.meta.err !== null) return { instructions: [] };
    if (!answer.meta.innerInstructions) return { unreadable: 'the node has not kept what its instructions called' };
    return { instructions: instructionsOf(answer.transaction, answer.meta) };
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    return { unreadable: `the node refused, or answered with no transaction: ${(error as Error).message}` };
  }
}

function instructionsOf(
  [base64]: RpcTransaction['transaction'],
  { innerInstructions, loadedAddresses }: NonNullable<RpcTransaction['meta']>,
): Instruction[] {
  const { decoded } = decodeTransaction(Buffer.from(base64, 'base64'));
  const { writable, readonly } = loadedAddresses ?? { writable: [], readonly: [] };
  const own = decoded.accounts.length;
  const accounts = [...decoded.accounts, ...writable, ...readonly] as Address[];
  const resolve = (programIndex: number, accountIndexes: readonly number[], data: Uint8Array): Instruction => ({
    program: accounts[programIndex]!,
    accounts: accountIndexes.map((index) => ({
      address: accounts[index]!,
      signer: index < own && isSigner(decoded, index),
      writable: index < own ? isWritable(decoded, index) : index < own + writable.length,
    })),
    data,
  });
  return decoded.instructions.flatMap(({ programIndex, accountIndexes, data }, position) => {
    const called = (innerInstructions ?? []).filter(({ index }) => index === position);
    return [
      resolve(programIndex, accountIndexes, data),
      ...called.flatMap(({ instructions }) =>
        instructions.map((each) => resolve(each.programIdIndex, each.accounts, base58Decode(each.data)!)),
      ),
    ];
  });
}
