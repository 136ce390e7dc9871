// Places a limit order, moves the price until the keeper fills it, and cancels another one.
// Usage: npm run example:limit-order [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  createKeyPairSignerFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import { call, fail, type SandboxInfo, say } from './service.js';

interface Crafted {
  requestId: string;
  transaction: string;
  order: string;
}

interface Executed {
  signature: string;
  status: 'Success';
}

interface TriggerOrder {
  orderKey: string;
  status: string;
  makingAmount: string;
  takingAmount: string;
  remainingMakingAmount: string;
  closeTx: string;
  trades: { inputAmount: string; outputAmount: string; feeAmount: string; keeper: string; txId: string }[];
}

interface Info extends SandboxInfo {
  mints: { symbol: string; mint: string; decimals: number; usdPrice: number }[];
}

const SOL = 'So11111111111111111111111111111111111111112';
const LAMPORTS_PER_SOL = 1_000_000_000n;
/** How far above the market the order asks, and how far the price is moved then, in percent. */
const [ASKED, MOVED] = [5n, 10];
const PATIENCE_MS = 60_000;

const [name = 'alice'] = process.argv.slice(2);
const info = await call<Info>('/sandbox/info');
const wallet =
  info.wallets.find((each) => each.name === name) ??
  fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));
const usdc = info.mints.find(({ symbol }) => symbol === 'USDC') ?? fail('This sandbox has no USDC');
const solUsd = info.mints.find(({ mint }) => mint === SOL)?.usdPrice ?? fail('This sandbox has no price of SOL');

// 1. An order to sell 1 SOL for 5 % more than the market pays. The program on the chain holds the SOL from now on.
const market = BigInt(Math.round(solUsd * 10 ** usdc.decimals));
const asked = (market * (100n + ASKED)) / 100n;
const order = await place(LAMPORTS_PER_SOL, asked);
say('Open order', order);
const [open] = (await orders('active')).filter(({ orderKey }) => orderKey === order);
say('It sells', `${open?.makingAmount} SOL for ${open?.takingAmount} USDC; SOL is at ${solUsd}`);

// 2. The market moves. The keeper sees that it pays the order, fee included, and fills it.
const higher = solUsd * (1 + MOVED / 100);
await call('/sandbox/prices', { mint: SOL, usd: higher });
say('SOL moved to', higher);
const filled = await untilClosed(order);
say('The order is', filled.status);
for (const { inputAmount, outputAmount, feeAmount, keeper, txId } of filled.trades) {
  say(`${inputAmount} SOL for`, `${outputAmount} USDC; ${feeAmount} USDC of fee on top, paid by ${keeper}`);
  say('in', txId);
}

// 3. Another order, far from the market, is cancelled: everything comes back but the network fee.
const other = await place(LAMPORTS_PER_SOL, asked * 10n);
say('Another open order', other);
const cancel = await call<Crafted>('/trigger/v1/cancelOrder', { maker: wallet.address, order: other });
say('Cancelled in', (await execute(cancel)).signature);
const cancelled = (await orders('history')).find(({ orderKey }) => orderKey === other);
say('The order is', cancelled?.status);

// 4. As it was before.
await call('/sandbox/prices', { mint: SOL, usd: solUsd });

/** Opens an order of so many lamports for so much USDC, in the smallest unit; its account. */
async function place(makingAmount: bigint, takingAmount: bigint): Promise<string> {
  const crafted = await call<Crafted>('/trigger/v1/createOrder', {
    inputMint: SOL,
    outputMint: usdc.mint,
    maker: wallet.address,
    payer: wallet.address,
    params: { makingAmount: makingAmount.toString(), takingAmount: takingAmount.toString() },
  });
  await execute(crafted);
  return crafted.order;
}

/** Signs with the wallet's key, which the service never sees. */
async function execute({ requestId, transaction }: Crafted): Promise<Executed> {
  const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const signed = await partiallySignTransaction([signer.keyPair], unsigned);
  const signedTransaction = getBase64EncodedWireTransaction(signed);
  return call<Executed>('/trigger/v1/execute', { requestId, signedTransaction });
}

async function orders(orderStatus: 'active' | 'history'): Promise<TriggerOrder[]> {
  const query = `user=${wallet.address}&orderStatus=${orderStatus}`;
  return (await call<{ orders: TriggerOrder[] }>(`/trigger/v1/getTriggerOrders?${query}`)).orders;
}

async function untilClosed(orderKey: string): Promise<TriggerOrder> {
  for (const started = performance.now(); performance.now() - started < PATIENCE_MS; await sleep(500)) {
    const closed = (await orders('history')).find((each) => each.orderKey === orderKey);
    if (closed) return closed;
  }
  return fail(`The order was not filled within ${PATIENCE_MS / 1_000} s. Does a service with the role keeper run?`);
}
