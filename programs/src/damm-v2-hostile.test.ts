import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type Address, addressFromBytes, type Instruction, SYSTEM_PROGRAM, setComputeUnitLimit } from '@slipway/wire';
import { standInVm } from './bonding-curve-testing.js';
import { type Moving, migrated, migrationOf, sellOut } from './damm-v2-testing.js';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_PROGRAM,
  claimDammV2Fee,
  DAMM_V2_AUTHORITY,
  DAMM_V2_EVENTS,
  DAMM_V2_PROGRAM,
  dammV2Swap,
  decodeDammV2Position,
  encodeDammV2Config,
  MIGRATED_POOL_CONFIGS,
  refreshDammV2Vesting,
  removeDammV2Liquidity,
} from './index.js';
import { newAddress, type Outcome, succeeded, type TestVm, withAccounts } from './test-vm.js';

const UNITS = setComputeUnitLimit(400_000);
const NOW = 1_800_000_000n;

function refused({ failure, logs }: Outcome, error: number, program = DAMM_V2_PROGRAM, what = ''): void {
  const expected = { program, reason: `custom program error: 0x${error.toString(16)}` };
  assert.deepEqual(failure, expected, `${what} ${logs.join('\n')}`);
}

function changeOf({ damm: pool, position, trader, base: baseAccount, quote: quoteAccount }: Moving) {
  return { pool, position, owner: trader, baseAccount, quoteAccount };
}

const swapOf = ({ damm: pool, trader, base, quote }: Moving) =>
  dammV2Swap({
    pool,
    trader,
    inputAccount: quote,
    outputAccount: base,
    mode: 'exactIn',
    amount: 1_000_000_000n,
    limit: 0n,
  });

describe('attack: a stranger on the chain migrates a curve', () => {
  it('attack: before it is sold out, or twice: refused', () => {
    const vm = standInVm();
    const moving = sellOut(vm);
    const data = vm.data(moving.pool.pool);
    vm.patch(moving.pool.pool, 308, Uint8Array.of(0));
    refused(vm.run(UNITS, migrationOf(vm, moving)), 6022, BONDING_CURVE_PROGRAM);
    vm.patch(moving.pool.pool, 0, data);
    succeeded(vm.run(UNITS, migrationOf(vm, moving)));
    refused(vm.run(UNITS, migrationOf(vm, moving)), 6022, BONDING_CURVE_PROGRAM);
  });

  it('attack: into a pool of another fee, of a configuration of the stranger’s, or of another program: refused', () => {
    const vm = standInVm();
    const moving = sellOut(vm);
    const migration = migrationOf(vm, moving);
    const config = (address: Address) => withAccounts(migration, { 25: address });
    refused(vm.run(UNITS, config(MIGRATED_POOL_CONFIGS[3]!)), 6010, BONDING_CURVE_PROGRAM);
    const forged = vm.put(newAddress(), encodeDammV2Config(100), SYSTEM_PROGRAM);
    refused(vm.run(UNITS, config(forged)), 3007, BONDING_CURVE_PROGRAM);
    refused(vm.run(UNITS, withAccounts(migration, { 12: newAddress() })), 2012, BONDING_CURVE_PROGRAM);
    refused(vm.run(UNITS, { ...migration, accounts: migration.accounts.slice(0, 25) }), 6030, BONDING_CURVE_PROGRAM);
  });

  it('attack: takes the vaults or the terms of another launch: refused', () => {
    const vm = standInVm();
    const [moving, other] = [sellOut(vm), sellOut(vm)];
    const migration = migrationOf(vm, moving);
    for (const [place, address] of [
      [2, other.pool.config],
      [17, other.pool.baseVault],
      [18, other.pool.quoteVault],
    ] as const) {
      refused(vm.run(UNITS, withAccounts(migration, { [place]: address })), 2001, BONDING_CURVE_PROGRAM, `${place}`);
    }
    refused(vm.run(UNITS, withAccounts(migration, { 4: other.damm.pool })), 2006);
  });

  it('attack: gets none of the position, which is the creator’s', () => {
    const vm = standInVm();
    const moving = sellOut(vm, {}, newAddress());
    const stranger = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
    const migration = migrationOf(vm, moving);
    succeeded(vm.run(UNITS, withAccounts(migration, { 19: stranger })));
    assert.equal(ownerOf(vm, moving), vm.payer);
    assert.equal(vm.lamports(BONDING_CURVE_AUTHORITY), 1_000_000_000n, 'the stranger has paid the rent');
  });
});

