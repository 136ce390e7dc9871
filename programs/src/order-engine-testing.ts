import assert from 'node:assert/strict';
import {
  type Address,
  decodeTokenAccount,
  type Instruction,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import {
  type Fill,
  fillInstruction,
  ORDER_ENGINE_ERRORS,
  ORDER_ENGINE_PROGRAM,
  temporaryWrappedSolAccount,
} from './order-engine.js';
import { newAddress, type Outcome, programUnderTest, refusedWith, succeeded, TestVm, withAccounts } from './test-vm.js';

/** How one of the two payments goes: of which token, and between accounts or wallets. */
export interface Side {
  token: 'spl' | 'token-2022' | 'sol';
  from: 'account' | 'wallet';
  to: 'account' | 'wallet';
  decimals: number;
  /** Token-2022 extensions of the mint and of the two accounts. */
  mintExtensions?: Uint8Array;
  accountExtensions?: Uint8Array;
}

export const SPL: Side = { token: 'spl', from: 'account', to: 'account', decimals: 6 };
export const TOKEN_2022: Side = { ...SPL, token: 'token-2022' };
export const sol = (from: Side['from'], to: Side['to']): Side => ({ token: 'sol', from, to, decimals: 9 });
/** SOL in every form: wallets, and accounts of wrapped SOL. */
export const SOL_SIDES = (['account', 'wallet'] as const).flatMap((from) =>
  (['account', 'wallet'] as const).map((to) => sol(from, to)),
);

export const NOW = 1_700_000_000n;
export const WALLET_LAMPORTS = 10_000_000_000n;
const U64_MAX = 2n ** 64n - 1n;
const RESERVE = rentExemptLamports(165);

/** The token accounts of a fill: place, owner, side and name. */
export const TOKEN_ACCOUNTS = [
  { at: 2, owner: 'taker', side: 'input', name: 'takerInputAccount' },
  { at: 3, owner: 'maker', side: 'input', name: 'makerInputAccount' },
  { at: 4, owner: 'taker', side: 'output', name: 'takerOutputAccount' },
  { at: 5, owner: 'maker', side: 'output', name: 'makerOutputAccount' },
] as const;

export interface FillWorld {
  vm: TestVm;
  fill: Fill;
  /** The maker's temporary account. */
  temporary: Address;
}

export interface FillOptions {
  input?: Side;
  output?: Side;
  inputAmount?: bigint;
  outputAmount?: bigint;
  /** What every token account that gives holds; by default more than it gives. */
  held?: bigint;
}

export function orderEngineUnderTest(): Buffer {
  return programUnderTest('order-engine');
}

/** With all features, the machine also minds every read beyond an account's data. */
export function orderEngineVm(features: 'default' | 'all' = 'default'): TestVm {
  const vm = new TestVm(features);
  vm.addProgram(ORDER_ENGINE_PROGRAM, orderEngineUnderTest());
  return prepared(vm);
}

/** Sets the time and puts the mint of wrapped SOL. */
export function prepared(vm: TestVm): TestVm {
  vm.setTime(NOW);
  vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
  return vm;
}

export function wallet(vm: TestVm, lamports = WALLET_LAMPORTS): Address {
  return vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, lamports);
}

/** An account of wrapped SOL, with the lamports that belong to its amount. */
export function wrappedSol(vm: TestVm, owner: Address, amount: bigint): Address {
  const native = { isNative: true, rentExemptReserve: RESERVE };
  const account = vm.tokenAccount({ mint: WRAPPED_SOL_MINT, owner, amount, ...native });
  return vm.put(account, vm.data(account), TOKEN_PROGRAM, RESERVE + amount);
}

