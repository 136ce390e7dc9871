import assert from 'node:assert/strict';
import {
  type Address,
  type Instruction,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { byName, encode, readInterface } from './interface-testing.js';
import {
  cancelOrder,
  type FlashFillOrder,
  flashFillOrder,
  type InitializeOrder,
  initializeOrder,
  preFlashFillOrder,
  updateLimitOrderFee,
} from './limit-order.js';
import {
  LIMIT_ORDER_ADDRESSES,
  LIMIT_ORDER_PROGRAM,
  type LimitOrderAddresses,
  limitOrderAddress,
  limitOrderFeeAccount,
  limitOrderReserve,
} from './limit-order-addresses.js';
import { LIMIT_ORDER_ERRORS } from './limit-order-errors.js';
import { decodeLimitOrderEvent, type LimitOrderEvent } from './limit-order-events.js';
import { decodeLimitOrder, LIMIT_ORDER_SIZE, type LimitOrder } from './limit-order-state.js';
import { newAddress, type Outcome, programUnderTest, refusedWith, succeeded, TestVm } from './test-vm.js';

const EVENTS = readInterface('limit-order').events;
/** In front of every event, whatever it is. */
const EVENT_TAG_SIZE = 8;

export const U64_MAX = 2n ** 64n - 1n;
export const NOW = 1_700_000_000n;
export const ORDER_RENT = rentExemptLamports(LIMIT_ORDER_SIZE);
export const TOKEN_ACCOUNT_RENT = rentExemptLamports(165);
/** That of an associated token account of Token-2022, which has the extension for an immutable owner. */
const TOKEN_2022_ACCOUNT_RENT = rentExemptLamports(170);
export const NORMAL_FEE_BPS = 10;
export const STABLE_FEE_BPS = 3;
const WALLET_LAMPORTS = 10n ** 11n;
let uniqueId = 0n;

export type TokenKind = 'spl' | 'token-2022' | 'sol';

export interface OrderOptions {
  input?: TokenKind;
  output?: TokenKind;
  /** Token-2022 extensions of the mints. */
  inputExtensions?: Uint8Array;
  outputExtensions?: Uint8Array;
  /** Of everybody's token accounts of such mints. */
  accountExtensions?: Uint8Array;
  /** Of the program, where it does not stand at its public address. */
  addresses?: LimitOrderAddresses;
  /** More or other terms than 1,000,000 for 2,500,000, for ever, at the program's fee. */
  terms?: Partial<InitializeOrder>;
}

export interface OrderWorld {
  vm: TestVm;
  addresses: LimitOrderAddresses;
  payer: Address;
  maker: Address;
  taker: Address;
  terms: InitializeOrder;
  order: Address;
  reserve: Address;
  makerInput: Address;
  makerOutput: Address;
  takerInput: Address;
  takerOutput: Address;
  /** Where the fee of the order goes. */
  feeAccount: Address;
}

/** A machine with the program as the upgradeable loader deploys it, its fees set. With all features it is stricter. */
export function limitOrderVm(features: 'default' | 'all' = 'default', addresses = LIMIT_ORDER_ADDRESSES): TestVm {
  const vm = new TestVm(features);
  vm.deploy(addresses.program, programUnderTest('limit-order'));
  vm.setTime(NOW);
  vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
  const fees = { normalFeeBps: NORMAL_FEE_BPS, stableFeeBps: STABLE_FEE_BPS };
  succeeded(vm.run(updateLimitOrderFee({ admin: vm.payer, ...fees }, addresses)));
  return vm;
}

export function wallet(vm: TestVm, lamports = WALLET_LAMPORTS): Address {
  return vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, lamports);
}

/** A token account of this mint; one of wrapped SOL has the lamports that belong to its amount. */
export function holding(
  vm: TestVm,
  mint: Address,
  owner: Address,
  amount = 0n,
  more: { address?: Address; extensions?: Uint8Array | undefined } = {},
): Address {
  const { address = newAddress(), extensions } = more;
  if (mint !== WRAPPED_SOL_MINT) {
    const extended = extensions && vm.owner(mint) === TOKEN_2022_PROGRAM ? { extensions } : {};
    return vm.tokenAccount({ address, mint, owner, amount, tokenProgram: vm.owner(mint), ...extended });
  }
  const native = { isNative: true, rentExemptReserve: TOKEN_ACCOUNT_RENT };
  vm.tokenAccount({ address, mint, owner, amount, ...native });
  return vm.put(address, vm.data(address), TOKEN_PROGRAM, TOKEN_ACCOUNT_RENT + amount);
}