function ownerOf(vm: TestVm, { position }: Moving): Address {
  return addressFromBytes(vm.data(position.tokenAccount), 32);
}

describe('attack: a stranger on the chain reaches for a migrated pool', () => {
  it('attack: for the fees and the liquidity of the creator’s position: refused', () => {
    const vm = standInVm();
    const moved = migrated(vm, { isLpLocked: false });
    succeeded(vm.run(swapOf(moved)));
    const stranger = newAddress();
    const change = { ...changeOf(moved), owner: stranger };
    const liquidity = { liquidity: 1n << 80n, leastBase: 0n, leastQuote: 0n };
    refused(vm.run(claimDammV2Fee(change)), 2015);
    refused(vm.run(removeDammV2Liquidity({ ...change, ...liquidity })), 2015);
    const unsigned = (instruction: Instruction) => ({
      ...instruction,
      accounts: instruction.accounts.map((meta) => ({ ...meta, signer: false })),
    });
    refused(vm.run(unsigned(claimDammV2Fee({ ...change, owner: newAddress() }))), 3010);
    // A token account of the stranger's own, of another mint.
    const own = vm.tokenAccount({ mint: vm.mint(), owner: stranger, amount: 1n });
    const withOwn = { ...change, position: { ...moved.position, tokenAccount: own } };
    refused(vm.run(claimDammV2Fee(withOwn)), 2003);
    // An account that says so, of the same mint, and without the token.
    const empty = vm.tokenAccount({ mint: moved.position.mint, owner: stranger });
    refused(vm.run(claimDammV2Fee({ ...withOwn, position: { ...moved.position, tokenAccount: empty } })), 2003);
    assert.ok(vm.amount(moved.damm.quoteVault) > 0n);
  });

  it('attack: with the position of a pool of the stranger’s own: refused', () => {
    const vm = standInVm();
    const [moved, own] = [migrated(vm), migrated(vm)];
    succeeded(vm.run(swapOf(moved)));
    refused(vm.run(claimDammV2Fee({ ...changeOf(moved), position: own.position })), 2001);
    const change = { ...changeOf(own), pool: { ...own.damm, quoteVault: moved.damm.quoteVault } };
    refused(vm.run(claimDammV2Fee({ ...change, quoteAccount: moved.quote })), 2001);
    const { baseVault, quoteVault, baseMint, quoteMint } = moved.damm;
    for (const place of [{ baseVault }, { quoteVault }, { baseMint }, { quoteMint }]) {
      refused(vm.run(claimDammV2Fee({ ...changeOf(own), pool: { ...own.damm, ...place } })), 2001);
    }
  });

  it('attack: with accounts that the program has not made: refused', () => {
    const vm = standInVm();
    const moved = migrated(vm, { isLpLocked: false });
    const forged = vm.put(newAddress(), vm.data(moved.position.position), SYSTEM_PROGRAM);
    const position = { ...moved.position, position: forged };
    refused(vm.run(claimDammV2Fee({ ...changeOf(moved), position })), 3007);
    const pool = vm.put(newAddress(), vm.data(moved.damm.pool), BONDING_CURVE_PROGRAM);
    refused(vm.run(swapOf({ ...moved, damm: { ...moved.damm, pool } })), 3007);
    // Of the program, and of another kind.
    refused(vm.run(swapOf({ ...moved, damm: { ...moved.damm, pool: moved.position.position } })), 3002);
    refused(vm.run(refreshDammV2Vesting(moved.position.position, moved.position, moved.trader)), 3002);
  });

  it('attack: frees liquidity that has not waited, and locks that of another: refused', () => {
    const vm = standInVm();
    const moved = migrated(vm, { isLpLocked: true });
    const before = vm.data(moved.position.position);
    succeeded(vm.run(refreshDammV2Vesting(moved.damm.pool, moved.position, moved.trader)));
    assert.deepEqual(vm.data(moved.position.position), before);
    const free = migrated(vm, { isLpLocked: false });
    refused(vm.run(lockOf(free, newAddress(), 1n)), 2015);
    refused(vm.run(lockOf(free, free.trader, 1n << 127n)), 6023);
    succeeded(vm.run(lockOf(free, free.trader, 1n)));
  });

  it('attack: opens a pool without the launch program, or writes events: refused', () => {
    const vm = standInVm();
    const moved = migrated(vm);
    const event = { program: DAMM_V2_PROGRAM, data: Buffer.from('e445a52e51cb9a1d9c0f77c61db5dd37', 'hex') };
    const events = { address: DAMM_V2_EVENTS, signer: false, writable: false };
    refused(vm.run({ ...event, accounts: [events] }), 3010);
    refused(vm.run({ ...event, accounts: [{ ...events, address: moved.trader, signer: true }] }), 2006);
    refused(vm.run(poolOf(vm, moved, moved.trader)), 6042);
  });
});

