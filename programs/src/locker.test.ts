import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '@slipway/wire';
import { INDIE, standInVm } from './bonding-curve-testing.js';
import { type Moving, migrationOf, sellOut } from './damm-v2-testing.js';
import {
  BONDING_CURVE_PROGRAM,
  claimLocked,
  createLocker,
  decodeBondingCurvePool,
  decodeLock,
  LOCKER_PROGRAM,
  lockerAccount,
} from './index.js';
import { createLock, lockPlaces } from './locker-sequences.js';
import { claimLocked2 } from './locker-testing.js';
import { newAddress, type Outcome, succeeded, type TestVm, withAccounts } from './test-vm.js';

const RICH = 2n ** 60n;
const START = 1_800_000_000n;
const DAY = 86_400n;

interface Locked extends Moving {
  lock: Address;
  tokens: Address;
  create: Instruction;
}

/** A launch of which a tenth comes over a year, sold out, with the account for it. */
function openVested(): { vm: TestVm; vested: Locked } {
  const vm = standInVm();
  vm.setTime(START);
  const moving = sellOut(vm, { vesting: INDIE.vesting });
  const { owner: lock, account: tokens } = lockerAccount(moving.pool);
  vm.tokenAccount({ address: tokens, mint: moving.pool.baseMint, owner: lock });
  return { vm, vested: { ...moving, lock, tokens, create: createLocker(moving.pool, vm.payer, vm.payer) } };
}

const claimOf = (vm: TestVm, { lock, tokens, base }: Locked, most = RICH) =>
  claimLocked({ lock, tokens, recipient: vm.payer, account: base, most });

function refused({ failure, logs }: Outcome, error: number, program = LOCKER_PROGRAM): void {
  const expected = { program, reason: `custom program error: 0x${error.toString(16)}` };
  assert.deepEqual(failure, expected, logs.join('\n'));
}

test('tokens that come later are counted from when the curve was sold out, however late they are locked', () => {
  const { vm, vested } = openVested();
  vm.setTime(START + 9n * DAY);
  const lamports = vm.lamports(vm.payer);
  const [rentBefore] = [vm.lamports(vested.lock)];
  succeeded(vm.run(vested.create));
  const state = decodeLock(vm.data(vested.lock))!;
  assert.deepEqual([state.recipient, state.mint], [vm.payer, vested.pool.baseMint]);
  assert.equal(state.cliffTime, START);
  // The sender pays one signature and the rent.
  assert.equal(lamports - vm.lamports(vm.payer), 5_000n + vm.lamports(vested.lock) - rentBefore);
  const before = vm.amount(vested.base);
  succeeded(vm.run(claimOf(vm, vested)));
  assert.equal(vm.amount(vested.base) - before, state.atCliff + 9n * state.perPeriod);
});

describe('attack: a stranger on the chain meddles with locked tokens', () => {
  it('attack: locks before the curve is sold out, or twice, or migrates before: refused', () => {
    const { vm, vested } = openVested();
    refused(vm.run(migrationOf(vm, vested)), 6022, BONDING_CURVE_PROGRAM);
    const progress = (value: number) => vm.patch(vested.pool.pool, 308, Uint8Array.of(value));
    progress(0);
    refused(vm.run(vested.create), 6022, BONDING_CURVE_PROGRAM);
    progress(1);
    succeeded(vm.run(vested.create));
    assert.equal(decodeBondingCurvePool(vm.data(vested.pool.pool))!.isReadyToMigrate, true);
    refused(vm.run(vested.create), 6022, BONDING_CURVE_PROGRAM);
  });

  it('attack: names another recipient, vault, mint or terms: refused', () => {
    const { vm, vested } = openVested();
    const { vested: other } = { vested: sellOut(vm, { vesting: INDIE.vesting }) };
    for (const [place, address, error] of [
      [1, other.pool.config, 2001],
      [2, newAddress(), 2012],
      [3, other.pool.baseVault, 2001],
      [4, other.pool.baseMint, 2001],
      [5, newAddress(), 2006],
      [6, newAddress(), 2001],
      [10, TOKEN_2022_PROGRAM, 2021],
      [11, newAddress(), 2012],
    ] as const) {
      refused(vm.run(withAccounts(vested.create, { [place]: address })), error, BONDING_CURVE_PROGRAM);
    }
    const elsewhere = vm.tokenAccount({ mint: vested.pool.baseMint, owner: vested.lock });
    refused(vm.run(withAccounts(vested.create, { 8: elsewhere })), 2009);
    refused(vm.run(withAccounts(vested.create, { 7: newAddress() })), 2006);
    const own = vm.tokenAccount({ mint: vested.pool.baseMint, owner: vm.payer });
    refused(vm.run(withAccounts(vested.create, { 8: own })), 2015);
  });

  it('attack: claims for another recipient, another lock’s tokens, without the recipient’s signature: refused', () => {
    const { vm, vested } = openVested();
    succeeded(vm.run(vested.create));
    vm.setTime(START + 40n * DAY);
    const stranger = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 9n);
    const claim = claimOf(vm, vested);
    refused(vm.run(withAccounts(claim, { 2: stranger })), 2001);
    const accounts = claim.accounts.map((meta, i) => (i === 2 ? { ...meta, address: stranger, signer: false } : meta));
    refused(vm.run({ ...claim, accounts }), 3010);
    const own = vm.tokenAccount({ mint: vested.pool.baseMint, owner: vm.payer, amount: 5n });
    refused(vm.run(withAccounts(claim, { 1: own })), 2015);
    const second = vm.tokenAccount({ mint: vested.pool.baseMint, owner: vested.lock, amount: 5n });
    refused(vm.run(withAccounts(claim, { 1: second })), 2009);
    const forged = vm.put(newAddress(), vm.data(vested.lock), SYSTEM_PROGRAM);
    refused(vm.run(withAccounts(claim, { 0: forged })), 3007);
    const empty = vm.put(newAddress(), new Uint8Array(296), LOCKER_PROGRAM);
    refused(vm.run(withAccounts(claim, { 0: empty })), 3002);
    for (const place of [0, 1, 2, 3]) {
      const readonly = claim.accounts.map((meta, i) => (i === place ? { ...meta, writable: false } : meta));
      // The payer of the transaction is writable whatever an instruction says.
      const { failure } = vm.run({ ...claim, accounts: readonly });
      assert.equal(failure === undefined, place === 2, `${place}`);
    }
  });

  it('attack: writes events of the program: refused', () => {
    const vm = standInVm();
    const data = Buffer.from('e445a52e51cb9a1dab9001bd78c8260b', 'hex');
    const event = { program: LOCKER_PROGRAM, accounts: [readonlyAccount(newAddress())], data };
    refused(vm.run(event), 3010);
    refused(vm.run({ ...event, accounts: [{ ...event.accounts[0]!, signer: true }] }), 2006);
  });
});

