import type { Client, Sent } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { SOL_MINT } from '../lib/chain.js';
import { amountOf } from '../lib/format.js';
import { useInfo } from '../lib/sandbox.js';
import { Amount } from '../ui/amount.js';
import { Button, Copied } from '../ui/parts.js';
import { QrCode } from '../ui/qr-code.js';
import { Steps } from '../ui/steps.js';

/** Makes an invite, and shows its code; `onCode` hears it, too. */
export function Give({ client, onCode }: { client: Client; onCode: (code: string) => void }) {
  const { mints } = useInfo();
  const [text, setText] = useState('0.1');
  const [chosen, choose] = useState(mints[0]!.mint);
  const { mint, decimals, symbol } = mints.find((each) => each.mint === chosen) ?? mints[0]!;
  const amount = amountOf(text, decimals);
  const queries = useQueryClient();
  const act = useAct<Sent>();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (amount === undefined) return;
    const request = { amount, ...(mint !== SOL_MINT && { mint }) };
    void act.run(async (onProgress) => {
      const sent = await client.send(request, { onProgress });
      onCode(sent.code);
      await queries.invalidateQueries({ queryKey: ['invites'] });
      return sent;
    });
  };
  // What stands behind the # stays in the browser: the code goes to no server.
  const link = act.done && `${location.origin}/send#${act.done.code}`;
  return (
    <form onSubmit={submit} className="grid gap-3 p-4">
      <Amount text={text} onText={setText} mint={mint} onMint={choose} mints={mints} valid={amount !== undefined} />
      <Button type="submit" disabled={amount === undefined} busy={act.running}>
        Make an invite of {text} {symbol}
      </Button>
      <Steps act={act}>
        {act.done && link && (
          <div className="grid justify-items-center gap-2 py-1">
            <QrCode text={link} label="The invite's link as a QR code" />
            <p>
              Its code:{' '}
              <strong data-code className="font-mono">
                {act.done.code}
              </strong>
            </p>
            <Copied text={link} shown="Copy the link" what="" />
            <p className="text-soft text-xs">Whoever has the code has the money.</p>
          </div>
        )}
      </Steps>
    </form>
  );
}