function newMint(vm: TestVm, kind: TokenKind, extensions: Uint8Array | undefined): Address {
  if (kind === 'sol') return WRAPPED_SOL_MINT;
  const tokenProgram = kind === 'spl' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
  return vm.mint({ tokenProgram, ...(extensions && { extensions }) });
}

/** A maker, a taker and all that an order of theirs needs, before it is opened. */
export function newOrder(vm: TestVm, options: OrderOptions = {}): OrderWorld {
  const { addresses = LIMIT_ORDER_ADDRESSES } = options;
  const inputMint = newMint(vm, options.input ?? 'spl', options.inputExtensions);
  const outputMint = newMint(vm, options.output ?? 'spl', options.outputExtensions);
  const [maker, taker, payer] = [options.terms?.maker ?? wallet(vm), wallet(vm), wallet(vm)];
  const makingAmount = options.terms?.makingAmount ?? 1_000_000n;
  const extensions = options.accountExtensions;
  const hold = (mint: Address, owner: Address, amount = 0n) => holding(vm, mint, owner, amount, { extensions });
  const makerInput = hold(inputMint, maker, makingAmount > U64_MAX - 777n ? U64_MAX : makingAmount + 777n);
  const terms: InitializeOrder = {
    payer,
    maker,
    uniqueId: idWithTopBump(maker),
    makerInputMintAccount: makerInput,
    inputMint,
    outputMint,
    inputTokenProgram: vm.owner(inputMint),
    outputTokenProgram: vm.owner(outputMint),
    makingAmount,
    takingAmount: 2_500_000n,
    ...options.terms,
  };
  const ownFees = limitOrderFeeAccount(outputMint, terms.outputTokenProgram, addresses);
  holding(vm, outputMint, addresses.fee, 0n, { address: ownFees, extensions });
  const order = limitOrderAddress(maker, terms.uniqueId, addresses.program).address;
  return {
    vm,
    addresses,
    payer,
    maker,
    taker,
    terms,
    order,
    reserve: limitOrderReserve(order, inputMint, terms.inputTokenProgram),
    makerInput,
    makerOutput: hold(outputMint, maker),
    takerInput: hold(inputMint, taker),
    takerOutput: hold(outputMint, taker, outputMint === WRAPPED_SOL_MINT ? 10n ** 10n : U64_MAX / 2n),
    feeAccount: terms.referral ?? ownFees,
  };
}

/** An id that no other order has, whose address is found at the first try: the costs of two orders compare. */
function idWithTopBump(maker: Address): bigint {
  do uniqueId++;
  while (limitOrderAddress(maker, uniqueId).bump !== 255);
  return uniqueId;
}

/** The same, opened. */
export function openOrder(vm: TestVm, options: OrderOptions = {}): OrderWorld {
  const world = newOrder(vm, options);
  succeeded(vm.run(initializeOrder(world.terms, world.addresses)));
  return world;
}

/** The order as it is on the chain; undefined when it is closed. */
export const stateOf = ({ vm, order }: OrderWorld): LimitOrder | undefined => decodeLimitOrder(vm.data(order));

export function loanOf(world: OrderWorld, makingAmount: bigint): Instruction {
  const { taker, order, reserve, takerInput, terms } = world;
  const { inputMint, inputTokenProgram } = terms;
  const accounts = { taker, order, inputMintReserve: reserve, takerInputMintAccount: takerInput };
  return preFlashFillOrder({ ...accounts, inputMint, inputTokenProgram, makingAmount }, world.addresses);
}

