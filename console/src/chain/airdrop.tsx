import type { Client } from '@slipway/client';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf } from '../lib/format.js';
import { useInfo, useWallet } from '../lib/sandbox.js';
import { Amount } from '../ui/amount.js';
import { Button, Copied, Labelled } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

/** Money of the sandbox, for any wallet. */
export function Airdrop({ client }: { client: Client }) {
  const { mints } = useInfo();
  const { address } = useWallet();
  const [wallet, setWallet] = useState(address);
  const [text, setText] = useState('10');
  const [chosen, choose] = useState(mints[0]!.mint);
  const { mint, decimals, symbol } = mints.find((each) => each.mint === chosen) ?? mints[0]!;
  const amount = amountOf(text, decimals);
  const act = useAct<{ signature: string }>();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (amount === undefined) return;
    const body = { wallet: wallet.trim(), mint, amount: amount.toString() };
    void act.run(() => client.api.post('/sandbox/airdrop', { body }));
  };
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <Labelled name="Wallet">
        {(id) => (
          <input
            id={id}
            className="field font-mono text-xs"
            autoComplete="off"
            spellCheck={false}
            value={wallet}
            onChange={({ target }) => setWallet(target.value)}
          />
        )}
      </Labelled>
      <Amount text={text} onText={setText} mint={mint} onMint={choose} mints={mints} valid={amount !== undefined} />
      <Button type="submit" disabled={amount === undefined} busy={act.running}>
        Give {text} {symbol}
      </Button>
      <Steps act={act}>It has arrived. {act.done && <Copied text={act.done.signature} what="the signature" />}</Steps>
    </form>
  );
}
