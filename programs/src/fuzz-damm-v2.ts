import assert from 'node:assert/strict';
import { type Address, addressToBytes, type Instruction, SYSTEM_PROGRAM } from '@slipway/wire';
import { standInVm } from './bonding-curve-testing.js';
import { type Moving, migrated } from './damm-v2-testing.js';
import type { FuzzTarget } from './fuzz-engine.js';
import type { Change } from './fuzz-invariants.js';
import {
  claimDammV2Fee,
  DAMM_V2_AUTHORITY,
  DAMM_V2_PROGRAM,
  type DammV2SwapMode,
  dammV2Swap,
  decodeDammV2Position,
  refreshDammV2Vesting,
  removeDammV2Liquidity,
} from './index.js';
import { newAddress, succeeded, type TestVm } from './test-vm.js';

const RICH = 10n ** 15n;
const REFERRAL = 11;

/** Migrated launches with fees to claim: a free one, one whose liquidity waits, and a stranger's. */
export function dammV2Target(): FuzzTarget {
  const vm = standInVm();
  vm.setTime(1_800_000_000n);
  const worlds = [{ isLpLocked: false }, { isLpLocked: true }, { isLpLocked: false }].map((choices) => {
    const trader = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 12n);
    const moved = migrated(vm, choices, trader);
    succeeded(vm.run(trade(moved, true, 'exactIn', 10n ** 9n)));
    // The machine's payer, who is the creator, also pays for each transaction.
    vm.patch(moved.position.tokenAccount, 32, addressToBytes(trader));
    return moved;
  });
  const [free, waiting, bystander] = worlds as [Moving, Moving, Moving];
  return {
    vm,
    program: DAMM_V2_PROGRAM,
    seeds: [free, waiting].flatMap((moved) => seedsOf(vm, moved)),
    signers: [free.trader, waiting.trader],
    others: [
      ...Object.values(bystander.damm),
      ...Object.values(bystander.position),
      ...[bystander.base, bystander.quote],
      vm.put(newAddress(), new Uint8Array(1_112), DAMM_V2_PROGRAM),
      vm.put(newAddress(), new Uint8Array(408), DAMM_V2_PROGRAM),
    ],
    isProgramOwned: (address) => address === DAMM_V2_AUTHORITY,
    isAlone: true,
    check: (change) => {
      for (const world of worlds) checkPool(vm, world, change);
    },
  };
}

function trade(
  { damm: pool, trader, base, quote }: Moving,
  isBuy: boolean,
  mode: DammV2SwapMode,
  amount: bigint,
): Instruction {
  const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
  const limit = mode === 'exactOut' ? 4n * RICH : 0n;
  return dammV2Swap({ pool, trader, inputAccount, outputAccount, mode, amount, limit });
}

function seedsOf(vm: TestVm, moved: Moving): Instruction[][] {
  const { damm: pool, position, trader, base: baseAccount, quote: quoteAccount } = moved;
  const referred = trade(moved, true, 'exactIn', 10n ** 8n);
  referred.accounts = referred.accounts.map((meta, i) =>
    i === REFERRAL ? { ...meta, address: quoteAccount, writable: true } : meta,
  );
  const change = { pool, position, owner: trader, baseAccount, quoteAccount };
  const free = decodeDammV2Position(vm.data(position.position))!.unlockedLiquidity;
  const removal = removeDammV2Liquidity({ ...change, liquidity: free / 3n, leastBase: 1n, leastQuote: 1n });
  return [
    [trade(moved, true, 'exactIn', 10n ** 8n)],
    [trade(moved, true, 'partialFill', RICH)],
    [trade(moved, true, 'exactOut', 10n ** 9n)],
    [trade(moved, false, 'exactIn', 10n ** 9n)],
    [trade(moved, false, 'partialFill', 10n ** 9n)],
    [trade(moved, false, 'exactOut', 10n ** 6n)],
    [referred],
    [claimDammV2Fee(change)],
    [refreshDammV2Vesting(pool.pool, position, trader)],
    ...(free > 0n ? [[removal]] : []),
  ];
}

/** The pool has what it says; its terms and places stay; the position loses nothing without its holder's signature. */
function checkPool(
  vm: TestVm,
  { damm, position, trader }: Moving,
  { accounts, signers, what, isForged }: Change,
): void {
  const seen = accounts.get(damm.pool);
  if (isForged) return;
  if (seen) {
    const [before, after] = [Buffer.from(seen.before!.data), Buffer.from(seen.after!.data)];
    assert.deepEqual(after.subarray(0, 328), before.subarray(0, 328), `${what}: a pool's terms or places changed`);
    assert.deepEqual(after.subarray(424, 456), before.subarray(424, 456), `${what}: a pool's range changed`);
    const number = (at: number) => after.readBigUInt64LE(at);
    assert.ok(vm.amount(damm.baseVault) >= number(680), `${what}: base is missing`);
    assert.ok(vm.amount(damm.quoteVault) >= number(688) + number(400), `${what}: quote is missing`);
  }
  checkPosition(position.position, accounts, signers.has(trader), what);
}

function checkPosition(address: Address, accounts: Change['accounts'], isHolders: boolean, what: string): void {
  const seen = accounts.get(address);
  if (!seen) return;
  const [before, after] = [decodeDammV2Position(seen.before!.data)!, decodeDammV2Position(seen.after!.data)!];
  const all = (state: typeof before) =>
    state.unlockedLiquidity + state.vestedLiquidity + state.permanentlyLockedLiquidity;
  assert.ok(after.permanentlyLockedLiquidity >= before.permanentlyLockedLiquidity, `${what}: locked for good`);
  assert.ok(all(after) === all(before) || isHolders, `${what}: liquidity was taken`);
  assert.ok(after.vestedLiquidity >= before.vestedLiquidity, `${what}: no time has passed`);
}
