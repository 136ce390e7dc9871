import { minOutputOf, type Signer, SOL } from '@slipway/client';
import { useQuote, useSwap } from '@slipway/react';
import { useState } from 'react';
import { Failure } from './failure.js';
import { lamportsOf, shown, USDC } from './slipway.js';

/** SOL for USDC, at a quote that stays fresh. */
export function Swap({ signer }: { signer: Signer }) {
  const [text, setText] = useState('1');
  const amount = lamportsOf(text);
  const request = { inputMint: SOL, outputMint: USDC, amount };
  const quote = useQuote(amount > 0n ? request : undefined);
  const swap = useSwap(signer);
  // A transaction that is sure of less than 1 % below what was shown is not signed.
  const minOutput = quote.data && minOutputOf(quote.data);
  return (
    <section>
      <h2>Swap</h2>
      <label>
        SOL <input inputMode="decimal" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button
        type="button"
        disabled={minOutput === undefined || swap.isRunning}
        onClick={() => swap.dispatch({ ...request, minOutput })}
      >
        Swap
      </button>
      {quote.data && <p>You get about {shown(quote.data.outAmount, 'USDC')}</p>}
      <output aria-label="swap">
        {swap.isRunning && `${swap.progress?.step ?? 'asking'} …`}
        {swap.isSuccess && `Got ${shown(swap.data!.outputAmount, 'USDC')}: ${swap.data!.signature}`}
      </output>
      <Failure error={swap.error ?? quote.error} />
    </section>
  );
}
