import type { Client } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { usd } from '../lib/format.js';
import { infoQuery, type Mint } from '../lib/sandbox.js';
import { Button } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';

const STEPS = [-0.1, -0.01, 0.01, 0.1];

/** Moves the price of a token in the sandbox; pools, market makers and keepers follow it. */
export function PriceSlider({ client, mint: { mint, symbol, usdPrice = 1 } }: { client: Client; mint: Mint }) {
  const id = useId();
  const [middle] = useState(usdPrice);
  const { wanted, error, move } = usePriceMove(client, mint);
  const shown = wanted ?? usdPrice;
  const [least, most] = [Math.min(middle * 0.5, usdPrice), Math.max(middle * 1.5, usdPrice)];
  return (
    <div className="grid gap-2 p-4">
      <div className="flex items-baseline justify-between">
        <label htmlFor={id} className="label">
          Price of {symbol}
        </label>
        <output htmlFor={id} className="font-semibold text-xl">
          {usd(shown)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        className="h-8 w-full accent-accent"
        min={least}
        max={most}
        step={middle / 500}
        value={shown}
        aria-valuetext={usd(shown)}
        onChange={({ target }) => void move(Number(target.value))}
      />
      <div className="grid grid-cols-4 gap-2">
        {STEPS.map((part) => (
          <Button
            key={part}
            kind="quiet"
            className="whitespace-nowrap px-0"
            onClick={() => void move(shown * (1 + part))}
          >
            {part > 0 ? '+' : '−'}
            {Math.abs(part) * 100} %
          </Button>
        ))}
      </div>
      {error !== undefined && <Trouble error={error} />}
    </div>
  );
}

/** Moves the price of a token; `wanted` is the one on its way. */
function usePriceMove(client: Client, mint: string) {
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<number>();
  const [error, setError] = useState<unknown>();
  const next = useRef<number>(undefined);
  const busy = useRef(false);

  /** One request at a time: of what the slider passes meanwhile, only the last counts. */
  const move = async (price: number) => {
    next.current = price;
    setWanted(price);
    if (busy.current) return;
    busy.current = true;
    setError(undefined);
    try {
      while (next.current !== undefined) {
        const body = { mint, usd: Number(next.current.toPrecision(6)) };
        next.current = undefined;
        await client.api.post('/sandbox/prices', { body });
        await queries.invalidateQueries(infoQuery);
      }
    } catch (thrown) {
      setError(thrown);
    }
    busy.current = false;
    setWanted(undefined);
  };
  return { wanted, error, move };
}