/** The payment; a token account is left out where it is `undefined`. */
export function paymentOf(world: OrderWorld, changed: PaymentChanges = {}): Instruction {
  const { terms, taker, maker, order, reserve, feeAccount } = world;
  const {
    makerOutputMintAccount: to,
    takerOutputMintAccount: from,
    ...others
  } = {
    makerOutputMintAccount: world.makerOutput,
    takerOutputMintAccount: world.takerOutput,
    ...changed,
  };
  const fill: FlashFillOrder = {
    taker,
    maker,
    order,
    inputMintReserve: reserve,
    ...(to && { makerOutputMintAccount: to }),
    ...(from && { takerOutputMintAccount: from }),
    feeAccount,
    inputTokenProgram: terms.inputTokenProgram,
    outputMint: terms.outputMint,
    outputTokenProgram: terms.outputTokenProgram,
    maxTakingAmount: U64_MAX,
    ...others,
  };
  return flashFillOrder(fill, world.addresses);
}
export type PaymentChanges = Omit<Partial<FlashFillOrder>, 'makerOutputMintAccount' | 'takerOutputMintAccount'> & {
  makerOutputMintAccount?: Address | undefined;
  takerOutputMintAccount?: Address | undefined;
};

/** Loan and payment. */
export const fillOf = (world: OrderWorld, makingAmount: bigint, changed: PaymentChanges = {}): Instruction[] => [
  loanOf(world, makingAmount),
  paymentOf(world, changed),
];

/** What cancels the order; the maker's account is left out where it is `undefined`. */
export function cancelOf(
  { addresses, terms, maker, order, reserve, makerInput }: OrderWorld,
  changed: { signer?: Address; makerInputMintAccount?: Address | undefined } = {},
): Instruction {
  const { signer = maker, makerInputMintAccount: to } = { makerInputMintAccount: makerInput, ...changed };
  const { inputMint, inputTokenProgram } = terms;
  const accounts = { maker, order, inputMintReserve: reserve, inputMint, inputTokenProgram };
  return cancelOrder({ signer, ...accounts, ...(to && { makerInputMintAccount: to }) }, addresses);
}

const WALLETS = ['payer', 'maker', 'taker', 'order'] as const;
const ACCOUNTS = ['reserve', 'makerInput', 'makerOutput', 'takerInput', 'takerOutput', 'feeAccount'] as const;

/**
 * Remembers what everybody has now. The function that it gives says what has changed since: lamports by `payer`, `maker`,
 * `taker`, `order` and `<token account> lamports`, tokens by the token account's name.
 */
export function watch(world: OrderWorld): () => Record<string, bigint> {
  const { vm } = world;
  const now = () => [
    ...WALLETS.map((name) => [name, vm.lamports(world[name])] as const),
    ...ACCOUNTS.map((name) => [`${name} lamports`, vm.lamports(world[name])] as const),
    ...ACCOUNTS.map((name) => [name, vm.amount(world[name])] as const),
  ];
  const before = new Map<string, bigint>(now());
  return () =>
    Object.fromEntries(
      now()
        .map(([name, held]) => [name, held - before.get(name)!] as const)
        .filter(([, n]) => n),
    );
}

type ErrorName = (typeof LIMIT_ORDER_ERRORS)[keyof typeof LIMIT_ORDER_ERRORS];

/** The program itself refused, with the error of this name. */
export function refused(outcome: Outcome, name: ErrorName): void {
  refusedWith(outcome, name, LIMIT_ORDER_ERRORS, LIMIT_ORDER_PROGRAM);
}

/** The program itself refuses the instructions with the error of this name, and nobody has more or less. */
export function refuses(world: OrderWorld, name: ErrorName, ...instructions: Instruction[]): void {
  const moved = watch(world);
  refused(world.vm.run(...instructions), name);
  assert.deepEqual(moved(), {});
}

/** The events of a transaction; each is the bytes of its fields and not one more. */
export function eventsOf(outcome: Outcome, of = LIMIT_ORDER_PROGRAM): LimitOrderEvent[] {
  const own = outcome.calls().filter(({ program }) => program === of);
  return own.map(({ data }) => {
    const event = decodeLimitOrderEvent(data)!;
    const fields = encode(byName(EVENTS, event.name).data, event.data);
    assert.deepEqual(Buffer.from(data).subarray(EVENT_TAG_SIZE), fields, event.name);
    return event;
  });
}

/** Of a reserve of such tokens. */
export const reserveRent = (kind: TokenKind) => (kind === 'token-2022' ? TOKEN_2022_ACCOUNT_RENT : TOKEN_ACCOUNT_RENT);

/** Changes as `watch` tells them. */
export function withoutZeros(changes: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== 0n));
}
