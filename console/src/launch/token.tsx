import { LAUNCH_SUPPLY } from '@slipway/programs/formats';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { nameOf } from '../chain/pools.js';
import type { Book } from '../lib/describe.js';
import { percent } from '../lib/format.js';
import { useLive } from '../lib/live.js';
import { useBook, useClient } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Copied, Panel, Scroll } from '../ui/parts.js';
import { Transactions } from '../ui/transactions.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { drawCurve } from './curve.js';
import { CurvePicture } from './curve-picture.js';
import { Fees } from './fees.js';
import { usePicture, useToken, useTrades } from './token-data.js';
import { Trade } from './trade.js';

/** A launched token: where it stands on its curve, who trades it, and what its creator has earned. */
export function Token() {
  const { mint } = useParams({ strict: false }) as { mint: string };
  const { client, recorder } = useClient();
  const { count } = useLive();
  const { data: token, error } = useToken(client, mint, count);
  const { data: picture } = usePicture(token?.text.uri);
  const trades = useTrades(token?.pool, count);
  const known = useBook();
  const symbol = nameOf({ mint, symbol: token?.text.symbol || null }, known);
  const book: Book = useMemo(
    () => ({ ...known, symbols: new Map([...known.symbols, [mint, symbol]]) }),
    [known, mint, symbol],
  );
  if (error) return <Trouble error={error} />;
  if (!token) return <Waiting />;
  const { text, quote, config, state, pool, marketCap, migrationMarketCap, progress } = token;
  const start = startOf(config);
  const drawn = quote && drawCurve(start * 10 ** -quote.decimals, migrationMarketCap, quote.decimals);
  // Of its shape, but of less, where some is vested.
  const curve = drawn && { ...drawn, soldShare: Number(config.soldBase) / Number(LAUNCH_SUPPLY) };
  return (
    <>
      <Head mint={mint} pool={pool} name={text.name} symbol={text.symbol} picture={picture} />
      <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]">
        <div className="grid min-w-0 gap-4">
          {quote && <Trade client={client} mint={mint} symbol={symbol} quote={quote} />}
          {quote && <Fees client={client} pool={pool} creator={state.creator} quote={quote} count={count} />}
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel
            title="On its curve"
            aside={<span className="label">{percent(Math.round(progress * 10_000) / 100)} of the way</span>}
          >
            <div className="p-4">{curve && <CurvePicture curve={curve} at={marketCap} quote={quote.symbol} />}</div>
          </Panel>
          <Panel title="Trades">
            <Scroll name="Trades of the token" className="max-h-96 min-h-24">
              <Transactions list={trades.data ?? []} book={book} />
            </Scroll>
          </Panel>
        </div>
      </div>
      <How recorder={recorder} code={codeFor(mint, quote?.mint ?? '')} />
    </>
  );
}

interface HeadProps {
  mint: string;
  pool: string;
  name: string;
  symbol: string;
  picture: string | null | undefined;
}

function Head({ mint, pool, name, symbol, picture }: HeadProps) {
  return (
    <div className="mb-4 flex items-center gap-4">
      {picture ? (
        <img
          src={picture}
          alt=""
          width="64"
          height="64"
          className="size-16 rounded-md border border-line object-cover"
        />
      ) : (
        <span className="size-16 rounded-md border border-line bg-sunken" />
      )}
      <div className="min-w-0">
        <h1 className="font-semibold text-lg [overflow-wrap:anywhere]">
          <bdi>{name}</bdi>{' '}
          <span className="text-soft">
            <bdi>{symbol}</bdi>
          </span>
        </h1>
        <p className="text-soft text-sm">
          mint <Copied text={mint} what="the mint" /> pool <Copied text={pool} what="the pool" />
        </p>
      </div>
    </div>
  );
}

/** The first market cap, in the quote's smallest unit: the curve's terms follow from what it sells and raises. */
function startOf({
  soldBase,
  migrationQuoteThreshold,
  migrationSqrtPrice,
}: {
  soldBase: bigint;
  migrationQuoteThreshold: bigint;
  migrationSqrtPrice: bigint;
}): number {
  const last = Number(migrationSqrtPrice) / 2 ** 64;
  const first = Number(migrationQuoteThreshold) / (Number(soldBase) * last);
  return first ** 2 * 1e15;
}

const codeFor = (mint: string, quote: string) => `const { dbcPoolAddress } = await client.launchAddresses('${mint}');

// Bought and sold like any other token.
await client.swap({ inputMint: '${quote}', outputMint: '${mint}', amount: 100_000_000n });

// What the creator can claim.
const fees = await client.api.post('/studio/v1/dbc/fee', { body: { poolAddress: dbcPoolAddress } });`;
