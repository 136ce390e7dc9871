import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Tx } from '../../store/sql.js';
import { MOST_LOOKED_AT, TrailingMarks } from './trailing-marks.js';

it('attack: a free key has more trailing orders than one turn looks at, and none has moved: a turn looks at no more, and each has its turn', async () => {
  const book = new Map<string, number>();
  const saved: string[] = [];
  let looks = 0;
  const query = async (_: string, [marks]: [string]) => {
    for (const { id } of JSON.parse(marks)) saved.push(id);
  };
  const store = { single: (work: (tx: Tx) => unknown) => work({ query } as unknown as Tx) };
  const marks = new TrailingMarks(store as never, (id) => {
    looks++;
    return book.get(id);
  });
  for (let i = 0; i < 2 * MOST_LOOKED_AT; i++)
    book.set(`o${i}`, marks.enters(`o${i}`, { mint: 'X', condition: 'below', bps: 500, mark: 100 }));
  const [first, last] = ['o0', `o${2 * MOST_LOOKED_AT - 1}`];
  assert.equal(await marks.saveSome(), false);
  assert.equal(looks, MOST_LOOKED_AT);
  for (const id of [first, last]) book.set(id, 110);
  await marks.saveSome();
  assert.deepEqual(saved, [last]);
  await marks.saveSome();
  assert.deepEqual(saved, [last, first]);
  for (const id of [first, last]) book.set(id, 120);
  await marks.saveSome(Number.POSITIVE_INFINITY);
  assert.deepEqual(saved.slice(2).sort(), [first, last].sort(), 'a keeper that closes looks at all');
});
