import {
  type Address,
  base58Decode,
  type DecodedMessage,
  decodeTransaction,
  decodeVersion1,
  type Instruction,
  isSigner,
  isWritable,
} from '@slipway/wire';
import { beginningsOf } from './long-base58.js';
import { bytesIn, wholeIn } from './node-values.js';
import { ask, ChainUnavailable, listOf, type Rpc, RpcError, Unanswered } from './rpc.js';

/** The most that getSignaturesForAddress may be asked for; a node may give less. */
const PAGE = 1_000;
/** So many transactions of a list are kept, some 300 bytes each: of a program that many use, there may be millions after a pause. */
const MOST_LISTED = 100_000;
/** How often it is asked what is before a transaction: of several nodes behind one address, each keeps as much as it likes. */
const MOST_ASKED = 5;

/** A transaction as a program's list has it. */
export interface Listed {
  txId: string;
  slot: bigint;
  /**
   * The time of its block. If the node does not know it: that of the next newer one of the page, or else of an older
   * one.
   */
  at: Date;
}

interface Range {
  before?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
  /** A node that has not seen this slot yet refuses to answer. */
  minContextSlot?: bigint | undefined;
}

/**
 * A page of a program's transactions, newest first: those before one and after another, if these are given. Empty when
 * there are no more.
 * @throws ChainUnavailable also if there are none before one that the node does not know
 */
export async function listTransactions(rpc: Rpc, program: Address, range: Range): Promise<Listed[]> {
  type Row = { signature: string; slot: number | bigint; blockTime?: number | bigint | null };
  const { before, until, limit = PAGE, minContextSlot } = range;
  const options = {
    ...(before && { before }),
    ...(until && { until }),
    limit,
    commitment: 'confirmed',
    ...(minContextSlot && { minContextSlot: Number(minContextSlot) }),
  };
  const page = await ask(rpc, 'getSignaturesForAddress', [program, options], (rows: Row[]) => {
    let time = rows.find(({ blockTime }) => blockTime)?.blockTime ?? 0;
    return rows.map(({ signature, slot, blockTime }) => {
      time = blockTime ?? time;
      return { txId: signature, slot: wholeIn(slot), at: new Date(Number(time) * 1_000) };
    });
  });
  // A node has nothing before a transaction that it does not know, whatever the chain has.
  if (page.length === 0 && before && !(await knows(rpc, before))) {
    throw new ChainUnavailable(`${rpc.name} does not know ${before}, before which it was asked for transactions`);
  }
  return page;
}

/**
 * A page of a program's transactions before one, newest first; empty if nothing is older. Undefined if the node does
 * not know that one, and so cannot tell. @throws ChainUnavailable
 */
export async function listOlder(rpc: Rpc, program: Address, oldest: string): Promise<Listed[] | undefined> {
  try {
    return await listTransactions(rpc, program, { before: oldest });
  } catch (error) {
    if (await knows(rpc, oldest)) throw error;
    return undefined;
  }
}

/**
 * All of a program's transactions after the newest known one, newest first. If the node does not know that one, those
 * of later slots: a block's transactions are all listed at once. `isWhole` is false if no list goes on to the known one, which the node
 * has not kept, so that some in between may be missing; `isDenied` is true if it has older ones and not the known one in its slot: it is behind,
 * or there is no such transaction. `isAll` is false if there are newer ones than these, which are the oldest `MOST_LISTED`.
 * @throws ChainUnavailable also if the node has not seen the slot of the known one yet
 */
