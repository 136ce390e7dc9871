import type { Client, Login, PriceOrder } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { plainName } from '../lib/format.js';
import { useBook } from '../lib/sandbox.js';
import { Trouble } from '../ui/trouble.js';

const AGAIN_MS = 2_000;

/** Why an order has fired or not, as the service says it to its owner; asked for as long as it is looked at. */
export function Why({ client, login, order }: { client: Client; login: Login; order: PriceOrder }) {
  const [open, setOpen] = useState(false);
  const title = useId();
  const { symbols } = useBook();
  const { id, rawState } = order;
  const { data, error } = useQuery({
    queryKey: ['why', id, rawState],
    queryFn: ({ signal }) =>
      client.api.get('/trigger/v2/orders/history/{orderId}/explanation', {
        path: { orderId: id },
        token: login.token,
        signal,
      }),
    enabled: open,
    refetchInterval: AGAIN_MS,
    placeholderData: (last) => last,
  });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary id={title} className="text-soft text-xs leading-6">
        Why has it fired or not?
      </summary>
      {open && error && <Trouble error={error} />}
      <ul
        aria-labelledby={title}
        aria-live="polite"
        className="mt-1 grid min-h-15 list-disc content-start gap-0.5 pl-5"
      >
        {data === undefined && !error && <li className="text-soft">Asking …</li>}
        {data?.reasons.map((reason) => (
          <li key={reason} className="[overflow-wrap:anywhere]">
            {inWords(plainName(reason, 500), symbols)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Tokens by their symbols. */
const inWords = (text: string, symbols: ReadonlyMap<string, string>): string =>
  text.replace(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, (address) => symbols.get(address) ?? address);
