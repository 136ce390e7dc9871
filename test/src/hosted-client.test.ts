import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { associatedTokenAddress, generateKeypair, type Keypair, TOKEN_PROGRAM } from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import { lamportsOf, SOL, tokensOf, USDC } from './swap.js';
import { JUP, newWallet, signTransaction } from './wallet.js';

/** Fewer calls than a minute may have without a key. */
const MOST_ASKED = 10;

let service: Service;
let wallet: Keypair;
before(async () => {
  service = await startService({ env: { SLIPWAY_KEYLESS: '1' } });
  wallet = await newWallet(service, 2_000_000_000n, 3_000_000n);
});
after(() => service?.close());

/** What the hosted service's command line sends without a key, to another host: paths, headers, parameters. */
async function send<T>(
  path: string,
  { query, json }: { query?: Record<string, string>; json?: object } = {},
): Promise<T> {
  const url = new URL(`${service.url}/ultra/v1/${path}`);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const ask = () =>
    fetch(url, {
      method: json ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        'x-client-platform': 'jupiter.cli',
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
  let answer = await ask();
  // Where no router had time for a quote: asked again, as its user does.
  for (let times = 1; answer.status === 503 && times < MOST_ASKED; times++) {
    await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    answer = await ask();
  }
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return JSON.parse(text) as T;
}

interface Crafted {
  requestId: string;
  transaction: string;
}

const signed = ({ requestId, transaction }: Crafted) => ({
  requestId,
  signedTransaction: signTransaction(transaction, wallet),
});

it('a swap runs without a key', async () => {
  const query = { inputMint: SOL, outputMint: USDC, amount: '100000000', taker: wallet.address };
  const order = await send<Crafted & { outAmount: string; router: string }>('order', { query });
  const done = await send<{ code: number; signature: string; outputAmountResult: string }>('execute', {
    json: signed(order),
  });
  assert.equal(done.code, 0, JSON.stringify(done));
  assert.ok(done.signature);
  assert.equal(await tokensOf(service, wallet.address, USDC), BigInt(done.outputAmountResult));
});

it('SOL is transferred', async () => {
  const receiver = generateKeypair().address;
  const query = { senderAddress: wallet.address, receiverAddress: receiver, amount: '5000000' };
  const crafted = await send<Crafted & { expireAt: string; feeAmount: number; feeUsdAmount: number }>(
    'transfer/craft-native',
    { query },
  );
  assert.ok(Date.parse(crafted.expireAt) > 0);
  assert.deepEqual([typeof crafted.feeAmount, typeof crafted.feeUsdAmount], ['number', 'number']);
  const done = await send<{ code: number; signature: string }>('transfer/execute', { json: signed(crafted) });
  assert.deepEqual([done.code, typeof done.signature], [0, 'string']);
  assert.equal(await lamportsOf(service, receiver), 5_000_000n);
});

it('tokens are transferred, and the account that is left empty is closed for its rent', async () => {
  const receiver = generateKeypair().address;
  const query = {
    mint: JUP,
    tokenDecimals: '6',
    tokenProgramId: TOKEN_PROGRAM,
    senderAddress: wallet.address,
    senderTokenAccountAddress: associatedTokenAddress(wallet.address, JUP),
    receiverAddress: receiver,
    amount: '3000000',
  };
  const transfer = await send<Crafted>('transfer/craft-token', { query });
  assert.equal((await send<{ code: number }>('transfer/execute', { json: signed(transfer) })).code, 0);
  assert.equal(await tokensOf(service, receiver, JUP), 3_000_000n);

  type Account = { isAssociatedTokenAccount: boolean; reclaimableLamports?: string; lamports: string };
  const { tokens } = await send<{ tokens: Record<string, Account[]> }>(`holdings/${wallet.address}`);
  const mints = Object.entries(tokens).flatMap(([mint, accounts]) => {
    const account = accounts.find(({ isAssociatedTokenAccount }) => isAssociatedTokenAccount);
    return BigInt(account?.reclaimableLamports ?? 0) > 0n ? [mint] : [];
  });
  assert.deepEqual(mints, [JUP]);

  const before = await lamportsOf(service, wallet.address);
  const crafted = await send<{
    transactions: Crafted[];
    code: number;
    error?: string;
    netLamportsReclaimed: string;
    gasCostLamports: string;
    netReclaimedUsdAmount?: number;
    skippedMints?: object[];
  }>('reclaim/craft', { json: { owner: wallet.address, mints } });
  assert.deepEqual([crafted.error, crafted.skippedMints], [undefined, undefined]);
  assert.ok(crafted.netReclaimedUsdAmount! > 0);
  for (const each of crafted.transactions) {
    const done = await send<{ status: string; signature: string }>('reclaim/execute', { json: signed(each) });
    assert.deepEqual([done.status, typeof done.signature], ['Success', 'string']);
  }
  assert.equal((await lamportsOf(service, wallet.address)) - before, BigInt(crafted.netLamportsReclaimed));
  assert.equal(BigInt(crafted.netLamportsReclaimed) + BigInt(crafted.gasCostLamports), 2_039_280n);
});

it('a wrong key and the sandbox are refused, and so is more than 30 calls a minute', async () => {
  const status = async (path: string, key?: string) =>
    (await request(`${service.url}${path}`, { headers: { 'x-api-key': key } })).status;
  assert.equal(await status('/ultra/v1/order/routers', 'wrong'), 401);
  assert.equal(await status('/sandbox/info'), 401);
  assert.equal(await status('/admin/v1/keys'), 401);
  const statuses = await Promise.all(Array.from({ length: 40 }, () => status('/ultra/v1/order/routers')));
  assert.ok(statuses.filter((each) => each === 200).length <= 30);
  assert.ok(statuses.filter((each) => each === 429).length >= 10);
  assert.equal(await status('/ultra/v1/order/routers', 'sandbox'), 200);
});
