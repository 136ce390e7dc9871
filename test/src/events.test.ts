import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { EventKind, EventsOptions, SlipwayEvent } from '@slipway/client';
import { inviteKeypair, newInviteCode } from '@slipway/programs';
import { generateKeypair } from '@slipway/wire';
import { admin } from './admin.js';
import { clientOf } from './client.js';
import { createSchemaCheck, documentOf } from './openapi-document.js';
import { eventually } from './rounds.js';
import { request, type Service, startOnOwnPort, startService } from './service.js';
import { executeOrder, order as orderOf, SOL, USDC } from './swap.js';
import { create, deposit, newUser } from './trigger-user.js';
import { newWallet, signTransaction } from './wallet.js';

const clientOfAll = (service: Service) => clientOf(service, generateKeypair());

/** What the stream of the sandbox's key brings, up to the first event of this kind. */
async function listen<Kind extends EventKind>(service: Service, kind: Kind, options: EventsOptions) {
  const events: SlipwayEvent[] = [];
  for await (const event of clientOfAll(service).events(options)) {
    events.push(event);
    if (event.kind === kind) return events;
  }
  return events;
}

describe('the stream of events', () => {
  let service: Service;
  let check: (schema: string, value: unknown) => string | undefined;
  before(async () => {
    service = await startService();
    check = createSchemaCheck(await documentOf(service));
  });
  after(() => service?.close());

  const setPrice = (usd: number) => request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd } });
  /** Up to which number the key has been told. */
  let last = 0;
  const next = async (kind: EventKind) => {
    const events = await listen(service, kind, { after: last });
    const numbers = events.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => last + 1 + index),
    );
    for (const event of events) assert.equal(check('Event', event), undefined, JSON.stringify(event));
    last = numbers.at(-1)!;
    return events;
  };

  it('tells that a swap has landed', async () => {
    const taker = await newWallet(service);
    const asked = { inputMint: SOL, outputMint: USDC, amount: 10_000_000n, taker: taker.address };
    const order = await orderOf(service, asked);
    const done = await executeOrder(service, order, taker);
    const [landed] = await next('transaction.landed');
    assert.ok(landed?.kind === 'transaction.landed');
    assert.equal(landed.wallet, taker.address);
    assert.equal(landed.data.requestId, order.requestId);
    assert.equal(landed.data.signature, done.signature);
    assert.equal(landed.data.area, 'swap');
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
      events.map(({ kind, wallet, data }) => [kind, wallet, 'order' in data && data.order]),
      [
        ['order.triggered', user.wallet.address, id],
        ['order.filled', user.wallet.address, id],
      ],
    );
    const [, filled] = events;
    assert.ok(filled?.kind === 'order.filled');
    assert.match(filled.data.outputAmount ?? '', /^[1-9][0-9]+$/);
  });

  it('tells what becomes of an invite, and goes on after a kill', async () => {
    const sender = await newWallet(service);
    const key = inviteKeypair(newInviteCode());
    const body = { inviteSigner: key.address, sender: sender.address, amount: '5000000' };
    const crafted = await request<{ tx: string }>(`${service.url}/send/v1/craft-send`, { body });
    const signedTransaction = signTransaction(crafted.body.tx, sender, key);
    await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction } });
    const events = await next('invite.created');
    const created = events.at(-1)!;
    assert.equal(created.kind, 'invite.created');
    assert.equal(created.data.inviteSigner, key.address);
    assert.equal(created.data.amount, '5000000');

    const { dataDir } = service;
    await service.kill();
    service = await startOnOwnPort({ dataDir });
    const again = await listen(service, 'invite.created', { after: last - 1 });
    assert.deepEqual(again, [created]);
  });

  it('tells what becomes of a limit order that nobody asks for', async () => {
    const maker = await newWallet(service, 3_000_000_000n);
    const client = clientOf(service, maker);
    const expiresAt = new Date(Date.now() + 3_600_000);
    const order = { inputMint: SOL, outputMint: USDC, makingAmount: 1_000_000_000n, takingAmount: 10_000_000_000n };
    const made = await client.createLimitOrder({ ...order, expiresAt });
    const opened = (await next('order.opened')).at(-1)!;
    assert.ok(opened.kind === 'order.opened' && opened.wallet === maker.address);
    assert.deepEqual([opened.data.api, opened.data.order], ['trigger/v1', made.order]);
    assert.deepEqual([opened.data.inputAmount, opened.data.outputAmount], ['1000000000', '10000000000']);
    await client.cancelLimitOrder(made.order);
    const cancelled = (await next('order.cancelled')).at(-1)!;
    assert.ok(cancelled.kind === 'order.cancelled' && cancelled.data.order === made.order);
  });

  it('tells prices and scores to those who name them', async () => {
    const stop = new AbortController();
    const heard = new Map<string, SlipwayEvent>();
    const kinds = ['price.*', 'score.changed', 'invite.*'] as const;
    const texts = { gameId: '1', leagueAbbreviation: 'L', homeTeam: 'A', awayTeam: 'B', score: '1-0', period: '1H' };
    const game = {
      ...texts,
      live: true,
      ended: false,
      elapsed: '9',
      status: 'InProgress',
      updatedAt: '2026-06-27T19:01:02Z',
    };
    const onOpen = () => {
      void setPrice(177);
      void admin(service, 'PUT', '/scores/GAME-1', game);
    };
    for await (const event of clientOfAll(service).events({ kinds, signal: stop.signal, onOpen })) {
      assert.equal(check('Event', event), undefined, JSON.stringify(event));
      // The simulated games of the sandbox go on meanwhile.
      if (event.kind !== 'score.changed' || !event.data.eventId.startsWith('SIM-')) heard.set(event.kind, event);
      if (heard.size === 2) break;
    }
    const [price, score] = [heard.get('price.changed'), heard.get('score.changed')];
    assert.ok(price?.kind === 'price.changed' && score?.kind === 'score.changed');
    assert.deepEqual(price.data, { mint: SOL, usd: 177 });
    assert.deepEqual([score.data.eventId, score.data.score], ['GAME-1', '1-0']);
    last = Math.max(price.number, score.number);
  });

  it('reaches a client that goes on through a kill and a restart, each event once and in order', async () => {
    const { port } = new URL(service.url);
    const stop = new AbortController();
    const seen: SlipwayEvent[] = [];
    const opened: number[] = [];
    const options = { kinds: ['transaction.*'], after: last, signal: stop.signal } as const;
    const reading = (async () => {
      for await (const event of clientOfAll(service).events({ ...options, onOpen: (after) => opened.push(after) })) {
        if (event.kind === 'transaction.landed' && event.data.area === 'swap') seen.push(event);
      }
    })();
    await eventually('it is open', async () => opened.length > 0 || undefined);
    const ids: string[] = [];
    const swap = async () => {
      const taker = await newWallet(service);
      const asked = { inputMint: SOL, outputMint: USDC, amount: 10_000_000n, taker: taker.address };
      const order = await orderOf(service, asked);
      assert.equal((await executeOrder(service, order, taker)).status, 'Success');
      ids.push(order.requestId);
    };
    await swap();
    await swap();
    const { dataDir } = service;
    await service.kill();
    service = await startService({ dataDir, env: { SLIPWAY_PORT: port } });
    await swap();
    await swap();
    await eventually('all have come', async () => seen.length >= ids.length || undefined);
    stop.abort();
    await reading;
    assert.deepEqual(
      seen.map(({ data }) => 'requestId' in data && data.requestId),
      ids,
    );
    // Once more for each time that it was cut off: a machine that stands still does that, too.
    assert.ok(opened.length >= 2, `${opened}`);
    assert.ok(seen.every(({ number }, index) => index === 0 || number > seen[index - 1]!.number));
  });

  it('posts events to a webhook, also those that happened while the service or the receiver was away', async () => {
    const bodies: { number: number; kind: string }[] = [];
    let status = 500;
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (status === 200) bodies.push(JSON.parse(body));
        response.writeHead(status).end();
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      const api = clientOfAll(service).api;
      const { id, secret } = await api.post('/events/v1/webhooks', { body: { url, kinds: 'transaction.landed' } });
      assert.match(secret, /^whsec_/);
      const swap = async () => {
        const client = clientOf(service, await newWallet(service));
        await client.swap({ inputMint: SOL, outputMint: USDC, amount: 10_000_000n });
      };
      await swap();
      const path = { id };
      await eventually('an attempt fails', async () => {
        const { attempts } = await clientOfAll(service).api.get('/events/v1/webhooks/{id}/attempts', { path });
        return attempts[0]?.status === 500 || undefined;
      });
      const { dataDir } = service;
      await service.kill();
      status = 200;
      service = await startService({ dataDir });
      await swap();
      await eventually(
        'both have come',
        async () => new Set(bodies.map(({ number }) => number)).size === 2 || undefined,
      );
      for (const { kind } of bodies) assert.equal(kind, 'transaction.landed');
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
