import { type Client, SlipwayError } from '@slipway/client';
import { useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, amountProblem, amountText } from '../lib/format.js';
import { type Mint, useHoldings, useWallet } from '../lib/sandbox.js';
import { Button, Copied, Labelled, Panel, Typed } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const DECIMALS = 6;
/** A pool that has just been made is found within some seconds. */
const FOUND_MS = 20_000;
const AGAIN_MS = 700;

interface TradeProps {
  client: Client;
  mint: string;
  symbol: string;
  quote: Mint;
}

/** Buys and sells a launched token, over the same swaps as any other. */
export function Trade({ client, mint, symbol, quote }: TradeProps) {
  const wallet = useWallet();
  const { data: holdings } = useHoldings();
  const [side, setSide] = useState<'buy' | 'sell'>('buy');
  const [text, setText] = useState('100');
  const act = useAct<{ got: string; signature: string }>();
  const held = holdings?.get(wallet.address)?.get(mint)?.amount ?? 0n;
  const buys = side === 'buy';
  const amount = amountOf(text, buys ? quote.decimals : DECIMALS);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (amount === undefined) return;
    const [inputMint, outputMint] = buys ? [quote.mint, mint] : [mint, quote.mint];
    void act.run(async (onProgress) => {
      const request = { inputMint, outputMint, amount };
      const order = await orderOnceFound(client, request);
      const { outputAmount, signature } = await client.executeSwap(request, order, { onProgress });
      const got = buys
        ? `${amountText(outputAmount, DECIMALS)} ${symbol}`
        : `${amountText(outputAmount, quote.decimals)} ${quote.symbol}`;
      return { got, signature };
    });
  };
  return (
    <Panel title={`${wallet.name} trades`} aside={<span className="label">has {amountText(held, DECIMALS, 2)}</span>}>
      <form onSubmit={submit} className="grid gap-3 p-4">
        <div className="grid grid-cols-2 gap-2">
          <Button kind="quiet" aria-pressed={buys} className="aria-pressed:bg-tint" onClick={() => setSide('buy')}>
            Buy
          </Button>
          <Button kind="quiet" aria-pressed={!buys} className="aria-pressed:bg-tint" onClick={() => setSide('sell')}>
            Sell
          </Button>
        </div>
        <Labelled
          name={buys ? `Pay, in ${quote.symbol}` : `Sell, in ${symbol}`}
          problem={amount === undefined ? amountProblem(text) : undefined}
        >
          {(id) => <Typed id={id} value={text} change={setText} />}
        </Labelled>
        <Button type="submit" disabled={amount === undefined} busy={act.running}>
          Sign as {wallet.name} and {side}
        </Button>
        <Steps act={act}>
          Got {act.done?.got}. {act.done && <Copied text={act.done.signature} what="the signature" />}
        </Steps>
      </form>
    </Panel>
  );
}

async function orderOnceFound(client: Client, request: { inputMint: string; outputMint: string; amount: bigint }) {
  const end = performance.now() + FOUND_MS;
  for (;;) {
    try {
      return await client.orderSwap(request);
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.status !== 400 || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
