import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  type Instruction,
  METADATA_PROGRAM,
  metadataAddress,
} from '@slipway/wire';
import { INDIE, standInVm } from './bonding-curve-testing.js';
import { transferCreator, withdrawLeftover, withdrawSurplus } from './bonding-curve-withdrawals-testing.js';
import { type Moving, migrated } from './damm-v2-testing.js';
import { tokenMetadataTarget } from './fuzz-bonding-curve.js';
import {
  BONDING_CURVE_AUTHORITY,
  BONDING_CURVE_EVENTS,
  BONDING_CURVE_PROGRAM,
  claimCreatorFee,
  claimDammV2Fee,
  claimLocked,
  claimPartnerFee,
  DAMM_V2_AUTHORITY,
  DAMM_V2_EVENTS,
  DAMM_V2_PROGRAM,
  dammV2Position,
  dammV2Swap,
  decodeDammV2Position,
  LOCKER_EVENTS,
  LOCKER_PROGRAM,
  lockerAccount,
  MIGRATED_POOL_CONFIGS,
  ORDER_ENGINE_PROGRAM,
  poolAuthority,
  ROUTER_PROGRAM,
  refreshDammV2Vesting,
  removeDammV2Liquidity,
  routeInstruction,
  TOKEN_SWAP_PROGRAM,
} from './index.js';
import { byName, derived, errorsInSource, type Node } from './interface-testing.js';
import { Description, placesOf, sourceOf, startOf, watch } from './interfaces-testing.js';
import { claimLocked2 } from './locker-testing.js';
import { ORDER_ENGINE_ERRORS, temporaryWrappedSolAccount } from './order-engine.js';
import { fillWorld, orderEngineVm, settles, sol } from './order-engine-testing.js';
import { POOL_ERRORS, poolDeposit, poolWithdraw } from './pool.js';
import { liquidityOf, poolVm, poolWorld, swapOf } from './pool-testing.js';
import type { ProgramName } from './program-files.js';
import { ROUTER_ERRORS } from './router.js';
import { openRouteWorld } from './router-testing.js';
import { succeeded, type TestVm } from './test-vm.js';

// Each description against what its program does on the virtual machine, its source, and its builders' tables.

const RICH = 2n ** 60n;
const SWAP_1 = Buffer.from('f8c69e91e17587c8', 'hex');
const REMOVE_ALL = Buffer.from('0a333d2370691855', 'hex');

/** The older instruction, which has no mode. */
const withoutMode = (swap: Instruction): Instruction => ({
  ...swap,
  data: Buffer.concat([SWAP_1, swap.data.subarray(8, 24)]),
});

/** A launch from its terms to the last liquidity that leaves its pool, with everything that somebody can do on the way. */
function wholeLife(vm: TestVm): Moving {
  vm.setTime(1_800_000_000n);
  const moved = migrated(vm, { isLpLocked: true, vesting: INDIE.vesting }, vm.payer, (launched, buy) => {
    const { pool, operator } = launched;
    succeeded(vm.run(withoutMode(buy(1_000_000_000n))));
    for (const who of [vm.payer, operator]) {
      const [baseAccount, quoteAccount] = [pool.baseMint, pool.quoteMint].map((mint) =>
        vm.tokenAccount({ mint, owner: who }),
      ) as [Address, Address];
      const claim = { pool, baseAccount, quoteAccount, maxBase: 0n, maxQuote: RICH };
      const isCreator = who === vm.payer;
      succeeded(
        vm.run(
          isCreator ? claimCreatorFee({ ...claim, creator: who }) : claimPartnerFee({ ...claim, feeClaimer: who }),
        ),
      );
    }
  });
  takeTheRest(vm, moved);
  const { damm: pool, position, trader, base: baseAccount, quote: quoteAccount } = moved;
  const amounts = { amount: 1_000_000n, limit: 0n, mode: 'exactIn' } as const;
  const swap = dammV2Swap({ pool, trader, inputAccount: quoteAccount, outputAccount: baseAccount, ...amounts });
  succeeded(vm.run(swap, withoutMode(swap)));
  const change = { pool, position, owner: trader, baseAccount, quoteAccount };
  succeeded(vm.run(claimDammV2Fee(change)));
  vm.setTime(1_800_000_000n + 31_536_000n);
  succeeded(vm.run(refreshDammV2Vesting(pool.pool, position, trader)));
  const { unlockedLiquidity } = decodeDammV2Position(vm.data(position.position))!;
  const part = { liquidity: unlockedLiquidity / 2n, leastBase: 0n, leastQuote: 0n };
  const removal = removeDammV2Liquidity({ ...change, ...part });
  succeeded(vm.run(removal, { ...removal, data: Buffer.concat([REMOVE_ALL, removal.data.slice(24)]) }));
  return moved;
}

