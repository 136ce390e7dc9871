import type { CancelledPriceOrder, Client, Login, PriceOrder } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAct } from '../lib/act.js';
import { short, timeText, tokenText, usd } from '../lib/format.js';
import { type Mint, useInfo } from '../lib/sandbox.js';
import { Button } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';
import { isOpen, pricesOf } from './use-orders.js';
import { Why } from './why.js';

interface OrderListProps {
  client: Client;
  login: Login;
  orders: readonly PriceOrder[];
}

/** Orders with what has become of them. */
export function OrderList({ client, login, orders }: OrderListProps) {
  if (orders.length === 0)
    return <p className="p-4 text-soft text-sm">None yet. Place a stop loss, then pull the price down to it.</p>;
  return (
    <ul aria-label="Orders">
      {orders.map((order) => (
        <Row key={order.id} client={client} login={login} order={order} />
      ))}
    </ul>
  );
}

const COLOURS: Readonly<Record<string, string>> = { filled: 'bg-tint text-up', failed: 'bg-down-tint text-down' };

function Row({ client, login, order }: { client: Client; login: Login; order: PriceOrder }) {
  const { mints } = useInfo();
  const queries = useQueryClient();
  const act = useAct<CancelledPriceOrder>();
  const input = mints.find(({ mint }) => mint === order.inputMint);
  const output = mints.find(({ mint }) => mint === order.outputMint);
  const lines = pricesOf(order).map(({ name, usd: price }) => `${name} at ${usd(price)}`);
  const cancel = () =>
    act.run(async (onProgress) => {
      const done = await client.cancelPriceOrder(login, order.id, { onProgress });
      await queries.invalidateQueries({ queryKey: ['orders'] });
      return done;
    });
  return (
    <li className="grid gap-2 border-line border-b px-4 py-3 text-sm last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={`rounded px-2 py-0.5 font-semibold text-xs ${COLOURS[order.orderState] ?? 'bg-sunken'}`}>
          {order.orderState}
        </span>
        <span className="min-w-0 flex-1">
          Sell {tokenText(order.initialInputAmount, order.inputMint, input)} for{' '}
          {output?.symbol ?? short(order.outputMint)}: {lines.join(', ')}
        </span>
        {isOpen(order) && (
          <Button kind="quiet" className="min-h-8 px-3" busy={act.running} onClick={() => void cancel()}>
            Cancel
          </Button>
        )}
      </div>
      {order.outputAmount !== null && BigInt(order.outputAmount) > 0n && (
        <p className="text-up">Got {tokenText(order.outputAmount, order.outputMint, output)}</p>
      )}
      <Steps act={act}>
        {act.done?.orderState === 'pending_withdraw'
          ? 'A part is back. Cancel again for the rest.'
          : 'The deposit is back.'}
      </Steps>
      <details>
        <summary className="text-soft text-xs leading-6">What happened to it</summary>
        <History order={order} mints={mints} />
      </details>
      <Why client={client} login={login} order={order} />
    </li>
  );
}

function History({ order, mints }: { order: PriceOrder; mints: readonly Mint[] }) {
  const named = (mint: string | undefined) => mints.find((each) => each.mint === mint);
  return (
    <ol className="mt-1 grid gap-1">
      {order.events.map(
        ({ type, state, timestamp, txSignature, mint, amount, outputMint, outputAmount, orderContext }) => (
          <li key={`${type} ${timestamp} ${txSignature}`} className="flex flex-wrap items-baseline gap-x-2">
            <time className="text-soft text-xs">{timeText(timestamp)}</time>
            <span>
              {type} {orderContext?.replace('_', ' ')} {state !== 'success' && `(${state})`}
            </span>
            {amount !== undefined && (
              <span className="text-soft">{tokenText(amount, mint ?? order.inputMint, named(mint))}</span>
            )}
            {outputAmount !== undefined && (
              <span className="text-up">
                → {tokenText(outputAmount, outputMint ?? order.outputMint, named(outputMint))}
              </span>
            )}
            {txSignature && (
              <Link to="/chain/$of" params={{ of: txSignature }} className="font-mono text-accent text-xs underline">
                {short(txSignature)}
              </Link>
            )}
          </li>
        ),
      )}
    </ol>
  );
}