/** The launch program's call with another payer, who signs. */
function poolOf(vm: TestVm, { damm, dammConfig, pool, base, quote }: Moving, payer: Address): Instruction {
  const { accounts } = migrationOf(vm, { ...sellOut(vm), pool, damm, dammConfig });
  const at = (place: number) => accounts[place]!;
  const plain = (address: Address) => ({ address, signer: false, writable: false });
  const writable = (address: Address) => ({ ...plain(address), writable: true });
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [
      plain(payer),
      ...[at(5), at(6)],
      { address: payer, signer: true, writable: true },
      ...[plain(dammConfig), plain(DAMM_V2_AUTHORITY)],
      ...[at(4), at(7)],
      ...[plain(pool.baseMint), plain(pool.quoteMint)],
      ...[at(15), at(16), writable(base), writable(quote)],
      ...[20, 21, 22, 24].map(at),
      ...[plain(DAMM_V2_EVENTS), plain(DAMM_V2_PROGRAM)],
    ],
    data: Buffer.concat([Buffer.from('5fb40aac54aee828', 'hex'), Buffer.alloc(24, 1), Buffer.alloc(9)]),
  };
}

function lockOf({ damm, position }: Moving, owner: Address, liquidity: bigint): Instruction {
  const data = Buffer.alloc(24);
  data.set(Buffer.from('a5b07d06e7abbad5', 'hex'));
  data.writeBigUInt64LE(BigInt.asUintN(64, liquidity), 8);
  data.writeBigUInt64LE(liquidity >> 64n, 16);
  const plain = (address: Address) => ({ address, signer: false, writable: false });
  return {
    program: DAMM_V2_PROGRAM,
    accounts: [
      ...[damm.pool, position.position].map((address) => ({ ...plain(address), writable: true })),
      plain(position.tokenAccount),
      { ...plain(owner), signer: true },
      ...[plain(DAMM_V2_EVENTS), plain(DAMM_V2_PROGRAM)],
    ],
    data,
  };
}

/** A lock until a time, of these terms. */
function waitOf(moved: Moving, terms: Buffer): Instruction {
  const data = Buffer.concat([Buffer.from('481331cc127a175a', 'hex'), terms]);
  return { ...lockOf(moved, moved.trader, 1n), data };
}