/** What the curve did not need goes to who may have it. */
function takeTheRest(vm: TestVm, { pool, operator }: Moving): void {
  const account = vm.tokenAccount({
    address: associatedTokenAddress(operator, pool.baseMint),
    mint: pool.baseMint,
    owner: operator,
  });
  succeeded(vm.run(withdrawLeftover({ pool, receiver: operator, account })));
  for (const [who, receiver] of [['creator', vm.payer] as const, ['operator', operator] as const]) {
    const quote = vm.tokenAccount({ mint: pool.quoteMint, owner: receiver });
    succeeded(vm.run(withdrawSurplus(who, { pool, receiver, account: quote })));
  }
  succeeded(vm.run(transferCreator(pool, vm.payer, operator)));
}

const WORLDS: Partial<Record<ProgramName, (description: Description) => void>> = {
  'bonding-curve': (description) => {
    const vm = standInVm();
    const { instructions, calls } = watch(vm, BONDING_CURVE_PROGRAM);
    const { pool } = wholeLife(vm);
    for (const each of instructions) description.assertInstruction(each);
    for (const each of calls) description.assertCall(each);
    description.assertAccount('poolConfig', vm.data(pool.config));
    description.assertAccount('virtualPool', vm.data(pool.pool));
    const { pdas, publicKey } = description.idl;
    const none = () => undefined;
    assert.equal(derived(byName(pdas, 'poolAuthority'), publicKey, none), BONDING_CURVE_AUTHORITY);
    assert.equal(derived(byName(pdas, 'eventAuthority'), publicKey, none), BONDING_CURVE_EVENTS);
    const vault = { mint: pool.baseMint, pool: pool.pool };
    assert.equal(
      derived(byName(pdas, 'tokenVault'), publicKey, (name) => vault[name as 'mint']),
      pool.baseVault,
    );
  },

  'damm-v2': (description) => {
    const vm = standInVm();
    const { instructions, calls } = watch(vm, DAMM_V2_PROGRAM);
    const { damm, position } = wholeLife(vm);
    for (const each of instructions) description.assertInstruction(each);
    for (const each of calls) description.assertCall(each);
    description.assertAccount('pool', vm.data(damm.pool));
    description.assertAccount('position', vm.data(position.position));
    description.assertAccount('config', vm.data(MIGRATED_POOL_CONFIGS[2]!));
    const { pdas, publicKey } = description.idl;
    const none = () => undefined;
    assert.equal(derived(byName(pdas, 'poolAuthority'), publicKey, none), DAMM_V2_AUTHORITY);
    assert.equal(derived(byName(pdas, 'eventAuthority'), publicKey, none), DAMM_V2_EVENTS);
    const { mint } = position;
    assert.deepEqual(
      {
        mint,
        position: derived(byName(pdas, 'position'), publicKey, () => mint),
        tokenAccount: derived(byName(pdas, 'positionNftAccount'), publicKey, () => mint),
      },
      dammV2Position(mint),
    );
  },

  locker: (description) => {
    const vm = standInVm();
    const { instructions, calls } = watch(vm, LOCKER_PROGRAM);
    const { pool, base: account } = wholeLife(vm);
    const { base, owner: lock, account: tokens } = lockerAccount(pool);
    const claim = claimLocked({ lock, tokens, recipient: vm.payer, account, most: 1_000_000n });
    succeeded(vm.run(claim, claimLocked2(claim, pool.baseMint)));
    for (const each of instructions) description.assertInstruction(each);
    for (const each of calls) description.assertCall(each);
    description.assertAccount('vestingEscrow', vm.data(lock));
    const { pdas, publicKey } = description.idl;
    assert.equal(
      derived(byName(pdas, 'escrow'), publicKey, () => base),
      lock,
    );
    assert.equal(
      derived(byName(pdas, 'eventAuthority'), publicKey, () => undefined),
      LOCKER_EVENTS,
    );
  },

  'token-metadata': (description) => {
    const vm = standInVm();
    const { calls } = watch(vm, METADATA_PROGRAM);
    const { pool } = wholeLife(vm);
    for (const each of calls) description.assertCall(each);
    for (const [each] of tokenMetadataTarget().seeds) description.assertInstruction(each!);
    const { name, symbol, uri } = description.assertAccount('metadata', vm.data(pool.metadata));
    assert.deepEqual([name, symbol, uri], ['A token', 'TOKEN', 'https://example.com/t.json']);
    const { pdas, publicKey } = description.idl;
    const given = { program: publicKey, mint: pool.baseMint };
    const metadata = derived(byName(pdas, 'metadata'), publicKey, (name) => given[name as 'mint']);
    assert.equal(metadata, metadataAddress(pool.baseMint));
  },

  pool: (description) => {
    const vm = poolVm();
    const { instructions } = watch(vm, TOKEN_SWAP_PROGRAM);
    const world = poolWorld({ vm });
    const { trader, accounts } = world;
    succeeded(vm.run(world.initialize));
    for (const account of [trader.a, trader.b]) vm.setAmount(account, 10n ** 12n);
    const host = vm.tokenAccount({ mint: accounts.poolMint, owner: trader.key });
    succeeded(vm.run(swapOf(world, 1_000_000n), swapOf(world, 1_000_000n, { host })));
    succeeded(vm.run(poolDeposit(liquidityOf(world, 1_000_000n, 10n ** 12n, 10n ** 12n))));
    succeeded(vm.run(poolWithdraw(liquidityOf(world, 500_000n, 0n, 0n))));
    for (const each of instructions) description.assertInstruction(each);
    description.assertAccount('pool', vm.data(accounts.pool));
    const authority = derived(byName(description.idl.pdas, 'authority'), TOKEN_SWAP_PROGRAM, () => accounts.pool);
    assert.equal(authority, poolAuthority(accounts.pool).address);
  },

  router: (description) => {
    const world = openRouteWorld();
    const { instructions } = watch(world.vm, ROUTER_PROGRAM);
    for (const count of [1, 2, 3] as const) succeeded(world.vm.run(routeInstruction(world.route(count))));
    for (const each of instructions) description.assertInstruction(each);
    assert.equal(instructions.length, 3);
  },

  'order-engine': (description) => {
    const vm = orderEngineVm();
    const { instructions } = watch(vm, ORDER_ENGINE_PROGRAM);
    for (const input of [sol('account', 'account'), sol('wallet', 'wallet')]) settles(fillWorld(vm, { input }));
    for (const each of instructions) description.assertInstruction(each);
    const maker = instructions[0]!.accounts[1]!.address;
    const temporary = byName(description.idl.pdas, 'temporaryWrappedSolTokenAccount');
    assert.equal(
      derived(temporary, ORDER_ENGINE_PROGRAM, () => maker),
      temporaryWrappedSolAccount(maker),
    );
  },
};

