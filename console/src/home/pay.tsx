import type { Client } from '@slipway/client';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, amountProblem } from '../lib/format.js';
import { pay } from '../lib/pay.js';
import { useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Copied, Labelled, Typed } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const SOL_DECIMALS = 9;

/** SOL from the chosen wallet to another one. */
export function Pay({ client }: { client: Client }) {
  const { wallets } = useInfo();
  const from = useWallet();
  const others = wallets.filter(({ address }) => address !== from.address);
  const [chosen, setChosen] = useState('');
  const [text, setText] = useState('1');
  const act = useAct<{ signature: string; receiver: string }>();
  const to = others.find(({ name }) => name === chosen) ?? others[0]!;
  const lamports = amountOf(text, SOL_DECIMALS);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (lamports !== undefined)
      void act.run(async (onProgress) => {
        const { signature } = await pay(client, { from, to: to.address, lamports }, onProgress);
        return { signature, receiver: to.name };
      });
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <div className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <Labelled name={`${from.name} pays, in SOL`} problem={lamports === undefined ? amountProblem(text) : undefined}>
          {(id) => <Typed id={id} value={text} change={setText} />}
        </Labelled>
        <Labelled name="to">
          {(id) => (
            <select id={id} className="field" value={to.name} onChange={({ target }) => setChosen(target.value)}>
              {others.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Labelled>
        <Button className="sm:mt-5.5" type="submit" disabled={lamports === undefined} busy={act.running}>
          Pay
        </Button>
      </div>
      <Steps act={act}>
        {act.done?.receiver} has it. Transaction {act.done && <Copied text={act.done.signature} what="the signature" />}
      </Steps>
    </form>
  );
}