/** A taker and a maker who can settle a fill. */
export function fillWorld(vm: TestVm, options: FillOptions = {}): FillWorld {
  const { input = SPL, output = SPL, inputAmount = 1_000_000n, outputAmount = 2_500_000n } = options;
  const [taker, maker] = [wallet(vm), wallet(vm)];
  const inputToken = makeToken(vm, input);
  const outputToken = makeToken(vm, output);
  const account = (side: Side, at: 'from' | 'to', mint: Address, owner: Address, amount: bigint) =>
    side[at] === 'account' ? makeAccount(vm, side, mint, owner, amount) : undefined;
  const accounts = {
    takerInputAccount: account(input, 'from', inputToken.mint, taker, options.held ?? moreThan(inputAmount)),
    makerInputAccount: account(input, 'to', inputToken.mint, maker, 0n),
    takerOutputAccount: account(output, 'to', outputToken.mint, taker, 0n),
    makerOutputAccount: account(output, 'from', outputToken.mint, maker, options.held ?? moreThan(outputAmount)),
  };
  const given = Object.fromEntries(Object.entries(accounts).filter(([, address]) => address !== undefined));
  const fill: Fill = {
    taker,
    maker,
    ...given,
    inputMint: inputToken.mint,
    inputTokenProgram: inputToken.program,
    outputMint: outputToken.mint,
    outputTokenProgram: outputToken.program,
    inputAmount,
    outputAmount,
    expireAt: NOW,
  };
  return { vm, fill, temporary: temporaryWrappedSolAccount(maker) };
}

const moreThan = (amount: bigint) => (amount > U64_MAX - 777n ? U64_MAX : amount + 777n);

function makeToken(vm: TestVm, side: Side): { mint: Address; program: Address } {
  if (side.token === 'sol') return { mint: WRAPPED_SOL_MINT, program: TOKEN_PROGRAM };
  const program = side.token === 'spl' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  const extensions = side.mintExtensions ? { extensions: side.mintExtensions } : {};
  return { mint: vm.mint({ decimals: side.decimals, tokenProgram: program, ...extensions }), program };
}

function makeAccount(vm: TestVm, side: Side, mint: Address, owner: Address, amount: bigint): Address {
  if (side.token === 'sol') return wrappedSol(vm, owner, amount);
  const extensions = side.accountExtensions ? { extensions: side.accountExtensions } : {};
  return vm.tokenAccount({ mint, owner, amount, tokenProgram: vm.owner(mint), ...extensions });
}

export const run = ({ vm, fill }: FillWorld): Outcome => vm.run(fillInstruction(fill));

type Balances = Record<Address, { lamports: bigint; amount: bigint }>;

/** What everybody in the fill has, wallets, token accounts and the temporary account. */
export function balances({ vm, fill, temporary }: FillWorld): Balances {
  const all = [fill.taker, fill.maker, temporary, ...TOKEN_ACCOUNTS.map(({ name }) => fill[name])];
  const there = all.filter((address) => address !== undefined);
  return Object.fromEntries(there.map((at) => [at, { lamports: vm.lamports(at), amount: vm.amount(at) }]));
}

/** The balances after the fill took place: both amounts moved, and nothing else. */
export function settled(before: Balances, { vm, fill }: FillWorld): Balances {
  const after = structuredClone(before);
  const move = (wallet: Address, account: Address | undefined, change: bigint) => {
    const isNative = account && decodeTokenAccount(vm.data(account))!.isNative;
    if (account) after[account]!.amount += change;
    if (!account || isNative) after[account ?? wallet]!.lamports += change;
  };
  move(fill.taker, fill.takerInputAccount, -fill.inputAmount);
  move(fill.maker, fill.makerInputAccount, fill.inputAmount);
  move(fill.maker, fill.makerOutputAccount, -fill.outputAmount);
  move(fill.taker, fill.takerOutputAccount, fill.outputAmount);
  return after;
}

/** The fill takes place: both amounts move to the unit, and nothing else does. */
export function settles(world: FillWorld): Outcome {
  const before = balances(world);
  const outcome = succeeded(run(world));
  assert.deepEqual(balances(world), settled(before, world));
  return outcome;
}

/** The fill of the world with other accounts at some places. */
export function replaced({ fill }: FillWorld, places: Record<number, Address>): Instruction {
  return withAccounts(fillInstruction(fill), places);
}

type ErrorName = (typeof ORDER_ENGINE_ERRORS)[keyof typeof ORDER_ENGINE_ERRORS];

/** The order engine itself refused, with the error of this name, and nothing moved. */
export function refuses(
  world: FillWorld,
  name: ErrorName,
  instruction: Instruction = fillInstruction(world.fill),
): void {
  const before = balances(world);
  refusedWith(world.vm.run(instruction), name, ORDER_ENGINE_ERRORS, ORDER_ENGINE_PROGRAM);
  assert.deepEqual(balances(world), before);
}
