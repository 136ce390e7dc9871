import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fairShare } from './shares.js';

test('a fair share leaves nothing that somebody needs, and gives nobody less than an equal part that he needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 20 }), fc.nat(300), (needs, room) => {
      const share = fairShare(needs, room);
      const given = needs.map((need) => Math.min(need, share));
      const sum = given.reduce((total, each) => total + each, 0);
      assert.ok(sum <= room);
      assert.ok(share >= Math.floor(room / needs.length) || given.every((each, i) => each === needs[i]));
      if (given.some((each, i) => each < needs[i]!)) assert.ok(sum > room - needs.length);
    }),
  );
});
