// Tries a service in production that stands on a chain of `npm run localnet`: a swap, and an order that waits for a price.
// Usage: SLIPWAY_URL=https://… SLIPWAY_API_KEY=… npm run example:rehearsal [-- <wallet of the localnet>]
// SLIPWAY_RPC_URL is the localnet, http://127.0.0.1:8899 if it is not set.

import { createClient, SlipwayError, SOL } from '@slipway/client';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { apiKey, fail, onRetry, say, url } from './service.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const HOUR_MS = 3_600_000;
const rpcUrl = process.env.SLIPWAY_RPC_URL || 'http://127.0.0.1:8899';
const [name = 'alice'] = process.argv.slice(2);

process.on('uncaughtException', (error) => {
  if (!(error instanceof SlipwayError)) throw error;
  fail(`${error.message} (${error.code})`);
});

const wallet = await createKeyPairSignerFromBytes(getBase58Encoder().encode(await secretKeyOf(name)));
// The router program of a localnet has a key that everybody knows: a client of real money never trusts it.
const client = createClient({ url, apiKey, onRetry, signer: wallet, rpcUrl, sandbox: true });

// 1. A swap tells the price, too: nothing here can move a price but a trade.
const swapped = await client.swap({ inputMint: SOL, outputMint: USDC, amount: 1_000_000_000n });
const price = Number(swapped.outputAmount) / 1e6;
say('Swapped', `1 SOL -> ${price} USDC`);
say('Signature', swapped.signature);

// 2. An order whose price is there already: the keeper fills it from the vault.
const session = await client.login();
say('Logged in', session.wallet);
const order = await client.placePriceOrder(session, {
  inputMint: SOL,
  outputMint: USDC,
  inputAmount: 1_000_000_000n,
  orderType: 'single',
  triggerCondition: 'above',
  triggerPriceUsd: price * 0.9,
  expiresAt: new Date(Date.now() + HOUR_MS),
});
say('Order', `${order.id}: sells 1 SOL at ${(price * 0.9).toFixed(2)} USD and above`);
const filled = await client.waitForPriceOrder(session, order.id);
const fill = filled.events.find(({ type, state }) => type === 'fill' && state === 'success');
if (!fill) fail(`The order is ${filled.orderState}, and not filled`);
say('Filled', `1 SOL -> ${Number(filled.outputAmount) / 1e6} USDC`);
say('Signature', fill.txSignature);

/** The wallets of a localnet have keys that anybody may see. */
async function secretKeyOf(wanted: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'localnet_info', params: [] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => undefined);
  if (!answer) fail(`Nothing answers at ${rpcUrl}. Start the chain in another terminal (npm run localnet)`);
  const { result } = (await answer.json()) as { result?: { wallets: { name: string; secretKey: string }[] } };
  if (!result) fail(`${rpcUrl} is no localnet: this example trades with made-up money only`);
  return result.wallets.find((each) => each.name === wanted)?.secretKey ?? fail(`The localnet has no wallet ${wanted}`);
}
