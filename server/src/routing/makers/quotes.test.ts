import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { encodeMint, generateKeypair } from '@slipway/wire';
import fc from 'fast-check';
import { pino } from 'pino';
import { PATIENCE_MS } from '../../lib/testing.js';
import {
  type Handler,
  JUP,
  offer,
  openWorld,
  quoted,
  requestOf,
  SOL,
  scriptedMaker,
  T22,
  USDC,
  type World,
} from '../../sandbox/maker/testing.js';
import { deleteMaker, insertMaker } from '../../store/makers.js';
import { StoreUnavailable } from '../../store/sql.js';
import { isRefused, type Quote, type QuoteRequest, type SwapParties } from '../router.js';
import { makersTimeout } from './offer-desk.js';

const taker = generateKeypair().address;
const wallet = generateKeypair().address;

describe('quotes of market makers', () => {
  let world: World;
  const opened: Awaited<ReturnType<typeof scriptedMaker>>[] = [];
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((maker) => maker.close()));
  });

  async function open(handlers: Parameters<typeof scriptedMaker>[0]) {
    const maker = await scriptedMaker(handlers);
    opened.push(maker);
    return { id: maker.url, ...maker };
  }
  const honest =
    (outAmount: bigint): Handler =>
    (body) =>
      offer(body, wallet, outAmount);
  const request = requestOf(taker, USDC, JUP, 1_000_000n);
  /** As the service waits, for makers that are silent; `quoted` asks again if the machine was too busy for the others. */
  const hasty = { usd: () => undefined, timeoutMs: makersTimeout(2_000) };
  const ask = (makers: { id: string; url: string }[], asked: QuoteRequest = request) =>
    world.router(makers, { usd: () => undefined }).quote(asked, AbortSignal.timeout(PATIENCE_MS));

  test('where the database is away, clients are told so, and not where it is', async () => {
    const query = () => Promise.reject(new StoreUnavailable(new Error('connect ECONNREFUSED 10.2.3.4:5432')));
    const answer = await world.router([], { store: { query } }).quote(request, AbortSignal.timeout(PATIENCE_MS));
    assert.deepEqual(answer, { refused: 'unavailable', reason: 'The database cannot be reached at the moment' });
  });

  test('the best output wins, whoever answers first', async () => {
    const makers = await Promise.all([50n, 70n, 60n].map((out) => open({ quote: honest(out) })));
    const quote = await quoted(world.router(makers, { usd: () => undefined }), request);
    assert.equal(quote.outAmount, 70n);
    assert.equal(quote.maker?.id, makers[1]!.id);
    assert.equal(quote.guaranteed, true);
    const { body, headers } = makers[1]!.asked.find(({ path }) => path === 'quote')!;
    assert.equal(body.protocol, 'v1');
    assert.equal(body.taker, taker);
    assert.equal(body.quoteId, quote.maker?.quoteId);
    assert.equal(Number(headers['x-request-timeout']), PATIENCE_MS);
    assert.equal(hasty.timeoutMs, 500, 'set by the protocol');
  });

  test('without a taker, none is told to the maker, and there is nothing to build', async () => {
    const maker = await open({ quote: honest(5n) });
    const quote = await quoted(world.router([maker], { usd: () => undefined }), requestOf(undefined, USDC, JUP, 10n));
    assert.equal(maker.asked.at(-1)!.body.taker, undefined);
    const built = await quote.build(parties());
    assert.ok(isRefused(built));
  });

  const nonsense: [string, Handler][] = [
    ['never answers', () => new Promise(() => {})],
    ['hangs up', () => Promise.reject(new Error('hang up'))],
    ['answers garbage', () => '<html>'],
    ['answers null', () => null],
    ['does not quote it', () => 404],
    ['is broken', () => 503],
    ['answers another quoteId', (body) => ({ ...offer(body, wallet, 99n), quoteId: 'another' })],
    ['answers another requestId', (body) => ({ ...offer(body, wallet, 99n), requestId: 'another' })],
    ['answers another token', (body) => ({ ...offer(body, wallet, 99n), tokenOut: SOL.mint })],
    ['answers another input', (body) => ({ ...offer(body, wallet, 99n), amountIn: '999999' })],
    ['answers for another taker', (body) => ({ ...offer(body, wallet, 99n), taker: wallet })],
    ['speaks another protocol', (body) => ({ ...offer(body, wallet, 99n), protocol: 'v2' })],
    ['has no wallet', (body) => ({ ...offer(body, wallet, 99n), maker: 'maker' })],
    ['is the taker', (body) => offer(body, taker, 99n)],
    ...['0', '-5', '1e3', '01', '1.5', '', '18446744073709551616', '١'].map((amountOut): [string, Handler] => [
      `offers ${JSON.stringify(amountOut)}`,
      (body) => ({ ...offer(body, wallet, 1n), amountOut }),
    ]),
    ['offers a number', (body) => ({ ...offer(body, wallet, 1n), amountOut: 99 })],
    ['answers without end', (body) => ({ ...offer(body, wallet, 99n), more: 'x'.repeat(2_000_000) })],
  ];
  for (const [what, handler] of nonsense) {
    test(`a maker that ${what} is left out; the others are not held up`, async () => {
      const makers = [await open({ quote: handler }), await open({ quote: honest(3n) })];
      const quote = await quoted(world.router(makers, hasty), request);
      assert.equal(quote.outAmount, 3n);
      assert.ok(
        isRefused(await world.router(makers.slice(0, 1), hasty).quote(request, AbortSignal.timeout(PATIENCE_MS))),
      );
    });
  }

  test('attack: a market maker names a wallet of the service as its own, to have it sign as one: left out', async () => {
    for (const { addresses } of Object.values(world.signer.wallets())) {
      const sly = await open({ quote: (body) => offer(body, addresses[0]!, 99n) });
      const makers = [sly, await open({ quote: honest(3n) })];
      assert.equal((await quoted(world.router(makers, hasty), request)).outAmount, 3n);
    }
  });

  describe('attack: a market maker answers ever so many tiny pieces, which take long to read', () => {
    const pieces = Array.from({ length: 5_000 }, () => ({}));

    test('to a question for a quote: 8 KiB of it are read', async () => {
      const sly = await open({ quote: (body) => ({ ...offer(body, wallet, 99n), pieces }) });
      const makers = [sly, await open({ quote: honest(3n) })];
      assert.equal((await quoted(world.router(makers, hasty), request)).outAmount, 3n);
    });

    test('for a list of its tokens: it is not asked again for each quote', async () => {
      const sly = await open({ tokens: () => ({ pieces }), quote: honest(99n) });
      const router = world.router([sly, await open({ quote: honest(3n) })], { ...hasty, steadyNow: () => 0 });
      for (let quote = 0; quote < 5; quote++) assert.equal((await quoted(router, request)).outAmount, 3n);
      assert.equal(sly.asked.filter(({ path }) => path === 'tokens').length, 1);
    });
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await open({ quote: honest(99n) });
    const moved = createServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/tokens` }).end();
    });
    await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
    const { port } = moved.address() as AddressInfo;
    assert.ok(isRefused(await ask([{ id: 'moved', url: `http://127.0.0.1:${port}` }])));
    assert.equal(elsewhere.asked.length, 0);
    moved.closeAllConnections();
    moved.close();
  });

  test('what is not http is not asked', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'not a url']) {
      assert.ok(isRefused(await ask([{ id: 'odd', url }])));
    }
  });

  test('a password in the URL is the API key, and a path stays', async () => {
    const maker = await open({ quote: honest(9n) });
    const url = maker.url.replace('http://', 'http://:s3cret@');
    await quoted(world.router([{ id: 'key', url }], { usd: () => undefined }), request);
    for (const { headers } of maker.asked) assert.equal(headers['x-api-key'], 's3cret');
    assert.ok(isRefused(await ask([{ id: 'deep', url: `${maker.url}/deep/` }])));
    assert.ok(maker.asked.every(({ headers }) => headers.authorization === undefined));
  });

  test('a maker is not asked for tokens that it does not trade', async () => {
    const maker = await open({ quote: honest(9n), tokens: () => [USDC.mint, SOL.mint] });
    assert.ok(isRefused(await ask([maker])));
    assert.deepEqual(
      maker.asked.map(({ path }) => path),
      ['tokens'],
    );
  });

  test('a maker that gives no list of its tokens is left out; the others are not held up', async () => {
    for (const list of [() => new Promise(() => {}), () => 500, () => ({ tokens: [] }), () => 'garbage'] as Handler[]) {
      const makers = [await open({ tokens: list, quote: honest(99n) }), await open({ quote: honest(3n) })];
      assert.equal((await quoted(world.router(makers, hasty), request)).outAmount, 3n);
    }
  });

  test('an offer that the prices call absurd is left out', async () => {
    const usd = () => 1;
    for (const [out, taken] of [
      [1_300_000n, false],
      [1_200_000n, true],
      [600_000n, true],
      [400_000n, false],
    ] as const) {
      const maker = await open({ quote: honest(out) });
      const router = world.router([maker], { usd });
      const quote = taken
        ? await quoted(router, request)
        : await router.quote(request, AbortSignal.timeout(PATIENCE_MS));
      assert.equal(isRefused(quote), !taken, `${out}`);
    }
  });

  test('makers are registered and removed while the service runs', async () => {
    const maker = await open({ quote: honest(11n) });
    const registered = { id: 'registered', name: 'a maker', url: maker.url, createdAt: new Date(0) };
    await insertMaker(world.store, world.signer.secrets, registered);
    const quote = await quoted(world.router([], { usd: () => undefined }), request);
    assert.equal(quote.maker?.id, 'registered');
    await world.store.transaction((tx) => deleteMaker(tx, 'registered'));
    assert.ok(isRefused(await ask([])));
  });

  test('an exact-out quote sizes the input, the fee on either side included, and cannot be built', async () => {
    const maker = await open({
      quote: (body) => ({
        ...offer(body, wallet, 1n),
        amountOut: body.amount,
        amountIn: String(2n * BigInt(body.amount!)),
      }),
    });
    const router = world.router([maker], { usd: () => undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(1n, 10n ** 15n),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom('input' as const, 'output' as const),
        async (amount, bps, side) => {
          const asked: QuoteRequest = { ...request, mode: 'exact-out', amount, fee: { bps, side } };
          const quote = await quoted(router, asked);
          assert.ok(quote.outAmount >= amount);
          const whole = side === 'input' ? quote.inAmount : quote.outAmount + quote.feeAmount;
          assert.equal(quote.feeAmount, (whole * BigInt(bps)) / 10_000n);
          if (side === 'output') assert.equal(quote.inAmount, 2n * whole);
          else assert.equal(quote.inAmount - quote.feeAmount, 2n * quote.outAmount);
          assert.ok(isRefused(await quote.build(parties())));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('what cannot be had is not built', async () => {
    const maker = await open({ quote: honest(100n) });
    const fee = { bps: 100, side: 'output' as const };
    const quote = await quoted(world.router([maker], { usd: () => undefined }), { ...request, fee });
    const feeAccount = generateKeypair().address;
    const refused: [string, Partial<SwapParties>][] = [
      ['the taker’s signature', { absentSigners: new Set([taker]) }],
      ['the maker’s signature', { absentSigners: new Set([wallet]) }],
      ['another owner', { owner: generateKeypair().address }],
      ['more output', { minOut: 100n }],
      ['the maker as receiver', { receiver: wallet }],
      ['rent of the maker', { rentPayer: wallet }],
    ];
    assert.ok(!isRefused(await quote.build(parties({ feeAccount, minOut: 99n }))));
    assert.ok(isRefused(await quote.build(parties())), 'there is no account for the fee');
    for (const [what, changes] of refused)
      assert.ok(isRefused(await quote.build(parties({ feeAccount, ...changes }))), what);
    const { source, ...withoutSource } = parties({ feeAccount });
    assert.ok(isRefused(await quote.build(withoutSource)), 'only SOL comes from a wallet');
  });

  test('attack: a market maker offers a token whose transfers keep a part, which no order engine of others need look at: not built; with a fee of nothing it is', async () => {
    const maker = await open({ quote: honest(100n), tokens: () => [USDC.mint, T22.mint] });
    const mintWith = (older: number, newer: number) => {
      const data = Buffer.alloc(166 + 4 + 108);
      data.set(encodeMint({ decimals: T22.decimals, supply: 0n, initialized: true }));
      data[165] = 1;
      data.writeUInt16LE(1, 166);
      data.writeUInt16LE(108, 168);
      data.writeUInt16LE(older, 170 + 88);
      data.writeUInt16LE(newer, 170 + 106);
      return data;
    };
    for (const [older, newer, isTaxed] of [
      [0, 0, false],
      [50, 0, true],
      [0, 10_000, true],
    ] as const) {
      const data = mintWith(older, newer);
      const account = async () => ({ lamports: 1n, owner: T22.tokenProgram, executable: false, data });
      const router = world.router([maker], { usd: () => undefined, chain: { ...world.chain, account } });
      const quote = await quoted(router, requestOf(taker, USDC, T22, 1_000_000n));
      const built = await quote.build(parties());
      assert.equal(isRefused(built) && built.refused, isTaxed && 'unsupported-token');
    }
  });

  test('a maker that is away is left alone for a while, and asked again then', async (t) => {
    const away = await scriptedMaker({ quote: () => new Promise(() => {}) });
    t.after(away.close);
    let [now, asked] = [0, 0];
    // By what the log says: of a question that waited too long nobody knows whether the maker has heard it.
    const write = (line: string): void => {
      if (line.includes('skipped a market maker')) asked += 1;
    };
    const log = pino({ level: 'debug' }, { write });
    const router = world.router([{ id: 'away', url: away.url }], { steadyNow: () => now, timeoutMs: 80, log });
    const one = requestOf(taker, SOL, USDC, 10n ** 9n);
    const ask = async (): Promise<string> => {
      const said = await router.quote(one, AbortSignal.timeout(PATIENCE_MS));
      return 'refused' in said ? said.refused : 'quoted';
    };
    /** On a busy machine the time may be over before anybody is asked: that says nothing, and the next one is asked. */
    const askUntilAsked = async (count: number) => {
      while (asked < count) assert.equal(await ask(), 'timeout', 'it may have had an offer, until it is away');
    };
    /** What it was asked last may be counted late, when it has been asked once more. */
    const isLeftAlone = async () => {
      const most = asked + 1;
      let said = 'timeout';
      while (said === 'timeout' && asked <= most) said = await ask();
      assert.equal(said, 'no-route', `after ${asked} questions`);
    };
    await askUntilAsked(5);
    await isLeftAlone();
    await isLeftAlone();
    now += 10_001;
    await askUntilAsked(6);
    await isLeftAlone();
  });

  test('what the node is slow with is no silence of makers', async () => {
    const maker = await open({ quote: honest(50n) });
    const { chain } = world;
    let isSlow = true;
    const slow = {
      ...chain,
      async computeUnitPrice() {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 150));
        return chain.computeUnitPrice();
      },
    };
    const router = world.router([maker], { usd: () => undefined, chain: slow });
    for (let i = 0; i < 6; i++) {
      const answer = await router.quote(request, AbortSignal.timeout(100));
      assert.equal(isRefused(answer) && answer.refused, 'timeout');
    }
    isSlow = false;
    assert.equal((await quoted(router, request)).outAmount, 50n);
  });

  test('what the node has left no time for is no silence of makers that were asked', async () => {
    let over: AbortController | undefined;
    const maker = await open({
      quote: (body) => {
        over?.abort();
        return over ? new Promise(() => {}) : offer(body, wallet, 50n);
      },
    });
    const router = world.router([maker], { usd: () => undefined });
    for (let asked = 1; asked <= 6; asked++) {
      over = new AbortController();
      const answer = await router.quote(request, over.signal);
      assert.equal(isRefused(answer) && answer.refused, 'timeout');
      assert.equal(maker.asked.filter(({ path }) => path === 'quote').length, asked);
    }
    over = undefined;
    assert.equal((await quoted(router, request)).outAmount, 50n);
  });

  test('a maker that is away is left alone also where somebody asks for what it does not trade', async () => {
    const maker = await open({ quote: () => new Promise(() => {}) });
    const router = world.router([maker], { usd: () => undefined, steadyNow: () => 0, timeoutMs: 300 });
    const refused = async (asked: QuoteRequest) => {
      const answer = await router.quote(asked, AbortSignal.timeout(PATIENCE_MS));
      return isRefused(answer) && answer.refused;
    };
    const untraded = requestOf(taker, USDC, { ...JUP, mint: wallet }, 1_000_000n);
    // Five, but that a busy machine may have no time left to ask it, or for its list of tokens.
    let timeouts = 0;
    while (timeouts < 30 && (await refused(request)) === 'timeout') {
      timeouts += 1;
      await refused(untraded);
    }
    assert.ok(timeouts < 30, 'it is never left alone');
  });

  test('the sandbox maker quotes no more than it holds, and a quote alone holds nothing back', async () => {
    const router = world.router([{ id: 'own', url: world.maker.url }]);
    // The maker holds ten million of it.
    const worth = (whole: bigint) => requestOf(taker, SOL, JUP, (whole * 42n * 10n ** 9n) / (100n * 150n));
    const first = (await quoted(router, worth(6_000_000n))) as Quote;
    assert.ok(first.outAmount > 5_900_000n * 10n ** 6n);
    assert.equal((await quoted(router, worth(6_000_000n))).outAmount, first.outAmount);
    assert.ok(isRefused(await router.quote(worth(12_000_000n), AbortSignal.timeout(PATIENCE_MS))));
  });

  test('the sandbox maker quotes around a new price before the source says it', async () => {
    const router = world.router([{ id: 'own', url: world.maker.url }]);
    const one = requestOf(undefined, SOL, USDC, 10n ** 9n);
    world.maker.quoteAt(SOL.mint, 140);
    assert.equal((await quoted(router, one)).outAmount, 139_860_000n);
    world.maker.quoteAt(SOL.mint, 150);
    assert.equal((await quoted(router, one)).outAmount, 149_850_000n);
  });

  function parties(changes: Partial<SwapParties> = {}): SwapParties {
    return {
      owner: taker,
      receiver: taker,
      feePayer: taker,
      rentPayer: taker,
      minOut: 1n,
      absentSigners: new Set(),
      source: generateKeypair().address,
      destination: generateKeypair().address,
      ...changes,
    };
  }
});
