import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TrailingGroup } from './trailing-group.js';

const BPS = 1_000;

/** The group as one would write it without a thought for speed. */
class PlainGroup {
  readonly marks = new Map<number, number>();

  constructor(private readonly sign: 1 | -1) {}

  /** All that the price fires. */
  tick(usd: number): number[] {
    const best = this.sign === 1 ? Math.max : Math.min;
    for (const [slot, mark] of this.marks) this.marks.set(slot, best(mark, usd));
    const fires = (mark: number) => this.sign * (usd - mark * (1 - (this.sign * BPS) / 10_000)) <= 0;
    return [...this.marks].filter(([, mark]) => fires(mark)).map(([slot]) => slot);
  }
}

const slot = fc.integer({ min: 0, max: 30 });
/** Few enough that marks are often equal. */
const usd = fc.integer({ min: 80, max: 120 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), slot, usd }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), slot }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('tick' as const), usd, most: fc.option(fc.nat(5), { nil: undefined }) }),
  },
);

for (const sign of [1, -1] as const) {
  const marks = sign === 1 ? 'highs' : 'lows';
  test(`whatever happens, ${marks} move and fire as in a plain list`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const [group, plain] = [new TrailingGroup(sign, BPS), new PlainGroup(sign)];
        for (const each of steps) {
          if (each.do === 'tick') {
            const [fired, all] = [group.tick(each.usd, each.most), plain.tick(each.usd)];
            assert.equal(new Set(fired).size, Math.min(each.most ?? all.length, all.length));
            assert.ok(fired.every((one) => all.includes(one)));
          } else {
            group.remove(each.slot);
            plain.marks.delete(each.slot);
            if (each.do === 'add') {
              group.add(each.slot, each.usd);
              plain.marks.set(each.slot, each.usd);
            }
          }
          for (let n = 0; n <= 30; n += 1) assert.equal(group.markOf(n), plain.marks.get(n));
        }
      }),
      { numRuns: 1_000 },
    );
  });
}

test('attack: a free key lets its token fall while it opens trailing orders, so that all their marks differ: to add or remove one looks at its own mark, not at all the others', () => {
  const group = new TrailingGroup(1, BPS);
  const count = 2_000;
  let looks = 0;
  const markOf = (usd: number) => {
    const mark = {
      valueOf() {
        looks += 1;
        return usd;
      },
    };
    return mark as unknown as number;
  };
  for (let n = 0; n < count; n += 1) group.add(n, markOf(count - n));
  for (let n = 0; n < count; n += 1) {
    group.remove(n);
    group.add(n, markOf(count - n));
  }
  assert.ok(looks < 10 * count, String(looks));
  assert.equal(group.tick(1).length, count - 1);
});
