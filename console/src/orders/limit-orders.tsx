import type { Client } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OUTDATED_MS, useLive } from '../lib/live.js';
import { type Mint, useClient, useInfo, useWallet } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Clock } from './clock.js';
import { LimitList } from './limit-list.js';
import { OpenLimit } from './open-limit.js';
import { PriceSlider } from './price-slider.js';
import { WhichOrders } from './which.js';

/** Orders that the chain itself holds: whoever pays what they ask, fills them. */
export function LimitOrders() {
  const { mints } = useInfo();
  const wallet = useWallet();
  const { client, recorder } = useClient();
  const [pair, setPair] = useState({ from: mints[0]!.mint, to: usdcOf(mints).mint });
  const [input, output] = [mintOf(mints, pair.from), mintOf(mints, pair.to)];
  const { data, error } = useLimitOrders(client, wallet.address);
  // A stablecoin's price is no screw to turn.
  const moved = input.symbol === 'USDC' ? output : input;
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Limit orders</h1>
      <WhichOrders />
      {error && <Trouble error={error} />}
      <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]">
        <div className="grid min-w-0 gap-4">
          <Panel title={`${wallet.name} opens an order`}>
            <OpenLimit
              key={`${input.mint} ${output.mint}`}
              client={client}
              input={input}
              output={output}
              choose={setPair}
            />
          </Panel>
          <Panel title="Move the price" aside={<span className="label">of the sandbox</span>}>
            <PriceSlider key={moved.mint} client={client} mint={moved} />
          </Panel>
          <Panel title="Move the time" aside={<span className="label">forward only</span>}>
            <Clock client={client} />
          </Panel>
        </div>
        <Panel title={`Limit orders of ${wallet.name}`}>
          <Scroll name="Limit orders and what became of them" className="max-h-[48rem] min-h-40">
            {data ? <LimitList client={client} orders={data} /> : !error && <Waiting className="p-4" />}
          </Scroll>
        </Panel>
      </div>
      <How recorder={recorder} code={codeFor(wallet.name, input, output)} />
    </>
  );
}

const mintOf = (mints: readonly Mint[], mint: string): Mint => mints.find((each) => each.mint === mint) ?? mints[0]!;
const usdcOf = (mints: readonly Mint[]): Mint => mints.find(({ symbol }) => symbol === 'USDC') ?? mints[1]!;

/** The open ones first, then those that have ended; read again whenever something lands. */
function useLimitOrders(client: Client, user: string) {
  const { count } = useLive();
  return useQuery({
    queryKey: ['limit orders', user, count],
    gcTime: OUTDATED_MS,
    queryFn: async ({ signal }) => {
      const [active, history] = await Promise.all([
        client.limitOrders({ status: 'active', user }, { signal }),
        client.limitOrders({ status: 'history', user }, { signal }),
      ]);
      return [...active, ...history];
    },
    placeholderData: (last, query) => (query?.queryKey[1] === user ? last : undefined),
    refetchInterval: 5_000,
  });
}

const codeFor = (name: string, input: Mint, output: Mint) => `// signer: the wallet of ${name}
const { order } = await client.createLimitOrder({
  inputMint: '${input.mint}',
  outputMint: '${output.mint}',
  makingAmount: ${10n ** BigInt(input.decimals)}n,
  takingAmount: ${takingOf(input, output)}n, // what the wallet gets for all of it
});

const ended = await client.waitForLimitOrder(order); // filled, cancelled or expired
for (const { outputAmount, txId } of ended.trades) console.log(outputAmount, txId);

await client.cancelLimitOrder(order); // while it is open: what it still holds comes back`;

/** For one of the input, two percent above what it is worth. */
function takingOf(input: Mint, output: Mint): bigint {
  const worth = ((input.usdPrice ?? 1) / (output.usdPrice ?? 1)) * 1.02;
  return BigInt(Math.round(worth * 10 ** output.decimals));
}
