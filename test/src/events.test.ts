import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inviteKeypair, newInviteCode } from '@slipway/programs';
import { request, type Service, startService } from './service.js';
import { askOrder, executeOrder, SOL, USDC } from './swap.js';
import { create, deposit, newUser } from './trigger-user.js';
import { newWallet, signTransaction } from './wallet.js';

interface Event {
  number: number;
  kind: string;
  wallet: string;
  data: Record<string, unknown>;
}

/** Everything that the stream of the sandbox's key has brought, until `isDone`. */
async function listen(service: Service, last: number, isDone: (events: Event[]) => boolean): Promise<Event[]> {
  const stop = new AbortController();
  const headers = { 'x-api-key': 'sandbox' };
  const answer = await fetch(`${service.url}/events/v1/stream?after=${last}`, { headers, signal: stop.signal });
  assert.equal(answer.status, 200);
  const events: Event[] = [];
  let text = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) events.push(JSON.parse(data) as Event);
    }
    if (isDone(events)) break;
  }
  stop.abort();
  return events;
}

const has = (kind: string) => (events: Event[]) => events.some((event) => event.kind === kind);

describe('the stream of events', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service?.close());

  const setPrice = (usd: number) => request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd } });
  /** Up to which number the key has been told. */
  let last = 0;
  const next = async (kind: string) => {
    const events = await listen(service, last, has(kind));
    const numbers = events.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => last + 1 + index),
    );
    last = numbers.at(-1)!;
    return events;
  };

  it('tells that a swap has landed', async () => {
    const taker = await newWallet(service);
    const asked = { inputMint: SOL, outputMint: USDC, amount: 10_000_000n, taker: taker.address };
    const { body: order } = await askOrder(service, asked);
    const done = await executeOrder(service, order, taker);
    const [landed] = await next('transaction.landed');
    assert.equal(landed!.wallet, taker.address);
    assert.equal(landed!.data.requestId, order.requestId);
    assert.equal(landed!.data.signature, done.signature);
    assert.equal(landed!.data.area, 'swap');
  });

  it('tells what becomes of a trigger order', async () => {
    await setPrice(150);
    const user = await newUser(service);
    const { id } = await create(user, await deposit(user), { triggerPriceUsd: 160 });
    assert.deepEqual(
      (await next('order.opened')).map(({ kind }) => kind),
      ['transaction.landed', 'order.opened'],
    );
    await setPrice(165);
    const events = await next('order.filled');
    assert.deepEqual(
      events.map(({ kind, wallet, data }) => [kind, wallet, data.order]),
      [
        ['order.triggered', user.wallet.address, id],
        ['order.filled', user.wallet.address, id],
      ],
    );
    assert.match(String(events[1]!.data.outputAmount), /^[1-9][0-9]+$/);
  });

  it('tells what becomes of an invite, and goes on after a kill', async () => {
    const sender = await newWallet(service);
    const key = inviteKeypair(newInviteCode());
    const body = { inviteSigner: key.address, sender: sender.address, amount: '5000000' };
    const crafted = await request<{ tx: string }>(`${service.url}/send/v1/craft-send`, { body });
    const signedTransaction = signTransaction(crafted.body.tx, sender, key);
    await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction } });
    // Invites are read from the chain once somebody asks for them.
    await request(`${service.url}/send/v1/pending-invites?address=${sender.address}`);
    const events = await next('invite.created');
    const created = events.at(-1)!;
    assert.equal(created.data.inviteSigner, key.address);
    assert.equal(created.data.amount, '5000000');

    const { dataDir } = service;
    await service.kill();
    service = await startService({ dataDir });
    const again = await listen(service, last - 1, (found) => found.length > 0);
    assert.deepEqual(again[0], created);
  });
});
