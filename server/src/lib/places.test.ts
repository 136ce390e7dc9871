import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Guest, NoPlace, Places } from './places.js';

function enter(places: Places, guest: Guest): string {
  try {
    places.enter(guest);
    return 'in';
  } catch (error) {
    assert.ok(error instanceof NoPlace);
    return error.whose;
  }
}

it('bounds each guest and all of them, and a place that is given back can be taken again', () => {
  const places = new Places({ ofKey: 2, all: 3 });
  const leave = places.enter({ id: 'one' });
  assert.deepEqual(
    ['one', 'one', 'other', 'other'].map((id) => enter(places, { id })),
    ['in', 'guest', 'in', 'all'],
  );
  leave();
  assert.deepEqual([enter(places, { id: 'new' }), enter(places, { id: 'other' })], ['in', 'all']);
});

it('attack: another user takes the places of a page’s key, or of those without one: a fifth of one key’s, and all of them together take one key’s', () => {
  const places = new Places({ ofKey: 10, all: 30 });
  const many = (together: string) =>
    Array.from({ length: 1_000 }, (_, n) => enter(places, { id: `${together} 2001:db8:${n >> 2}`, together }));
  for (const together of ['page', 'keyless']) {
    const got = many(together);
    assert.deepEqual(got.slice(0, 4), ['in', 'in', 'guest', 'guest'], 'a fifth for one address');
    assert.equal(got.filter((each) => each === 'in').length, 10);
    assert.ok(!got.includes('all'));
  }
  assert.equal(enter(places, { id: 'a key' }), 'in', 'others go on');
});

it('attack: a free key takes all places that it may have, and nine more do so: others have some, until there are nineteen such keys', () => {
  const places = new Places({ ofKey: 500, all: 5_000 });
  const takeAll = (id: string) => {
    let taken = 0;
    while (enter(places, { id }) === 'in') taken += 1;
    return taken;
  };
  const taken = Array.from({ length: 18 }, (_, n) => takeAll(`${n}`));
  assert.deepEqual(taken.slice(0, 9), Array(9).fill(500));
  assert.deepEqual(taken.slice(9), [250, 125, 63, 31, 16, 8, 4, 2, 1]);
});
