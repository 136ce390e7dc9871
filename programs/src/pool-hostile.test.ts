import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  COMPUTE_BUDGET_PROGRAM,
  decodeTokenAccount,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writableAccount,
} from '@slipway/wire';
import { initializePool, POOL_SIZE, poolDeposit, poolSwap, poolWithdraw, TOKEN_SWAP_PROGRAM } from './pool.js';
import { ALL_FEES, balances, fee, NO_FEES, openPool, type PoolWorld, poolVm, type Trader } from './pool-testing.js';
import { newAddress, randomNumbers, type TestVm } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const STEPS = 5_000;

interface Cast {
  vm: TestVm;
  pools: PoolWorld[];
  actors: { world: PoolWorld; trader: Trader }[];
  bystander: Trader;
  fakeMint: Address;
  hostile: Address;
  /** Token accounts (the first three) and others. */
  lookalikes: Address[];
}
interface World extends Cast {
  /** Of every token account. */
  mints: Map<Address, Address>;
}

/** Two pools of the same tokens, traders of both, one of whom never signs, and things that only look like theirs. */
function openWorld(): World {
  const vm = poolVm();
  const first = openPool({ vm, fees: ALL_FEES });
  const second = openPool({ vm, balanceA: 77_777n, balanceB: 5n * 10n ** 12n, fees: { ...NO_FEES, host: fee(1, 2) } });
  const { mintA, mintB } = first.accounts;
  const fakeMint = vm.mint({ mintAuthority: newAddress() });
  const join = ({ accounts }: PoolWorld, key = newAddress()): Trader => ({
    key,
    a: vm.tokenAccount({ mint: accounts.mintA, owner: key, amount: 10n ** 10n }),
    b: vm.tokenAccount({ mint: accounts.mintB, owner: key, amount: 10n ** 10n }),
    poolTokens: vm.tokenAccount({ mint: accounts.poolMint, owner: key }),
  });
  const hostile = newAddress();
  const bystander = join(first);
  vm.setAmount(bystander.poolTokens, 500_000_000n);
  vm.setSupply(first.accounts.poolMint, vm.supply(first.accounts.poolMint) + 500_000_000n);
  const actors = [first, second].flatMap((world) =>
    [world.creator, world.trader, join(world), join(world, hostile)].map((trader) => ({ world, trader })),
  );
  const lookalikes = [
    vm.tokenAccount({ mint: fakeMint, owner: hostile, amount: 10n ** 10n }),
    vm.tokenAccount({ mint: mintA, owner: first.accounts.authority, amount: 1_000n }),
    vm.tokenAccount({
      mint: mintB,
      owner: hostile,
      delegate: actors[0]!.trader.key,
      delegatedAmount: 1_000n,
      amount: 5_000n,
    }),
    vm.put(newAddress(), vm.data(first.accounts.pool), SYSTEM_PROGRAM),
    vm.put(newAddress(), new Uint8Array(POOL_SIZE), TOKEN_SWAP_PROGRAM),
  ];
  const world = { vm, pools: [first, second], actors, bystander, fakeMint, hostile, lookalikes };
  const mintOf = (account: Address) => decodeTokenAccount(vm.data(account))!.mint;
  return { ...world, mints: new Map(tokenAccountsOf(world).map((account) => [account, mintOf(account)])) };
}

function tokenAccountsOf({ pools, actors, bystander, lookalikes }: Cast): Address[] {
  const ofTraders = [bystander, ...actors.map(({ trader }) => trader)].flatMap(({ a, b, poolTokens }) => [
    a,
    b,
    poolTokens,
  ]);
  const ofPools = pools.flatMap(({ accounts: { vaultA, vaultB, feeAccount } }) => [vaultA, vaultB, feeAccount]);
  return [...new Set([...ofTraders, ...ofPools, ...lookalikes.slice(0, 3)])];
}

