import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { standInVm } from './bonding-curve-testing.js';
import { discriminator } from './borsh.js';
import { type Moving, sellOut } from './damm-v2-testing.js';
import {
  BONDING_CURVE_AUTHORITY,
  claimDammV2Fee,
  DAMM_V2_AUTHORITY,
  DAMM_V2_PROGRAM,
  dammV2Pool,
  decodeBondingCurveConfig,
  decodeDammV2Position,
} from './index.js';
import { newAddress, type Outcome, succeeded, type TestVm, u64, withAccounts } from './test-vm.js';

const INITIALIZE = discriminator('5fb40aac54aee828');
const LIQUIDITY = 10n ** 30n;
const LEAST_SQRT_PRICE = 4_295_048_016n;
const MOST_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;
const U64_MAX = 2n ** 64n - 1n;
const LEAST_AT = 216;
const MOST_AT = 232;
const RICH = 2n ** 62n;

const u128 = (value: bigint) => Buffer.concat([u64(value & U64_MAX), u64(value >> 64n)]);
const UNITS = setComputeUnitLimit(400_000);

/** What the launch program asks of this one, asked by itself. */
function open() {
  const vm = standInVm();
  vm.setTime(1_800_000_000n);
  const moving = sellOut(vm);
  const { pool, damm, position, dammConfig } = moving;
  const price = decodeBondingCurveConfig(vm.data(pool.config))!.migrationSqrtPrice;
  vm.put(BONDING_CURVE_AUTHORITY, new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const [base, quote] = [pool.baseMint, pool.quoteMint].map((mint) =>
    vm.tokenAccount({ mint, owner: BONDING_CURVE_AUTHORITY, amount: RICH }),
  ) as [Address, Address];
  vm.setSupply(pool.baseMint, U64_MAX);
  vm.setSupply(pool.quoteMint, U64_MAX);
  const events = claimDammV2Fee({ pool: damm, position, owner: base, baseAccount: base, quoteAccount: quote });
  const make = (liquidity = LIQUIDITY, at = price, activation = 0): Instruction => ({
    program: DAMM_V2_PROGRAM,
    accounts: [
      readonlyAccount(vm.payer),
      writableSigner(position.mint),
      writableAccount(position.tokenAccount),
      writableSigner(BONDING_CURVE_AUTHORITY),
      ...[dammConfig, DAMM_V2_AUTHORITY].map(readonlyAccount),
      ...[damm.pool, position.position].map(writableAccount),
      ...[pool.baseMint, pool.quoteMint].map(readonlyAccount),
      ...[damm.baseVault, damm.quoteVault, base, quote].map(writableAccount),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM].map(readonlyAccount),
      ...events.accounts.slice(-2),
    ],
    data: Buffer.concat([INITIALIZE, u128(liquidity), u128(at), Uint8Array.of(activation)]),
  });
  return { vm, moving, price, make, accounts: [base, quote] as const };
}

const run = (vm: TestVm, instruction: Instruction) => vm.run(UNITS, instruction);

function refused({ failure, logs }: Outcome, error: number): void {
  const reason = `custom program error: 0x${error.toString(16)}`;
  assert.deepEqual(failure, { program: DAMM_V2_PROGRAM, reason }, logs.join('\n'));
}

/** What liquidity takes of both tokens at a price, rounded up. */
function worth(liquidity: bigint, price: bigint): [bigint, bigint] {
  const up = (value: bigint, by: bigint) => (value + by - 1n) / by;
  return [
    up(liquidity * (MOST_SQRT_PRICE - price), price * MOST_SQRT_PRICE),
    up(liquidity * (price - LEAST_SQRT_PRICE), 2n ** 128n),
  ];
}

test('a pool takes what its liquidity is worth, in its favor, and the position has all of it', () => {
  const { vm, moving, price, make, accounts } = open();
  succeeded(run(vm, make()));
  const [base, quote] = worth(LIQUIDITY, price);
  assert.deepEqual(
    accounts.map((account) => RICH - vm.amount(account)),
    [base, quote],
  );
  assert.deepEqual([vm.amount(moving.damm.baseVault), vm.amount(moving.damm.quoteVault)], [base, quote]);
  const position = decodeDammV2Position(vm.data(moving.position.position))!;
  assert.equal(position.unlockedLiquidity, LIQUIDITY);
  assert.equal(vm.amount(moving.position.tokenAccount), 1n);
});

