import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Chained, chained, whyBroken } from './hash-chain.js';

type Entry = Record<string, string>;

function chainOf(entries: readonly Entry[]): Chained<Entry>[] {
  const chain: Chained<Entry>[] = [];
  for (const entry of entries) chain.push(chained(entry, chain.at(-1)));
  return chain;
}

const isWhole = (chain: readonly Chained<Entry>[]) =>
  chain.every((each, index) => whyBroken(each, chain[index - 1]) === undefined);

const texts = fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 });
const some = fc.array(texts, { minLength: 2, maxLength: 8 });

test('a record is whole as it was written, in whatever order its fields come back', () => {
  fc.assert(
    fc.property(some, (entries) => {
      const chain = chainOf(entries);
      assert.ok(isWhole(chain));
      assert.ok(isWhole(chain.map((each) => ({ ...each, entry: reversed(each.entry) }))));
    }),
  );
});

const reversed = (entry: Entry): Entry => Object.fromEntries(Object.entries(entry).reverse());

test('an entry that is changed, removed, repeated, reordered or put between is found', () => {
  fc.assert(
    fc.property(some, fc.nat(), fc.nat(), fc.nat({ max: 5 }), (entries, one, other, how) => {
      const chain = chainOf(entries);
      // The end of a record is known from elsewhere.
      const [at, to] = [one % (chain.length - 1), other % chain.length];
      const changed = [...chain];
      if (how === 0) changed[at] = { ...chain[at]!, entry: { ...chain[at]!.entry, extra: 'x'.repeat(10) } };
      else if (how === 1) changed.splice(at, 1);
      else if (how === 2) changed.splice(at, 0, chain[at]!);
      else if (how === 3) [changed[at], changed[to]] = [chain[to]!, chain[at]!];
      else if (how === 4) changed.splice(at + 1, 0, chained({}, chain[at]!));
      else changed[at] = chained({ other: 'entry' }, chain[at - 1]);
      const isSame = changed.length === chain.length && changed.every((each, index) => each === chain[index]);
      assert.equal(isWhole(changed), isSame);
    }),
    { numRuns: 2_000 },
  );
});
