import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { POOL_SIZE, poolDeposit, poolSwap, poolWithdraw, TOKEN_SWAP_PROGRAM } from './pool.js';
import { openPool, type PoolWorld, poolVm, refused } from './pool-testing.js';
import { failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const NOT_ENOUGH_ACCOUNTS = 'insufficient account keys for instruction';
const INCORRECT_PROGRAM_ID = 'incorrect program id for instruction';
const UNINITIALIZED = 'instruction requires an initialized account';
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

const longer = (data: Uint8Array, by: number) => Buffer.concat([data, Buffer.alloc(by)]);

interface Case {
  name: string;
  build: (world: PoolWorld) => Instruction;
  dataLength: number;
  /** Places of the accounts. */
  at: {
    authority: number;
    vaultA: number;
    vaultB: number;
    poolMint: number;
    mintA: number;
    mintB: number;
    programA: number;
    programB: number;
    poolProgram: number;
    userA: number;
    userB: number;
    feeAccount?: number;
  };
  accounts: number;
}

const liquidity = ({ accounts, creator, trader }: PoolWorld) => ({
  accounts,
  accountA: trader.a,
  accountB: trader.b,
  poolTokens: creator.poolTokens,
  poolTokenAmount: 1_000_000n,
});
const swap = ({ accounts, trader }: PoolWorld, aToB: boolean) =>
  poolSwap({
    accounts,
    aToB,
    authority: trader.key,
    source: aToB ? trader.a : trader.b,
    destination: aToB ? trader.b : trader.a,
    amountIn: 1_000_000n,
    minimumAmountOut: 1n,
  });
const swapPlaces = { authority: 1, poolMint: 7, feeAccount: 8, poolProgram: 13 };
const CASES: Case[] = [
  {
    name: 'Swap of A',
    build: (world) => swap(world, true),
    dataLength: 17,
    accounts: 14,
    at: { ...swapPlaces, userA: 3, vaultA: 4, vaultB: 5, userB: 6, mintA: 9, mintB: 10, programA: 11, programB: 12 },
  },
  {
    name: 'Swap of B',
    build: (world) => swap(world, false),
    dataLength: 17,
    accounts: 14,
    at: { ...swapPlaces, userB: 3, vaultB: 4, vaultA: 5, userA: 6, mintB: 9, mintA: 10, programB: 11, programA: 12 },
  },
  {
    name: 'DepositAllTokenTypes',
    build: (world) =>
      poolDeposit({ ...liquidity(world), authority: world.trader.key, limitA: U64_MAX, limitB: U64_MAX }),
    dataLength: 25,
    accounts: 14,
    at: {
      authority: 1,
      userA: 3,
      userB: 4,
      vaultA: 5,
      vaultB: 6,
      poolMint: 7,
      mintA: 9,
      mintB: 10,
      programA: 11,
      programB: 12,
      poolProgram: 13,
    },
  },
  {
    name: 'WithdrawAllTokenTypes',
    build: (world) => poolWithdraw({ ...liquidity(world), authority: world.creator.key, limitA: 1n, limitB: 1n }),
    dataLength: 25,
    accounts: 15,
    at: {
      authority: 1,
      poolMint: 3,
      vaultA: 5,
      vaultB: 6,
      userA: 7,
      userB: 8,
      feeAccount: 9,
      mintA: 10,
      mintB: 11,
      poolProgram: 12,
      programA: 13,
      programB: 14,
    },
  },
];

for (const { name, build, dataLength, accounts: count, at } of CASES) {
  test(`${name} wants its accounts and data complete`, () => {
    const world = openPool();
    const instruction = build(world);
    for (let n = 0; n < count; n++) {
      failedWith(
        world.vm.run({ ...instruction, accounts: instruction.accounts.slice(0, n) }),
        NOT_ENOUGH_ACCOUNTS,
        TOKEN_SWAP_PROGRAM,
      );
    }
    for (let length = 1; length < 33; length++) {
      if (length === dataLength) continue;
      const data = longer(instruction.data, 16).subarray(0, length);
      refused(world.vm.run({ ...instruction, data }), 'InvalidInstruction');
    }
    // More than the program has places for; the first of them is taken for the host's by Swap.
    const stranger = { address: newAddress(), signer: false, writable: false };
    const host = { address: world.trader.poolTokens, signer: false, writable: true };
    const more = [host, stranger, ...new Array(10).fill(instruction.accounts).flat()];
    succeeded(world.vm.run({ ...instruction, accounts: [...instruction.accounts, ...more] }));
  });

  test(`${name} wants an initialized pool of the program`, () => {
    const world = openPool();
    const { vm, accounts } = world;
    const instruction = build(world);
    const copy = vm.put(newAddress(), vm.data(accounts.pool), SYSTEM_PROGRAM);
    failedWith(vm.run(withAccounts(instruction, { 0: copy })), INCORRECT_PROGRAM_ID, TOKEN_SWAP_PROGRAM);
    for (const size of [0, 1, POOL_SIZE]) {
      const empty = vm.put(newAddress(), new Uint8Array(size), TOKEN_SWAP_PROGRAM);
      failedWith(vm.run(withAccounts(instruction, { 0: empty })), UNINITIALIZED, TOKEN_SWAP_PROGRAM);
    }
  });

  test(`${name} refuses the accounts of another pool, and others that are not the pool’s own`, () => {
    const vm = poolVm();
    const [world, other] = [openPool({ vm }), openPool({ vm })];
    const { accounts } = world;
    const instruction = build(world);
    const wrong = (place: number, address: Address) => vm.run(withAccounts(instruction, { [place]: address }));
    refused(wrong(0, other.accounts.pool), 'IncorrectSwapAccount');
    for (const place of [at.vaultA, at.vaultB]) {
      for (const vault of [other.accounts.vaultA, other.accounts.vaultB])
        refused(wrong(place, vault), 'IncorrectSwapAccount');
    }
    refused(wrong(at.vaultA, accounts.vaultB), 'IncorrectSwapAccount');
    refused(wrong(at.vaultB, accounts.vaultA), 'IncorrectSwapAccount');
    for (const authority of [other.accounts.authority, newAddress()]) {
      refused(wrong(at.authority, authority), 'InvalidProgramAddress');
    }
    refused(wrong(at.poolMint, other.accounts.poolMint), 'IncorrectPoolMint');
    for (const place of [at.mintA, at.mintB]) refused(wrong(place, vm.mint()), 'IncorrectTradedMint');
    for (const place of [at.programA, at.programB, at.poolProgram]) {
      for (const program of [TOKEN_2022_PROGRAM, TOKEN_SWAP_PROGRAM])
        refused(wrong(place, program), 'IncorrectTokenProgramId');
    }
    if (at.feeAccount !== undefined) {
      refused(wrong(at.feeAccount, other.accounts.feeAccount), 'IncorrectFeeAccount');
      refused(wrong(at.feeAccount, world.trader.poolTokens), 'IncorrectFeeAccount');
    }
  });

  test(`${name} tells an address from one that differs in a single byte`, () => {
    const world = openPool();
    const { vm, accounts } = world;
    const instruction = build(world);
    for (let i = 0; i < 32; i++) {
      const bytes = addressToBytes(accounts.mintA);
      bytes[i]! ^= 0x80;
      const lookalike = vm.put(addressFromBytes(bytes), vm.data(accounts.mintA), TOKEN_PROGRAM);
      refused(vm.run(withAccounts(instruction, { [at.mintA]: lookalike })), 'IncorrectTradedMint');
    }
  });

  test(`${name} refuses a vault in the place of the user’s account`, () => {
    const world = openPool();
    const instruction = build(world);
    const { accounts, vm } = world;
    refused(vm.run(withAccounts(instruction, { [at.userA]: accounts.vaultA })), 'InvalidInput');
    refused(vm.run(withAccounts(instruction, { [at.userB]: accounts.vaultB })), 'InvalidInput');
  });

  test(`${name} moves nothing without the owner’s signature, and nothing of anybody else’s`, () => {
    const world = openPool();
    const { vm } = world;
    const instruction = build(world);
    const unsigned = { ...instruction, accounts: instruction.accounts.map((meta) => ({ ...meta, signer: false })) };
    assert.ok(vm.run(unsigned).failure);
    const thief = newAddress();
    failedWith(vm.run(withAccounts(instruction, { 2: thief })), 'custom program error: 0x4', TOKEN_PROGRAM);
    // The program signs for its own authority, but never in the user's place.
    const asAuthority = withAccounts(unsigned, { 2: world.accounts.authority });
    assert.ok(vm.run(asAuthority).failure);
    succeeded(vm.run(instruction));
  });

  for (const programs of [TOKEN_PROGRAMS, [...TOKEN_PROGRAMS].reverse()] as [Address, Address][]) {
    test(`${name} works between ${programs[0] === TOKEN_PROGRAM ? 'SPL Token and Token-2022' : 'Token-2022 and SPL Token'}`, () => {
      const world = openPool({ programA: programs[0], programB: programs[1] });
      const { vm } = world;
      const instruction = build(world);
      const swapped = withAccounts(instruction, { [at.programA]: programs[1], [at.programB]: programs[0] });
      refused(vm.run(swapped), 'IncorrectTokenProgramId');
      succeeded(vm.run(instruction));
    });
  }
}
