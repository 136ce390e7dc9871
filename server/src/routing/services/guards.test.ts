import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAddress, succeeded, TestVm } from '@slipway/programs/testing';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  decodeTokenAccount,
  type Instruction,
  readonlySigner,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  WRAPPED_SOL_2022_MINT,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { craftSwap, type Swap } from '../../crafting/swap.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type Token } from '../router.js';
import { createServiceRouter, type RoutingService } from './index.js';

const COMPANY = newAddress();
const [AMOUNT, LEAST, HELD, LAMPORTS] = [1_000n, 500n, 1_000_000n, 5_000_000_000n];
const SPARE = 10_000_000n;

/** A taker with tokens and SOL, and a company whose program the test plays: its steps have the taker's signature. */
function openWorld(tokenProgram: Address, lamports = LAMPORTS) {
  const vm = new TestVm();
  const taker = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, lamports);
  const thief = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, LAMPORTS);
  const token = (): Token => ({ mint: vm.mint({ tokenProgram }), tokenProgram, decimals: 6 });
  const [input, output] = [token(), token()];
  const holding = (owner: Address, { mint }: Token, amount = HELD) =>
    vm.tokenAccount({ mint, owner, amount, tokenProgram, address: associatedTokenAddress(owner, mint, tokenProgram) });
  const accounts = {
    source: holding(taker, input),
    destination: holding(taker, output),
    till: holding(thief, input),
    stock: holding(thief, output),
  };
  return { vm, taker, thief, input, output, ...accounts, tokenProgram };
}
type World = ReturnType<typeof openWorld>;

/** The transaction of a swap through the company, whose instruction stands for its steps. */
async function swapOf({ vm, taker, input, output, source, destination }: World) {
  const accounts = [writableSigner(taker), writableAccount(source), writableAccount(destination)];
  const instruction: Instruction = { program: COMPANY, accounts, data: new Uint8Array(1) };
  const service: RoutingService = {
    id: 'dflow',
    name: 'Company',
    programs: new Set([COMPANY]),
    price: async () => ({ outAmount: LEAST, priceImpact: 0, labels: [] }),
    trade: async () => ({ least: LEAST, outAmount: LEAST, instructions: [instruction], lookupTables: [] }),
  };
  const account = async (address: Address) => {
    const lamports = vm.lamports(address);
    return lamports === 0n
      ? undefined
      : { lamports, owner: vm.owner(address), executable: false, data: vm.data(address) };
  };
  const chain = { account, latestBlockhash: () => assert.fail('there are no tables') };
  const router = createServiceRouter(service, { chain, usd: () => undefined, steadyNow: () => 0 });
  const request = { mode: 'exact-in', input, output, amount: AMOUNT, owner: taker, excludeVenues: new Set() } as const;
  const quote = await router.quote({ ...request, excludeVenues: new Set() }, AbortSignal.timeout(PATIENCE_MS));
  if (isRefused(quote)) return quote;
  const parties = { owner: taker, source, destination, receiver: taker, feePayer: taker, rentPayer: taker };
  const built = await quote.build({ ...parties, absentSigners: new Set(), minOut: LEAST });
  if (isRefused(built)) return built;
  const side = ({ mint, tokenProgram }: Token, account: Address) => ({
    mint,
    tokenProgram,
    place: { kind: 'token', account } as const,
  });
  const swap: Swap = {
    taker,
    receiver: taker,
    feePayer: taker,
    rentPayer: taker,
    input: { ...side(input, source), amount: AMOUNT },
    output: { ...side(output, destination), least: LEAST, create: false },
    trade: built,
    programs: { orderEngine: newAddress(), tokenSwap: newAddress() },
  };
  return craftSwap(swap, newAddress(), { computeUnitLimit: 300_000, computeUnitPrice: 0n }).instructions;
}

async function craft(world: World): Promise<readonly Instruction[]> {
  const crafted = await swapOf(world);
  return isRefused(crafted) ? assert.fail(crafted.reason) : crafted;
}

const run = ({ vm }: World, instructions: readonly Instruction[], steps: readonly Instruction[]) =>
  vm.run(...instructions.flatMap((each) => (each.program === COMPANY ? steps : [each])));

/** The company's steps as they should be. */
function fair({ input, output, source, destination, till, stock, taker, thief }: World): Instruction[] {
  return [
    tokenTransferChecked({ ...input, source, destination: till, authority: taker, amount: AMOUNT }),
    tokenTransferChecked({ ...output, source: stock, destination, authority: thief, amount: LEAST }),
  ];
}

const call = (program: Address, data: number[], accounts: Address[], owner: Address): Instruction => ({
  program,
  accounts: [...accounts.map(writableAccount), readonlySigner(owner)],
  data: Uint8Array.from(data),
});
const amountBytes = (amount: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  return bytes;
};
const approve = ({ tokenProgram }: World, account: Address, delegate: Address, owner: Address) =>
  call(tokenProgram, [4, ...amountBytes(2n ** 63n)], [account, delegate], owner);
const giveAway = ({ tokenProgram }: World, account: Address, from: Address, to: Address) =>
  call(tokenProgram, [6, 2, 1, ...addressToBytes(to)], [account], from);

