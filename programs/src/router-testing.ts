import { type Address, type Instruction, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import {
  INITIAL_POOL_TOKENS,
  initializePool,
  POOL_SIZE,
  type PoolAccounts,
  type PoolFees,
  poolAuthority,
  poolSwap,
  TOKEN_SWAP_PROGRAM,
} from './pool.js';
import { modelSwap } from './pool-model.js';
import { ALL_FEES } from './pool-testing.js';
import { readProgram } from './program-files.js';
import { ROUTER_ERRORS, ROUTER_PROGRAM, type Route, type RouteFee, type RouteHop } from './router.js';
import { newAddress, type Outcome, programUnderTest, refusedWith, succeeded, TestVm } from './test-vm.js';

export interface Token {
  mint: Address;
  program: Address;
}

export type Pool = PoolAccounts & { fees: PoolFees };

/** A machine with the pool and the router programs. */
export function routerVm(features: 'default' | 'all' = 'default'): TestVm {
  const vm = new TestVm(features);
  vm.addProgram(TOKEN_SWAP_PROGRAM, readProgram('pool'));
  vm.addProgram(ROUTER_PROGRAM, programUnderTest('router'));
  return vm;
}

export function newToken(vm: TestVm, program: Address = TOKEN_PROGRAM): Token {
  return { mint: vm.mint({ tokenProgram: program }), program };
}

export function holding(vm: TestVm, { mint, program }: Token, owner: Address, amount = 0n): Address {
  return vm.tokenAccount({ mint, owner, amount, tokenProgram: program });
}

/** A ready pool of two tokens. */
export function openPoolOf(vm: TestVm, a: Token, b: Token, balances: [bigint, bigint], fees = ALL_FEES): Pool {
  const pool = vm.put(newAddress(), new Uint8Array(POOL_SIZE), TOKEN_SWAP_PROGRAM);
  const authority = poolAuthority(pool).address;
  const poolMint = vm.mint({ mintAuthority: authority });
  const accounts = {
    pool,
    authority,
    vaultA: holding(vm, a, authority, balances[0]),
    vaultB: holding(vm, b, authority, balances[1]),
    poolMint,
    feeAccount: vm.tokenAccount({ mint: poolMint, owner: newAddress() }),
    mintA: a.mint,
    mintB: b.mint,
    programA: a.program,
    programB: b.program,
  };
  const receiver = vm.tokenAccount({ mint: poolMint, owner: newAddress() });
  succeeded(vm.run(initializePool({ ...accounts, receiver, fees })));
  return { ...accounts, fees };
}

/** A hop over any instruction whose amount stands at 1, as the pool's and the token program's do. */
export function hopOf(instruction: Instruction, from: Address, to: Address, shareBps = 10_000): RouteHop {
  return { ...instruction, amountOffset: 1, from, to, shareBps };
}

export function poolHop(
  pool: Pool,
  aToB: boolean,
  taker: Address,
  from: Address,
  to: Address,
  shareBps?: number,
): RouteHop {
  const swap = {
    accounts: pool,
    aToB,
    authority: taker,
    source: from,
    destination: to,
    amountIn: 0n,
    minimumAmountOut: 0n,
  };
  return hopOf(poolSwap(swap), from, to, shareBps);
}

type ErrorName = (typeof ROUTER_ERRORS)[keyof typeof ROUTER_ERRORS];

/** The router itself refused, with the error of this name. */
export function routerRefused(outcome: Outcome, name: ErrorName): void {
  refusedWith(outcome, name, ROUTER_ERRORS, ROUTER_PROGRAM);
}

// ---- a world of pools -----------------------------------------------------------------------------------------------

/** What lies in every account of the taker, and what there is to spend in the first. */
export const LYING = 7_777_777n;
export const FUNDS = 10n ** 12n;

/** Three tokens in a row with pools between, and a taker with something lying in every account. */
export function openRouteWorld() {
  const vm = routerVm();
  const taker = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 10n ** 9n);
  const tokens = [newToken(vm), newToken(vm, TOKEN_2022_PROGRAM), newToken(vm), newToken(vm)] as const;
  const [a, b, c, d] = tokens.map((token) => holding(vm, token, taker, LYING)) as [Address, Address, Address, Address];
  vm.setAmount(a, FUNDS);
  const pools = [0, 1, 2].map((i) =>
    openPoolOf(vm, tokens[i]!, tokens[i + 1]!, [10n ** 10n + BigInt(i), 3n * 10n ** 10n]),
  ) as [Pool, Pool, Pool];
  const hops = [
    poolHop(pools[0], true, taker, a, b),
    poolHop(pools[1], true, taker, b, c),
    poolHop(pools[2], true, taker, c, d),
  ] as const;
  const route = (count: 1 | 2 | 3, parts: Partial<Route> = {}): Route => {
    const destination = [b, c, d][count - 1]!;
    return { taker, source: a, destination, amountIn: 1_000_000n, minOut: 0n, hops: hops.slice(0, count), ...parts };
  };
  return { vm, taker, tokens, pools, hops, a, b, c, d, route };
}
type RouteWorld = ReturnType<typeof openRouteWorld>;

/** What a pool that nobody has traded with yet takes and pays for an amount of its first token. */
export function quote({ vm }: RouteWorld, pool: Pool, amount: bigint) {
  const state = { balanceIn: vm.amount(pool.vaultA), balanceOut: vm.amount(pool.vaultB), supply: INITIAL_POOL_TOKENS };
  return modelSwap(pool.fees, state, amount, false)!;
}

/** A fee for a new account of somebody else. */
export function feeTo(world: RouteWorld, token: Token, from: Address, bps: number): RouteFee {
  const account = holding(world.vm, token, newAddress());
  return { bps, from, account, mint: token.mint, decimals: 6, tokenProgram: token.program };
}
