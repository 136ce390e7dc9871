import type { Client } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, amountProblem, amountText, commaProblem } from '../lib/format.js';
import { type Mint, useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Copied, Labelled, Typed } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const DAY_MS = 86_400_000;
const LIVES = { never: 'Never', hour: 'In an hour', day: 'In a day' } as const;
type Life = keyof typeof LIVES;

interface OpenLimitProps {
  client: Client;
  input: Mint;
  output: Mint;
  choose: (pair: { from: string; to: string }) => void;
}

/** Opens a limit order: so much of one token, at so much of another for each. */
export function OpenLimit({ client, input, output, choose }: OpenLimitProps) {
  const { mints, unixTimestamp } = useInfo();
  const { name } = useWallet();
  const queries = useQueryClient();
  const [sells, setSells] = useState('1');
  const [price, setPrice] = useState(() => proposed(input, output));
  const [life, setLife] = useState<Life>('never');
  const act = useAct<{ order: string; signature: string }>();
  const makingAmount = amountOf(sells, input.decimals);
  const worth = worthOf(input, output);
  const takingAmount = makingAmount && takingOf(sells, price, output);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!makingAmount || !takingAmount) return;
    const ends = unixTimestamp * 1_000 + (life === 'hour' ? DAY_MS / 24 : DAY_MS);
    const expiresAt = life === 'never' ? undefined : new Date(ends);
    const request = { inputMint: input.mint, outputMint: output.mint, makingAmount, takingAmount, expiresAt };
    void act.run(async (onProgress) => {
      const opened = await client.createLimitOrder(request, { onProgress });
      await queries.invalidateQueries({ queryKey: ['limit orders'] });
      return opened;
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <Pair mints={mints} input={input} output={output} choose={choose} />
      <Labelled
        name={`So much ${input.symbol}`}
        problem={makingAmount === undefined ? amountProblem(sells) : undefined}
      >
        {(id) => <Typed id={id} value={sells} change={setSells} />}
      </Labelled>
      <Labelled
        name={`At so much ${output.symbol} for each`}
        problem={commaProblem(price) ?? (makingAmount && !takingAmount ? 'a price above 0' : undefined)}
      >
        {(id) => <Typed id={id} value={price} change={setPrice} />}
      </Labelled>
      <LifeChoice life={life} choose={setLife} />
      {takingAmount && (
        <p className="text-soft text-sm">
          It is filled when somebody pays {amountText(takingAmount, output.decimals)} {output.symbol} for it
          {worth !== undefined && `; now one ${input.symbol} is worth ${rounded(worth)}`}.
        </p>
      )}
      <Button type="submit" disabled={!takingAmount} busy={act.running}>
        Sign as {name} and open
      </Button>
      <Steps act={act}>Open: order {act.done && <Copied text={act.done.order} what="the order's address" />}</Steps>
    </form>
  );
}

/** What is sold, and for what. */
function Pair({
  mints,
  input,
  output,
  choose,
}: Pick<OpenLimitProps, 'input' | 'output' | 'choose'> & { mints: readonly Mint[] }) {
  return (
    <div className="grid grid-cols-2 gap-2">
      <Token
        name="Sell"
        mints={mints}
        mint={input}
        choose={(from) => choose(from === output.mint ? { from, to: input.mint } : { from, to: output.mint })}
      />
      <Token
        name="For"
        mints={mints}
        mint={output}
        choose={(to) => choose(to === input.mint ? { from: output.mint, to } : { from: input.mint, to })}
      />
    </div>
  );
}

function LifeChoice({ life, choose }: { life: Life; choose: (life: Life) => void }) {
  return (
    <Labelled name="Ends">
      {(id) => (
        <select id={id} className="field" value={life} onChange={({ target }) => choose(target.value as Life)}>
          {Object.entries(LIVES).map(([value, said]) => (
            <option key={value} value={value}>
              {said}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Undefined where the price of either is not known. */
const worthOf = (input: Mint, output: Mint): number | undefined =>
  input.usdPrice && output.usdPrice ? input.usdPrice / output.usdPrice : undefined;

/** A little more than it is worth. */
function proposed(input: Mint, output: Mint): string {
  const worth = worthOf(input, output);
  return worth === undefined ? '' : rounded(worth * 1.02);
}

const rounded = (price: number): string => `${Number(price.toPrecision(6))}`;

/** What is asked for all that is sold; undefined where that is nothing, or no number. */
function takingOf(sells: string, price: string, output: Mint): bigint | undefined {
  const asked = Number(sells) * Number(price);
  return asked > 0 && Number.isFinite(asked) ? amountOf(asked.toFixed(output.decimals), output.decimals) : undefined;
}

interface TokenProps {
  name: string;
  mints: readonly Mint[];
  mint: Mint;
  choose: (mint: string) => void;
}

function Token({ name, mints, mint, choose }: TokenProps) {
  return (
    <Labelled name={name}>
      {(id) => (
        <select
          id={id}
          className="field font-semibold"
          value={mint.mint}
          onChange={({ target }) => choose(target.value)}
        >
          {mints.map((each) => (
            <option key={each.mint} value={each.mint}>
              {each.symbol}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