/** The terms of a lock of so much liquidity for so many seconds. */
function untilIn(seconds: bigint, liquidity: bigint): Buffer {
  const terms = Buffer.alloc(51);
  terms[0] = 1;
  terms.writeBigUInt64LE(NOW + seconds, 1);
  terms.writeBigUInt64LE(liquidity, 17);
  return terms;
}

test('liquidity is locked for a second to two years, in whole terms, and not twice', () => {
  const vm = standInVm();
  vm.setTime(NOW);
  const twoYears = 63_072_000n;
  for (const [seconds, liquidity, error] of [
    [0n, 5n, 6022],
    [-1n, 5n, 6022],
    [1n, 0n, 6022],
    [twoYears + 1n, 5n, 6022],
    [1n, 5n, undefined],
    [twoYears, 5n, undefined],
  ] as const) {
    const moved = migrated(vm, { isLpLocked: false });
    const wait = waitOf(moved, untilIn(seconds, liquidity));
    if (error !== undefined) {
      refused(vm.run(wait), error);
      continue;
    }
    succeeded(vm.run(wait));
    refused(vm.run(wait), 6024);
    for (const length of [0, 1, 50]) refused(vm.run({ ...wait, data: wait.data.subarray(0, 8 + length) }), 102);
  }
});

test('a single unit that has waited is free again, and a lock for good needs a pool that may change', () => {
  const vm = standInVm();
  vm.setTime(NOW);
  const moved = migrated(vm, { isLpLocked: false });
  const { pool } = moved.damm;
  const free = () => decodeDammV2Position(vm.data(moved.position.position))!.unlockedLiquidity;
  const before = free();
  const { data } = vm
    .run(waitOf(moved, untilIn(1n, 1n)))
    .calls()
    .at(-1)!;
  // Which never repeats: nothing each time, no times.
  assert.deepEqual([...data.subarray(-18)], Array(18).fill(0));
  assert.equal(free(), before - 1n);
  vm.setTime(NOW + 1n);
  succeeded(vm.run(refreshDammV2Vesting(pool, moved.position, moved.trader)));
  assert.equal(free(), before);
  const lock = lockOf(moved, moved.trader, 1n);
  const accounts = lock.accounts.map((meta, i) => (i === 0 ? { ...meta, writable: false } : meta));
  refused(vm.run({ ...lock, accounts }), 2000);
  succeeded(vm.run(lock));
});

test('the stand-in refuses what no migration needs, and says so', () => {
  const vm = standInVm();
  const moved = migrated(vm);
  const says = (instruction: Instruction, program: Address) => {
    const outcome = vm.run(UNITS, instruction);
    refused(outcome, 7000, program);
    assert.match(outcome.logs.join('\n'), /^Program log: stand-in: /m);
  };
  const unknown = { ...swapOf(moved), data: Buffer.alloc(8, 7) };
  says(unknown, DAMM_V2_PROGRAM);
  says({ ...unknown, program: BONDING_CURVE_PROGRAM }, BONDING_CURVE_PROGRAM);
  says(waitOf(moved, Buffer.alloc(51)), DAMM_V2_PROGRAM);
  // Liquidity that comes free in parts: how often, how much, how many times.
  for (const at of [9, 33, 49]) {
    const terms = untilIn(1n, 1n);
    terms[at] = 1;
    says(waitOf(moved, terms), DAMM_V2_PROGRAM);
  }
  for (const [at, value] of [
    [96, 1],
    [104, 1],
    [152, 19],
    [154, 21],
    [158, 1],
    [200, 0],
    [201, 0],
    [202, 1],
  ] as const) {
    const moving = sellOut(vm);
    const config = vm.data(moving.dammConfig);
    vm.patch(moving.dammConfig, at, Uint8Array.of(value));
    says(migrationOf(vm, moving), DAMM_V2_PROGRAM);
    vm.patch(moving.dammConfig, 0, config);
    succeeded(vm.run(UNITS, migrationOf(vm, moving)));
  }
});
