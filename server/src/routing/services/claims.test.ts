import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateKeypair, type Instruction, TOKEN_PROGRAM } from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type QuoteRequest, type Refusal, type Token } from '../router.js';
import { createServiceRouter, type RoutingService } from './index.js';

const [AMOUNT, PROGRAM] = [1_000_000n, generateKeypair().address];
const MINUTE_MS = 60_000;

/** A company's service, whose answers the test gives. Both tokens are worth the same. */
function openService(outAmount: bigint) {
  const token = (): Token => ({ mint: generateKeypair().address, tokenProgram: TOKEN_PROGRAM, decimals: 6 });
  const [input, output] = [token(), token()];
  const owner = generateKeypair().address;
  const [source, destination] = [generateKeypair().address, generateKeypair().address];
  const instruction: Instruction = {
    program: PROGRAM,
    accounts: [source, destination].map((address) => ({ address, signer: false, writable: true })),
    data: new Uint8Array(1),
  };
  const state = { now: 0, silent: undefined as Refusal | undefined, asked: 0 };
  const service: RoutingService = {
    id: 'dflow',
    name: 'Company',
    programs: new Set([PROGRAM]),
    async price() {
      state.asked += 1;
      return { outAmount, priceImpact: 0, labels: [] };
    },
    trade: async () => state.silent ?? { least: outAmount, outAmount, instructions: [instruction], lookupTables: [] },
  };
  const router = createServiceRouter(service, {
    chain: { account: async () => undefined, latestBlockhash: () => assert.fail('there are no tables') },
    usd: ({ mint }: Token) => (mint === input.mint || mint === output.mint ? 2 : undefined),
    steadyNow: () => state.now,
  });
  const request: QuoteRequest = { mode: 'exact-in', input, output, amount: AMOUNT, owner, excludeVenues: new Set() };
  const parties = { owner, source, destination, receiver: owner, feePayer: owner, rentPayer: owner };
  const quote = () => router.quote(request, AbortSignal.timeout(PATIENCE_MS));
  return {
    state,
    quote,
    async trade() {
      const quoted = await quote();
      if (isRefused(quoted)) return quoted;
      return quoted.build({ ...parties, absentSigners: new Set(), minOut: outAmount });
    },
  };
}

const refusedAs = (answer: object): string | undefined => (isRefused(answer) ? answer.refused : undefined);

it('attack: a router quotes twice what the known prices say, so that it is always the best: it is nonsense', async () => {
  const refused = await openService(2n * AMOUNT).quote();
  assert.ok(isRefused(refused));
  assert.match(refused.reason, /offers 2\.000 of what it takes/);
  assert.equal(refusedAs(await openService(AMOUNT).quote()), undefined);
});

it('attack: a router quotes best and lets each order wait for its trade: after three it is asked for no price for a minute', async () => {
  const { state, quote, trade } = openService(AMOUNT);
  state.silent = { refused: 'timeout', reason: 'nothing was said' };
  for (let trades = 0; trades < 3; trades++) assert.equal(refusedAs(await trade()), 'timeout');
  assert.deepEqual([refusedAs(await quote()), state.asked], ['unavailable', 3]);
  state.now = MINUTE_MS;
  assert.equal(refusedAs(await trade()), 'timeout');
  assert.deepEqual([refusedAs(await quote()), state.asked], ['unavailable', 4]);
  state.now = 2 * MINUTE_MS;
  state.silent = undefined;
  assert.equal(refusedAs(await trade()), undefined);
  state.silent = { refused: 'timeout', reason: 'nothing was said' };
  assert.equal(refusedAs(await trade()), 'timeout');
  assert.equal(refusedAs(await quote()), undefined);
});

it('attack: a free key asks for trades that the service of another company refuses: the router is asked on for everybody', async () => {
  const { state, quote, trade } = openService(AMOUNT);
  state.silent = { refused: 'unavailable', reason: 'it trades no such token' };
  for (let trades = 0; trades < 10; trades++) assert.equal(refusedAs(await trade()), 'unavailable');
  assert.equal(refusedAs(await quote()), undefined);
});
