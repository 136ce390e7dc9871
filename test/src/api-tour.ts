import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { associatedTokenAddress, type Keypair } from '@slipway/wire';
import { adminTokenOf } from './admin.js';
import { type OpenapiDocument, type Operation, operationsOf } from './openapi-document.js';
import { eventually } from './rounds.js';
import type { Service } from './service.js';
import { PNG, put, USDC } from './studio.js';
import { SOL, tokensOf } from './swap.js';
import { signText } from './trigger-wallet.js';
import { signTransaction, walletNamed } from './wallet.js';

/** One call of the tour. */
export interface Call {
  operation: Operation;
  /** `POST /ultra/v1/execute` */
  name: string;
  parameters: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
  status: number;
  /** JSON, where the answer is that; of a stream, its first event. */
  answer: unknown;
}

const MOST_ASKED = 30;

/** What replaces the examples of the document, because only an earlier call gives it. */
interface Given {
  parameters?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the document says; who takes the tour compares it with that
type Answered = any;

/**
 * Calls every operation of a fresh sandbox with the examples of its API document, as its wallets, and replaces in them
 * only what an earlier call answers. Throws where an answer is not 200.
 */
export async function takeTour(service: Service, document: OpenapiDocument): Promise<Call[]> {
  const calls: Call[] = [];
  const operations = operationsOf(document);
  let token = '';
  const call = async (name: string, given: Given = {}): Promise<Answered> => {
    const operation = operations.find(({ method, path }) => `${method} ${path}` === name);
    assert.ok(operation, name);
    const made = await callOf(service, operation, given, token);
    assert.equal(made.status, 200, `${name}: ${JSON.stringify([made.parameters, made.body, made.answer])}`);
    calls.push({ operation, name, ...made });
    return made.answer;
  };
  const wallets = {
    alice: await walletNamed(service, 'alice'),
    bob: await walletNamed(service, 'bob'),
    carol: await walletNamed(service, 'carol'),
    erin: await walletNamed(service, 'erin'),
  };
  const tour: Tour = { service, call, ...wallets };
  // First, because an account of events begins with whoever follows it.
  const webhook = await call('POST /events/v1/webhooks');
  await chainAndSandbox(tour);
  await swaps(tour);
  await limitOrders(tour);
  await payments(tour, await launches(tour));
  await invites(tour);
  const asked = await call('POST /trigger/v2/auth/challenge');
  ({ token } = await call('POST /trigger/v2/auth/verify', {
    body: { type: 'message', walletPubkey: tour.alice.address, signature: signText(tour.alice, asked.challenge) },
  }));
  await triggerOrders(tour);
  await scores(tour);
  await operator(tour);
  await call('GET /events/v1/stream', { parameters: { after: 0 } });
  await webhooks(tour, webhook);
  await call('POST /trigger/v2/auth/logout');
  await call('DELETE /admin/v1/logins/{wallet}');
  await call('POST /sandbox/clock');
  return calls;
}

interface Tour {
  service: Service;
  call: (name: string, given?: Given) => Promise<Answered>;
  alice: Keypair;
  bob: Keypair;
  carol: Keypair;
  erin: Keypair;
}

async function callOf(service: Service, operation: Operation, given: Given, token: string) {
  const parameters: Record<string, unknown> = {};
  for (const { name, in: place, example } of operation.parameters ?? []) {
    const value = given.parameters?.[name] ?? example;
    if (value !== undefined && place !== 'header') parameters[name] = value;
  }
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = content?.example as object | undefined;
  const body = type === undefined ? undefined : { ...example, ...given.body };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
  const query = new URLSearchParams();
  for (const { name, in: place } of operation.parameters ?? []) {
    if (place === 'query' && parameters[name] !== undefined) query.set(name, String(parameters[name]));
  }
  const [needs = {}] = operation.security ?? [];
  const bearer = 'adminToken' in needs ? adminTokenOf(service) : 'walletToken' in needs ? token : undefined;
  const ask = () =>
    fetch(`${service.url}${path}?${query}`, {
      method: operation.method,
      headers: {
        ...('apiKey' in needs && { 'x-api-key': 'sandbox' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(type === 'application/json' && { 'content-type': type }),
      },
      ...(body && { body: type === 'application/json' ? JSON.stringify(body) : formOf(body) }),
    });
  let response = await ask();
  // Where no router has had time for a quote, or a check of readiness took too long: asked again, as a client does.
  for (let times = 0; response.status === 503 && times < MOST_ASKED; times++) {
    await sleep(Math.max(1, Number(response.headers.get('retry-after'))) * 1_000);
    response = await ask();
  }
  return { parameters, body, status: response.status, answer: await answerOf(response) };
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
}

async function answerOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  if (!type.startsWith('text/event-stream')) return response.text();
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const data = /^data: ?(.+)\n/m.exec(text)?.[1];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`a stream without an event: ${text}`);
}

async function webhooks({ call }: Tour, { id }: { id: string }): Promise<void> {
  const parameters = { id };
  await call('GET /events/v1/webhooks');
  await call('POST /events/v1/webhooks/{id}/test', { parameters });
  await call('GET /events/v1/webhooks/{id}/attempts', { parameters });
  await call('POST /events/v1/webhooks/{id}/redeliver', { parameters, body: { number: 1 } });
  await call('GET /admin/v1/webhooks');
  await call('POST /events/v1/webhooks/{id}/rotate-secret', { parameters });
  await call('DELETE /events/v1/webhooks/{id}', { parameters });
}

async function chainAndSandbox({ call, alice }: Tour): Promise<void> {
  for (const path of ['/livez', '/readyz', '/metrics', '/sandbox/info']) await call(`GET ${path}`);
  await call('POST /sandbox/airdrop');
  await call('POST /sandbox/prices');
  await call('GET /sandbox/pools');
  const { transaction } = await call('GET /ultra/v1/transfer/craft-native');
  const signedTransaction = signTransaction(transaction, alice);
  const { signature } = await call('POST /tx/v1/submit', { body: { signedTransaction } });
  await call('GET /tx/v1/status/{signature}', { parameters: { signature } });
}

async function payments({ call, alice }: Tour, tokenId: string): Promise<void> {
  const express = '/tokens/v2/verify/express';
  const { transaction, requestId } = await call(`GET ${express}/craft-txn`);
  await call(`POST ${express}/execute`, {
    body: {
      transaction: signTransaction(transaction, alice),
      requestId,
      senderAddress: alice.address,
      tokenId,
      twitterHandle: 'https://x.com/example',
      description: 'What the token is for',
      tokenMetadata: { tokenId, name: 'Example', website: 'https://example.com' },
    },
  });
  await call(`GET ${express}/check-eligibility`);
}

async function swaps({ service, call, alice, erin }: Tour): Promise<void> {
  for (const path of ['holdings/{address}', 'holdings/{address}/native', 'balances/{address}', 'order/routers'])
    await call(`GET /ultra/v1/${path}`);
  for (const path of ['/ultra/v1/shield', '/ultra/v1/search', '/tokens/v2/search']) await call(`GET ${path}`);
  const signed = ({ transaction, requestId }: { transaction: string; requestId: string }, signer = alice) => ({
    body: { signedTransaction: signTransaction(transaction, signer), requestId },
  });
  await call('POST /ultra/v1/execute', signed(await call('GET /ultra/v1/order')));
  const transfer = await call('GET /ultra/v1/transfer/craft-token');
  await call('POST /ultra/v1/transfer/execute', signed(transfer));
  const emptied = await call('GET /ultra/v1/transfer/craft-token', {
    parameters: {
      senderAddress: erin.address,
      senderTokenAccountAddress: associatedTokenAddress(erin.address, USDC),
      amount: String(await tokensOf(service, erin.address, USDC)),
    },
  });
  await call('POST /ultra/v1/transfer/execute', signed(emptied, erin));
  const { transactions } = await call('POST /ultra/v1/reclaim/craft', { body: { owner: erin.address } });
  await call('POST /ultra/v1/reclaim/execute', signed(transactions[0], erin));
}

async function limitOrders({ call, alice }: Tour): Promise<void> {
  const { requestId, transaction, order } = await call('POST /trigger/v1/createOrder');
  const signedTransaction = signTransaction(transaction, alice);
  await call('POST /trigger/v1/execute', { body: { requestId, signedTransaction } });
  await call('GET /trigger/v1/getTriggerOrders');
  await call('POST /trigger/v1/cancelOrder', { body: { maker: alice.address, order } });
  await call('POST /trigger/v1/cancelOrders', { body: { maker: alice.address } });
}

/** The mint of the token. */
async function launches({ service, call, alice }: Tour): Promise<string> {
  const studio = '/studio/v1/dbc';
  const launch = await call(`POST ${studio}-pool/create-tx`, { body: { tokenImageContentType: 'image/png' } });
  const { mint } = launch;
  const metadata = JSON.stringify({ name: 'Example', symbol: 'EXMPL', image: launch.imageUrl });
  assert.ok((await put(launch.imagePresignedUrl, 'image/png', PNG)).ok);
  assert.ok((await put(launch.metadataPresignedUrl, 'application/json', metadata)).ok);
  const transaction = signTransaction(launch.transaction, alice);
  await call(`POST ${studio}-pool/submit`, { body: { transaction, owner: alice.address } });
  const { data } = await call(`GET ${studio}-pool/addresses/{mint}`, { parameters: { mint } });
  await buy(service, alice, mint);
  const poolAddress = data.dbcPoolAddress;
  const { unclaimed } = await call(`POST ${studio}/fee`, { body: { poolAddress } });
  const maxQuoteAmount = Number(unclaimed);
  await call(`POST ${studio}/fee/create-tx`, { body: { ownerWallet: alice.address, poolAddress, maxQuoteAmount } });
  return mint;
}

/** So that the launch has fees that its creator can claim. */
async function buy({ url }: Service, wallet: Keypair, outputMint: string): Promise<void> {
  const headers = { 'x-api-key': 'sandbox', 'content-type': 'application/json' };
  const query = new URLSearchParams({ inputMint: USDC, outputMint, amount: '100000000', taker: wallet.address });
  const order = await eventually('the aggregator knows the pool of the launch', async () => {
    const answer = await fetch(`${url}/ultra/v1/order?${query}`, { headers });
    return answer.ok ? ((await answer.json()) as { transaction: string; requestId: string }) : undefined;
  });
  const signedTransaction = signTransaction(order.transaction, wallet);
  const body = JSON.stringify({ signedTransaction, requestId: order.requestId });
  const executed = await fetch(`${url}/ultra/v1/execute`, { method: 'POST', headers, body });
  assert.equal(((await executed.json()) as { status: string }).status, 'Success');
}

async function invites({ call, alice, bob, carol }: Tour): Promise<void> {
  const made = async (inviteSigner: Keypair) => {
    const { tx } = await call('POST /send/v1/craft-send', { body: { inviteSigner: inviteSigner.address } });
    await call('POST /tx/v1/submit', { body: { signedTransaction: signTransaction(tx, alice, inviteSigner) } });
  };
  await made(bob);
  await made(carol);
  const listed = async (list: string) => {
    const { invites: found } = await call(`GET /send/v1/${list}`);
    return found[1] === undefined ? undefined : found;
  };
  const pending = await eventually('both invites are listed', () => listed('pending-invites'));
  const { tx: claim, requestId } = await call('POST /send/v1/craft-claim', {
    body: { inviteSigner: bob.address, receiver: bob.address },
  });
  const signedTransaction = signTransaction(claim, bob);
  await call('POST /send/v1/execute-claim', { body: { requestId, signedTransaction } });
  const { invite_pda: invitePDA } = pending.find(
    ({ invite_signer }: Record<string, string>) => invite_signer === carol.address,
  );
  const { tx: back } = await call('POST /send/v1/craft-clawback', { body: { invitePDA, sender: alice.address } });
  await call('POST /tx/v1/submit', { body: { signedTransaction: signTransaction(back, alice) } });
  await eventually('both invites have ended', () => listed('invite-history'));
  await call('POST /admin/v1/invites/rebuild');
}

async function triggerOrders({ call, alice }: Tour): Promise<void> {
  for (const path of ['/vault/register', '/vault']) await call(`GET /trigger/v2${path}`);
  const deposit = await call('POST /trigger/v2/deposit/craft');
  const orders = '/trigger/v2/orders';
  const { id } = await call(`POST ${orders}/price`, {
    body: {
      orderType: 'single',
      userPubkey: alice.address,
      inputMint: deposit.mint,
      outputMint: USDC,
      triggerMint: SOL,
      triggerCondition: 'above',
      triggerPriceUsd: 300,
      expiresAt: 8.64e15,
      inputAmount: deposit.amount,
      depositRequestId: deposit.requestId,
      depositSignedTx: signTransaction(deposit.transaction, alice),
    },
  });
  const parameters = { orderId: id };
  await call(`PATCH ${orders}/price/{orderId}`, { parameters, body: { orderType: 'single', triggerPriceUsd: 310 } });
  await call(`GET ${orders}/history`);
  const { transaction, requestId } = await call(`POST ${orders}/price/cancel/{orderId}`, { parameters });
  const signedTransaction = signTransaction(transaction, alice);
  await call(`POST ${orders}/price/confirm-cancel/{orderId}`, {
    parameters,
    body: { signedTransaction, cancelRequestId: requestId },
  });
  await call(`GET ${orders}/history/{orderId}`, { parameters });
  await call(`GET ${orders}/history/{orderId}/explanation`, { parameters });
  await call('GET /admin/v1/orders/{id}/explanation', { parameters: { id } });
  await call('GET /admin/v1/requests/{id}', { parameters: { id: deposit.requestId } });
}

async function scores({ call }: Tour): Promise<void> {
  await call('PUT /admin/v1/scores/{eventId}');
  await call('GET /prediction/v1/events/{eventId}/score');
  await call('GET /prediction/v1/events/scores');
}

async function operator({ call }: Tour): Promise<void> {
  for (const list of ['overview', 'orders', 'launches', 'invites', 'pools']) await call(`GET /admin/v1/${list}`);
  for (const step of ['PUT /admin/v1/stops/{what}', 'GET /admin/v1/stops', 'DELETE /admin/v1/stops/{what}'])
    await call(step);
  for (const step of ['POST /admin/v1/admins', 'GET /admin/v1/admins', 'DELETE /admin/v1/admins/{name}'])
    await call(step);
  const key = await call('POST /admin/v1/keys');
  await call('GET /admin/v1/keys');
  const { id } = await call('POST /admin/v1/keys/{id}/rotate', { parameters: { id: key.id } });
  await call('DELETE /admin/v1/keys/{id}', { parameters: { id } });
  const maker = await call('POST /admin/v1/makers');
  await call('GET /admin/v1/makers');
  await call('DELETE /admin/v1/makers/{id}', { parameters: { id: maker.id } });
  const { verifications } = await call('GET /admin/v1/verifications');
  for (const [index, verb] of ['approve', 'reject'].entries()) {
    const parameters = { id: verifications[index].id };
    await call(`POST /admin/v1/verifications/{id}/${verb}`, { parameters, body: { note: 'looked at by an operator' } });
  }
  await call('GET /admin/v1/acts');
  await call('GET /admin/v1/logs');
}
