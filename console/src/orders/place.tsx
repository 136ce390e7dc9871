import type { Client, Login } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, usd } from '../lib/format.js';
import { type Mint, useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Copied, Labelled } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const DAY_MS = 86_400_000;
const KINDS = { stop: 'Stop loss', profit: 'Take profit', oco: 'Both' } as const;
type Kind = keyof typeof KINDS;

interface PlaceProps {
  client: Client;
  login: Login | undefined;
  input: Mint;
  output: Mint;
}

/** Places an order: its deposit goes to the wallet's vault, and lands together with it. */
export function Place({ client, login, input, output }: PlaceProps) {
  const { name } = useWallet();
  const { unixTimestamp } = useInfo();
  const queries = useQueryClient();
  const price = input.usdPrice ?? 1;
  const [kind, setKind] = useState<Kind>('stop');
  const [text, setText] = useState('1');
  // Ten percent away, until something is typed.
  const [typed, type] = useState<{ low?: string; high?: string }>({});
  const { low = (price * 0.9).toPrecision(5), high = (price * 1.1).toPrecision(5) } = typed;
  const act = useAct<{ id: string; signature: string }>();
  const inputAmount = amountOf(text, input.decimals);
  const prices = { slPriceUsd: Number(low), tpPriceUsd: Number(high) };
  const problems = {
    low: kind !== 'profit' && !(prices.slPriceUsd > 0 && prices.slPriceUsd < price) ? `below ${usd(price)}` : undefined,
    high: kind !== 'stop' && !(prices.tpPriceUsd > price) ? `above ${usd(price)}` : undefined,
  };
  const ready = login && inputAmount !== undefined && !problems.low && !problems.high;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const terms = {
      inputMint: input.mint,
      outputMint: output.mint,
      inputAmount,
      expiresAt: new Date(unixTimestamp * 1_000 + DAY_MS),
      ...termsOf(kind, prices),
    };
    void act.run(async (onProgress) => {
      const placed = await client.placePriceOrder(login, terms, { onProgress });
      type({});
      await queries.invalidateQueries({ queryKey: ['orders'] });
      return placed;
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <fieldset className="grid grid-cols-3 gap-1 rounded bg-sunken p-1">
        <legend className="sr-only">Kind of order</legend>
        {Object.entries(KINDS).map(([value, said]) => (
          <label
            key={value}
            className="flex min-h-9 cursor-pointer items-center justify-center rounded text-sm has-checked:bg-panel has-checked:font-semibold has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name="kind"
              className="sr-only"
              checked={kind === value}
              onChange={() => setKind(value as Kind)}
            />
            {said}
          </label>
        ))}
      </fieldset>
      <Labelled
        name={`Sell so much ${input.symbol} for ${output.symbol}`}
        problem={inputAmount === undefined ? 'an amount above 0, such as 1.5' : undefined}
      >
        {(id) => <Amount id={id} value={text} change={setText} />}
      </Labelled>
      {kind !== 'profit' && (
        <Labelled name="when the price falls to, in USD" problem={problems.low}>
          {(id) => <Amount id={id} value={low} change={(usdText) => type({ ...typed, low: usdText })} />}
        </Labelled>
      )}
      {kind !== 'stop' && (
        <Labelled name="when the price rises to, in USD" problem={problems.high}>
          {(id) => <Amount id={id} value={high} change={(usdText) => type({ ...typed, high: usdText })} />}
        </Labelled>
      )}
      <Button type="submit" disabled={!ready || act.running}>
        Sign as {name}, deposit and place
      </Button>
      <Steps act={act}>
        Placed: it waits on the chart. Deposit {act.done && <Copied text={act.done.signature} what="the signature" />}
      </Steps>
    </form>
  );
}

function termsOf(kind: Kind, { slPriceUsd, tpPriceUsd }: { slPriceUsd: number; tpPriceUsd: number }) {
  if (kind === 'oco') return { orderType: 'oco', slPriceUsd, tpPriceUsd } as const;
  return kind === 'stop'
    ? ({ orderType: 'single', triggerCondition: 'below', triggerPriceUsd: slPriceUsd } as const)
    : ({ orderType: 'single', triggerCondition: 'above', triggerPriceUsd: tpPriceUsd } as const);
}

function Amount({ id, value, change }: { id: string; value: string; change: (text: string) => void }) {
  return (
    <input
      id={id}
      className="field"
      inputMode="decimal"
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  );
}
