import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import fc from 'fast-check';
import type { PoolSpot } from './pool-quotes.js';
import { PoolSpots, type PoolWord } from './pool-spots.js';
import { DEFAULT_PRICES } from './testing.js';

const RULES = DEFAULT_PRICES.pools;
const [token, dollar, sol] = Array.from({ length: 3 }, () => generateKeypair().address) as [Address, Address, Address];
const certain = (usd: number): PoolSpot => ({ usd, lowUsd: usd, highUsd: usd, depthUsd: Number.POSITIVE_INFINITY });
const worthOf = (solUsd: PoolSpot | undefined) =>
  new Map([
    [dollar, certain(1)],
    [sol, solUsd],
  ]);
const wordsOf = (count: number): PoolWord[] =>
  Array.from({ length: count }, (_, i) => ({ pool: `${i}` as Address, in: dollar, price: 1 + i / 1e6, depth: 1e5 }));

it('attack: a free key asks ever again for the price of a token of 800 pools: it is worked out once, until one of them says something else', () => {
  const spots = new PoolSpots(RULES);
  const first = spots.of(token, wordsOf(800), worthOf(certain(150)));
  for (let i = 0; i < 10; i++) assert.equal(spots.of(token, wordsOf(800), worthOf(certain(150))), first);
  const otherwise: Partial<PoolWord>[] = [{ price: 2 }, { depth: 1 }, { in: sol }, { isSilent: true }, { pool: token }];
  for (const change of otherwise) {
    const before = spots.of(token, wordsOf(800), worthOf(certain(150)));
    const words = wordsOf(800).map((word, i) => (i === 799 ? { ...word, ...change } : word));
    assert.notEqual(spots.of(token, words, worthOf(certain(150))), before);
  }
});

it('attack: a free key names ever more tokens that have no pool: no price is worked out anew for that', () => {
  const spots = new PoolSpots(RULES);
  const first = spots.of(token, wordsOf(10), worthOf(undefined));
  for (let i = 0; i < 60_000; i++) spots.of(`none ${i}` as Address, [], worthOf(undefined));
  assert.equal(spots.of(token, wordsOf(10), worthOf(undefined)), first);
});

it('of more words than pools are watched, those of the tokens that were asked for last are kept', () => {
  const spots = new PoolSpots(RULES);
  const words = wordsOf(1_000);
  const ask = (mint: string) => spots.of(mint as Address, words, worthOf(undefined));
  const [first, second] = [ask('first'), ask('second')];
  for (let i = 0; i < 49; i++) {
    assert.equal(ask('first'), first);
    ask(`${i}`);
  }
  assert.equal(ask('first'), first);
  assert.notEqual(ask('second'), second);
});

it('is always what the words of this moment make, whatever was said before', () => {
  const some = fc.constantFrom(1, 1.02, 3);
  const word = fc.record({
    pool: fc.constantFrom('a', 'b', 'c') as fc.Arbitrary<Address>,
    in: fc.constantFrom(dollar, sol),
    price: some,
    depth: fc.constantFrom(1e4, 1e5),
    isSilent: fc.constantFrom(undefined, true),
  });
  const worth = fc.option(fc.record({ usd: some, lowUsd: some, highUsd: some, depthUsd: some }), { nil: undefined });
  const look = fc.tuple(fc.array(word, { maxLength: 3 }), fc.array(worth, { minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(look, { maxLength: 8 }), (looks) => {
      const spots = new PoolSpots(RULES);
      const asked = looks.flatMap(([words, worths]) =>
        worths.map((solUsd) => [structuredClone(words), solUsd] as const),
      );
      for (const [words, solUsd] of asked) {
        const { quotes, silent, spot } = spots.of(token, words, worthOf(solUsd));
        const anew = new PoolSpots(RULES).of(token, words, worthOf(solUsd));
        assert.deepEqual([quotes, silent, spot], [anew.quotes, anew.silent, anew.spot]);
      }
    }),
    { numRuns: 300 },
  );
});
