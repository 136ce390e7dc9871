import { amountText, percent, usd } from '../lib/format.js';
import type { Mint } from '../lib/sandbox.js';
import type { Offer } from './quotes.js';

interface OffersProps {
  offers: readonly Offer[] | undefined;
  output: Mint;
  /** The routers that are left out. */
  excluded: string | undefined;
  choose: (excludeRouters: string | undefined) => void;
}

/** The routers side by side, the best one first; each can be chosen alone. */
export function Offers({ offers, output, excluded, choose }: OffersProps) {
  const best = Number(offers?.[0]?.quote?.outAmount ?? 0);
  return (
    <div className="grid gap-3 p-4">
      <ul className="grid min-h-54 content-start gap-3 sm:min-h-28 sm:grid-cols-2" aria-label="Routers">
        {offers?.map((offer, rank) => (
          <OfferCard
            key={offer.id}
            offer={offer}
            output={output}
            less={rank === 0 ? 0 : (1 - Number(offer.quote?.outAmount ?? 0) / best) * 100}
            taken={
              offer.quote !== undefined && (excluded === undefined ? rank === 0 : excluded === offer.excludeRouters)
            }
            choose={() => choose(rank === 0 ? undefined : offer.excludeRouters)}
          />
        ))}
      </ul>
    </div>
  );
}

interface OfferCardProps {
  offer: Offer;
  output: Mint;
  /** Than the best, in percent. */
  less: number;
  taken: boolean;
  choose: () => void;
}

function OfferCard({ offer: { name, quote, error }, output, less, taken, choose }: OfferCardProps) {
  return (
    <li className={`rounded border p-3 text-sm ${taken ? 'border-accent bg-tint' : 'border-line'}`}>
      <div className="flex justify-between gap-2">
        <span className="font-semibold">{name}</span>
        <span className="text-soft" data-live>
          {quote ? `${quote.swapType === 'rfq' ? 'market maker' : 'pools'} · ${quote.totalTime} ms` : 'no offer'}
        </span>
      </div>
      {quote && (
        <>
          <p className="mt-1 text-base">
            {amountText(BigInt(quote.outAmount), output.decimals)} {output.symbol}
          </p>
          <div className="flex flex-wrap justify-between gap-2 text-soft">
            <span>
              {less === 0 ? 'wins: most arrives' : `${percent(less)} less`}
              {quote.outUsdValue !== undefined && ` · worth ${usd(quote.outUsdValue)}`}
            </span>
            <button type="button" aria-pressed={taken} onClick={choose} className="min-h-6 px-1 text-accent underline">
              {taken ? 'Taken' : `Take ${name}`}
            </button>
          </div>
        </>
      )}
      {error && <p className="mt-1 text-soft [overflow-wrap:anywhere]">{error}</p>}
    </li>
  );
}
