import assert from 'node:assert/strict';
import {
  type Address,
  addressToBytes,
  type Instruction,
  METADATA_PROGRAM,
  metadataAddress,
  readonlyAccount,
  readonlySigner,
  SYSTEM_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { INDIE, standInVm } from './bonding-curve-testing.js';
import type { FuzzTarget } from './fuzz-engine.js';
import type { Change } from './fuzz-invariants.js';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_POOL_SIZE,
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  bondingCurvePool,
  claimCreatorFee,
  claimPartnerFee,
  createCurveConfig,
  curveSwap,
  initializeCurvePool,
  type LaunchChoices,
  launchConfig,
  sniperFeeOver,
} from './index.js';
import { newAddress, succeeded, type TestVm } from './test-vm.js';

const RICH = 10n ** 15n;
const MODE_AT = 24;
const EXACT_OUT = 2;

interface CurveWorld {
  pool: BondingCurvePool;
  creator: Address;
  operator: Address;
  trader: Address;
  /** The trader's, of the base and of the quote. */
  base: Address;
  quote: Address;
  create: Instruction;
  initialize: Instruction;
}

/** Launches in several states: unmade, without a pool, traded with and without a falling fee, sold out, and a stranger's. */
export function bondingCurveTarget(): FuzzTarget {
  const vm = standInVm();
  vm.setTime(1_800_000_000n);
  const made = [
    openLaunch(vm, INDIE),
    openLaunch(vm, { ...INDIE, vesting: undefined, sniperFee: sniperFeeOver(300, 100, 'exponential') }),
  ];
  const [unmade, halfMade, soldOut, bystander] = [INDIE, INDIE, INDIE, INDIE].map((choices) => newLaunch(vm, choices));
  succeeded(vm.run(halfMade!.create));
  for (const world of [soldOut!, bystander!]) begin(vm, world);
  succeeded(vm.run(trade(soldOut!, true, RICH, 1)));
  const worlds = [...made, soldOut!, bystander!];
  return {
    vm,
    program: BONDING_CURVE_PROGRAM,
    seeds: [...made.flatMap(seedsOf), [claim(soldOut!, 'creator', RICH)], [unmade!.create], [halfMade!.initialize]],
    signers: [...made, unmade!, halfMade!, soldOut!].flatMap(({ pool, creator, operator, trader }) => [
      ...[creator, operator, trader],
      ...[pool.config, pool.baseMint],
    ]),
    others: [
      ...Object.values(bystander!.pool),
      ...[bystander!.base, bystander!.quote, bystander!.creator],
      vm.put(newAddress(), new Uint8Array(BONDING_CURVE_POOL_SIZE), BONDING_CURVE_PROGRAM),
    ],
    isProgramOwned: (address) => address === BONDING_CURVE_AUTHORITY,
    isAlone: true,
    check: (change) => {
      for (const world of worlds) checkPool(vm, world, change);
    },
  };
}

function newLaunch(vm: TestVm, choices: LaunchChoices): CurveWorld {
  const wallet = () => vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 10n);
  const [creator, operator, trader] = [wallet(), wallet(), wallet()];
  const quoteMint = vm.mint({ decimals: 6, supply: 2n ** 62n });
  const pool = bondingCurvePool(newAddress(), newAddress(), quoteMint);
  const { terms } = launchConfig(choices);
  const people = { feeClaimer: operator, leftoverReceiver: operator, payer: creator };
  const texts = { name: 'A token', symbol: 'TOKEN', uri: 'https://example.com/t.json' };
  return {
    pool,
    creator,
    operator,
    trader,
    base: newAddress(),
    quote: vm.tokenAccount({ mint: quoteMint, owner: trader, amount: 4n * RICH }),
    create: createCurveConfig({ config: pool.config, quoteMint, terms, ...people }),
    initialize: initializeCurvePool({ pool, creator, ...texts }),
  };
}

/** Makes it and trades once, so that there are fees and tokens. */
function begin(vm: TestVm, world: CurveWorld): void {
  succeeded(vm.run(world.create, world.initialize));
  vm.tokenAccount({ address: world.base, mint: world.pool.baseMint, owner: world.trader });
  succeeded(vm.run(trade(world, true, 10n ** 9n)));
}

function openLaunch(vm: TestVm, choices: LaunchChoices): CurveWorld {
  const world = newLaunch(vm, choices);
  begin(vm, world);
  return world;
}

function trade({ pool, trader, base, quote }: CurveWorld, isBuy: boolean, amountIn: bigint, mode = 0): Instruction {
  const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
  const leastOut = mode === EXACT_OUT ? 4n * RICH : 0n;
  const swap = curveSwap({ pool, trader, inputAccount, outputAccount, amountIn, leastOut, partial: mode === 1 });
  const data = Buffer.from(swap.data);
  data[MODE_AT] = mode;
  return { ...swap, data };
}