test('a claim takes nothing back where the clock has gone back', () => {
  const { vm, vested } = openVested();
  succeeded(vm.run(vested.create));
  vm.setTime(START + 40n * DAY);
  succeeded(vm.run(claimOf(vm, vested)));
  vm.setTime(START + 39n * DAY);
  const before = vm.data(vested.lock);
  const claim = claimOf(vm, vested);
  for (const each of [claim, claimLocked2(claim, vested.pool.baseMint)]) refused(vm.run(each), 6000);
  assert.deepEqual(vm.data(vested.lock), before);
});

test('a claim that names the mint names that of the lock, and no further accounts', () => {
  const { vm, vested } = openVested();
  succeeded(vm.run(vested.create));
  const claim = claimLocked2(claimOf(vm, vested), vested.pool.baseMint);
  refused(vm.run(withAccounts(claim, { 1: vested.pool.quoteMint })), 2001);
  refused(vm.run({ ...claim, data: Buffer.concat([claim.data.subarray(0, 16), Uint8Array.of(1)]) }), 7000);
  succeeded(vm.run(claim));
});

test('the stand-in locks tokens of SPL Token alone, and takes no further accounts', () => {
  const vm = standInVm();
  const places = lockPlaces(vm, () => newAddress());
  const terms = { startTime: START, cliffTime: START, frequency: 1n, atCliff: 9n, perPeriod: 0n, periods: 0n };
  const create = createLock(places, { ...terms, updateMode: 0, cancelMode: 0 });
  const data = Buffer.from(create.data);
  data[data.length - 1] = 1;
  refused(vm.run({ ...create, data }), 7000);
  const { lock, mint } = places;
  const seeds = [addressToBytes(lock), addressToBytes(TOKEN_2022_PROGRAM), addressToBytes(mint)];
  const tokens = findProgramAddress(seeds, ASSOCIATED_TOKEN_PROGRAM).address;
  vm.tokenAccount({ address: tokens, mint, owner: lock, tokenProgram: TOKEN_2022_PROGRAM });
  vm.put(mint, vm.data(mint), TOKEN_2022_PROGRAM);
  refused(vm.run(withAccounts(create, { 3: tokens, 7: TOKEN_2022_PROGRAM })), 7000);
});

test('what the stand-in does not do it refuses, and says so', () => {
  const { vm, vested } = openVested();
  succeeded(vm.run(vested.create));
  for (const data of ['d9e90d038f653 5c9', '1764c55ede99265a', '1af27fffed6d2fce']) {
    const outcome = vm.run({ ...claimOf(vm, vested), data: Buffer.from(data.replace(' ', ''), 'hex') });
    refused(outcome, 7000);
    assert.match(outcome.logs.join('\n'), /^Program log: stand-in: /m);
  }
  refused(vm.run({ ...claimOf(vm, vested), data: Buffer.alloc(7) }), 100);
  refused(vm.run({ ...claimOf(vm, vested), data: claimOf(vm, vested).data.subarray(0, 15) }), 102);
});
