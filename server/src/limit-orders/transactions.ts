import {
  type CreateOrderEvent,
  decodeLimitOrderEvent,
  type InitializeOrder,
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
import { ask, type Rpc } from '../chain/index.js';

/** The most that getSignaturesForAddress answers. */
const PAGE = 1_000;

/**
 * The signatures of a program's transactions after `cursor` (all of them for an empty one, but no more than `most`), the oldest first.
 * @throws ChainUnavailable
 */
export async function signaturesAfter(rpc: Rpc, program: Address, cursor: string, most: number): Promise<string[]> {
  const found: string[] = [];
  for (let before: string | undefined; ; before = found.at(-1)) {
    const range = { ...(before && { before }), ...(cursor && { until: cursor }) };
    const page = await ask(
      rpc,
      'getSignaturesForAddress',
      [program, { ...range, limit: PAGE, commitment: 'confirmed' }],
      (rows: { signature: string }[]) => rows.map(({ signature }) => signature),
    );
    found.push(...page);
    if (page.length < PAGE || found.length >= most) return found.slice(0, most).reverse();
  }
}

/** What a transaction has done with orders. */
export interface OrderTransaction {
  signature: string;
  at: Date;
  signers: Address[];
  events: LimitOrderEvent[];
  /** The orders that a failed transaction would have opened. */
  refused: CreateOrderEvent[];
}

interface RpcTransaction {
  blockTime: number | null;
  transaction: [string, 'base64'];
  meta: {
    err: unknown;
    innerInstructions?: { instructions: { programIdIndex: number; data: string }[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] };
  } | null;
}

/** Undefined while the node does not have it. @throws ChainUnavailable */
export function readOrderTransaction(
  rpc: Rpc,
  signature: string,
  addresses: LimitOrderAddresses,
): Promise<OrderTransaction | undefined> {
  const params = [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
  return ask(rpc, 'getTransaction', params, (answer: RpcTransaction | null) => {
    if (!answer?.meta || answer.blockTime === null) return undefined;
    const { meta, blockTime } = answer;
    const { decoded } = decodeTransaction(Buffer.from(answer.transaction[0], 'base64'));
    const loaded = meta.loadedAddresses ?? { writable: [], readonly: [] };
    const accounts = [...decoded.accounts, ...loaded.writable, ...loaded.readonly] as Address[];
    return {
      signature,
      at: new Date(blockTime * 1_000),
      signers: decoded.accounts.slice(0, decoded.header.requiredSignatures),
      events: meta.err === null ? eventsOf(meta, accounts, addresses) : [],
      refused: meta.err === null ? [] : openingsOf(decoded, accounts, loaded.writable.length, addresses),
    };
  });
}

function eventsOf(
  { innerInstructions }: NonNullable<RpcTransaction['meta']>,
  accounts: Address[],
  { program }: LimitOrderAddresses,
): LimitOrderEvent[] {
  return (innerInstructions ?? []).flatMap(({ instructions }) =>
    instructions.flatMap(({ programIdIndex, data }) => {
      const bytes = accounts[programIdIndex] === program ? base58Decode(data) : undefined;
      return (bytes && decodeLimitOrderEvent(bytes)) ?? [];
    }),
  );
}

/** Openings that stand in the transaction itself: what others would have called is not told of a failed one. */
function openingsOf(
  decoded: DecodedMessage,
  accounts: Address[],
  loadedWritable: number,
  addresses: LimitOrderAddresses,
): CreateOrderEvent[] {
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
    return order ? [asEvent(order, addresses)] : [];
  });
}

function asEvent(order: InitializeOrder, { program }: LimitOrderAddresses): CreateOrderEvent {
  const { maker, uniqueId, referral, payer: _, makerInputMintAccount: __, ...terms } = order;
  const orderKey = limitOrderAddress(maker, uniqueId, program).address;
  const rest = { expiredAt: order.expiredAt, feeBps: order.feeBps ?? 0, slippageBps: order.slippageBps ?? 0 };
  return { ...terms, ...rest, orderKey, maker, feeAccount: referral ?? program };
}
