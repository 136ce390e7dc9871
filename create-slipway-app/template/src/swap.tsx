import { minOutputOf, type Signer, SOL } from '@slipway/client';
import { useQuote, useSwap } from '@slipway/react';
import { useState } from 'react';
import { Failure } from './failure';
import { USDC, unitsOf } from './slipway';

/** SOL for USDC, at a quote that stays fresh. */
export function Swap({ signer }: { signer: Signer }) {
  const [text, setText] = useState('1');
  const amount = unitsOf(text, 9);
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
        Swap for {Number(quote.data?.outAmount ?? 0) / 1e6} USDC
      </button>
      <output aria-label="swap">
        {swap.isRunning && swap.progress?.step}
        {swap.isSuccess && `Got ${Number(swap.data!.outputAmount) / 1e6} USDC: ${swap.data!.signature}`}
      </output>
      <Failure error={swap.error ?? quote.error} />
    </section>
  );
}
