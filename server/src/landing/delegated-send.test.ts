import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressToBytes,
  base58Encode,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  type Transaction,
  tokenTransferChecked,
  withSignature,
} from '@slipway/wire';
import { createChain } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
import { PATIENCE_MS } from '../lib/testing.js';
import {
  ata,
  craftOrder,
  type Handler,
  newTaker,
  offer,
  openWorld,
  quoted,
  remember,
  requestOf,
  SOL,
  scriptedMaker,
  signAsMaker,
  signedBy,
  tokens,
  USDC,
  type World,
} from '../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../store/ledger.js';
import { deleteMaker, insertMaker, listMakers } from '../store/makers.js';
import { explainEnd } from './explain.js';
import { ReservationRefused, WouldFail } from './index.js';

/** Blocks, some eight seconds. */
const LAG_BLOCKS = 20;
const OUT = 1_000_000n;
const IN = 10_000_000n;

describe('a transaction that is handed over to a maker', () => {
  let world: World;
  let maker: Keypair;
  let taker: Keypair;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  beforeEach(async () => {
    [maker, taker] = await Promise.all([newTaker(world, [SOL, USDC]), newTaker(world, [])]);
  });

  const webhooks: Awaited<ReturnType<typeof scriptedMaker>>[] = [];
  afterEach(async () => {
    await Promise.all(webhooks.splice(0).map((webhook) => webhook.close()));
  });
  const open = async (handlers: Parameters<typeof scriptedMaker>[0]) => {
    const webhook = await scriptedMaker(handlers);
    webhooks.push(webhook);
    return webhook;
  };

  /** An order of the taker with a maker whose `/swap` the test decides. */
  async function order(swap: Handler, amount = IN) {
    const webhook = await open({ quote: (body) => offer(body, maker.address, OUT), swap });
    const router = world.router([{ id: 'scripted', url: webhook.url }], { usd: () => undefined });
    const request = requestOf(taker.address, SOL, USDC, amount);
    const quote = await quoted(router, request);
    const crafted = await craftOrder(world, request, quote);
    const signed = signedBy(taker, crafted.transaction);
    const swaps = () => webhook.asked.filter(({ path }) => path === 'swap').length;
    return { ...crafted, quote, signed, deliver: router.deliver(quote.maker!), webhook, swaps, router };
  }

  const send = (wire: string, skipPreflight = false) =>
    world.rpc.call('sendTransaction', [wire, { encoding: 'base64', skipPreflight }]);
  const signAndSend = async (body: Record<string, string>) => {
    const { wire, signature } = signAsMaker(maker, body.transaction!);
    await send(wire);
    return signature;
  };
  const accepted = ({ quoteId }: Record<string, string>, txSignature?: string) => ({
    quoteId,
    state: 'accepted',
    ...(txSignature && { txSignature }),
  });
  const bought = () => tokens(world, ata(taker.address, USDC));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(5);
  };
  const advance = async (seconds: number) => {
    await world.rpc.call('localnet_advanceClock', [seconds]);
    world.clock.setOffset(world.clock.offsetMs + seconds * 1_000);
    world.chain.forget();
  };
  const killBlockhash = () => advance(120);

  for (const [what, answer] of [
    ['an error', () => 500],
    ['nonsense', () => 'nonsense'],
    ['a hung up line', () => Promise.reject(new Error('hang up'))],
    ['the quote of another', () => ({ quoteId: 'other', state: 'rejected' })],
    ['no signature', (body: Record<string, string>) => accepted(body)],
    [
      'a signature of something else',
      (body: Record<string, string>) => accepted(body, base58Encode(sign(maker, Buffer.from('else')))),
    ],
    ['a signature that is none', (body: Record<string, string>) => accepted(body, 'O0O0')],
  ] as [string, Handler][]) {
    test(`that was sent, but answered with ${what}, is found on the chain`, async () => {
      let sent = '';
      const { row, signed, deliver, swaps } = await order(async (body) => {
        sent = await signAndSend(body);
        return answer(body);
      });
      const settled = await world.newLanding().delegate(row, signed, deliver);
      assert.deepEqual([settled.state, settled.signature], ['landed', sent], JSON.stringify(settled.error));
      assert.equal(await bought(), OUT);
      assert.equal(swaps(), 1);
    });

    test(`that was not sent, and was answered with ${what}, has failed when its blockhash is dead`, async () => {
      const { row, signed, deliver } = await order(async (body) => {
        await killBlockhash();
        return answer(body);
      });
      const settled = await world.newLanding().delegate(row, signed, deliver);
      assert.deepEqual([settled.state, settled.signature], ['expired', null]);
      const code = explainEnd(settled).code;
      assert.ok(code >= -2005 && code <= -2000, `${code}`);
      assert.equal(await bought(), 0n);
    });
  }

  test('attack: a market maker sends what it denies while the clock of the chain is ten minutes behind: the swap is told as it has ended', async () => {
    const offset = world.clock.offsetMs;
    world.clock.setOffset(offset + 600_000);
    try {
      let sent = '';
      const { row, signed, deliver } = await order(async (body) => {
        sent = await signAndSend(body);
        await killBlockhash();
        return { quoteId: body.quoteId, state: 'rejected' };
      });
      const settled = await world.newLanding().delegate(row, signed, deliver);
      assert.deepEqual([settled.state, settled.signature], ['landed', sent], JSON.stringify(settled.error));
    } finally {
      world.clock.setOffset(world.clock.offsetMs - 600_000);
    }
  });

  test('that was accepted with its signature, but not sent, is sent by us', async () => {
    const { row, signed, deliver } = await order((body) =>
      accepted(body, signAsMaker(maker, body.transaction!).signature),
    );
    const settled = await world.newLanding().delegate(row, signed, deliver);
    assert.equal(settled.state, 'landed', JSON.stringify(settled.error));
    assert.equal(await bought(), OUT);
  });

  test('that was sent with another right signature than the one that was answered, is found on the chain', async () => {
    let sent = '';
    const { row, signed, deliver, swaps } = await order(async (body) => {
      const { wire, signature } = signAsMaker(maker, body.transaction!);
      const transaction = decodeTransaction(Buffer.from(wire, 'base64'));
      const another = signAgain(maker, transaction.message);
      sent = base58Encode(another);
      await send(encoded(withSignature(transaction, maker.address, another)));
      return accepted(body, signature);
    });
    const end = world.newLanding().delegate(row, signed, deliver);
    while ((await stored(row.id)).signature === null) await sleep(5);
    await killBlockhash();
    const settled = await end;
    assert.deepEqual([settled.state, settled.signature], ['landed', sent], JSON.stringify(settled.error));
    assert.equal(await bought(), OUT);
    assert.equal(swaps(), 1);
  });

  test('attack: a node lists what has landed some seconds after it has reached that slot: a swap is not called dead before', async () => {
    let sent = '';
    const { row, signed, deliver } = await order(async (body) => {
      sent = await signAndSend(body);
      await advance(62);
      return 500;
    });
    let hidden = 0;
    const chain = createChain({
      rpc: {
        name: 'behind',
        async call<T>(method: string, params: unknown[]) {
          const answer = await world.rpc.call<T>(method, params);
          if (method !== 'getSignaturesForAddress') return answer;
          const height = await world.rpc.call<number>('getBlockHeight', []);
          if (height > Number(row.lastValidBlockHeight) + LAG_BLOCKS) return answer;
          if (hidden++ > 0) await advance(10);
          return [] as T;
        },
      },
      steadyNow,
      fees: { percentile: 50, maxMicroLamports: 1_000_000n },
    });
    const settled = await world.newLanding({ chain }).delegate(row, signed, deliver);
    assert.ok(hidden > 0);
    assert.deepEqual([settled.state, settled.signature], ['landed', sent], JSON.stringify(settled.error));
  });

  test('that was accepted with its signature and has not landed, has failed when its blockhash is dead', async () => {
    const { row, signed, deliver } = await order(async (body) => {
      const { signature } = signAsMaker(maker, body.transaction!);
      await killBlockhash();
      return accepted(body, signature);
    });
    const settled = await world.newLanding().delegate(row, signed, deliver);
    assert.deepEqual([settled.state, explainEnd(settled)], ['expired', { code: -2000, message: 'Failed to land' }]);
    assert.equal(await bought(), 0n);
  });

  for (const [what, answer, code, message] of [
    [
      'rejects',
      ({ quoteId }) => ({ quoteId, state: 'rejected', rejectionReason: 'moved' }),
      -2004,
      'Swap rejected: moved',
    ],
    [
      'rejects by a reason of the protocol',
      ({ quoteId }) => ({ quoteId, state: { rejectedWithReason: 'insufficientBalance' } }),
      -2004,
      'Swap rejected: insufficientBalance',
    ],
    ['answers 400', () => 400, -2002, 'Invalid payload'],
    ['answers 401', () => 401, -2004, 'Swap rejected'],
  ] as [string, Handler, number, string][]) {
    test(`has failed when its blockhash is dead where the maker ${what}`, async () => {
      const { row, signed, deliver, swaps } = await order(answer);
      const end = world.newLanding().delegate(row, signed, deliver);
      await until(() => swaps() === 1);
      await killBlockhash();
      const settled = await end;
      assert.deepEqual([settled.state, explainEnd(settled)], ['expired', { code, message }]);
      assert.deepEqual(await world.newLanding().delegate(row, signed, () => assert.fail('asked again')), settled);
    });
  }

  describe('attack: a market maker rejects a swap, keeps it, and lands it when the market has moved its way', () => {
    test('the taker is told that it has swapped, and the maker is asked no more, by any instance', async () => {
      const registered = { id: 'sly', name: 'sly', createdAt: new Date(world.clock.now()) };
      let kept: Record<string, string> | undefined;
      const webhook = await open({
        quote: (body) => offer(body, maker.address, OUT),
        swap: (body) => {
          kept = body;
          return { quoteId: body.quoteId, state: 'rejected' };
        },
      });
      await insertMaker(world.store, world.signer.secrets, { ...registered, url: webhook.url });
      const router = world.router([], { usd: () => undefined });
      const request = requestOf(taker.address, SOL, USDC, IN);
      const quote = await quoted(router, request);
      const { row, transaction } = await craftOrder(world, request, quote);
      const end = world.newLanding().delegate(row, signedBy(taker, transaction), router.deliver(quote.maker!));
      await until(() => kept !== undefined);
      const signature = await signAndSend(kept!);
      const settled = await end;
      assert.deepEqual([settled.state, settled.signature], ['landed', signature]);
      assert.equal(await bought(), OUT);
      const [listed] = await listMakers(world.store, world.signer.secrets);
      assert.equal(listed!.suspendedFor, signature);
      for (const asking of [router, world.router([], { usd: () => undefined })]) {
        const refused = await asking.quote(request, AbortSignal.timeout(PATIENCE_MS));
        assert.ok('refused' in refused && refused.refused === 'no-route');
      }
      await world.store.transaction((tx) => deleteMaker(tx, 'sly'));
    });
  });

  test('has failed at once where the maker is gone, or was removed', async () => {
    const first = await order(() => 500);
    await first.webhook.close();
    const settled = await world.newLanding().delegate(first.row, first.signed, first.deliver);
    assert.deepEqual(explainEnd(settled), { code: -2005, message: 'Internal error' });

    const second = await order(() => 500, IN + 1n);
    const { deliver } = world.router([]);
    const gone = await world.newLanding().delegate(second.row, second.signed, deliver(second.quote.maker!));
    assert.deepEqual(explainEnd(gone), { code: -2005, message: 'Internal error' });
    assert.equal(second.swaps(), 0);
  });

  test('is not handed over in the part of its life that is the maker’s', async () => {
    const { row, signed, quote, router, swaps } = await order(() => 500);
    const late = { ...quote.maker!, expireAt: Math.floor(world.clock.now() / 1_000) + 19 };
    const settled = await world.newLanding().delegate(row, signed, router.deliver(late));
    assert.deepEqual(explainEnd(settled), { code: -2003, message: 'Quote expired' });
    assert.equal(swaps(), 0);
  });

  test('is handed over once, however often and wherever it is posted', async () => {
    const { row, signed, deliver, swaps } = await order(async (body) => accepted(body, await signAndSend(body)));
    const copies = [world.newLanding(), world.newLanding()];
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, index) => copies[index % 2]!.delegate(row, signed, deliver)),
    );
    assert.equal(swaps(), 1);
    for (const settled of rows) assert.deepEqual(settled, rows[0]);
    assert.equal(rows[0]!.state, 'landed');
    assert.equal(await bought(), OUT);
  });

  for (const [when, sends] of [
    ['after the maker has sent it', true],
    ['before the maker was asked', false],
  ] as const) {
    test(`is told by the chain after a crash ${when}`, async () => {
      const { row, signed, swaps } = await order(() => 500);
      const crashed = world.newLanding();
      const asked = new Promise<string>((resolve, reject) => {
        const never = new Promise<never>(() => {});
        const deliver = async () => {
          resolve(sends ? await signAndSend({ transaction: encoded(signed) }) : '');
          return never;
        };
        crashed.delegate(row, signed, deliver).catch(reject);
      });
      const signature = await asked;
      crashed.close();
      if (!sends) await killBlockhash();
      const next = world.newLanding();
      assert.equal(await next.resume({ all: true }), 1);
      const settled = await next.delegate(await stored(row.id), signed, () => assert.fail('asked again'));
      if (sends) {
        assert.deepEqual([settled.state, settled.signature], ['landed', signature]);
        assert.equal(await bought(), OUT);
      } else {
        assert.deepEqual([settled.state, explainEnd(settled).code], ['expired', -2000]);
      }
      assert.equal(swaps(), 0);
    });
  }

  test('attack: a node has forgotten the time when a market maker has sent it: it is not told as failed, and as it has ended once a node knows', async () => {
    const { row, signed } = await order(() => 500);
    const crashed = world.newLanding();
    const signature = await new Promise<string>((resolve, reject) => {
      const deliver = async () => {
        resolve(await signAndSend({ transaction: encoded(signed) }));
        return new Promise<never>(() => {});
      };
      crashed.delegate(row, signed, deliver).catch(reject);
    });
    crashed.close();
    await advance(600);
    const said: Record<string, () => unknown> = {
      getSignaturesForAddress: () => [],
      getFirstAvailableBlock: () => 1_000,
      getBlockTime: () => Math.floor((world.clock.now() - 60_000) / 1_000),
    };
    const asked = new Set<string>();
    const chain = createChain({
      rpc: {
        name: 'forgetful',
        async call<T>(method: string, params: unknown[]) {
          asked.add(method);
          return (said[method]?.() as T) ?? world.rpc.call<T>(method, params);
        },
      },
      steadyNow,
      fees: { percentile: 50, maxMicroLamports: 1_000_000n },
    });
    const forgetful = world.newLanding({ chain });
    assert.equal(await forgetful.resume({ all: true }), 1);
    while (!asked.has('getBlockTime') && (await stored(row.id)).state === 'sending') await sleep(20);
    await sleep(100);
    assert.equal((await stored(row.id)).state, 'sending');
    forgetful.close();
    const next = world.newLanding();
    assert.equal(await next.resume({ all: true }), 1);
    const settled = await next.delegate(await stored(row.id), signed, () => assert.fail('asked again'));
    assert.deepEqual([settled.state, settled.signature], ['landed', signature]);
    assert.equal(await bought(), OUT);
  });

  test('that fails on the chain has failed, with the program’s error', async () => {
    const { row, signed, deliver } = await order(async (body) => {
      const { wire, signature } = signAsMaker(maker, body.transaction!);
      // Only now the maker gives away what it has quoted.
      const emptied = await remember(world, maker.address, maker.address, [
        tokenTransferChecked({
          source: ata(maker.address, USDC),
          mint: USDC.mint,
          destination: ata(world.maker.address, USDC),
          authority: maker.address,
          amount: await tokens(world, ata(maker.address, USDC)),
          decimals: 6,
        }),
      ]);
      await send(encoded(signedBy(maker, emptied.transaction)));
      await send(wire, true);
      return accepted(body, signature);
    });
    const settled = await world.newLanding().delegate(row, signed, deliver);
    assert.equal(settled.state, 'failed');
    assert.equal(typeof settled.slot, 'bigint');
    assert.equal(explainEnd(settled).code, 1, 'of the token program: insufficient funds');
  });

  test('that would fail is not handed over, and its request stays', async () => {
    const poor = await newTaker(world, []);
    const webhook = await open({ quote: (body) => offer(body, poor.address, OUT) });
    const router = world.router([{ id: 'poor', url: webhook.url }], { usd: () => undefined });
    const request = requestOf(taker.address, SOL, USDC, IN);
    const quote = await quoted(router, request);
    const { row, transaction } = await craftOrder(world, request, quote);
    const landing = world.newLanding();
    await assert.rejects(landing.delegate(row, signedBy(taker, transaction), router.deliver(quote.maker!)), WouldFail);
    assert.equal((await stored(row.id)).state, 'crafted');
    assert.ok(webhook.asked.every(({ path }) => path !== 'swap'));
  });

  test('is the success of one request only, though another has the same bytes', async () => {
    const { row, signed, deliver, swaps } = await order(async (body) => accepted(body, await signAndSend(body)));
    const twin = { ...row, id: `${row.id}-twin` };
    await world.store.transaction((tx) => insertCrafted(tx, [twin]));
    const [a, b] = [world.newLanding(), world.newLanding()];
    const ends = await Promise.allSettled([a.delegate(row, signed, deliver), b.delegate(twin, signed, deliver)]);
    const landed = ends.filter((end) => end.status === 'fulfilled');
    const refused = ends.filter((end) => end.status === 'rejected');
    assert.equal(landed.length, 1);
    assert.equal(landed[0]!.value.state, 'landed');
    assert.ok(refused[0]!.reason instanceof ReservationRefused, String(refused[0]!.reason));
    assert.equal(swaps(), 1);
  });

  async function stored(id: string) {
    return (await findRequest(world.store, id))!;
  }
});

function encoded(transaction: Transaction): string {
  return Buffer.from(encodeTransaction(transaction)).toString('base64');
}

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const bigintOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const sha512 = (...parts: Uint8Array[]) => createHash('sha512').update(Buffer.concat(parts)).digest();

/** A right Ed25519 signature other than the usual one: that of a signer who draws its nonce at random. */
function signAgain(keypair: Keypair, message: Uint8Array): Uint8Array {
  const scalarOf = ({ secretKey }: Keypair) => {
    const bytes = sha512(secretKey.subarray(0, 32)).subarray(0, 32);
    bytes[0]! &= 248;
    bytes[31] = (bytes[31]! & 127) | 64;
    return bigintOf(bytes);
  };
  const nonce = generateKeypair();
  const point = addressToBytes(nonce.address);
  const challenge = bigintOf(sha512(point, addressToBytes(keypair.address), message));
  const answer = (scalarOf(nonce) + challenge * scalarOf(keypair)) % ORDER;
  const bytes = Buffer.from(answer.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([point, bytes]);
}
