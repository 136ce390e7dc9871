import {
  type CreateOrderEvent,
  decodeLimitOrderEvent,
  type LimitOrderAddresses,
  limitOrderAddress,
  type LimitOrderEvent as ProgramEvent,
  parseInitializeOrder,
} from '@slipway/programs';
import type { Instruction } from '@slipway/wire';
import type { PastTransaction } from '../../chain/index.js';
import type { LimitOrderEvent, LimitOrderTerms } from '../../store/limit-orders.js';

/** What happened to the order at an address. */
export interface OrderEvent {
  orderKey: string;
  event: LimitOrderEvent;
}

/**
 * Openings that are read of a failed transaction: as many as one has room for that names its accounts in full. With a lookup
 * table, three times as many fit, and nothing but its fee is paid for them.
 */
export const MOST_REFUSED = 6;

/** What a transaction has done with orders, in order. For a failed one: the orders that it would have opened, the first of them. */
export function decodeOrderEvents(
  { hasFailed, signers, instructions }: PastTransaction,
  addresses: LimitOrderAddresses,
): OrderEvent[] {
  if (hasFailed) return refusalsOf(instructions, addresses);
  return instructions.flatMap((instruction) => {
    // The data of others is not even decoded: anybody has his own program called with any amount of it. Nor is that of ours
    // with more than any event has: anybody calls it with what he likes behind the arguments, to hide what he has done.
    const isOurs = instruction.isCalled && instruction.program === addresses.program && !instruction.isTooLong;
    const event = isOurs ? decodeLimitOrderEvent(instruction.data) : undefined;
    return event ? [{ orderKey: event.data.orderKey, event: eventOf(event, signers) }] : [];
  });
}

function eventOf(event: ProgramEvent, signers: string[]): LimitOrderEvent {
  switch (event.name) {
    case 'createOrderEvent':
      return { kind: 'opened', terms: termsOf(event.data) };
    case 'tradeEvent': {
      const { taker: keeper, makingAmount, takingAmount, remainingMakingAmount, remainingTakingAmount } = event.data;
      return {
        kind: 'traded',
        keeper,
        makingAmount: `${makingAmount}`,
        takingAmount: `${takingAmount}`,
        remainingMakingAmount: `${remainingMakingAmount}`,
        remainingTakingAmount: `${remainingTakingAmount}`,
      };
    }
    default:
      return { kind: 'closed', signers, isDust: event.name === 'cancelDustOrderEvent' };
  }
}

type Opening = Omit<CreateOrderEvent, 'inputTokenProgram' | 'outputTokenProgram' | 'feeAccount'>;

/** What an order asks for, as it is stored. */
export function termsOf(order: Omit<Opening, 'orderKey'>): LimitOrderTerms {
  const { maker, inputMint, outputMint, makingAmount, takingAmount, expiredAt, feeBps, slippageBps } = order;
  return {
    maker,
    inputMint,
    outputMint,
    makingAmount: `${makingAmount}`,
    takingAmount: `${takingAmount}`,
    feeBps,
    slippageBps,
    expiredAt: expiredAt?.toString() ?? null,
  };
}

function refusalsOf(instructions: readonly Instruction[], addresses: LimitOrderAddresses): OrderEvent[] {
  const refusals: OrderEvent[] = [];
  for (const instruction of instructions) {
    const refusal = refusalOf(instruction, addresses);
    if (refusal && refusals.push(refusal) === MOST_REFUSED) break;
  }
  return refusals;
}

function refusalOf(instruction: Instruction, addresses: LimitOrderAddresses): OrderEvent | undefined {
  const order = parseInitializeOrder(instruction, addresses);
  if (!order) return undefined;
  const orderKey = limitOrderAddress(order.maker, order.uniqueId, addresses.program).address;
  const { expiredAt, feeBps = 0, slippageBps = 0 } = order;
  return { orderKey, event: { kind: 'refused', terms: termsOf({ ...order, expiredAt, feeBps, slippageBps }) } };
}