function claim(world: CurveWorld, who: 'creator' | 'operator', maxQuote: bigint): Instruction {
  const { pool, creator, operator, base: baseAccount, quote: quoteAccount } = world;
  const common = { pool, baseAccount, quoteAccount, maxBase: 0n, maxQuote };
  return who === 'creator'
    ? claimCreatorFee({ ...common, creator })
    : claimPartnerFee({ ...common, feeClaimer: operator });
}

function seedsOf(world: CurveWorld): Instruction[][] {
  const referred = trade(world, true, 10n ** 8n);
  referred.accounts = referred.accounts.map((meta, i) =>
    i === 12 ? { ...meta, address: world.quote, writable: true } : meta,
  );
  return [
    [trade(world, true, 10n ** 8n)],
    [trade(world, true, RICH, 1)],
    [trade(world, true, 10n ** 12n, EXACT_OUT)],
    [trade(world, false, 10n ** 10n)],
    [trade(world, false, 10n ** 10n, 1)],
    [trade(world, false, 10n ** 6n, EXACT_OUT)],
    [referred],
    [claim(world, 'creator', 1_000n)],
    [claim(world, 'operator', RICH)],
  ];
}

/** What the pool says of itself lies in its vaults; its terms stay; nobody but their owners' signatures lower fees. */
function checkPool(vm: TestVm, { pool, creator, operator }: CurveWorld, change: Change): void {
  const { accounts, signers, what, isForged } = change;
  const config = accounts.get(pool.config);
  if (config) assert.deepEqual(config.after?.data, config.before?.data, `${what}: a pool's terms changed`);
  const seen = accounts.get(pool.pool);
  if (isForged || !seen) return;
  const [before, after] = [Buffer.from(seen.before!.data), Buffer.from(seen.after!.data)];
  assert.deepEqual(after.subarray(0, 232), before.subarray(0, 232), `${what}: a pool's places changed`);
  const number = (bytes: Buffer, at: number) => bytes.readBigUInt64LE(at);
  const sum = (...places: number[]) => places.reduce((all, at) => all + number(after, at), 0n);
  assert.ok(vm.amount(pool.baseVault) >= sum(232, 248, 264, 352), `${what}: base is missing`);
  assert.ok(vm.amount(pool.quoteVault) >= sum(240, 256, 272, 360), `${what}: quote is missing`);
  const price = (bytes: Buffer) => number(bytes, 280) | (number(bytes, 288) << 64n);
  const raised = number(after, 240) - number(before, 240);
  assert.ok(raised >= 0n || price(after) <= price(before), `${what}: the price rose with a sale`);
  assert.ok(raised <= 0n || price(after) >= price(before), `${what}: the price fell with a purchase`);
  for (const [owner, at] of [[operator, 272] as const, [creator, 360] as const])
    assert.ok(number(after, at) >= number(before, at) || signers.has(owner), `${what}: a fee was taken`);
}

/** Metadata that is there, and such that can be made. */
export function tokenMetadataTarget(): FuzzTarget {
  const vm = standInVm();
  const launches = [INDIE, INDIE].map((choices) => newLaunch(vm, choices));
  for (const { create, initialize } of launches) succeeded(vm.run(create, initialize));
  const authority = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 11n);
  const stranger = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 11n);
  const made = metadataOf(vm, authority);
  const other = metadataOf(vm, stranger);
  for (const { create } of [made, other]) succeeded(vm.run(create));
  const kept = [other.metadata, ...launches.map(({ pool }) => pool.metadata)];
  return {
    vm,
    program: METADATA_PROGRAM,
    seeds: [[metadataOf(vm, authority).create], [metadataOf(vm, authority).create], [made.update]],
    signers: [authority],
    others: [...kept, ...launches.map(({ pool }) => pool.baseMint), other.mint, BONDING_CURVE_AUTHORITY],
    isProgramOwned: () => false,
    isAlone: true,
    check: ({ accounts, what, isForged }) => {
      for (const address of kept) {
        const seen = accounts.get(address);
        if (seen && !isForged) assert.deepEqual(seen.after?.data, seen.before?.data, `${what}: metadata changed`);
      }
    },
  };
}

function metadataOf(
  vm: TestVm,
  authority: Address,
): Record<'create' | 'update', Instruction> & Record<'metadata' | 'mint', Address> {
  const mint = vm.mint({ mintAuthority: authority });
  const metadata = metadataAddress(mint);
  const text = (value: string) => Buffer.concat([Buffer.from([value.length, 0, 0, 0]), Buffer.from(value)]);
  return {
    mint,
    metadata,
    create: {
      program: METADATA_PROGRAM,
      accounts: [
        writableAccount(metadata),
        readonlyAccount(mint),
        readonlySigner(authority),
        writableSigner(authority),
        readonlyAccount(authority),
        readonlyAccount(SYSTEM_PROGRAM),
      ],
      data: Buffer.concat([Buffer.from([33]), text('Name'), text('SYM'), text('https://e.com'), Buffer.alloc(7)]),
    },
    update: {
      program: METADATA_PROGRAM,
      accounts: [writableAccount(metadata), readonlySigner(authority)],
      data: Buffer.concat([Buffer.from([15, 0, 1]), addressToBytes(authority), Buffer.alloc(2)]),
    },
  };
}
