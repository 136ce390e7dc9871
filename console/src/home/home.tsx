import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { amountText, usd } from '../lib/format.js';
import { API_KEY } from '../lib/key.js';
import { useLive } from '../lib/live.js';
import { usePrices } from '../lib/prices.js';
import { type Mint, useBook, useClient, useHoldings, useInfo, useWallet, useWallets } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Icon } from '../ui/icon.js';
import { Button, Copied, Panel, Scroll } from '../ui/parts.js';
import { Sparkline } from '../ui/sparkline.js';
import { Transactions } from '../ui/transactions.js';
import { Trouble } from '../ui/trouble.js';
import { Pay } from './pay.js';

/** What runs, what it holds, what happens, and what to do now. */
export function Home() {
  const { mints, rpcUrl, wsUrl } = useInfo();
  const book = useBook();
  const { recorder, client } = useClient();
  const { transactions } = useLive();
  return (
    <>
      <h1 className="sr-only">Home</h1>
      <ul className="mb-4 grid grid-cols-2 gap-3 xl:grid-cols-4" aria-label="Prices">
        {mints.map((mint) => (
          <PriceTile key={mint.mint} mint={mint} />
        ))}
      </ul>
      <div className="grid items-start gap-4 xl:grid-cols-[1fr_26rem]">
        <div className="grid min-w-0 gap-4">
          <Todo pay={<Pay client={client} />} />
          <Wallets />
        </div>
        <Panel title="As it happens" className="xl:row-span-2">
          <Scroll name="Last transactions" className="h-[26rem]">
            {transactions.length === 0 ? (
              <p className="p-4 text-soft text-sm">
                Nothing has happened on the chain yet. Whatever a program, this page or a keeper does next is shown
                here.
              </p>
            ) : (
              <Transactions list={transactions} book={book} />
            )}
          </Scroll>
        </Panel>
        <Panel title="What runs">
          <dl className="grid grid-cols-[6rem_1fr] gap-y-1 px-4 py-3 text-sm">
            <Place name="API" text={location.origin} />
            <Place name="API key" text={API_KEY} />
            <Place name="Chain" text={rpcUrl} />
            <Place name="WebSocket" text={wsUrl} />
          </dl>
        </Panel>
      </div>
      <How recorder={recorder} code={CODE} />
    </>
  );
}

const CODE = `import { createClient } from '@slipway/client';

const client = createClient({ url: '${location.origin}', apiKey: '${API_KEY}' });
const { wallets, mints, rpcUrl } = await client.api.get('/sandbox/info');
const names = wallets.map(({ name }) => name);
const prices = mints.map(({ symbol, usdPrice }) => [symbol, usdPrice]);`;

function Place({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">
        <Copied text={text} shown={text} what={name} />
      </dd>
    </>
  );
}

function PriceTile({ mint: { mint, symbol, usdPrice } }: { mint: Mint }) {
  const points = usePrices(mint);
  return (
    <li className="panel grid grid-cols-[1fr_auto] gap-x-2 px-4 py-2.5">
      <span className="text-soft text-sm">{symbol}</span>
      <span className="text-right font-semibold">{usdPrice === undefined ? '–' : usd(usdPrice)}</span>
      <span className="col-span-2">
        <Sparkline points={points} label={`${symbol} since this tab was opened`} />
      </span>
    </li>
  );
}

function Wallets() {
  const { mints } = useInfo();
  const wallets = useWallets();
  const { address: chosen } = useWallet();
  const { data: holdings, error } = useHoldings();
  const shown = mints.slice(0, 4);
  return (
    <Panel title="Wallets" aside={<span className="label">public keys, play money</span>}>
      {error && <Trouble error={error} />}
      <Scroll name="Balances">
        <table className="w-full min-w-[46rem] table-fixed text-sm">
          <thead>
            <tr className="text-soft">
              <th scope="col" className="px-4 py-2 text-left font-normal">
                Wallet
              </th>
              {shown.map(({ symbol }) => (
                <th scope="col" key={symbol} className="px-4 py-2 text-right font-normal">
                  {symbol}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {wallets.map(({ name, address }) => (
              <tr key={address} className={`border-line border-t ${address === chosen ? 'bg-tint' : ''}`}>
                <th scope="row" className="whitespace-nowrap px-4 py-2 text-left font-semibold">
                  {name} <Copied text={address} what={`the address of ${name}`} />
                </th>
                {shown.map(({ mint, symbol, decimals }) => (
                  <td key={mint} data-balance={`${name} ${symbol}`} className="whitespace-nowrap px-4 py-2 text-right">
                    {holdings ? amountText(holdings.get(address)?.get(mint)?.amount ?? 0n, decimals, 4) : '…'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function Todo({ pay }: { pay: React.ReactNode }) {
  const [paying, setPaying] = useState(false);
  return (
    <Panel title="Do something">
      <div className="grid grid-cols-2 gap-2 p-3 sm:grid-cols-3 lg:grid-cols-5">
        <Button
          kind="quiet"
          className="justify-start text-left"
          aria-expanded={paying}
          onClick={() => setPaying(!paying)}
        >
          Pay somebody
        </Button>
        <Deed to="/swap">Swap</Deed>
        <Deed to="/orders">Stop loss</Deed>
        <Deed to="/launch">Launch</Deed>
        <Deed to="/send">Send</Deed>
      </div>
      {paying && <div className="border-line border-t p-4">{pay}</div>}
    </Panel>
  );
}

function Deed({ to, children }: { to: '/swap' | '/orders' | '/launch' | '/send'; children: React.ReactNode }) {
  return (
    <Link
      to={to}
      className="flex min-h-10 items-center justify-between gap-2 rounded-[5px] border border-edge px-4 font-semibold text-sm hover:bg-tint"
    >
      {children}
      <Icon name="launch" className="size-4 text-accent" />
    </Link>
  );
}
