import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { generateKeypair, TOKEN_PROGRAM } from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { steadyNow } from '../lib/clock.js';
import { createRouting } from './race.js';
import type { Quote, QuoteRequest, Refusal, Router, RouterId } from './router.js';

const token = () => ({ mint: generateKeypair().address, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
const request: QuoteRequest = {
  mode: 'exact-in',
  input: token(),
  output: token(),
  amount: 100n,
  excludeVenues: new Set(),
};

function quoteOf(router: RouterId, inAmount: bigint, outAmount: bigint): Quote {
  return {
    router,
    inAmount,
    outAmount,
    feeAmount: 0n,
    hops: [],
    priceImpact: 0,
    guaranteed: false,
    build: () => Promise.reject(new Error('not asked for')),
  };
}

const router = (id: RouterId, quote: Router['quote']): Router => ({
  id,
  name: id,
  nativeSol: false,
  exactOut: true,
  thirdPartyPayer: true,
  paysNetworkFee: false,
  sponsorable: 'nothing',
  sendsByItself: false,
  quote,
});
const never = () => new Promise<never>(() => {});

function raceOf(routers: Router[], budgetMs = 60) {
  let logged = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const registry = new Registry();
  const routing = createRouting({ routers, budgetMs, steadyNow, log: pino({ level: 'debug' }, sink), registry });
  return { routing, registry, logged: () => logged };
}

describe('a race of routers', () => {
  it('ranks by what the taker gets, or by what the taker gives for a set output', async () => {
    const { routing } = raceOf([
      router('metis', async () => quoteOf('metis', 100n, 9n)),
      router('jupiterz', async () => quoteOf('jupiterz', 101n, 10n)),
      router('okx', async () => quoteOf('okx', 99n, 8n)),
    ]);
    const order = async (mode: QuoteRequest['mode']) =>
      (await routing.best({ ...request, mode })).ranked.map((each) => each.router);
    assert.deepEqual(await order('exact-in'), ['jupiterz', 'metis', 'okx']);
    assert.deepEqual(await order('exact-out'), ['okx', 'metis', 'jupiterz']);
  });

  it('goes on without a router that hangs, throws, rejects or refuses, and says what each did', async () => {
    const refusal: Refusal = { refused: 'no-route', reason: 'no pools' };
    const { routing, registry, logged } = raceOf([
      router('metis', async () => quoteOf('metis', 100n, 9n)),
      router('jupiterz', never),
      router('okx', () => {
        throw new Error('a defect');
      }),
      router('dflow', async () => refusal),
    ]);
    const { ranked, answers } = await routing.best(request);
    assert.deepEqual(
      ranked.map((each) => each.router),
      ['metis'],
    );
    assert.deepEqual(
      answers.map((answer) => [answer.router, 'quote' in answer ? 'quoted' : answer.refused]),
      [
        ['metis', 'quoted'],
        ['jupiterz', 'timeout'],
        ['okx', 'unavailable'],
        ['dflow', 'no-route'],
      ],
    );
    assert.match(logged(), /"level":50,.*"router":"okx".*a defect/);
    assert.match(logged(), /"outAmount":"9"/);
    const counted = await registry.getSingleMetricAsString('slipway_router_answers_total');
    assert.match(counted, /router="jupiterz",outcome="timeout"\} 1/);
    assert.match(counted, /router="metis",outcome="quoted"\} 1/);
  });

  it('tells routers when it is over, and what they do then is no defect', async () => {
    let aborted = false;
    const { routing, logged } = raceOf([
      router('metis', (_request, signal) => {
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        });
      }),
    ]);
    const { ranked } = await routing.best(request);
    assert.deepEqual([ranked.length, aborted], [0, true]);
    assert.doesNotMatch(logged(), /"level":50/);
  });

  it('ends when the last has answered, and asks only those who may take it', async () => {
    // A budget that would be noticed.
    const { routing } = raceOf(
      [router('metis', async () => quoteOf('metis', 1n, 1n)), router('okx', never)],
      2 ** 31 - 1,
    );
    const { answers } = await routing.best(request, ({ id }) => id !== 'okx');
    assert.equal(answers.length, 1);
    assert.deepEqual(await routing.best(request, () => false), { ranked: [], answers: [] });
  });
});
