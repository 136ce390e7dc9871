import type { Client } from '@slipway/client';
import { useDeferredValue, useState } from 'react';
import { usePools } from '../chain/pools.js';
import { useAct } from '../lib/act.js';
import { amountOf, amountProblem, amountText } from '../lib/format.js';
import { type Mint, useHoldings, useWallet } from '../lib/sandbox.js';
import { isSame, useOrder } from '../swap/quotes.js';
import { Terms } from '../swap/terms.js';
import { Button, Copied, Labelled, Panel, Typed } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';
import { Trouble } from '../ui/trouble.js';

const DECIMALS = 6;
const NOT_FOUND = 'Its pool is looked for, which takes some seconds after it was made.';

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
  const token = { mint, symbol, decimals: DECIMALS };
  const [input, output] = buys ? [quote, token] : [token, quote];
  const typed = amount === undefined ? undefined : { inputMint: input.mint, outputMint: output.mint, amount };
  const asked = useDeferredValue(typed);
  const isNowhere = usePools(client, mint).data?.count === 0;
  const order = useOrder(client, wallet.address, asked, act.running || isNowhere);
  const current = isSame(asked, typed) ? order.data : undefined;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (!typed || !current) return;
    void act.run(async (onProgress) => {
      const { outputAmount, signature } = await client.executeSwap(typed, current, { onProgress });
      return { got: `${amountText(outputAmount, output.decimals)} ${output.symbol}`, signature };
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
        <p className="flex justify-between gap-3">
          <span className="label whitespace-nowrap">To get</span>
          <output className="text-right font-semibold text-sm [overflow-wrap:anywhere]">
            {current ? `${amountText(BigInt(current.outAmount), output.decimals)} ${output.symbol}` : '…'}
          </output>
        </p>
        <Terms order={current} input={input} output={output} />
        {current?.errorMessage && <Trouble error={new Error(current.errorMessage)} />}
        {isNowhere && <p className="text-soft text-sm">{NOT_FOUND}</p>}
        {order.error && !isNowhere && <Trouble error={order.error} />}
        <Button
          type="submit"
          disabled={!typed || Boolean(order.error ?? current?.errorMessage)}
          busy={act.running || !current?.transaction}
        >
          Sign as {wallet.name} and {side}
        </Button>
        <Steps act={act}>
          Got {act.done?.got}. {act.done && <Copied text={act.done.signature} what="the signature" />}
        </Steps>
      </form>
    </Panel>
  );
}
