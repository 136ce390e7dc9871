import type { Client, LimitOrder } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAct } from '../lib/act.js';
import { short } from '../lib/format.js';
import { useBook } from '../lib/sandbox.js';
import { Button } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const COLOURS: Readonly<Record<string, string>> = { Completed: 'bg-tint text-up', Failed: 'bg-down-tint text-down' };

/** Limit orders with what has become of them. */
export function LimitList({ client, orders }: { client: Client; orders: readonly LimitOrder[] }) {
  if (orders.length === 0)
    return <p className="p-4 text-soft text-sm">None yet. Open one, then move the price to it.</p>;
  return (
    <ul aria-label="Limit orders">
      {orders.map((order) => (
        <Row key={order.orderKey} client={client} order={order} />
      ))}
    </ul>
  );
}

/** In whole tokens, or in the smallest unit where nobody knows their decimals. */
const amount = (whole: string | undefined, raw: string) => whole ?? `${raw} of the smallest unit of`;

function Row({ client, order }: { client: Client; order: LimitOrder }) {
  const { symbols } = useBook();
  const queries = useQueryClient();
  const act = useAct<{ signature: string }>();
  const [input, output] = [order.inputMint, order.outputMint].map((mint) => symbols.get(mint) ?? short(mint));
  const cancel = () =>
    act.run(async (onProgress) => {
      const done = await client.cancelLimitOrder(order.orderKey, { onProgress });
      await queries.invalidateQueries({ queryKey: ['limit orders'] });
      return done;
    });
  return (
    <li className="grid gap-2 border-line border-b px-4 py-3 text-sm last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={`rounded px-2 py-0.5 font-semibold text-xs ${COLOURS[order.status] ?? 'bg-sunken'}`}>
          {order.status}
        </span>
        <span className="min-w-0 flex-1">
          Sell {amount(order.makingAmount, order.rawMakingAmount)} {input} for{' '}
          {amount(order.takingAmount, order.rawTakingAmount)} {output}
        </span>
        <Link to="/chain/$of" params={{ of: order.orderKey }} className="font-mono text-accent text-xs underline">
          {short(order.orderKey)}
        </Link>
        {order.status === 'Open' && (
          <Button kind="quiet" className="min-h-8 px-3" busy={act.running} onClick={() => void cancel()}>
            Cancel
          </Button>
        )}
      </div>
      <p className="text-soft text-xs">
        {amount(order.remainingMakingAmount, order.rawRemainingMakingAmount)} {input} left
        {order.expiredAt !== null && <>, until {new Date(order.expiredAt).toLocaleString('en-GB')}</>}
      </p>
      {order.trades.map(({ txId, inputAmount, rawInputAmount, outputAmount, rawOutputAmount }) => (
        <p key={txId} className="flex flex-wrap gap-x-2">
          <span className="text-up">
            Got {amount(outputAmount, rawOutputAmount)} {output} for {amount(inputAmount, rawInputAmount)} {input}
          </span>
          <Link to="/chain/$of" params={{ of: txId }} className="font-mono text-accent text-xs underline">
            {short(txId)}
          </Link>
        </p>
      ))}
      <Steps act={act}>What it held is back.</Steps>
    </li>
  );
}
