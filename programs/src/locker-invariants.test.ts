import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standInVm } from './bonding-curve-testing.js';
import { claimLocked, decodeLock } from './index.js';
import { createLock, type LockPlaces, type LockTerms, lockPlaces } from './locker-sequences.js';
import { claimLocked2 } from './locker-testing.js';
import { newAddress, type Random, randomNumbers, succeeded, type TestVm } from './test-vm.js';

const STEPS = Number(process.env.TEST_STEPS ?? 2_000);
const SEED = 20_261_123;
const START = 1_800_000_000n;
const CLAIMS_OF_A_LOCK = 40;

function randomTerms(random: Random, now: bigint): LockTerms {
  const startTime = now + BigInt(random(100));
  return {
    startTime,
    cliffTime: startTime + BigInt(random(1_000)),
    frequency: BigInt(1 + random(500)),
    atCliff: BigInt(random(1_000_000)),
    perPeriod: BigInt(random(1_000_000)),
    periods: BigInt(random(30)),
    updateMode: random(4),
    cancelMode: random(4),
  };
}

const smallest = (one: bigint, other: bigint) => (one < other ? one : other);

/** What must have come free of the tokens at a time. */
function free({ cliffTime, frequency, atCliff, perPeriod, periods }: LockTerms, at: bigint): bigint {
  if (at < cliffTime) return 0n;
  const passed = (at - cliffTime) / frequency;
  return atCliff + perPeriod * (passed < periods ? passed : periods);
}

function claim(vm: TestVm, random: Random, { lock, tokens, mint, recipient, recipientAccount }: LockPlaces) {
  const most = random(3) === 0 ? 2n ** 64n - 1n : BigInt(random(2_000_000));
  const instruction = claimLocked({ lock, tokens, recipient, account: recipientAccount, most });
  succeeded(vm.run(random(2) === 0 ? instruction : claimLocked2(instruction, mint)));
  return most;
}

test(`${STEPS} random steps on locks pay what has come free and was asked for, to the unit, and keep the rest`, () => {
  const vm = standInVm();
  const random = randomNumbers(SEED);
  let now = START;
  for (let step = 0; step < STEPS; ) {
    vm.setTime(now);
    const keys = new Map<string, ReturnType<typeof newAddress>>();
    const places = lockPlaces(vm, (name) => {
      const key = keys.get(name) ?? newAddress();
      keys.set(name, key);
      return key;
    });
    const terms = randomTerms(random, now);
    const all = terms.atCliff + terms.perPeriod * terms.periods;
    const had = vm.amount(places.senderAccount);
    succeeded(vm.run(createLock(places, terms)));
    step++;
    assert.equal(had - vm.amount(places.senderAccount), all, `seed ${SEED}, step ${step}: locked`);
    let claimed = 0n;
    for (let count = random(CLAIMS_OF_A_LOCK); count > 0; count--, step++) {
      now += BigInt(random(3) === 0 ? 0 : random(800));
      vm.setTime(now);
      const most = claim(vm, random, places);
      const due = free(terms, now) - claimed;
      claimed += smallest(due, most);
      const what = `seed ${SEED}, step ${step}`;
      assert.equal(vm.amount(places.recipientAccount), claimed, what);
      assert.equal(vm.amount(places.tokens), all - claimed, what);
      assert.equal(decodeLock(vm.data(places.lock))!.claimed, claimed, what);
    }
  }
});
