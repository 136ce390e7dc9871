// Orders that wait for a price: log in, deposit, an OCO order, the price moves, the fill arrives; another is cancelled.
// Usage: npm run example:trigger [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { SOL } from '@slipway/client';
import { address, createSolanaRpc } from '@solana/kit';
import { fetchMaybeToken, findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { openSandbox } from './sandbox.js';
import { fail, say } from './service.js';

const HOUR_MS = 3_600_000;

const [name = 'alice'] = process.argv.slice(2);
const { client, info, wallet, mintOf } = await openSandbox(name);
const rpc = createSolanaRpc(info.rpcUrl);
const usdc = mintOf('USDC').mint;
const price = mintOf('SOL').usdPrice ?? fail('This sandbox has no price of SOL: nothing can fire');
const movePrice = (usd: number) => client.api.post('/sandbox/prices', { body: { mint: SOL, usd } });

// 1. Log in: a text that only this service asks for, signed by the wallet. Its vault is made once, and there ever after.
const session = await client.login();
say('Logged in', session.wallet);
say('Vault', session.vault);

// 2. An OCO order: sell 1 SOL at 10 % more, or at 10 % less, whichever comes first. Its deposit lands with it.
const terms = {
  inputMint: SOL,
  outputMint: usdc,
  inputAmount: 1_000_000_000n,
  expiresAt: new Date(info.unixTimestamp * 1_000 + 24 * HOUR_MS),
};
const { takeProfit, stopLoss } = { takeProfit: price * 1.1, stopLoss: price * 0.9 };
const prices = { tpPriceUsd: takeProfit, slPriceUsd: stopLoss };
const order = await client.placePriceOrder(session, { ...terms, orderType: 'oco', ...prices });
say('OCO order', order.id);
say('Price of SOL', `${price} USD; sells at ${takeProfit.toFixed(2)} and above, or ${stopLoss.toFixed(2)} and below`);

// 3. The price rises beyond the take profit, and the USDC arrives. The wallet signs nothing and pays no fee.
const before = await usdcOf();
await movePrice(price * 1.12);
const filled = await client.waitForPriceOrder(session, order.id);
const after = await usdcOf();
const fill = filled.events.find(({ type, state }) => type === 'fill' && state === 'success');
say('Filled as', fill?.orderContext);
say('Signature', fill?.txSignature);
say(`USDC of ${name}`, `${before} -> ${after} (${after - before} of the smallest unit)`);
if (filled.outputAmount !== String(after - before)) fail('What arrived is not what the order says');

// 4. Another order, which never fires: cancelling takes everything out of the vault.
await movePrice(price);
const second = await client.placePriceOrder(session, {
  ...terms,
  orderType: 'single',
  triggerCondition: 'above',
  triggerPriceUsd: price * 2,
});
say('Cancelled and withdrawn', (await client.cancelPriceOrder(session, second.id)).signature);
say('Its state', (await client.priceOrder(session, second.id)).orderState);

async function usdcOf(): Promise<bigint> {
  const place = { owner: wallet.address, mint: address(usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(place);
  const found = await fetchMaybeToken(rpc, account);
  return found.exists ? found.data.amount : 0n;
}
