// Orders that wait for a price: log in, deposit, an OCO order, the price moves, the fill arrives; another is cancelled.
// Usage: npm run example:trigger [-- <wallet of the sandbox>], with "npm start" in another terminal.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  getUtf8Encoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import { fetchMaybeToken, findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { attempt, call, fail, type SandboxInfo, say } from './service.js';

interface Deposit {
  transaction: string;
  requestId: string;
}

interface OrderRow {
  orderState: string;
  rawState: string;
  outputAmount: string | null;
  events: { type: string; state: string; txSignature?: string; orderContext?: string }[];
}

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ONE_SOL = '1000000000';
const HOUR_MS = 3_600_000;
const LONGEST_WAIT_MS = 30_000;

const [name = 'alice'] = process.argv.slice(2);
const info = await call<SandboxInfo & { unixTimestamp: number; mints: { mint: string; usdPrice: number }[] }>(
  '/sandbox/info',
);
const wallet =
  info.wallets.find((each) => each.name === name) ??
  fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const rpc = createSolanaRpc(info.rpcUrl);
const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));
const price =
  info.mints.find(({ mint }) => mint === SOL)?.usdPrice ?? fail('This sandbox has no price of SOL: nothing can fire');

// 1. Log in: a text that only this service asks for, signed by the wallet.
const { challenge } = await call<{ challenge: string }>('/trigger/v2/auth/challenge', {
  walletPubkey: wallet.address,
  type: 'message',
});
const signature = await signBytes(signer.keyPair.privateKey, getUtf8Encoder().encode(challenge));
const { token } = await call<{ token: string }>('/trigger/v2/auth/verify', {
  type: 'message',
  walletPubkey: wallet.address,
  signature: getBase58Decoder().decode(signature),
});
say('Logged in', wallet.address);

// 2. The wallet's vault: made once, there ever after.
const registered = await attempt<{ vaultPubkey: string }>('/trigger/v2/vault/register', undefined, token);
if ('reason' in registered && registered.status !== 409) fail(`No vault: ${registered.reason}`);
const { vaultPubkey } = await call<{ vaultPubkey: string }>('/trigger/v2/vault', undefined, token);
say('Vault', vaultPubkey);

// 3. An OCO order: sell 1 SOL at 10 % more, or at 10 % less, whichever comes first. Its deposit lands with it.
const { takeProfit, stopLoss } = { takeProfit: price * 1.1, stopLoss: price * 0.9 };
const order = await createOrder('oco', { tpPriceUsd: takeProfit, slPriceUsd: stopLoss });
say('OCO order', order);
say('Price of SOL', `${price} USD; sells at ${takeProfit.toFixed(2)} and above, or ${stopLoss.toFixed(2)} and below`);

// 4. The price rises beyond the take profit, and the USDC arrives. The wallet signs nothing and pays no fee.
const before = await usdcOf();
await call('/sandbox/prices', { mint: SOL, usd: price * 1.12 });
const filled = await waitFor(order, 'filled');
const after = await usdcOf();
const fill = filled.events.find(({ type, state }) => type === 'fill' && state === 'success');
say('Filled as', fill?.orderContext);
say('Signature', fill?.txSignature);
say(`USDC of ${name}`, `${before} -> ${after} (${after - before} of the smallest unit)`);
if (filled.outputAmount !== String(after - before)) fail('What arrived is not what the order says');

// 5. Another order, which never fires: cancelling gives a transaction that takes everything out of the vault.
await call('/sandbox/prices', { mint: SOL, usd: price });
const second = await createOrder('single', { triggerCondition: 'above', triggerPriceUsd: price * 2 });
const cancel = await call<Deposit>(`/trigger/v2/orders/price/cancel/${second}`, {}, token);
const withdrawn = await call<{ txSignature: string }>(
  `/trigger/v2/orders/price/confirm-cancel/${second}`,
  { signedTransaction: await signed(cancel.transaction), cancelRequestId: cancel.requestId },
  token,
);
say('Cancelled and withdrawn', withdrawn.txSignature);
say('Its state', (await rowOf(second)).orderState);

/** Deposits 1 SOL for an order that sells it for USDC by the price of SOL; the order's id. */
async function createOrder(orderType: 'single' | 'oco', terms: Record<string, unknown>): Promise<string> {
  const mints = { inputMint: SOL, outputMint: USDC };
  const deposit = await call<Deposit>(
    '/trigger/v2/deposit/craft',
    { ...mints, userAddress: wallet.address, amount: ONE_SOL, orderType: 'price', orderSubType: orderType },
    token,
  );
  const { id } = await call<{ id: string }>(
    '/trigger/v2/orders/price',
    {
      ...mints,
      triggerMint: SOL,
      inputAmount: ONE_SOL,
      userPubkey: wallet.address,
      orderType,
      depositRequestId: deposit.requestId,
      depositSignedTx: await signed(deposit.transaction),
      expiresAt: info.unixTimestamp * 1_000 + 24 * HOUR_MS,
      ...terms,
    },
    token,
  );
  return id;
}

async function signed(transaction: string): Promise<string> {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  return getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], decoded));
}

function rowOf(id: string): Promise<OrderRow> {
  return call<OrderRow>(`/trigger/v2/orders/history/${id}`, undefined, token);
}

async function waitFor(id: string, state: string): Promise<OrderRow> {
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const row = await rowOf(id);
    if (row.orderState === state) return row;
    if (performance.now() > end) fail(`The order is ${row.rawState}, and not ${state}`);
    await sleep(250);
  }
}

async function usdcOf(): Promise<bigint> {
  const place = { owner: address(wallet.address), mint: address(USDC), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(place);
  const found = await fetchMaybeToken(rpc, account);
  return found.exists ? found.data.amount : 0n;
}