export async function listNewer(
  rpc: Rpc,
  program: Address,
  newest: { txId: string; slot: bigint },
): Promise<{ found: Listed[]; isWhole: boolean; isDenied?: boolean; isAll: boolean }> {
  const found: Listed[] = [];
  let isAll = true;
  let until: string | undefined = newest.txId;
  let isProof = false;
  for (let empty = 0; ; ) {
    const last = found.at(-1);
    const next = isProof ? { limit: 1 } : { until };
    const range: Range = { before: last?.txId, ...next, minContextSlot: newest.slot };
    const page: Listed[] | undefined = await listTransactions(rpc, program, range).catch(async (error) => {
      // Some nodes refuse an `until` that they do not know.
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
    // Others return all that they have: too much for a call's arguments.
    const end = page.findIndex(({ txId, slot }) => txId === newest.txId || slot < newest.slot);
    for (const listed of end < 0 ? page : page.slice(0, end)) found.push(listed);
    if (found.length > MOST_LISTED) {
      isAll = false;
      dropNewest(found);
    }
    if (page[end]?.txId === newest.txId) return { found, isWhole: true, isAll };
    const later = () => found.filter(({ slot }) => slot > newest.slot);
    if (end >= 0) {
      const [slot] = await slotsOf(rpc, [newest.txId]);
      return { found: later(), isWhole: true, isDenied: slot !== newest.slot, isAll };
    }
    if (found.length === 0) return { found, isWhole: true, isAll };
    if (page.length === 0 && isProof && ++empty === MOST_ASKED) return { found: later(), isWhole: false, isAll };
    // With `until`, a list ends alike where a node has reached the newest one and where it has kept nothing more.
    isProof = page.length === 0 || (page.length < PAGE && !isProof);
  }
}

/** Keeps `MOST_LISTED`, and of no slot only a part. */
function dropNewest(found: Listed[]): void {
  const least = found.length - MOST_LISTED;
  let dropped = least;
  while (found[dropped]?.slot === found[dropped - 1]!.slot) dropped++;
  // No slot has as many: a node that says so goes on with what is left, as with any other list.
  found.splice(0, dropped < found.length ? dropped : least);
}

/** Whether the node has a transaction in its history. @throws ChainUnavailable */
async function knows(rpc: Rpc, txId: string): Promise<boolean> {
  return (await slotsOf(rpc, [txId]))[0] !== undefined;
}

/** The slots of at most 256 transactions; undefined for one that the node does not have in its history. @throws ChainUnavailable */
export function slotsOf(rpc: Rpc, txIds: readonly string[]): Promise<(bigint | undefined)[]> {
  type Answer = { value: ({ slot: number | bigint } | null)[] };
  return ask(rpc, 'getSignatureStatuses', [txIds, { searchTransactionHistory: true }], ({ value }: Answer) =>
    listOf(value, txIds.length).map((status) => (status === null ? undefined : wholeIn(status.slot))),
  );
}

interface RpcInstruction {
  programIdIndex: number;
  accounts: number[];
  data: string;
}

interface RpcTransaction {
  slot: number | bigint;
  transaction: [string, 'base64'];
  meta: {
    err: unknown;
    innerInstructions?: { index: number; instructions: RpcInstruction[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] } | null;
  } | null;
}

/** A transaction that is on the chain. */
export interface PastTransaction {
  slot: bigint;
  hasFailed: boolean;
  signers: Address[];
  /** Characters of what was called: most of a long answer. */
  calledLength: number;
  /** In execution order, each followed by what it called. A failed transaction has only its own. */
  instructions: PastInstruction[];
}

interface PastInstruction extends Instruction {
  isCalled: boolean;
  /** Reading its data throws: see `MAX_CALLED_DIGITS`. */
  isTooLong?: boolean;
  /** What data that is too long may begin with, instead: see `beginningsOf`. */
  beginnings?: readonly Uint8Array[];
}

/** Why a node cannot tell what a transaction did. */
export interface Unreadable {
  unreadable: string;
  /** The node may have it a moment later. */
  isMissing?: boolean;
  /** The node has answered with an error, or not in time, which may concern this transaction alone or the whole node. */
  isRefused?: boolean;
}

/**
 * Digits of what was called that are read. The time that it takes grows with their square, and anybody has a program of his
 * own called with ten kilobytes 60 times in a transaction; no call that is looked for has as much as a transaction holds.
 */
const MAX_CALLED_DIGITS = 1_700;

/** The error code for a transaction version that we do not read: only that transaction is refused. */
const UNSUPPORTED_VERSION = -32015;

/**
 * What a transaction ran, or why that is not known. Anybody can land one for 5,000 lamports whose answer has a megabyte, and which a
 * node may take ten seconds to write.
 * @throws ChainUnavailable if the node cannot be reached
 */
export async function readPastTransaction(rpc: Rpc, txId: string): Promise<PastTransaction | Unreadable> {
  const params = [txId, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }];
  try {
    const answer = await rpc.call<RpcTransaction | null>('getTransaction', params);
    if (!answer?.meta) return { unreadable: 'the node does not have it', isMissing: true };
    const { err, innerInstructions, loadedAddresses } = answer.meta;
    if (err === undefined) throw new TypeError('neither an error nor none');
    const hasFailed = err !== null;
    if (!hasFailed && !innerInstructions) {
      return { unreadable: 'the node has not kept what its instructions called' };
    }
    const wire = bytesIn(answer.transaction[0]);
    // We make none of version 1, but others call the programs with them.
    const called = innerInstructions?.flatMap(({ instructions }) => instructions) ?? [];
    const decoded = decodeVersion1(wire) ?? decodeTransaction(wire).decoded;
    return {
      slot: wholeIn(answer.slot),
      hasFailed,
      get calledLength() {
        return called.reduce((sum, { data }) => sum + data.length, 0);
      },
      signers: decoded.accounts.slice(0, decoded.header.requiredSignatures) as Address[],
      instructions: instructionsOf(decoded, loadedAddresses, hasFailed ? [] : innerInstructions!),
    };
  } catch (error) {
    if (error instanceof Unanswered) return { unreadable: error.message, isRefused: true };
    if (error instanceof ChainUnavailable) throw error;
    if (error instanceof RpcError) {
      return { unreadable: `the node refused: ${error.message}`, isRefused: error.code !== UNSUPPORTED_VERSION };
    }
    return { unreadable: 'its content is no transaction' };
  }
}

type Meta = NonNullable<RpcTransaction['meta']>;

function instructionsOf(
  decoded: DecodedMessage,
  loadedAddresses: Meta['loadedAddresses'],
  inner: NonNullable<Meta['innerInstructions']>,
): PastTransaction['instructions'] {
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
    const called = inner.filter(({ index }) => index === position).flatMap(({ instructions }) => instructions);
    return [
      { ...resolve(programIndex, accountIndexes, data), isCalled: false },
      ...called.map((each) => ({
        ...resolve(each.programIdIndex, each.accounts, NOTHING),
        isCalled: true,
        get isTooLong() {
          return each.data.length > MAX_CALLED_DIGITS;
        },
        get beginnings() {
          return beginningsOf(each.data);
        },
        /** Only read where somebody asks. @throws RangeError */
        get data() {
          return calledData(each);
        },
      })),
    ];
  });
}

const NOTHING = new Uint8Array(0);

function calledData({ data }: RpcInstruction): Uint8Array {
  const read = data.length > MAX_CALLED_DIGITS ? undefined : base58Decode(data);
  if (!read) throw new RangeError('a call with data that is none, or too long');
  return read;
}
