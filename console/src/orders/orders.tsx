import { useState } from 'react';
import { usd } from '../lib/format.js';
import { usePrices } from '../lib/prices.js';
import { type Mint, useClient, useInfo, useWallet } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Clock } from './clock.js';
import { Heard } from './heard.js';
import { OrderList } from './order-list.js';
import { Place } from './place.js';
import { PriceChart } from './price-chart.js';
import { PriceSlider } from './price-slider.js';
import { useLines, useLogin, useOrderEvents, useOrders } from './use-orders.js';
import { WhichOrders } from './which.js';

/** Orders that wait for a price, and the sandbox's price in one's own hands. */
export function Orders() {
  const { mints, platformToken } = useInfo();
  const wallet = useWallet();
  const { client, recorder } = useClient();
  const [chosen, choose] = useState(mints[0]!.mint);
  const input = mints.find(({ mint }) => mint === chosen) ?? mints[0]!;
  const output = mints.find(({ symbol }) => symbol === 'USDC') ?? mints[1]!;
  const login = useLogin(client, wallet.address);
  const orders = useOrders(client, login.data);
  const heard = useOrderEvents(client, login.data);
  const points = usePrices(input.mint);
  const lines = useLines(client, login.data, orders.data?.orders, input.mint);
  const sold = mints.filter(({ mint }, index) => index === 0 || mint === platformToken);
  return (
    <>
      <div className="mb-3 flex items-center justify-between gap-3">
        <h1 className="font-semibold text-lg">Orders that wait for a price</h1>
        <TokenChoice mints={sold} chosen={input.mint} choose={choose} />
      </div>
      <WhichOrders />
      {login.error && <Trouble error={login.error} />}
      {orders.error && <Trouble error={orders.error} />}
      <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]" key={input.mint}>
        <div className="grid min-w-0 gap-4">
          <Panel title={`${wallet.name} places an order`}>
            <Place client={client} login={login.data} input={input} output={output} />
          </Panel>
          <Panel title="Move the price" aside={<span className="label">of the sandbox</span>}>
            <PriceSlider client={client} mint={input} />
          </Panel>
          <Panel title="Move the time" aside={<span className="label">forward only</span>}>
            <Clock client={client} />
          </Panel>
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel title={`${input.symbol} in USD`} aside={<span className="label">since this tab was opened</span>}>
            <div className="p-2">
              <PriceChart
                points={points}
                lines={lines}
                label={`Price of ${input.symbol}: now ${usd(input.usdPrice ?? 0)}; ${lines.map(({ name, usd: price }) => `${name} at ${usd(price)}`).join(', ') || 'no order waits'}`}
              />
            </div>
          </Panel>
          <div className="grid items-start gap-4 xl:grid-cols-[1fr_18rem]">
            <Panel
              title={`Orders of ${wallet.name}`}
              aside={orders.data && <Shown shown={orders.data.orders.length} total={orders.data.total} />}
            >
              <Scroll name="Orders and what became of them" className="max-h-[28rem] min-h-40">
                {login.data && orders.data && (
                  <OrderList client={client} login={login.data} orders={orders.data.orders} />
                )}
                {!orders.data && !login.error && !orders.error && <Waiting className="p-4" />}
              </Scroll>
            </Panel>
            <Panel title="Events">
              <Heard events={heard} />
            </Panel>
          </div>
        </div>
      </div>
      <How recorder={recorder} code={codeFor(wallet.name, input, output)} />
    </>
  );
}

function Shown({ shown, total }: { shown: number; total: number }) {
  if (shown === total) return null;
  return (
    <span className="label">
      the newest {shown} of {total.toLocaleString('en-US')}
    </span>
  );
}

function TokenChoice({
  mints,
  chosen,
  choose,
}: {
  mints: readonly Mint[];
  chosen: string;
  choose: (mint: string) => void;
}) {
  return (
    <label className="flex items-center gap-2 text-sm">
      <span className="label">Token</span>
      <select className="field w-auto font-semibold" value={chosen} onChange={({ target }) => choose(target.value)}>
        {mints.map(({ mint, symbol }) => (
          <option key={mint} value={mint}>
            {symbol}
          </option>
        ))}
      </select>
    </label>
  );
}

const codeFor = (name: string, input: Mint, output: Mint) => `// signer: the wallet of ${name}
const login = await client.login(); // a message that the wallet signs; it has a vault from then on

// Deposits, and places the order. Nothing is signed when it fires.
const order = await client.placePriceOrder(login, {
  orderType: 'single',
  triggerCondition: 'below',
  triggerPriceUsd: ${((input.usdPrice ?? 1) * 0.9).toPrecision(5)},
  inputMint: '${input.mint}',
  outputMint: '${output.mint}',
  inputAmount: ${10n ** BigInt(input.decimals)}n,
  expiresAt: new Date(Date.now() + 86_400_000),
});

await client.api.post('/sandbox/prices', { body: { mint: '${input.mint}', usd: ${((input.usdPrice ?? 1) * 0.88).toPrecision(5)} } });
for await (const event of client.events({ kinds: ['order.*'], login })) {
  if (event.kind === 'order.filled') break;
}`;