test('a pool begins within the range of its configuration, at its ends too, with some liquidity', () => {
  const { vm, moving, price, make } = open();
  const range = (least: bigint, most: bigint) => {
    vm.patch(moving.dammConfig, LEAST_AT, u128(least));
    vm.patch(moving.dammConfig, MOST_AT, u128(most));
  };
  refused(run(vm, make(0n)), 6015);
  for (const [least, most] of [
    [price + 1n, MOST_SQRT_PRICE],
    [LEAST_SQRT_PRICE, price - 1n],
  ] as const) {
    range(least, most);
    refused(run(vm, make()), 6015);
  }
  for (const [least, most, which] of [
    [price, MOST_SQRT_PRICE, 1],
    [LEAST_SQRT_PRICE, price, 0],
  ] as const) {
    const other = open();
    other.vm.patch(other.moving.dammConfig, LEAST_AT, u128(least));
    other.vm.patch(other.moving.dammConfig, MOST_AT, u128(most));
    succeeded(run(other.vm, other.make()));
    assert.equal(RICH - other.vm.amount(other.accounts[which]!), 0n);
  }
});

test('one unit of liquidity is some, and takes a unit of each token', () => {
  const { vm, make, accounts } = open();
  succeeded(run(vm, make(1n)));
  assert.deepEqual(
    accounts.map((account) => RICH - vm.amount(account)),
    [1n, 1n],
  );
});

test('liquidity that is worth more than 64 bits of a token is refused', () => {
  const { vm, price, make } = open();
  const [base] = worth(LIQUIDITY, price);
  refused(run(vm, make((LIQUIDITY * 2n ** 65n) / base)), 6000);
  const { vm: other, make: makeOther } = open();
  refused(run(other, makeOther((LIQUIDITY * 2n ** 65n) / base, MOST_SQRT_PRICE)), 6000);
});

test('a new pool has no later time at which it opens, and no terms but those of launches', () => {
  const { vm, moving, make } = open();
  const { data } = make();
  refused(run(vm, make(undefined, undefined, 1)), 7000);
  refused(run(vm, { ...make(), data: data.subarray(0, 40) }), 102);
  const config = vm.data(moving.dammConfig);
  for (const [at, bytes] of [
    [40, addressToBytes(newAddress())],
    [80, [1]],
    [151, [1]],
    [152, [19]],
    [154, [21]],
    [200, [0]],
    [201, [0]],
  ] as const) {
    vm.patch(moving.dammConfig, at, Uint8Array.from(bytes));
    refused(run(vm, make()), 7000);
    vm.patch(moving.dammConfig, at, config.subarray(at, at + bytes.length));
  }
  succeeded(run(vm, make()));
});

test('mints of Token-2022 make no pool, whichever of the two is one', () => {
  for (const which of ['baseMint', 'quoteMint'] as const) {
    const { vm, moving, make } = open();
    const mint = moving.pool[which];
    vm.put(mint, vm.data(mint), TOKEN_2022_PROGRAM);
    refused(run(vm, make()), 2022);
  }
});

test('the order of the mints in a pool’s address is that of their bytes, to the last one', () => {
  for (const [first, second] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const bytes = Buffer.alloc(32, 7);
    const mint = (last: number) => addressFromBytes(Buffer.concat([bytes.subarray(0, 31), Uint8Array.of(last)]));
    const { vm, moving, make, accounts } = open();
    const [a, b] = [mint(first), mint(second)].map((address) => vm.mint({ address, decimals: 6, supply: U64_MAX }));
    const damm = dammV2Pool(moving.dammConfig, a!, b!);
    for (const [i, account] of accounts.entries()) vm.patch(account, 0, addressToBytes([a, b][i]!));
    const places = { 6: damm.pool, 8: a!, 9: b!, 10: damm.baseVault, 11: damm.quoteVault };
    succeeded(run(vm, withAccounts(make(), places)));
  }
});

test('attack: a stranger on the chain makes a pool in the place of a launch’s: refused', () => {
  const { vm, moving, make } = open();
  const stranger = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
  const others = sellOut(vm);
  const instruction = make();
  for (const [place, address, error] of placesOf(moving, others, stranger)) {
    refused(run(vm, withAccounts(instruction, { [place]: address })), error);
  }
  for (const place of [1, 3]) {
    const accounts = instruction.accounts.map((meta, i) => (i === place ? { ...meta, signer: false } : meta));
    refused(run(vm, { ...instruction, accounts }), 3010);
  }
  refused(run(vm, { ...instruction, accounts: instruction.accounts.slice(0, 19) }), 3005);
  succeeded(run(vm, instruction));
  // A second time there is everything already.
  assert.notEqual(run(vm, instruction).failure, undefined);
});

const placesOf = ({ pool }: Moving, others: Moving, stranger: Address) =>
  [
    [3, stranger, 6042],
    [4, pool.config, 3007],
    [5, stranger, 2012],
    [6, others.damm.pool, 2006],
    [7, others.position.position, 2006],
    [8, stranger, 3007],
    [10, others.damm.baseVault, 2006],
    [11, others.damm.quoteVault, 2006],
    [12, stranger, 3007],
    [14, TOKEN_2022_PROGRAM, 3008],
    [16, TOKEN_PROGRAM, 3008],
    [17, stranger, 3008],
    [18, stranger, 2006],
  ] as const;