const thefts: Record<string, (world: World) => Instruction[]> = {
  'one unit more than the input': (world) => [
    ...fair(world),
    tokenTransferChecked({
      ...world.input,
      source: world.source,
      destination: world.till,
      authority: world.taker,
      amount: 1n,
    }),
  ],
  'all of the input token': (world) => [
    ...fair(world),
    tokenTransferChecked({
      ...world.input,
      source: world.source,
      destination: world.till,
      authority: world.taker,
      amount: HELD - AMOUNT,
    }),
  ],
  'a unit of the output': (world) => [
    ...fair(world),
    tokenTransferChecked({
      ...world.output,
      source: world.destination,
      destination: world.stock,
      authority: world.taker,
      amount: 1n,
    }),
  ],
  'the right to take the input token later': (world) => [
    ...fair(world),
    approve(world, world.source, world.thief, world.taker),
  ],
  'the right to take the output token later': (world) => [
    ...fair(world),
    approve(world, world.destination, world.thief, world.taker),
  ],
  'the account of the input, with the taker as its delegate': (world) => [
    ...fair(world),
    giveAway(world, world.source, world.taker, world.thief),
    approve(world, world.source, world.taker, world.thief),
  ],
  'the account of the output, with the taker as its delegate': (world) => [
    ...fair(world),
    giveAway(world, world.destination, world.taker, world.thief),
    approve(world, world.destination, world.taker, world.thief),
  ],
  'SOL beyond the bound': (world) => [
    ...fair(world),
    systemTransfer({ from: world.taker, to: world.thief, lamports: SPARE + 10_001n }),
  ],
  'the wallet itself': (world) => [
    ...fair(world),
    {
      program: SYSTEM_PROGRAM,
      accounts: [writableSigner(world.taker)],
      data: Uint8Array.from([1, 0, 0, 0, ...addressToBytes(COMPANY)]),
    },
  ],
};

/** Whether the taker has all that the terms leave him, and nobody else a right to it. */
function isWhole({ vm, taker, source, destination }: World): boolean {
  const [kept, got] = [source, destination].map((account) => decodeTokenAccount(vm.data(account))!);
  return (
    [kept!, got!].every(({ owner, delegate }) => owner === taker && delegate === undefined) &&
    kept!.amount >= HELD - AMOUNT &&
    got!.amount >= HELD + LEAST &&
    vm.owner(taker) === SYSTEM_PROGRAM &&
    vm.lamports(taker) >= LAMPORTS - SPARE - 10_000n
  );
}

for (const [name, tokenProgram] of [
  ['SPL Token', TOKEN_PROGRAM],
  ['Token-2022', TOKEN_2022_PROGRAM],
] as const) {
  describe(`a trade by a program of another company, of tokens of ${name}`, () => {
    it('goes through when it does what it should, and when it takes and gives back', async () => {
      const world = openWorld(tokenProgram);
      const loan = { ...world.input, amount: HELD - AMOUNT };
      succeeded(run(world, await craft(world), fair(world)));
      assert.ok(isWhole(world));
      const again = openWorld(tokenProgram);
      const { source, till, taker, thief } = again;
      const steps = [
        ...fair(again),
        tokenTransferChecked({ ...loan, mint: again.input.mint, source, destination: till, authority: taker }),
        tokenTransferChecked({ ...loan, mint: again.input.mint, source: till, destination: source, authority: thief }),
        systemTransfer({ from: taker, to: thief, lamports: LAMPORTS / 2n }),
        systemTransfer({ from: thief, to: taker, lamports: LAMPORTS / 2n }),
      ];
      succeeded(run(again, await craft(again), steps));
      assert.ok(isWhole(again));
    });

    it('is not made where an account has a delegate already, who would lose his right', async () => {
      const world = openWorld(tokenProgram);
      succeeded(world.vm.run(approve(world, world.source, newAddress(), world.taker)));
      const refused = await swapOf(world);
      assert.ok(isRefused(refused) && refused.refused === 'unsupported-request');
    });
  });
}

describe('attack: a router knows a simulation, and takes on the chain what it did not take there', () => {
  for (const [what, steps] of Object.entries(thefts)) {
    it(`${what}: the taker keeps all that the terms leave him, and nobody has a right to it`, async () => {
      for (const tokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
        const bare = openWorld(tokenProgram);
        run(bare, [{ program: COMPANY, accounts: [], data: new Uint8Array(0) }], steps(bare));
        assert.ok(!isWhole(bare), 'without the guards it is a theft');
        const world = openWorld(tokenProgram);
        const { failure } = run(world, await craft(world), steps(world));
        assert.ok(isWhole(world) || failure, 'it is stolen');
        if (failure) assert.equal(world.vm.amount(world.source), HELD);
      }
    });
  }

  it('the right to close an account of SOL of Token-2022, with all that is in it: it is not asked for a trade of that', async () => {
    const world = openWorld(TOKEN_2022_PROGRAM);
    const native = { mint: WRAPPED_SOL_2022_MINT, tokenProgram: TOKEN_2022_PROGRAM, decimals: 9 };
    for (const refused of [await swapOf({ ...world, input: native }), await swapOf({ ...world, output: native })])
      assert.ok(isRefused(refused) && refused.refused === 'unsupported-request');
  });

  it('the wallet itself, of which less is left than a program may take: the chain refuses, and of less it lets a fair trade pass', async () => {
    const poor = SPARE - 1_000_000n;
    const robbed = openWorld(TOKEN_PROGRAM, poor);
    const { failure } = run(robbed, await craft(robbed), thefts['the wallet itself']!(robbed));
    assert.ok(failure);
    assert.equal(robbed.vm.owner(robbed.taker), SYSTEM_PROGRAM);
    const fairly = openWorld(TOKEN_PROGRAM, poor);
    const { taker, thief } = fairly;
    const rent = systemTransfer({ from: taker, to: thief, lamports: poor - 1_000_000n });
    succeeded(run(fairly, await craft(fairly), [...fair(fairly), rent]));
  });
});