/** What an honest client would send, with random amounts. */
function honest(world: World, random: (below: number) => number): Instruction {
  const { world: pool, trader } = world.actors[random(world.actors.length)]!;
  const { vm } = world;
  const { accounts } = pool;
  const upTo = (account: Address) => (vm.amount(account) * BigInt(random(1 << 20))) >> BigInt(20 + random(25));
  const small = () => BigInt(random(4));
  const either = (value: bigint) => (random(10) === 0 ? small() : value);
  const liquidity = {
    accounts,
    authority: trader.key,
    accountA: trader.a,
    accountB: trader.b,
    poolTokens: trader.poolTokens,
  };
  const aToB = random(2) === 0;
  const [source, destination] = aToB ? [trader.a, trader.b] : [trader.b, trader.a];
  switch (random(8)) {
    case 0:
      return poolWithdraw({ ...liquidity, poolTokenAmount: either(upTo(trader.poolTokens)), limitA: 0n, limitB: 0n });
    case 1:
    case 2: {
      const poolTokenAmount = either((vm.supply(accounts.poolMint) * BigInt(random(1000))) / 10_000n);
      return poolDeposit({ ...liquidity, poolTokenAmount, limitA: U64_MAX, limitB: U64_MAX });
    }
    case 3: {
      const { vaultA, vaultB, poolMint, feeAccount } = accounts;
      const spare = world.lookalikes[4]!;
      const target = random(2) === 0 ? accounts.pool : spare;
      return initializePool({
        pool: target,
        vaultA,
        vaultB,
        poolMint,
        feeAccount,
        receiver: trader.poolTokens,
        fees: NO_FEES,
      });
    }
    default: {
      const host = random(3) === 0 ? { hostFeeAccount: trader.poolTokens } : {};
      const amountIn = random(50) === 0 ? U64_MAX - vm.amount(source) : either(upTo(source));
      return poolSwap({
        accounts,
        aToB,
        authority: trader.key,
        source,
        destination,
        amountIn,
        minimumAmountOut: 0n,
        ...host,
      });
    }
  }
}

/** The instruction with accounts replaced, exchanged, doubled or left out, signatures taken away, data changed. */
function spoiled(instruction: Instruction, world: World, random: (below: number) => number): Instruction {
  const { pools, lookalikes, fakeMint, hostile, actors } = world;
  const strangers = [
    ...tokenAccountsOf(world),
    ...lookalikes,
    ...pools.flatMap(({ accounts }) => [
      accounts.pool,
      accounts.authority,
      accounts.mintA,
      accounts.mintB,
      accounts.poolMint,
    ]),
    ...[fakeMint, hostile, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM, TOKEN_SWAP_PROGRAM],
    ...actors.map(({ trader }) => trader.key),
  ];
  const accounts = instruction.accounts.map((meta) => ({ ...meta }));
  const data = Uint8Array.from(instruction.data);
  for (let changes = random(3); changes >= 0; changes--) {
    const place = random(accounts.length);
    const meta = accounts[place]!;
    const other = accounts[random(accounts.length)]!;
    switch (random(7)) {
      case 0:
        [meta.address, other.address] = [other.address, meta.address];
        break;
      case 1:
        meta.address = other.address;
        break;
      case 2:
        meta.signer = false;
        break;
      case 3:
        data[random(data.length)] = random(256);
        break;
      case 4:
        if (random(4) === 0) accounts.pop();
        else meta.writable = !meta.writable;
        break;
      default:
        meta.address = strangers[random(strangers.length)]!;
    }
  }
  // The bystander's key and the programs' authorities sign nothing: everybody else may be an accomplice.
  const cannotSign = new Set<Address>([world.bystander.key, ...pools.map((pool) => pool.accounts.authority)]);
  for (const meta of accounts) if (cannotSign.has(meta.address)) meta.signer = false;
  return { ...instruction, accounts, data };
}

/** What must hold whatever anybody sends. */
function assertInvariants(world: World, before: Snapshot, after: Snapshot, what: string): void {
  const { pools, bystander } = world;
  for (const [mint, sum] of before.sums) {
    const isPoolMint = pools.some(({ accounts }) => accounts.poolMint === mint);
    if (isPoolMint) assert.equal(after.sums.get(mint), world.vm.supply(mint), `${what}: pool tokens and supply differ`);
    else assert.equal(after.sums.get(mint), sum, `${what}: tokens were made or lost`);
  }
  for (const account of [bystander.a, bystander.b, bystander.poolTokens]) {
    const [had, has] = [before.amounts.get(account)!, after.amounts.get(account)!];
    assert.ok(has >= had, `${what}: somebody who signed nothing lost tokens`);
  }
  for (const [i, { accounts }] of pools.entries()) {
    assert.deepEqual(after.pools[i]!.data, before.pools[i]!.data, `${what}: a pool's terms changed`);
    const [a0, b0, s0] = before.pools[i]!.state;
    const [a1, b1, s1] = after.pools[i]!.state;
    const traded = (a1 > a0 && b1 < b0) || (a1 < a0 && b1 > b0);
    if (traded) assert.ok(a1 * b1 >= a0 * b0, `${what}: the product of ${accounts.pool} fell`);
    else if (s1 > 0n) {
      assert.ok(a1 * s0 >= a0 * s1 && b1 * s0 >= b0 * s1, `${what}: pool tokens of ${accounts.pool} lost worth`);
    }
  }
}

