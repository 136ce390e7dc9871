import assert from 'node:assert/strict';
import { type Address, type Instruction, readonlyAccount } from '@slipway/wire';
import type { Launched } from './bonding-curve-testing.js';
import { claimLocked, createLocker, decodeLock, type LaunchChoices, launchConfig, lockerAccount } from './index.js';
import { succeeded, type TestVm } from './test-vm.js';

const EVERYTHING = 2n ** 63n;

/** Hands what the creator gets later to the lock program. */
export function lockVested(vm: TestVm, { pool }: Launched, choices: LaunchChoices): void {
  if (!choices.vesting) return;
  const { owner, account } = lockerAccount(pool);
  vm.tokenAccount({ address: account, mint: pool.baseMint, owner });
  succeeded(vm.run(createLocker(pool, vm.payer, vm.payer)));
  const { lockedVesting } = launchConfig(choices).terms;
  const all = lockedVesting.cliffUnlockAmount + lockedVesting.amountPerPeriod * lockedVesting.numberOfPeriod;
  assert.equal(vm.amount(account), all);
}

/** What has come free goes to the creator, and nothing before it has. */
export function claimVested(vm: TestVm, { pool }: Launched, choices: LaunchChoices): void {
  if (!choices.vesting) return;
  const { owner: lock, account: tokens } = lockerAccount(pool);
  const account = vm.tokenAccount({ mint: pool.baseMint, owner: vm.payer });
  const claim = (most: bigint) => succeeded(vm.run(claimLocked({ lock, tokens, recipient: vm.payer, account, most })));
  const { cliffUnlockAmount, amountPerPeriod, numberOfPeriod, frequency } = launchConfig(choices).terms.lockedVesting;
  const start = decodeLock(vm.data(lock))!.cliffTime;
  for (const [passed, free] of [
    [0n, cliffUnlockAmount],
    [frequency - 1n, cliffUnlockAmount],
    [frequency, cliffUnlockAmount + amountPerPeriod],
    [7n * frequency, cliffUnlockAmount + 7n * amountPerPeriod],
    [(numberOfPeriod + 9n) * frequency, cliffUnlockAmount + numberOfPeriod * amountPerPeriod],
  ] as const) {
    vm.setTime(start + passed);
    claim(1n);
    claim(EVERYTHING);
    assert.equal(vm.amount(account), free);
    assert.equal(decodeLock(vm.data(lock))!.claimed, free);
  }
  assert.equal(vm.amount(tokens), 0n);
}

const CLAIM_2 = Buffer.from('e5572ea2159de772', 'hex');
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

/** The same claim by the instruction that names the mint. */
export function claimLocked2(claim: Instruction, baseMint: Address): Instruction {
  const [escrow, held, recipient, account, ...programs] = claim.accounts;
  const [mint, memo] = [baseMint, MEMO_PROGRAM].map(readonlyAccount);
  return {
    ...claim,
    accounts: [escrow!, mint!, held!, recipient!, account!, memo!, ...programs],
    data: Buffer.concat([CLAIM_2, claim.data.subarray(8), Buffer.of(0)]),
  };
}
