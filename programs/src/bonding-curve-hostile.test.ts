// Accounts that a stranger puts into the place of others when a launch is made, locked or migrated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
} from '@slipway/wire';
import { INDIE, launch, standInVm } from './bonding-curve-testing.js';
import { RICH, refusedBy } from './bonding-curve-trades-testing.js';
import { migrationOf, sellOut } from './damm-v2-testing.js';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_PROGRAM,
  bondingCurvePool,
  createLocker,
  DAMM_V2_PROGRAM,
  initializeCurvePool,
  lockerAccount,
} from './index.js';
import { newAddress, succeeded, type TestVm, withAccounts } from './test-vm.js';

const UNITS = setComputeUnitLimit(400_000);
const [NOT_WRITABLE, NOT_RELATED, CONSTRAINT, WRONG_ADDRESS, WRONG_SYSVAR] = [2000, 2001, 2003, 2006, 2012];
const [WRONG_TYPE, PAYER_IS_NEW, INVALID_INPUT, INVALID_CONFIG] = [3002, 4101, 6011, 6024];

const texts = { name: 'A token', symbol: 'TOKEN', uri: '' };
const readOnly = (instruction: Instruction, place: number): Instruction => {
  const accounts = instruction.accounts.map((meta, i) => (i === place ? { ...meta, writable: false } : meta));
  return { ...instruction, accounts };
};

/** Each account replaced, and each made unchangeable, is refused with an error of the launch program. */
function assertRefuses(
  vm: TestVm,
  instruction: Instruction,
  replaced: readonly (readonly [place: number, account: Address, error: number])[],
  writable: readonly number[],
): void {
  for (const [place, account, error] of replaced)
    refusedBy(vm.run(UNITS, withAccounts(instruction, { [place]: account })), error, `${account} in place ${place}`);
  for (const place of writable)
    refusedBy(vm.run(UNITS, readOnly(instruction, place)), NOT_WRITABLE, `${place} read only`);
}

test('attack: a stranger on the chain makes a launch with accounts of his own: refused', () => {
  const vm = standInVm();
  const quote = vm.mint({ decimals: 6, supply: RICH });
  const { pool: first, outcome } = launch(vm, quote, INDIE);
  succeeded(outcome);
  const creator = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const pool = bondingCurvePool(first.config, newAddress(), quote);
  const instruction = initializeCurvePool({ pool, creator, ...texts });
  assertRefuses(
    vm,
    instruction,
    [
      [1, creator, WRONG_SYSVAR],
      [3, creator, PAYER_IS_NEW],
      [5, newAddress(), WRONG_ADDRESS],
      [9, DAMM_V2_PROGRAM, WRONG_SYSVAR],
    ],
    [8],
  );
  const other = bondingCurvePool(first.config, newAddress(), vm.mint({ decimals: 6, supply: RICH }));
  refusedBy(vm.run(UNITS, initializeCurvePool({ pool: other, creator, ...texts })), NOT_RELATED);
  // A pool elsewhere, with the vaults that such a pool would have.
  const elsewhere = newAddress();
  const vault = (mint: Address) =>
    findProgramAddress(
      [Buffer.from('token_vault'), addressToBytes(mint), addressToBytes(elsewhere)],
      BONDING_CURVE_PROGRAM,
    ).address;
  const places = { 5: elsewhere, 6: vault(pool.baseMint), 7: vault(pool.quoteMint) };
  refusedBy(vm.run(UNITS, withAccounts(instruction, places)), WRONG_ADDRESS);
  succeeded(vm.run(UNITS, instruction));
});

test('the order of the mints in the address of a launch’s pool is that of their bytes, to the last one', () => {
  for (const [base, quote] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const vm = standInVm();
    const mint = (last: number) => addressFromBytes(Buffer.concat([Buffer.alloc(31, 7), Uint8Array.of(last)]));
    const { pool: first, outcome } = launch(vm, vm.mint({ address: mint(quote), decimals: 6, supply: RICH }), INDIE);
    succeeded(outcome);
    const pool = bondingCurvePool(first.config, mint(base), mint(quote));
    succeeded(vm.run(UNITS, initializeCurvePool({ pool, creator: vm.payer, ...texts })));
  }
});

