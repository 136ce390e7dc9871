import type { Address } from '@slipway/wire';
import type { MintInfo } from '../../chain/index.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import { isoTime } from '../../lib/iso-time.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type LimitOrderRow, type LimitOrderState, listLimitOrders, ORDERS_A_READ } from '../../store/limit-orders.js';
import { catchUp } from './catch-up.js';
import { type TriggerV1Deps, tags, triggerV1Route } from './deps.js';

import { type TriggerOrder, TriggerOrdersAnswer, TriggerOrdersQuery } from './schema.js';

const PER_PAGE = 10;
const CLOSED: readonly LimitOrderState[] = ['completed', 'cancelled', 'expired', 'closed'];
const STATUS = {
  open: 'Open',
  completed: 'Completed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  failed: 'Failed',
  closed: 'Closed',
} as const satisfies Record<LimitOrderState, string>;

export function registerGetTriggerOrders(app: TypedServer, deps: TriggerV1Deps): void {
  app.get(
    '/trigger/v1/getTriggerOrders',
    {
      config: triggerV1Route,
      schema: {
        tags,
        summary: "A wallet's limit orders and their fills",
        description:
          'Read from the chain, 10 a page. Of a wallet with 10,000 open orders, or as many others, each further 10,000 count as a call. Those that changed last are listed, up to 300,000.',
        querystring: TriggerOrdersQuery,
        response: { 200: TriggerOrdersAnswer },
      },
    },
    (request) => getTriggerOrders(calledBy(deps, request), request.query, (weight) => request.charge(weight)),
  );
}

/**
 * A page of a wallet's orders with their fills, most recently changed first. `charge` counts further calls.
 * @throws AppError RATE_LIMITED where fewer calls are left
 */
export async function getTriggerOrders(
  deps: TriggerV1Deps,
  query: TriggerOrdersQuery,
  charge: (weight: number) => Promise<{ allowed: boolean } | undefined>,
): Promise<TriggerOrdersAnswer> {
  const { user, orderStatus, page = 1, includeFailedTx = 'false' } = query;
  const maker = requireAddress('user', user);
  const [inputMint, outputMint] = (['inputMint', 'outputMint'] as const).map((field) => {
    const mint = query[field];
    return mint === undefined ? undefined : requireAddress(field, mint);
  });
  await catchUp(deps);
  const closed: readonly LimitOrderState[] = includeFailedTx === 'true' ? [...CLOSED, 'failed'] : CLOSED;
  const { rows, total } = await listLimitOrders(
    deps.store,
    {
      program: deps.addresses.program,
      maker,
      inputMint,
      outputMint,
      states: orderStatus === 'active' ? ['open'] : closed,
    },
    { offset: (page - 1) * PER_PAGE, limit: PER_PAGE },
    async () => {
      if ((await charge(1))?.allowed !== false) return;
      const message = `Too many requests: each ${ORDERS_A_READ} orders of this wallet count as a call, and fewer are left; wait`;
      throw new AppError('RATE_LIMITED', { message });
    },
  );
  const orders = await Promise.all(rows.map((row) => render(deps, row)));
  const totalPages = Math.ceil(total / PER_PAGE);
  return { user, orderStatus, orders, totalPages, page, hasMoreData: page < totalPages };
}

async function render({ chain }: TriggerV1Deps, row: LimitOrderRow): Promise<TriggerOrder> {
  const { orderKey, inputMint, outputMint } = row;
  const [input, output] = await Promise.all([inputMint, outputMint].map((mint) => chain.mint(mint as Address)));
  return {
    userPubkey: row.maker,
    orderKey,
    inputMint,
    outputMint,
    ...whole(input, { makingAmount: row.makingAmount, remainingMakingAmount: row.remainingMakingAmount }),
    ...whole(output, { takingAmount: row.takingAmount, remainingTakingAmount: row.remainingTakingAmount }),
    rawMakingAmount: row.makingAmount.toString(),
    rawTakingAmount: row.takingAmount.toString(),
    rawRemainingMakingAmount: row.remainingMakingAmount.toString(),
    rawRemainingTakingAmount: row.remainingTakingAmount.toString(),
    slippageBps: row.slippageBps.toString(),
    expiredAt: row.expiredAt === null ? null : seconds(row.expiredAt * 1_000n),
    createdAt: seconds(row.createdAt.getTime()),
    updatedAt: seconds(row.updatedAt.getTime()),
    status: STATUS[row.state],
    openTx: row.openTx,
    closeTx: row.closeTx,
    programVersion: row.program,
    trades: row.trades.map((trade) => ({
      orderKey,
      keeper: trade.keeper,
      inputMint,
      outputMint,
      txId: trade.txId,
      ...whole(input, { inputAmount: trade.makingAmount }),
      ...whole(output, { outputAmount: trade.takingAmount, feeAmount: trade.feeAmount }),
      rawInputAmount: trade.makingAmount.toString(),
      rawOutputAmount: trade.takingAmount.toString(),
      feeMint: outputMint,
      rawFeeAmount: trade.feeAmount.toString(),
      confirmedAt: seconds(trade.confirmedAt.getTime()),
      action: 'Fill' as const,
      productMeta: null,
    })),
  };
}

/** Amounts in whole tokens; none where the node does not show the mint, which its issuer may have closed, or which it lacks. */
function whole<K extends string>(mint: MintInfo | undefined, amounts: Record<K, bigint>): { [name in K]?: string } {
  if (!mint) return {};
  const texts = Object.entries<bigint>(amounts).map(([name, amount]) => [name, decimalString(amount, mint.decimals)]);
  return Object.fromEntries(texts);
}

/** ISO 8601 without a fraction, as the contract has it. */
function seconds(unixMilliseconds: number | bigint): string {
  return isoTime(unixMilliseconds).replace(/\.\d{3}Z$/, 'Z');
}
