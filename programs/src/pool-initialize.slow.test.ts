import { test } from 'node:test';
import { type Address, type Instruction, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { POOL_SIZE, TOKEN_SWAP_PROGRAM } from './pool.js';
import { ALL_FEES, fee, type PoolWorld, poolWorld, refused } from './pool-testing.js';
import { extension, failedWith, newAddress, succeeded, withAccounts } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const NOT_ENOUGH_ACCOUNTS = 'insufficient account keys for instruction';
const INCORRECT_PROGRAM_ID = 'incorrect program id for instruction';
const INVALID_ACCOUNT_DATA = 'invalid account data for instruction';

const longer = (data: Uint8Array, by: number) => Buffer.concat([data, Buffer.alloc(by)]);

/** Initialize fails after `spoil`, and what it fails with is what `expect` says. */
function initializeAfter(spoil: (world: PoolWorld) => Instruction | undefined) {
  const world = poolWorld();
  const instruction = spoil(world) ?? world.initialize;
  return world.vm.run(instruction);
}

test('Initialize wants its accounts and data complete', () => {
  for (let n = 0; n < 8; n++) {
    const outcome = initializeAfter(({ initialize }) => ({ ...initialize, accounts: initialize.accounts.slice(0, n) }));
    failedWith(outcome, NOT_ENOUGH_ACCOUNTS, TOKEN_SWAP_PROGRAM);
  }
  for (const length of [1, 65, 66, 97, 99, 100]) {
    const change = ({ initialize }: PoolWorld) => ({
      ...initialize,
      data: longer(initialize.data, 99).subarray(0, length),
    });
    refused(initializeAfter(change), 'InvalidInstruction');
  }
});

test('Initialize wants an empty account of the program, once', () => {
  const put = (data: Uint8Array, owner: Address) => (world: PoolWorld) =>
    void world.vm.put(world.accounts.pool, data, owner);
  failedWith(initializeAfter(put(new Uint8Array(POOL_SIZE), SYSTEM_PROGRAM)), INCORRECT_PROGRAM_ID, TOKEN_SWAP_PROGRAM);
  failedWith(
    initializeAfter(put(new Uint8Array(POOL_SIZE - 1), TOKEN_SWAP_PROGRAM)),
    INVALID_ACCOUNT_DATA,
    TOKEN_SWAP_PROGRAM,
  );
  failedWith(
    initializeAfter(put(new Uint8Array(POOL_SIZE + 1), TOKEN_SWAP_PROGRAM)),
    INVALID_ACCOUNT_DATA,
    TOKEN_SWAP_PROGRAM,
  );
  const world = poolWorld();
  succeeded(world.vm.run(world.initialize));
  const again = world.vm.run(world.initialize);
  refused(again, 'AlreadyInUse');
  // A pool that was emptied would pass every other check.
  world.vm.setSupply(world.accounts.poolMint, 0n);
  refused(world.vm.run(world.initialize), 'AlreadyInUse');
});

test('Initialize refuses a fee that is not below one', () => {
  for (const part of ['trade', 'ownerTrade', 'ownerWithdraw', 'host'] as const) {
    for (const wrong of [fee(1, 1), fee(2, 1), fee(1, 0), fee(U64_MAX, U64_MAX), fee(U64_MAX, U64_MAX - 1n)]) {
      const world = poolWorld({ fees: { ...ALL_FEES, [part]: wrong } });
      refused(world.vm.run(world.initialize), 'InvalidFee');
    }
    for (const right of [fee(0, 0), fee(0, 1), fee(U64_MAX - 1n, U64_MAX)]) {
      const world = poolWorld({ fees: { ...ALL_FEES, [part]: right } });
      succeeded(world.vm.run(world.initialize));
    }
  }
});

test('Initialize refuses another curve', () => {
  for (const curve of [1, 2, 3, 255]) {
    const change = ({ initialize }: PoolWorld) => {
      const data = Uint8Array.from(initialize.data);
      data[65] = curve;
      return { ...initialize, data };
    };
    refused(initializeAfter(change), 'UnsupportedCurveType');
  }
});

test('Initialize refuses an authority that is not the pool account’s own', () => {
  refused(
    initializeAfter(({ initialize }) => withAccounts(initialize, { 1: newAddress() })),
    'InvalidProgramAddress',
  );
  const other = poolWorld();
  const foreign = ({ initialize }: PoolWorld) => withAccounts(initialize, { 1: other.accounts.authority });
  refused(initializeAfter(foreign), 'InvalidProgramAddress');
});

for (const side of ['A', 'B'] as const) {
  const vaultOf = ({ accounts }: PoolWorld) => accounts[`vault${side}`];
  const mintOf = ({ accounts }: PoolWorld) => accounts[`mint${side}`];
  const vault = (world: PoolWorld, fields: Partial<Parameters<PoolWorld['vm']['tokenAccount']>[0]>) =>
    void world.vm.tokenAccount({
      address: vaultOf(world),
      mint: mintOf(world),
      owner: world.accounts.authority,
      amount: 1n,
      ...fields,
    });

  test(`Initialize refuses a vault ${side} that is not a funded token account of the authority alone`, () => {
    const after = (fields: Parameters<typeof vault>[1]) => initializeAfter((world) => vault(world, fields));
    succeeded(after({}));
    refused(after({ tokenProgram: SYSTEM_PROGRAM }), 'IncorrectTokenProgramId');
    refused(after({ tokenProgram: TOKEN_SWAP_PROGRAM }), 'IncorrectTokenProgramId');
    refused(after({ state: 'frozen' }), 'ExpectedAccount');
    refused(after({ state: 'uninitialized' }), 'ExpectedAccount');
    refused(after({ owner: newAddress() }), 'InvalidOwner');
    refused(after({ amount: 0n }), 'EmptySupply');
    refused(after({ delegate: newAddress() }), 'InvalidDelegate');
    refused(after({ closeAuthority: newAddress() }), 'InvalidCloseAuthority');
    const mint = (world: PoolWorld) => void world.vm.mint({ address: vaultOf(world) });
    refused(initializeAfter(mint), 'ExpectedAccount');
  });

  test(`Initialize refuses a vault ${side} of Token-2022 whose extensions can change or stop a transfer`, () => {
    const tokenProgram = TOKEN_2022_PROGRAM;
    const after = (extensions: Uint8Array) => initializeAfter((world) => vault(world, { tokenProgram, extensions }));
    // Transfer fee, confidential transfer, CPI guard, memo, non-transferable, hook, pausable, and kinds to come.
    for (const kind of [2, 5, 6, 8, 11, 13, 15, 17, 27, 63, 64, 71, 135, 65_535]) {
      refused(after(extension(kind, new Uint8Array(8))), 'UnsupportedToken');
      refused(after(Buffer.concat([extension(7), extension(kind)])), 'UnsupportedToken');
      refused(after(Buffer.concat([extension(7, new Uint8Array(300)), extension(kind)])), 'UnsupportedToken');
    }
    succeeded(after(new Uint8Array(0)));
    succeeded(after(extension(7)));
    succeeded(after(Buffer.concat([extension(7), new Uint8Array(2)])));
    succeeded(after(Buffer.concat([extension(7), new Uint8Array(4), extension(2)])));
  });

  test(`Initialize refuses a vault ${side} that only looks like a token account of Token-2022`, () => {
    const tokenProgram = TOKEN_2022_PROGRAM;
    const after = (change: (data: Buffer) => Buffer) =>
      initializeAfter((world): undefined => {
        vault(world, { tokenProgram, extensions: extension(7) });
        world.vm.put(vaultOf(world), change(world.vm.data(vaultOf(world))), tokenProgram);
      });
    // A mint, and a multisig, which has 355 bytes that its creator chooses.
    refused(
      after((data) => data.fill(1, 165, 166)),
      'ExpectedAccount',
    );
    refused(
      after((data) => longer(data, 355 - data.length)),
      'ExpectedAccount',
    );
    succeeded(after((data) => longer(data, 356 - data.length)));
    refused(
      after((data) => data.subarray(0, 164)),
      'ExpectedAccount',
    );
    refused(
      after((data) => data.subarray(0, 82)),
      'ExpectedAccount',
    );
  });
}

test('Initialize refuses one token for both vaults', () => {
  const same = ({ vm, accounts: { vaultB, mintA, authority } }: PoolWorld) =>
    void vm.tokenAccount({ address: vaultB, mint: mintA, owner: authority, amount: 1n });
  refused(initializeAfter(same), 'RepeatedMint');
  refused(
    initializeAfter(({ initialize, accounts }) => withAccounts(initialize, { 3: accounts.vaultA })),
    'RepeatedMint',
  );
});

test('Initialize refuses a pool mint that is not empty, of SPL Token and the authority’s alone', () => {
  const mint =
    (fields: Parameters<PoolWorld['vm']['mint']>[0]) =>
    (world: PoolWorld): undefined => {
      const { poolMint: address, authority: mintAuthority } = world.accounts;
      world.vm.mint({ address, mintAuthority, ...fields });
    };
  succeeded(initializeAfter(mint({})));
  refused(initializeAfter(mint({ tokenProgram: TOKEN_2022_PROGRAM })), 'IncorrectTokenProgramId');
  refused(initializeAfter(mint({ tokenProgram: SYSTEM_PROGRAM })), 'IncorrectTokenProgramId');
  refused(initializeAfter(mint({ initialized: false })), 'ExpectedMint');
  refused(
    initializeAfter(({ initialize, accounts }) => withAccounts(initialize, { 4: accounts.feeAccount })),
    'ExpectedMint',
  );
  refused(initializeAfter(mint({ mintAuthority: newAddress() })), 'InvalidOwner');
  refused(initializeAfter(mint({ supply: 1n })), 'InvalidSupply');
  refused(initializeAfter(mint({ freezeAuthority: newAddress() })), 'InvalidFreezeAuthority');
  // An authority that was given up leaves its key behind.
  const givenUp = (world: PoolWorld) => void world.vm.patch(world.accounts.poolMint, 0, Buffer.alloc(4));
  refused(initializeAfter(givenUp), 'InvalidOwner');
  refused(
    initializeAfter(({ initialize }) => withAccounts(initialize, { 7: TOKEN_2022_PROGRAM })),
    'IncorrectTokenProgramId',
  );
});

test('Initialize refuses accounts for pool tokens that are the authority’s or hold something else', () => {
  for (const [place, error] of [
    [5, 'InvalidFeeAccount'],
    [6, 'IncorrectPoolMint'],
  ] as const) {
    const account = (fields: Partial<Parameters<PoolWorld['vm']['tokenAccount']>[0]>) => (world: PoolWorld) => {
      const { vm, accounts, initialize } = world;
      const address = vm.tokenAccount({ mint: accounts.poolMint, owner: newAddress(), ...fields });
      return withAccounts(initialize, { [place]: address });
    };
    succeeded(initializeAfter(account({})));
    refused(
      initializeAfter((world) => account({ owner: world.accounts.authority })(world)),
      'InvalidOutputOwner',
    );
    refused(
      initializeAfter((world) => account({ mint: world.accounts.mintA })(world)),
      error,
    );
    refused(initializeAfter(account({ tokenProgram: TOKEN_2022_PROGRAM })), error);
    refused(initializeAfter(account({ state: 'frozen' })), error);
    refused(
      initializeAfter(({ initialize }) => withAccounts(initialize, { [place]: newAddress() })),
      error,
    );
  }
});
