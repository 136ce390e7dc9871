// Places a limit order, moves the price until the keeper fills it, and cancels another one.
// Usage: npm run example:limit-order [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { SOL } from '@slipway/client';
import { openSandbox } from './sandbox.js';
import { fail, say } from './service.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;
/** How far above the market the order asks, and how far the price is moved then, in percent. */
const [ASKED, MOVED] = [5n, 10];

const [name = 'alice'] = process.argv.slice(2);
const { client, mintOf } = await openSandbox(name);
const usdc = mintOf('USDC');
const solUsd = mintOf('SOL').usdPrice ?? fail('This sandbox has no price of SOL');
const movePrice = (usd: number) => client.api.post('/sandbox/prices', { body: { mint: SOL, usd } });

// 1. An order to sell 1 SOL for 5 % more than the market pays. The program on the chain holds the SOL from now on.
const market = BigInt(Math.round(solUsd * 10 ** usdc.decimals));
const takingAmount = (market * (100n + ASKED)) / 100n;
const pair = { inputMint: SOL, outputMint: usdc.mint, makingAmount: LAMPORTS_PER_SOL };
const { order } = await client.createLimitOrder({ ...pair, takingAmount });
say('Open order', order);
const open = (await client.limitOrders({ status: 'active' })).find(({ orderKey }) => orderKey === order);
say('It sells', `${open?.makingAmount} SOL for ${open?.takingAmount} USDC; SOL is at ${solUsd}`);

// 2. The market moves. The keeper sees that it pays the order, fee included, and fills it.
const higher = solUsd * (1 + MOVED / 100);
await movePrice(higher);
say('SOL moved to', higher);
const filled = await client.waitForLimitOrder(order);
say('The order is', filled.status);
for (const { inputAmount, outputAmount, feeAmount, keeper, txId } of filled.trades) {
  say(`${inputAmount} SOL for`, `${outputAmount} USDC; ${feeAmount} USDC of fee on top, paid by ${keeper}`);
  say('in', txId);
}

// 3. Another order, far from the market, is cancelled: everything comes back but the network fee.
const other = await client.createLimitOrder({ ...pair, takingAmount: takingAmount * 10n });
say('Another open order', other.order);
say('Cancelled in', (await client.cancelLimitOrder(other.order)).signature);
say('The order is', (await client.waitForLimitOrder(other.order)).status);

// 4. As it was before.
await movePrice(solUsd);