type Snapshot = ReturnType<typeof snapshot>;

function snapshot(world: World) {
  const { vm, pools, mints } = world;
  const amounts = new Map(tokenAccountsOf(world).map((account) => [account, vm.amount(account)]));
  const sums = new Map<Address, bigint>();
  for (const [account, amount] of amounts) {
    const mint = mints.get(account)!;
    sums.set(mint, (sums.get(mint) ?? 0n) + amount);
  }
  return {
    amounts,
    sums,
    pools: pools.map(({ accounts: { pool, vaultA, vaultB, poolMint } }) => ({
      data: vm.data(pool),
      state: [vm.amount(vaultA), vm.amount(vaultB), vm.supply(poolMint)] as const,
    })),
  };
}

test('attack: a stranger on the chain sends the pools whatever he likes: tokens are conserved and no pool loses worth', () => {
  const world = openWorld();
  const random = randomNumbers(20_260_101);
  const done = { honest: 0, hostile: 0 };
  let before = snapshot(world);
  for (let step = 0; step < STEPS; step++) {
    const isHostile = random(2) === 0;
    const instruction = honest(world, random);
    const outcome = world.vm.run(isHostile ? spoiled(instruction, world, random) : instruction);
    if (outcome.failure) continue;
    done[isHostile ? 'hostile' : 'honest']++;
    const after = snapshot(world);
    assertInvariants(world, before, after, `step ${step}`);
    before = after;
  }
  assert.ok(done.honest > STEPS / 5 && done.hostile > STEPS / 50, `too little of it ran: ${JSON.stringify(done)}`);
});

test('attack: a stranger on the chain pays a pool by an account of a program that does nothing: refused, and the pool keeps all', () => {
  for (const programs of [{}, { programA: TOKEN_2022_PROGRAM, programB: TOKEN_2022_PROGRAM }]) {
    const world = openPool({ fees: NO_FEES, ...programs });
    const { vm, accounts, trader } = world;
    // Its bytes are those of a token account with plenty of tokens. The runtime's own programs ignore what they are told.
    const fake = (real: Address) => vm.put(newAddress(), vm.data(real), COMPUTE_BUDGET_PROGRAM);
    const [a, b] = [fake(trader.a), fake(trader.b)];
    const { key: authority, poolTokens } = trader;
    const liquidity = { accounts, authority, poolTokens, poolTokenAmount: 10n ** 9n, limitA: U64_MAX, limitB: U64_MAX };
    const swap = { accounts, authority, amountIn: 10n ** 12n, minimumAmountOut: 0n };
    const tried: Record<string, Instruction> = {
      'a swap of A': poolSwap({ ...swap, aToB: true, source: a, destination: trader.b }),
      'a swap of B': poolSwap({ ...swap, aToB: false, source: b, destination: trader.a }),
      'a deposit without either': poolDeposit({ ...liquidity, accountA: a, accountB: b }),
      'a deposit without A': poolDeposit({ ...liquidity, accountA: a, accountB: trader.b }),
      'a deposit without B': poolDeposit({ ...liquidity, accountA: trader.a, accountB: b }),
    };
    const before = balances(world);
    for (const [what, instruction] of Object.entries(tried)) {
      // Behind all that the pool reads.
      const accountsOfCall = [...instruction.accounts];
      while (accountsOfCall.length < 15) accountsOfCall.push(writableAccount(poolTokens));
      accountsOfCall.push(readonlyAccount(COMPUTE_BUDGET_PROGRAM));
      const { failure } = vm.run({ ...instruction, accounts: accountsOfCall });
      // The token program is asked, and that of the account is not.
      assert.equal(failure?.program, accounts.programA, what);
      assert.deepEqual(balances(world), before, what);
    }
  }
});
