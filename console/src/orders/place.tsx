import type { Client, Login } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, amountProblem, short } from '../lib/format.js';
import { type Mint, useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Labelled, Typed } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';
import { defaultsAt, FIELD_NAMES, FIELDS, type Field, KINDS, type Kind, problemsOf, termsOf } from './kinds.js';

const DAY_MS = 86_400_000;

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
  const [amounts, setAmounts] = useState({ sells: '1', buys: '100' });
  const [changed, change] = useState<Partial<Record<Field, string>>>({});
  const typed = { ...defaultsAt(price), ...changed };
  const act = useAct<{ id: string; signature: string }>();
  const buys = kind === 'otoco';
  const paid = buys ? output : input;
  const text = buys ? amounts.buys : amounts.sells;
  const inputAmount = amountOf(text, paid.decimals);
  const problems = problemsOf(kind, typed, price);
  const ready = login && inputAmount !== undefined && Object.values(problems).every((each) => each === undefined);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const expiresAt = new Date(unixTimestamp * 1_000 + DAY_MS);
    const request = { ...termsOf(kind, typed, input, output), inputAmount, expiresAt };
    void act.run(async (onProgress) => {
      const placed = await client.placePriceOrder(login, request, { onProgress });
      change({});
      await queries.invalidateQueries({ queryKey: ['orders'] });
      return placed;
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <KindChoice chosen={kind} choose={setKind} />
      <Labelled
        name={
          buys
            ? `Buy ${input.symbol} for so much ${output.symbol}`
            : `Sell so much ${input.symbol} for ${output.symbol}`
        }
        problem={inputAmount === undefined ? amountProblem(text) : undefined}
      >
        {(id) => (
          <Typed id={id} value={text} change={(next) => setAmounts({ ...amounts, [buys ? 'buys' : 'sells']: next })} />
        )}
      </Labelled>
      <Prices kind={kind} typed={typed} problems={problems} change={(next) => change({ ...changed, ...next })} />
      <Button type="submit" disabled={!ready} busy={act.running}>
        Sign as {name}, deposit and place
      </Button>
      <Steps act={act}>
        Placed: it waits on the chart. Deposit{' '}
        {act.done && (
          <Link to="/chain/$of" params={{ of: act.done.signature }} className="text-accent underline">
            {short(act.done.signature)}
          </Link>
        )}
      </Steps>
    </form>
  );
}

interface PricesProps {
  kind: Kind;
  typed: Readonly<Record<Field, string>>;
  problems: Partial<Record<Field, string | undefined>>;
  change: (typed: Partial<Record<Field, string>>) => void;
}

function Prices({ kind, typed, problems, change }: PricesProps) {
  const nameOf = (field: Field) =>
    kind === 'otoco' && field !== 'entry' ? `then sell ${FIELD_NAMES[field]}` : FIELD_NAMES[field];
  return FIELDS[kind].map((field) => (
    <Labelled key={field} name={nameOf(field)} problem={problems[field]}>
      {(id) => <Typed id={id} value={typed[field]} change={(text) => change({ [field]: text })} />}
    </Labelled>
  ));
}

function KindChoice({ chosen, choose }: { chosen: Kind; choose: (kind: Kind) => void }) {
  return (
    <fieldset className="grid grid-cols-3 gap-1 rounded bg-sunken p-1">
      <legend className="sr-only">Kind of order</legend>
      {Object.entries(KINDS).map(([value, said]) => (
        <label
          key={value}
          className="flex min-h-9 cursor-pointer items-center justify-center rounded text-center text-sm has-checked:bg-panel has-checked:font-semibold has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name="kind"
            className="sr-only"
            checked={chosen === value}
            onChange={() => choose(value as Kind)}
          />
          {said}
        </label>
      ))}
    </fieldset>
  );
}
