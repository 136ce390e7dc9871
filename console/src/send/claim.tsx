import type { Client } from '@slipway/client';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Copied, Labelled } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const CODE = /^[1-9A-HJ-NP-Za-km-z]{12}$/;

interface ClaimProps {
  client: Client;
  /** The code, as it is typed. */
  text: string;
  onText: (text: string) => void;
}

/** Claims an invite by its code. */
export function Claim({ client, text, onText }: ClaimProps) {
  const { wallets } = useInfo();
  const { address } = useWallet();
  const others = wallets.filter((wallet) => wallet.address !== address);
  const [chosen, choose] = useState('');
  const receiver = others.find(({ name }) => name === chosen) ?? others[0]!;
  const act = useAct<{ signature: string; receiver: string }>();
  const code = text.trim();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    void act.run(async (onProgress) => {
      const { signature } = await client.claim({ code, receiver: receiver.address }, { onProgress });
      return { signature, receiver: receiver.name };
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <Labelled name="Code" problem={code !== '' && !CODE.test(code) ? '12 letters and digits' : undefined}>
        {(id) => (
          <input
            id={id}
            className="field font-mono"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => onText(target.value)}
          />
        )}
      </Labelled>
      <Labelled name="For">
        {(id) => (
          <select id={id} className="field" value={receiver.name} onChange={({ target }) => choose(target.value)}>
            {others.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Labelled>
      <Button type="submit" disabled={!CODE.test(code)} busy={act.running}>
        Claim as {receiver.name}
      </Button>
      <Steps act={act}>
        {act.done?.receiver} has it, and paid no fee.{' '}
        {act.done && <Copied text={act.done.signature} what="the signature" />}
      </Steps>
    </form>
  );
}
