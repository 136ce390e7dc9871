import type { SwapOrder } from '@slipway/client';
import { useDeferredValue, useState } from 'react';
import { useAct } from '../lib/act.js';
import { amountOf, amountText, commaProblem } from '../lib/format.js';
import { API_KEY } from '../lib/key.js';
import { type Mint, useBook, useClient, useHoldings, useInfo, useWallet } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Icon } from '../ui/icon.js';
import { Button, Copied, Panel } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';
import { Trouble } from '../ui/trouble.js';
import { Before } from './before.js';
import { Offers } from './offers.js';
import { type Asked, isSame, type Offer, useOffers, useOrder } from './quotes.js';
import { RouteGraph } from './route-graph.js';
import { Terms } from './terms.js';

/** One token for another: what every router offers, the way it goes, what is signed, and how it lands. */
export function Swap() {
  const { mints } = useInfo();
  const wallet = useWallet();
  const { client, recorder } = useClient();
  const [pair, setPair] = useState({ from: mints[0]!.mint, to: mints[1]!.mint });
  const [text, setText] = useState('1');
  const [excludeRouters, exclude] = useState<string>();
  const act = useAct<{ signature: string; received: string }>();
  const [input, output] = [mintOf(mints, pair.from), mintOf(mints, pair.to)];
  const amount = amountOf(text, input.decimals);
  const typed =
    amount && input !== output ? { inputMint: input.mint, outputMint: output.mint, amount, excludeRouters } : undefined;
  // What is typed is shown at once; quotes may come a little later.
  const asked = useDeferredValue(typed);
  const order = useOrder(client, wallet.address, asked, act.running);
  const offers = useOffers(client, asked, act.running);
  const current = isSame(asked, typed) ? order.data : undefined;
  const sign = () => {
    if (!typed || !current) return;
    void act.run(async (onProgress) => {
      const { signature, outputAmount } = await client.executeSwap(typed, current, { onProgress });
      return { signature, received: `${amountText(outputAmount, output.decimals)} ${output.symbol}` };
    });
  };
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Swap</h1>
      <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]">
        <Panel title={`${wallet.name} swaps`}>
          <div className="grid gap-3 p-4">
            <Pair
              pair={pair}
              change={setPair}
              text={text}
              onText={setText}
              got={current && amountText(BigInt(current.outAmount), output.decimals)}
            />
            <Terms order={current} input={input} output={output} />
            {current?.errorMessage && <Trouble error={new Error(current.errorMessage)} />}
            {order.error && <Trouble error={order.error} />}
            <Button
              onClick={sign}
              disabled={!typed || Boolean(order.error ?? current?.errorMessage)}
              busy={act.running || !current?.transaction}
            >
              Sign as {wallet.name} and swap
            </Button>
            <Steps act={act}>
              Got {act.done?.received}. Transaction{' '}
              {act.done && <Copied text={act.done.signature} what="the signature" />}
            </Steps>
          </div>
        </Panel>
        <Reading order={current} offers={offers.data} output={output} excluded={excludeRouters} choose={exclude} />
      </div>
      <How recorder={recorder} code={codeFor(typed, wallet.name)} />
    </>
  );
}

interface ReadingProps {
  order: SwapOrder | undefined;
  offers: readonly Offer[] | undefined;
  output: Mint;
  excluded: string | undefined;
  choose: (excludeRouters: string | undefined) => void;
}

/** What the routers offer, the way of the one that is taken, and what is signed. */
function Reading({ order, offers, output, excluded, choose }: ReadingProps) {
  const { mints } = useInfo();
  const book = useBook();
  return (
    <div className="grid min-w-0 gap-4 xl:grid-cols-2">
      <Panel title="What each router offers" className="xl:col-span-2">
        <Offers offers={offers} output={output} excluded={excluded} choose={choose} />
      </Panel>
      <Panel title="The way it goes">
        <RouteGraph order={order} book={book} mints={mints} />
      </Panel>
      <Panel title="What is signed">
        <Before transaction={order?.transaction ?? undefined} book={book} />
      </Panel>
    </div>
  );
}

interface PairProps {
  pair: { from: string; to: string };
  change: (pair: { from: string; to: string }) => void;
  text: string;
  onText: (text: string) => void;
  /** What one would get. */
  got: string | undefined;
}

/** What is sold for what. */
function Pair({ pair, change, text, onText, got }: PairProps) {
  const { mints } = useInfo();
  const [input, output] = [mintOf(mints, pair.from), mintOf(mints, pair.to)];
  return (
    <>
      <Side name="Sell" mints={mints} mint={input} choose={(from) => change(pairWith(pair, { from }))}>
        <input
          className="field text-lg"
          aria-label={`Amount of ${input.symbol} to sell`}
          value={text}
          onChange={({ target }) => onText(target.value)}
        />
      </Side>
      <Button
        kind="quiet"
        className="justify-self-center px-3"
        onClick={() => change({ from: pair.to, to: pair.from })}
      >
        <Icon name="turn" className="size-5" />
        <span className="sr-only">Turn around</span>
      </Button>
      <Side name="Buy" mints={mints} mint={output} choose={(to) => change(pairWith(pair, { to }))}>
        <output className="field flex items-center bg-sunken text-lg" aria-label={`Amount of ${output.symbol} to get`}>
          {got ?? '…'}
        </output>
      </Side>
      {amountOf(text, input.decimals) === undefined && (
        <p className="text-down text-sm">
          Type {commaProblem(text) ?? `an amount above 0 with at most ${input.decimals} decimals`}.
        </p>
      )}
    </>
  );
}

const mintOf = (mints: readonly Mint[], mint: string): Mint => mints.find((each) => each.mint === mint) ?? mints[0]!;

/** Choosing the other side's token turns the pair around. */
function pairWith(pair: { from: string; to: string }, change: { from?: string; to?: string }) {
  const next = { ...pair, ...change };
  return next.from === next.to ? { from: pair.to, to: pair.from } : next;
}

function Side({
  name,
  mints,
  mint,
  choose,
  children,
}: {
  name: string;
  mints: readonly Mint[];
  mint: Mint;
  choose: (mint: string) => void;
  children: React.ReactNode;
}) {
  const { address } = useWallet();
  const { data } = useHoldings();
  const holdings = data?.get(address);
  const held = holdings && (holdings.get(mint.mint)?.amount ?? 0n);
  return (
    <div className="grid gap-1">
      <div className="flex justify-between">
        <span className="label">{name}</span>
        <span className="label">has {held === undefined ? '…' : amountText(held, mint.decimals, 4)}</span>
      </div>
      <div className="grid grid-cols-[1fr_7rem] gap-2">
        {children}
        <select
          className="field font-semibold"
          aria-label={`${name} which token`}
          value={mint.mint}
          onChange={({ target }) => choose(target.value)}
        >
          {mints.map((each) => (
            <option key={each.mint} value={each.mint}>
              {each.symbol}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

function codeFor(asked: Asked | undefined, name: string): string {
  return `// signer: the wallet of ${name}, see "Who signs" in the client's README
const client = createClient({ url: '${location.origin}', apiKey: '${API_KEY}', signer, rpcUrl, sandbox: true });

const request = {
  inputMint: '${asked?.inputMint ?? ''}',
  outputMint: '${asked?.outputMint ?? ''}',
  amount: ${asked?.amount ?? 0}n,
};
const order = await client.orderSwap(request);         // the best quote, as a transaction
const done = await client.executeSwap(request, order); // checked, signed, landed
console.log(done.outputAmount, done.signature);`;
}
