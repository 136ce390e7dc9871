import { test } from 'node:test';
import type { KeyPairSigner, TransactionModifyingSigner, TransactionSendingSigner } from '@solana/kit';
import { connect, createClient, type Signer, SOL, swap } from './index.js';

// Nothing runs here: that it compiles is the test. Where something must not, the compiler says so if it does.

export async function wrongUseDoesNotCompile(
  kit: KeyPairSigner,
  wallet: TransactionModifyingSigner,
  sends: TransactionSendingSigner,
) {
  const client = createClient({ url: '', apiKey: '', signer: kit });
  createClient({ url: '', signer: wallet, sandbox: true });
  createClient({ url: '', programs: { router: '' } });
  // @ts-expect-error: it would send the transaction by itself, past the service
  createClient({ url: '', signer: sends });
  // @ts-expect-error: where is it?
  createClient({ apiKey: '' });
  const request = { inputMint: SOL, outputMint: SOL, amount: 1n };
  const done = await client.swap(request, { signal: AbortSignal.timeout(1) });
  const amount: bigint = done.outputAmount;
  // @ts-expect-error: amounts are whole numbers of the smallest unit
  await client.swap({ ...request, amount: 1.5 });
  // @ts-expect-error: of what?
  await client.swap({ inputMint: SOL, amount });
  // @ts-expect-error: nobody would hear of it
  await client.swap({ ...request, slipage: 1 });
  await swap(connect({ url: '' }), request);
  // @ts-expect-error: in which currency?
  await client.payVerification({ tokenId: '', twitterHandle: '', description: '', paymentCurrency: 'EUR' });

  const order = await client.api.get('/ultra/v1/order', { query: { inputMint: '', outputMint: '', amount: '1' } });
  const router: 'metis' | 'jupiterz' | 'dflow' | 'okx' = order.router;
  // @ts-expect-error: there is no such path
  await client.api.get('/ultra/v1/ordre');
  // @ts-expect-error: it is a GET
  await client.api.post('/ultra/v1/order', { body: {} });
  // @ts-expect-error: without a query
  await client.api.get('/ultra/v1/order');
  // @ts-expect-error: with one that lacks the amount
  await client.api.get('/ultra/v1/order', { query: { inputMint: '', outputMint: '' } });
  // @ts-expect-error: the answer has no such field
  order.price;
  // @ts-expect-error: the path has a name in it
  await client.api.get('/tx/v1/status/{signature}');
  for await (const event of client.events({ kinds: ['order.*', 'invite.claimed'] })) {
    if (event.kind === 'order.filled') event.data.outputAmount?.length;
    // @ts-expect-error: which kinds have a slot?
    event.data.slot;
  }
  // @ts-expect-error: there is no such kind
  client.events({ kinds: ['order.eaten'] });
  const signers: Signer[] = [{ address: '', signTransaction: (bytes: Uint8Array) => bytes }];
  return { router, signers };
}

test('wrong use of the client does not compile', () => {});
