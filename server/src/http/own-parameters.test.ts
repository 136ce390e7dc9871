import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyInstance } from 'fastify';
import { listed } from '../areas/tokens/mint-list.js';
import { plainError } from '../errors/index.js';
import { createClientOf } from './client-address.js';
import { startTestServer } from './testing.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const CALLS = 1_000;
const PADDING = 'x'.repeat(12_000);
/** As long as an address, and another one each time. */
const named = (call: number) => String(call).padStart(44, 'm');

/** What caches of mints and of clients keep of a request. */
const kept: unknown[] = [];
let app: FastifyInstance;
let url: string;

before(async () => {
  const clientOf = createClientOf(['127.0.0.1']);
  const config = { errorShape: plainError, auth: 'none' } as const;
  const server = await startTestServer((instance) => {
    instance.get('/kept/:mint', { config }, (request) => {
      const { query, params } = request as { query: Record<string, string>; params: { mint: string } };
      const { many = [], list } = query;
      kept.push(params.mint, query.mint, [many].flat()[0], list && listed('list', list, 'mints'), clientOf(request));
      return {};
    });
  });
  app = server.app;
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => app.close());

/** Bytes of the heap for each call, of which each keeps five short texts at most. */
async function keptByCall(ask: (call: number) => [path: string, headers?: Record<string, string>]): Promise<number> {
  const call = async (at: number) => {
    const [path, headers = {}] = ask(at);
    const answer = await fetch(`${url}${path}`, { headers });
    assert.equal(answer.status, 200, await answer.text());
  };
  for (let at = 0; at < 300; at += 1) await call(at);
  kept.length = 0;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < CALLS; at += 1) await call(at);
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  assert.equal(kept.length, 5 * CALLS);
  return grown / CALLS;
}

const rows: [what: string, ask: Parameters<typeof keptByCall>[0]][] = [
  ['a parameter', (call) => [`/kept/m?mint=${named(call)}&other=${PADDING}`]],
  ['one of several', (call) => [`/kept/m?many=${named(call)}&many=${PADDING}`]],
  ['a part of the path', (call) => [`/kept/${named(call)}?other=${PADDING}`]],
  ['one of a list', (call) => [`/kept/m?list=${named(call)}${','.repeat(PADDING.length)}`]],
  [
    'the address that a proxy tells',
    (call) => ['/kept/m', { 'x-forwarded-for': `${PADDING}, 100.100.${100 + (call % 100)}.${100 + (call % 150)}` }],
  ],
];
describe('attack: a free key sends ever more long URLs: caches of mints keep none of them whole', () => {
  for (const [what, ask] of rows) {
    it(`nothing is kept but ${what}`, async () => {
      const bytes = await keptByCall(ask);
      assert.ok(bytes < 4_000, `${bytes} bytes for each call`);
    });
  }
});
