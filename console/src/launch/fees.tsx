import type { Client } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { amountText, short } from '../lib/format.js';
import { OUTDATED_MS } from '../lib/live.js';
import { type Mint, useBook } from '../lib/sandbox.js';
import { Panel } from '../ui/parts.js';

interface FeesProps {
  client: Client;
  pool: string;
  creator: string;
  quote: Mint;
  count: number;
}

/** What the creator has earned by the trades. */
export function Fees({ client, pool, creator, quote, count }: FeesProps) {
  const book = useBook();
  const { data } = useQuery({
    queryKey: ['fees', pool, count],
    gcTime: OUTDATED_MS,
    queryFn: ({ signal }) =>
      client.api.post('/studio/v1/dbc/fee', { body: { poolAddress: pool }, signal, repeatable: true }),
    placeholderData: (last) => last,
  });
  const amount = (text: string | undefined) =>
    text === undefined ? '…' : `${amountText(BigInt(text), quote.decimals)} ${quote.symbol}`;
  return (
    <Panel
      title="Fees of its creator"
      aside={<span className="label">{book.wallets.get(creator) ?? short(creator)}</span>}
    >
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 px-4 py-3 text-sm">
        <dt className="text-soft">To be claimed</dt>
        <dd>{amount(data?.unclaimed)}</dd>
        <dt className="text-soft">Ever</dt>
        <dd>{amount(data?.total)}</dd>
      </dl>
    </Panel>
  );
}
