import {
  type CreateOrderEvent,
  decodeLimitOrderEvent,
  type LimitOrderAddresses,
  type LimitOrderEvent,
  limitOrderAddress,
  parseInitializeOrder,
} from '@slipway/programs';
import {
  type Address,
  base58Decode,
  type DecodedMessage,
  decodeTransaction,
  type Instruction,
  isSigner,
  isWritable,
} from '@slipway/wire';
import { ChainUnavailable, type Rpc, RpcError } from '../../chain/index.js';
import type { LimitOrderFact, LimitOrderTerms } from '../../store/limit-orders.js';

/** The code of the error for a transaction of a version that we do not read: only that one is refused. */
const UNSUPPORTED_VERSION = -32015;

/** What a transaction has done with orders, one after the other. */
export type OrderFact = { orderKey: string; fact: LimitOrderFact };
/** `refused`: the node has answered with an error, which may be of this transaction alone or of the node. */
export type Unreadable = { unreadable: string; refused?: boolean };

interface RpcTransaction {
  transaction: [string, 'base64'];
  meta: {
    err: unknown;
    innerInstructions?: { instructions: { programIdIndex: number; data: string }[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] } | null;
  } | null;
}

/** What it did, or why that cannot be told. @throws ChainUnavailable where the node gives no answer at all */
export async function readOrderTransaction(
  rpc: Rpc,
  txId: string,
  addresses: LimitOrderAddresses,
): Promise<OrderFact[] | Unreadable> {
  const params = [txId, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
  try {
    const answer = await rpc.call<RpcTransaction | null>('getTransaction', params);
    if (!answer?.meta) return { unreadable: 'the node does not have it' };
    return factsOf(answer, addresses) ?? { unreadable: 'the node has not kept what its instructions called' };
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    if (error instanceof RpcError) {
      return { unreadable: `the node refused: ${error.message}`, refused: error.code !== UNSUPPORTED_VERSION };
    }
    return { unreadable: 'its content is no transaction' };
  }
}

/** Undefined where the events of a transaction that has succeeded are not in the answer. */
function factsOf({ transaction, meta }: RpcTransaction, addresses: LimitOrderAddresses): OrderFact[] | undefined {
  const { err, innerInstructions, loadedAddresses } = meta!;
  const { decoded } = decodeTransaction(Buffer.from(transaction[0], 'base64'));
  const loaded = loadedAddresses ?? { writable: [], readonly: [] };
  const accounts = [...decoded.accounts, ...loaded.writable, ...loaded.readonly] as Address[];
  if (err !== null) {
    return openingsOf(decoded, accounts, loaded.writable.length, addresses).map(({ orderKey, ...order }) => ({
      orderKey,
      fact: { kind: 'refused', terms: termsOf(order) },
    }));
  }
  const signers = decoded.accounts.slice(0, decoded.header.requiredSignatures);
  return innerInstructions?.flatMap(({ instructions }) =>
    instructions.flatMap(({ programIdIndex, data }) => {
      const bytes = accounts[programIdIndex] === addresses.program ? base58Decode(data) : undefined;
      const event = bytes && decodeLimitOrderEvent(bytes);
      return event ? [{ orderKey: event.data.orderKey, fact: factOf(event, signers) }] : [];
    }),
  );
}

function factOf(event: LimitOrderEvent, signers: string[]): LimitOrderFact {
  switch (event.name) {
    case 'createOrderEvent':
      return { kind: 'opened', terms: termsOf(event.data) };
    case 'tradeEvent': {
      const { taker: keeper, makingAmount, takingAmount, remainingMakingAmount, remainingTakingAmount } = event.data;
      return {
        ...{ kind: 'traded', keeper, makingAmount: `${makingAmount}`, takingAmount: `${takingAmount}` },
        ...{ remainingMakingAmount: `${remainingMakingAmount}`, remainingTakingAmount: `${remainingTakingAmount}` },
      };
    }
    default:
      return { kind: 'closed', signers, isDust: event.name === 'cancelDustOrderEvent' };
  }
}

/** What an order asks for, as it is stored. */
export function termsOf(order: Omit<Opening, 'orderKey'>): LimitOrderTerms {
  const { maker, inputMint, outputMint, makingAmount, takingAmount, expiredAt, feeBps, slippageBps } = order;
  const amounts = { makingAmount: `${makingAmount}`, takingAmount: `${takingAmount}` };
  return { maker, inputMint, outputMint, ...amounts, feeBps, slippageBps, expiredAt: expiredAt?.toString() ?? null };
}

type Opening = Omit<CreateOrderEvent, 'inputTokenProgram' | 'outputTokenProgram' | 'feeAccount'>;

/** Openings that stand in the transaction itself: what others would have called is not told of a failed one. */
function openingsOf(
  decoded: DecodedMessage,
  accounts: Address[],
  loadedWritable: number,
  addresses: LimitOrderAddresses,
): Opening[] {
  const own = decoded.accounts.length;
  return decoded.instructions.flatMap(({ programIndex, accountIndexes, data }) => {
    const instruction: Instruction = {
      program: accounts[programIndex]!,
      accounts: accountIndexes.map((index) => ({
        address: accounts[index]!,
        signer: index < own && isSigner(decoded, index),
        writable: index < own ? isWritable(decoded, index) : index < own + loadedWritable,
      })),
      data,
    };
    const order = parseInitializeOrder(instruction, addresses);
    if (!order) return [];
    const { maker, inputMint, outputMint, makingAmount, takingAmount, expiredAt, feeBps = 0, slippageBps = 0 } = order;
    const orderKey = limitOrderAddress(maker, order.uniqueId, addresses.program).address;
    return [{ orderKey, maker, inputMint, outputMint, makingAmount, takingAmount, expiredAt, feeBps, slippageBps }];
  });
}
