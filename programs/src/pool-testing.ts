import assert from 'node:assert/strict';
import { type Address, type Instruction, TOKEN_PROGRAM } from '@slipway/wire';
import {
  decodePool,
  type Fee,
  initializePool,
  POOL_ERRORS,
  POOL_SIZE,
  type PoolAccounts,
  type PoolFees,
  poolAuthority,
  poolSwap,
  TOKEN_SWAP_PROGRAM,
} from './pool.js';
import { newAddress, type Outcome, programUnderTest, refusedWith, succeeded, TestVm } from './test-vm.js';

export const fee = (numerator: number | bigint, denominator: number | bigint): Fee => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
});
const NO_FEE = fee(0, 0);
export const NO_FEES: PoolFees = { trade: NO_FEE, ownerTrade: NO_FEE, ownerWithdraw: NO_FEE, host: NO_FEE };
export const ALL_FEES: PoolFees = {
  trade: fee(25, 10_000),
  ownerTrade: fee(5, 10_000),
  ownerWithdraw: fee(1, 1_000),
  host: fee(20, 100),
};

/** One who trades: a key and accounts of both tokens and of pool tokens. */
export interface Trader {
  key: Address;
  a: Address;
  b: Address;
  poolTokens: Address;
}

export interface PoolWorld {
  vm: TestVm;
  accounts: PoolAccounts & { program: Address };
  creator: Trader;
  trader: Trader;
  fees: PoolFees;
  /** The instruction that initializes the pool. */
  initialize: Instruction;
}

interface PoolOptions {
  balanceA?: bigint;
  balanceB?: bigint;
  fees?: PoolFees;
  programA?: Address;
  programB?: Address;
  vm?: TestVm;
}

/** With all features on, the machine is strict about reads past the end of an account's data. */
export function poolVm(features: 'default' | 'all' = 'all'): TestVm {
  const vm = new TestVm(features);
  vm.addProgram(TOKEN_SWAP_PROGRAM, programUnderTest('pool'));
  return vm;
}

/** Everything that a pool needs, before Initialize. */
export function poolWorld(options: PoolOptions = {}): PoolWorld {
  const { balanceA = 1_000_000_000n, balanceB = 4_000_000_000n, fees = ALL_FEES, vm = poolVm() } = options;
  const { programA = TOKEN_PROGRAM, programB = TOKEN_PROGRAM } = options;
  const program = TOKEN_SWAP_PROGRAM;
  const pool = vm.put(newAddress(), new Uint8Array(POOL_SIZE), program);
  const authority = poolAuthority(pool).address;
  const mintA = vm.mint({ tokenProgram: programA });
  const mintB = vm.mint({ tokenProgram: programB });
  const poolMint = vm.mint({ mintAuthority: authority });
  const trader = (): Trader => {
    const key = newAddress();
    return {
      key,
      a: vm.tokenAccount({ mint: mintA, owner: key, tokenProgram: programA }),
      b: vm.tokenAccount({ mint: mintB, owner: key, tokenProgram: programB }),
      poolTokens: vm.tokenAccount({ mint: poolMint, owner: key }),
    };
  };
  const creator = trader();
  const accounts = {
    program,
    pool,
    authority,
    vaultA: vm.tokenAccount({ mint: mintA, owner: authority, amount: balanceA, tokenProgram: programA }),
    vaultB: vm.tokenAccount({ mint: mintB, owner: authority, amount: balanceB, tokenProgram: programB }),
    poolMint,
    feeAccount: vm.tokenAccount({ mint: poolMint, owner: newAddress() }),
    mintA,
    mintB,
    programA,
    programB,
  };
  const initialize = initializePool({ ...accounts, receiver: creator.poolTokens, fees });
  return { vm, accounts, creator, trader: trader(), fees, initialize };
}

/** A pool after Initialize, with a trader who has plenty of both tokens. */
export function openPool(options: PoolOptions = {}): PoolWorld {
  const world = poolWorld(options);
  succeeded(world.vm.run(world.initialize));
  assert.ok(decodePool(world.vm.data(world.accounts.pool)));
  world.vm.setAmount(world.trader.a, 1_000_000_000_000n);
  world.vm.setAmount(world.trader.b, 1_000_000_000_000n);
  return world;
}

type ErrorName = (typeof POOL_ERRORS)[keyof typeof POOL_ERRORS];

/** The pool program itself refused, with the error of this name. */
export function refused(outcome: Outcome, name: ErrorName): void {
  refusedWith(outcome, name, POOL_ERRORS, TOKEN_SWAP_PROGRAM);
}

/** A swap of the world's trader. */
export function swapOf(
  world: PoolWorld,
  amountIn: bigint,
  options: { least?: bigint; host?: Address; bToA?: boolean } = {},
) {
  const { accounts, trader } = world;
  const { least = 0n, host, bToA = false } = options;
  const [source, destination] = bToA ? [trader.b, trader.a] : [trader.a, trader.b];
  const swap = { accounts, aToB: !bToA, authority: trader.key, source, destination, amountIn, minimumAmountOut: least };
  return poolSwap(host ? { ...swap, hostFeeAccount: host } : swap);
}

/** What a deposit or withdrawal of the world's trader consists of. */
export function liquidityOf(world: PoolWorld, poolTokenAmount: bigint, limitA: bigint, limitB: bigint) {
  const { accounts, trader } = world;
  const { key: authority, a: accountA, b: accountB, poolTokens } = trader;
  return { accounts, authority, accountA, accountB, poolTokens, poolTokenAmount, limitA, limitB };
}

export const balances = ({ vm, accounts, trader }: PoolWorld) => ({
  vaultA: vm.amount(accounts.vaultA),
  vaultB: vm.amount(accounts.vaultB),
  a: vm.amount(trader.a),
  b: vm.amount(trader.b),
  poolTokens: vm.amount(trader.poolTokens),
  feeAccount: vm.amount(accounts.feeAccount),
  supply: vm.supply(accounts.poolMint),
});
