import { type Address, base58Decode, decodeTransaction, type Instruction, isSigner, isWritable } from '@slipway/wire';
import { ask, ChainUnavailable, type Rpc } from './rpc.js';

/** The most that getSignaturesForAddress may be asked for; a node may give less. */
const PAGE = 1_000;

/** A transaction as it stands in the list of a program's. */
export interface Listed {
  txId: string;
  slot: bigint;
  /** Of its block. Where the node does not know it, that of the next newer one of the page, or else of an older one. */
  at: Date;
}

/**
 * A page of a program's transactions, the newest first: those before one and after another, where these are given. Empty
 * when there are no more.
 * @throws ChainUnavailable
 */
export function listTransactions(
  rpc: Rpc,
  program: Address,
  range: { before?: string | undefined; until?: string | undefined },
): Promise<Listed[]> {
  type Row = { signature: string; slot: number | bigint; blockTime?: number | bigint | null };
  const { before, until } = range;
  const options = { ...(before && { before }), ...(until && { until }), limit: PAGE, commitment: 'confirmed' };
  return ask(rpc, 'getSignaturesForAddress', [program, options], (rows: Row[]) => {
    let time = rows.find(({ blockTime }) => blockTime)?.blockTime ?? 0;
    return rows.map(({ signature, slot, blockTime }) => {
      time = blockTime ?? time;
      return { txId: signature, slot: BigInt(slot), at: new Date(Number(time) * 1_000) };
    });
  });
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