test('attack: a stranger on the chain makes a launch whose accounts are paid for, with a payer that may not pay: refused', () => {
  const vm = standInVm();
  const { pool: first } = launch(vm, vm.mint({ decimals: 6, supply: RICH }), INDIE);
  const pool = bondingCurvePool(first.config, newAddress(), first.quoteMint);
  for (const address of [pool.baseMint, pool.pool, pool.baseVault, pool.quoteVault])
    vm.put(address, new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 9n);
  const creator = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const instruction = initializeCurvePool({ pool, creator, ...texts });
  const accounts = instruction.accounts.map((meta) => (meta.address === creator ? { ...meta, writable: false } : meta));
  refusedBy(vm.run(UNITS, { ...instruction, accounts }), NOT_WRITABLE);
});

test('a launch’s texts are 1,024 bytes at most with their lengths', () => {
  const vm = standInVm();
  const { pool: first } = launch(vm, vm.mint({ decimals: 6, supply: RICH }), INDIE);
  const pool = bondingCurvePool(first.config, newAddress(), first.quoteMint);
  const launchOf = (length: number) =>
    vm.run(
      UNITS,
      initializeCurvePool({ pool, creator: vm.payer, name: 'A', symbol: 'B', uri: 'x'.repeat(length - 14) }),
    );
  refusedBy(launchOf(1_025), INVALID_INPUT);
  assert.doesNotMatch(String(launchOf(1_024).failure?.reason), /0x177b/);
});

test('attack: a stranger on the chain locks the vested tokens of a launch with accounts of another: refused', () => {
  const vm = standInVm();
  const { vesting } = INDIE;
  const [moving, other] = [sellOut(vm, { vesting }), sellOut(vm, { vesting })];
  const { owner, account } = lockerAccount(moving.pool);
  vm.tokenAccount({ address: account, mint: moving.pool.baseMint, owner });
  const payer = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const instruction = createLocker(moving.pool, vm.payer, payer);
  assertRefuses(vm, instruction, [[1, other.pool.config, NOT_RELATED]], [0, 2, 3, 4, 5, 7, 8, 9]);
  succeeded(vm.run(UNITS, instruction));
});

test('attack: a stranger on the chain migrates a launch with accounts that are not its own: refused', () => {
  const vm = standInVm();
  const [moving, other] = [sellOut(vm), sellOut(vm)];
  const payer = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const whole = migrationOf(vm, moving);
  const migration = withAccounts(whole, { 19: payer });
  const config = vm.data(moving.dammConfig);
  const forged = (at: number) => {
    const data = Buffer.from(config);
    data[at]! ^= 1;
    return vm.put(newAddress(), data, DAMM_V2_PROGRAM);
  };
  assertRefuses(
    vm,
    migration,
    [
      [2, other.pool.config, NOT_RELATED],
      [8, moving.position.mint, CONSTRAINT],
      [17, other.pool.baseVault, NOT_RELATED],
      [18, other.pool.quoteVault, NOT_RELATED],
      [25, forged(0), WRONG_TYPE],
      [25, forged(40), INVALID_CONFIG],
      [3, payer, WRONG_SYSVAR],
    ],
    [0, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16, 17, 18, 19],
  );
  for (const at of [239, 240]) {
    const before = vm.data(moving.pool.config);
    vm.patch(moving.pool.config, at, Uint8Array.of(1));
    refusedBy(vm.run(UNITS, migration), 7000);
    vm.patch(moving.pool.config, 0, before);
  }
  succeeded(vm.run(UNITS, migration));
  assert.equal(vm.lamports(BONDING_CURVE_AUTHORITY), 1_000_000_000n);
});

test('a migration locks liquidity for good where the terms say so, and does not ask for it elsewhere', () => {
  for (const percentage of [50, 0]) {
    const vm = standInVm();
    const moving = sellOut(vm, { isLpLocked: true });
    vm.patch(moving.pool.config, 241, Uint8Array.of(percentage));
    const calls = succeeded(vm.run(UNITS, migrationOf(vm, moving))).calls();
    const locks = calls.filter(({ data }) => Buffer.from(data).toString('hex').startsWith('a5b07d06e7abbad5'));
    assert.equal(locks.length, percentage === 0 ? 0 : 1);
  }
});
