import assert from 'node:assert/strict';
import { type Address, type Instruction, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { supplyOf, tokenOf } from './fuzz-accounts.js';
import type { FuzzTarget } from './fuzz-engine.js';
import type { Change } from './fuzz-invariants.js';
import { POOL_SIZE, poolDeposit, poolWithdraw, TOKEN_SWAP_PROGRAM } from './pool.js';
import { fee, liquidityOf, NO_FEES, openPool, type PoolWorld, poolVm, poolWorld, swapOf } from './pool-testing.js';
import { newAddress } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;

/** Pools with and without fees, of both token programs, one that is still to be made, and a trader who never signs. */
export function poolTarget(): FuzzTarget {
  const vm = poolVm();
  const pools = [
    openPool({ vm }),
    openPool({ vm, balanceA: 77_777n, balanceB: 5n * 10n ** 12n, fees: { ...NO_FEES, host: fee(1, 2) } }),
    openPool({ vm, programA: TOKEN_2022_PROGRAM, programB: TOKEN_2022_PROGRAM }),
  ];
  const unmade = poolWorld({ vm });
  const bystander = openPool({ vm });
  for (const { creator } of pools) vm.put(creator.key, new Uint8Array(0), vm.owner(vm.payer), 10n ** 9n);
  const isAuthority = new Set([...pools, unmade, bystander].map(({ accounts }) => accounts.authority));
  return {
    vm,
    program: TOKEN_SWAP_PROGRAM,
    seeds: [...pools.flatMap(seedsOf), [unmade.initialize]],
    signers: pools.flatMap(({ creator, trader }) => [creator.key, trader.key]),
    others: [
      ...Object.values(bystander.accounts),
      ...Object.values(bystander.trader),
      vm.put(newAddress(), new Uint8Array(POOL_SIZE), TOKEN_SWAP_PROGRAM),
      vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 }),
    ],
    isProgramOwned: (address) => isAuthority.has(address),
    isAlone: true,
    check: (change) => {
      for (const pool of [...pools, bystander]) checkPool(pool, change);
    },
  };
}

function seedsOf(world: PoolWorld): Instruction[][] {
  const { creator, vm } = world;
  const { key: authority, a: accountA, b: accountB, poolTokens } = creator;
  const withdrawal = { ...liquidityOf(world, 1_000_000n, 0n, 0n), authority, accountA, accountB, poolTokens };
  assert.ok(vm.amount(poolTokens) > 0n);
  return [
    [swapOf(world, 10_000n)],
    [swapOf(world, 123_456n, { bToA: true, least: 1n })],
    [swapOf(world, 1_000_000n, { host: world.trader.poolTokens })],
    [poolDeposit(liquidityOf(world, 1_000_000n, U64_MAX, U64_MAX))],
    [poolWithdraw(withdrawal)],
    [poolWithdraw({ ...withdrawal, poolTokenAmount: vm.amount(poolTokens) })],
  ];
}

/** Its terms stay, the product of its balances does not fall, and no pool token is worth less. */
function checkPool({ accounts, vm }: PoolWorld, { accounts: changed, what }: Change): void {
  const at = (address: Address) => changed.get(address);
  const pool = at(accounts.pool);
  if (pool) assert.deepEqual(pool.after?.data, pool.before?.data, `${what}: a pool's terms changed`);
  const amounts = [accounts.vaultA, accounts.vaultB].map((vault) => {
    const held = vm.amount(vault);
    const seen = at(vault);
    if (seen) assert.deepEqual(tokenOf(seen.after)?.powers, tokenOf(seen.before)?.powers, `${what}: a vault's powers`);
    return seen ? ([tokenOf(seen.before)!.amount, tokenOf(seen.after)!.amount] as const) : ([held, held] as const);
  });
  const mint = at(accounts.poolMint);
  const supply = vm.supply(accounts.poolMint);
  const [s0, s1] = mint ? [supplyOf(mint.before)!, supplyOf(mint.after)!] : [supply, supply];
  const [[a0, a1], [b0, b1]] = amounts as [readonly [bigint, bigint], readonly [bigint, bigint]];
  const traded = (a1 > a0 && b1 < b0) || (a1 < a0 && b1 > b0);
  if (traded) assert.ok(a1 * b1 >= a0 * b0, `${what}: the product of ${accounts.pool} fell`);
  else if (s1 > 0n)
    assert.ok(a1 * s0 >= a0 * s1 && b1 * s0 >= b0 * s1, `${what}: a pool token of ${accounts.pool} lost worth`);
}