for (const [program, run] of Object.entries(WORLDS)) {
  test(`the description of ${program} is what runs: every instruction, account and event of it`, () => {
    const description = new Description(program as ProgramName);
    run(description);
    description.assertComplete();
  });
}

// ---- the source -----------------------------------------------------------------------------------------------------

const EVENT_TAG = 'e445a52e51cb9a1d';

/** How the accounts of a description are called in the C source. */
const SOURCES: { program: ProgramName; prefixes: Record<string, string> }[] = [
  { program: 'bonding-curve', prefixes: { CONFIG: 'poolConfig', POOL: 'virtualPool' } },
  { program: 'locker', prefixes: { ESCROW: 'vestingEscrow' } },
  { program: 'damm-v2', prefixes: { CONFIG: 'config', POOL: 'pool', POSITION: 'position' } },
];

for (const { program, prefixes } of SOURCES) {
  test(`the description of ${program} has what its source names: discriminators, places in accounts, errors`, () => {
    const { idl } = new Description(program);
    const source = sourceOf(`${program}/src/interface.h`);
    const inSource = [...source.matchAll(/BYTES\(0x(\w+)\)/g)].map(([, digits]) => digits!);
    const described: Node[] = [...idl.instructions, ...idl.accounts, ...idl.events];
    assert.deepEqual(inSource.sort(), [...described.map((node) => startOf(node).toString('hex')), EVENT_TAG].sort());
    for (const [prefix, name] of Object.entries(prefixes)) {
      const account = byName(idl.accounts, name);
      const places = placesOf(idl, account);
      const named = [...source.matchAll(new RegExp(`^  ${prefix}_(\\w+) = (\\d+)`, 'gm'))];
      assert.ok(named.length > 10, prefix);
      for (const [, what, place] of named) {
        if (what === 'LEN') assert.equal(Number(place), account.size, prefix);
        else assert.ok(places.has(Number(place)), `${prefix}_${what}`);
      }
    }
    const own = errorsInSource(`${program}/src/interface.h`, 'base/stand-in.h').filter(([code]) => code >= 6000);
    assert.deepEqual(codesOf(idl), codes(own));
  });
}

const codes = (errors: (readonly [number, string])[]) => errors.map(([code]) => code).sort((a, b) => a - b);
const codesOf = (idl: Node) => codes(idl.errors.map((error: Node) => [error.code, error.name]));

test('the descriptions have the errors of the tables, and the numbers of the sources', () => {
  const tables = [
    ['pool', POOL_ERRORS, 'pool/src/state.h'],
    ['router', ROUTER_ERRORS, 'router/src/router.h'],
    ['order-engine', ORDER_ENGINE_ERRORS, 'order-engine/src/errors.h'],
  ] as const;
  for (const [program, table, file] of tables) {
    const { idl } = new Description(program);
    const least = program === 'order-engine' ? 6_000 : 0;
    const expected = Object.entries(table).filter(([code]) => Number(code) >= least);
    assert.deepEqual(
      idl.errors.map(({ code, name }: Node) => [String(code), `${name[0].toUpperCase()}${name.slice(1)}`]),
      expected,
    );
    const numbers = [...sourceOf(file).matchAll(/_[A-Z_]+ = (\d{1,4}),/g)].map(([, number]) => Number(number));
    for (const [code] of expected) if (code !== '0') assert.ok(numbers.includes(Number(code)), `${program} ${code}`);
  }
  const metadata = sourceOf('token-metadata/src/token-metadata.c');
  const own = [...metadata.matchAll(/ERROR_\w+ = (\d+),/g)].map(([, number]) => Number(number));
  assert.deepEqual(codesOf(new Description('token-metadata').idl), own);
});
