import assert from 'node:assert/strict';
import { addressToBytes, associatedTokenAddress, SYSTEM_PROGRAM } from '@slipway/wire';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import type { FuzzTarget } from './fuzz-engine.js';
import { claimLocked, createLocker, curveSwap, decodeLock, LOCKER_PROGRAM, lockerAccount } from './index.js';
import { newAddress, succeeded, type TestVm } from './test-vm.js';

const RICH = 2n ** 60n;
const START = 1_800_000_000n;
const DAY = 86_400n;
const RECIPIENT_AT = 8;

/** Locks of launches whose tokens have come free in part: of two recipients, and of a bystander. */
export function lockerTarget(): FuzzTarget {
  const vm = standInVm();
  vm.setTime(START);
  const locks = [lockOf(vm), lockOf(vm), lockOf(vm)];
  const [one, other, bystander] = locks as [Lock, Lock, Lock];
  vm.setTime(START + 10n * DAY);
  return {
    vm,
    program: LOCKER_PROGRAM,
    seeds: [one, other].flatMap((lock) => [
      [claimLocked({ ...lock, most: RICH })],
      [claimLocked({ ...lock, most: 77n })],
    ]),
    signers: [one.recipient, other.recipient],
    others: [bystander.lock, bystander.tokens, vm.put(newAddress(), new Uint8Array(296), LOCKER_PROGRAM)],
    isProgramOwned: (address) => locks.some(({ lock }) => lock === address),
    isAlone: true,
    check: ({ accounts, signers, what, isForged }) => {
      if (isForged) return;
      for (const { lock, tokens, recipient } of locks) {
        const seen = accounts.get(lock);
        if (!seen?.before || !seen.after) continue;
        const [before, after] = [decodeLock(seen.before.data)!, decodeLock(seen.after.data)!];
        const paid = after.claimed - before.claimed;
        assert.deepEqual({ ...after, claimed: before.claimed }, before, `${what}: the terms of a lock changed`);
        assert.ok(
          paid === 0n || (signers.has(recipient) && after.recipient === recipient),
          `${what}: who has not signed was paid`,
        );
        const free = after.atCliff + after.perPeriod * ((10n * DAY) / after.frequency);
        assert.ok(after.claimed <= free, `${what}: more was paid than had come free`);
        // More is there where the recipient has had it paid into the lock.
        assert.ok(vm.amount(tokens) + after.claimed >= allOf(after), `${what}: tokens are missing`);
      }
    },
  };
}

type Lock = Omit<Parameters<typeof claimLocked>[0], 'most'>;

const allOf = ({ atCliff, perPeriod, periods }: NonNullable<ReturnType<typeof decodeLock>>) =>
  atCliff + perPeriod * periods;

function lockOf(vm: TestVm): Lock {
  const { pool, outcome } = launch(vm, vm.mint({ decimals: 6, supply: RICH }), INDIE);
  succeeded(outcome);
  const trader = vm.payer;
  const inputAccount = vm.tokenAccount({ mint: pool.quoteMint, owner: trader, amount: RICH });
  const outputAccount = associatedTokenAddress(trader, pool.baseMint);
  vm.tokenAccount({ address: outputAccount, mint: pool.baseMint, owner: trader });
  const purchase = { pool, trader, inputAccount, outputAccount, amountIn: RICH / 2n, leastOut: 0n, partial: true };
  succeeded(vm.run(curveSwap(purchase)));
  const { owner: lock, account: tokens } = lockerAccount(pool);
  vm.tokenAccount({ address: tokens, mint: pool.baseMint, owner: lock });
  succeeded(vm.run(createLocker(pool, trader, trader)));
  // The machine's payer, who is the creator, also pays for each transaction.
  const recipient = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 9n);
  vm.patch(lock, RECIPIENT_AT, addressToBytes(recipient));
  return { lock, tokens, recipient, account: outputAccount };
}
