// A launch, somebody who trades on its curve, what each trade made of the pool, and how an instruction is refused.
import assert from 'node:assert/strict';
import { type Address, associatedTokenAddress, type Instruction } from '@slipway/wire';
import { type BondingCurvePoolState, decodeBondingCurvePool } from './bonding-curve-state.js';
import { INDIE, type Launched, launch, standInVm } from './bonding-curve-testing.js';
import { BONDING_CURVE_PROGRAM, type BondingCurveConfig, curveSwap, launchConfig } from './index.js';
import { type Outcome, succeeded, type TestVm, withAccounts } from './test-vm.js';

export const RICH = 2n ** 60n;
const MODE_AT = 24;
const EXACT_OUT = 2;

export interface Trading {
  vm: TestVm;
  launched: Launched;
  /** The trader's accounts of the quote and the base. */
  quote: Address;
  base: Address;
  swap: (isBuy: boolean, amountIn: bigint, partial?: boolean) => Outcome;
  /** Gets exactly so much, for whatever it costs, or for this at most. */
  swapOut: (isBuy: boolean, amountOut: bigint, mostIn?: bigint) => Outcome;
  state: () => BondingCurvePoolState;
}

/** A launch of these terms, and somebody with quote. */
export function openTrading(change: (terms: BondingCurveConfig) => void = () => undefined): Trading {
  const vm = standInVm();
  const { terms } = launchConfig({ ...INDIE, vesting: undefined });
  change(terms);
  const launched = launch(vm, vm.mint({ decimals: 6, supply: RICH }), INDIE, terms);
  succeeded(launched.outcome);
  const { pool } = launched;
  const [quote, base] = [pool.quoteMint, pool.baseMint].map((mint) =>
    vm.tokenAccount({ address: associatedTokenAddress(vm.payer, mint), mint, owner: vm.payer }),
  ) as [Address, Address];
  vm.setAmount(quote, RICH);
  const order = (isBuy: boolean, amountIn: bigint, leastOut: bigint, partial: boolean) => {
    const [inputAccount, outputAccount] = isBuy ? [quote, base] : [base, quote];
    return curveSwap({ pool, trader: vm.payer, inputAccount, outputAccount, amountIn, leastOut, partial });
  };
  const swap: Trading['swap'] = (isBuy, amountIn, partial = false) => vm.run(order(isBuy, amountIn, 0n, partial));
  const swapOut: Trading['swapOut'] = (isBuy, amountOut, mostIn = RICH) => {
    const instruction = order(isBuy, amountOut, mostIn, false);
    instruction.data[MODE_AT] = EXACT_OUT;
    return vm.run(instruction);
  };
  return { vm, launched, quote, base, swap, swapOut, state: () => decodeBondingCurvePool(vm.data(pool.pool))! };
}

/** What must be paid for so much to be left of it after a fee of one per cent, which is rounded up. */
export function withFee(amount: bigint): bigint {
  for (let paid = (amount * 100n) / 99n - 2n; ; paid++) if (paid - (paid + 99n) / 100n === amount) return paid;
}

/** The program refuses with the error of this number. */
export function refusedBy({ failure, logs }: Outcome, error: number, what = ''): void {
  const reason = `custom program error: 0x${error.toString(16)}`;
  assert.deepEqual(failure, { program: BONDING_CURVE_PROGRAM, reason }, `${what}\n${logs.join('\n')}`);
}

/** The instruction with each of these accounts in the place of its own, and the error that each must have. */
export function assertRefuses(
  vm: TestVm,
  instruction: Instruction,
  cases: (readonly [place: number, account: Address, error: number])[],
): void {
  for (const [place, account, error] of cases) {
    const outcome = vm.run(withAccounts(instruction, { [place]: account }));
    refusedBy(outcome, error, `${account} in place ${place}`);
  }
}

/** All of these accounts must be writable. */
export function assertNeedsWritable(vm: TestVm, instruction: Instruction, places: number[]): void {
  for (const place of places) {
    const accounts = instruction.accounts.map((meta, i) => (i === place ? { ...meta, writable: false } : meta));
    refusedBy(vm.run({ ...instruction, accounts }), 2000, `${place} read only`);
  }
}
