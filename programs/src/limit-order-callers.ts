import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressToBytes,
  INSTRUCTIONS_SYSVAR,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import {
  cancelDustOrder,
  cancelOrder,
  flashFillOrder,
  initializeOrder,
  preFlashFillOrder,
  updateLimitOrderFee,
  withdrawLimitOrderFee,
} from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, limitOrderFeeAccount } from './limit-order-addresses.js';
import type { LimitOrderEvent } from './limit-order-events.js';
import { type LimitOrder, limitOrderPrice } from './limit-order-state.js';
import { holding, limitOrderVm, NOW, U64_MAX, wallet } from './limit-order-testing.js';
import { newAddress, type Random, type TestVm } from './test-vm.js';

// A world of makers and takers, and what they send: for limit-order-hostile-callers.slow.test.ts.

const MOST_ORDERS = 8;
const AUTHORITY_AT = 13;

interface Party {
  key: Address;
  /** Two accounts of each token. */
  accounts: Record<Address, Address[]>;
}
export type Holdings = Record<string, Record<Address, bigint>>;

export interface World {
  vm: TestVm;
  mints: Address[];
  /** Each may be in league with whoever else it is. */
  traders: Party[];
  /** Signs only what it means. */
  bystander: Party;
  admin: Party;
  /** The program's own token accounts. */
  fees: Record<Address, Address>;
  strangers: Address[];
  /** Those that are open, and the tokens in whose reserves are their makers'. */
  orders: Map<Address, LimitOrder>;
  time: bigint;
}

export const sum = (amounts: bigint[]) => amounts.reduce((a, b) => a + b, 0n);
const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)]!;
export const parties = ({ traders, bystander, admin }: World) => [...traders, bystander, admin];

export function openWorld(): World {
  const vm = limitOrderVm();
  const mints = [vm.mint(), vm.mint({ tokenProgram: TOKEN_2022_PROGRAM }), WRAPPED_SOL_MINT];
  const join = (): Party => {
    const key = wallet(vm);
    const account = (mint: Address) => holding(vm, mint, key, 10n ** 10n);
    return { key, accounts: Object.fromEntries(mints.map((mint) => [mint, [account(mint), account(mint)]])) };
  };
  const [first, ...others] = [join(), join(), join()];
  const admin = join();
  vm.patch(LIMIT_ORDER_ADDRESSES.programData, AUTHORITY_AT, addressToBytes(admin.key));
  const fees = mints.map((mint) => [mint, limitOrderFeeAccount(mint, vm.owner(mint))] as const);
  for (const [mint, address] of fees) holding(vm, mint, LIMIT_ORDER_ADDRESSES.fee, 0n, { address });
  const fake = vm.mint();
  const forged = vm.data(LIMIT_ORDER_ADDRESSES.programData);
  forged.set(addressToBytes(first!.key), AUTHORITY_AT);
  const strangers = [fake, holding(vm, fake, first!.key, 10n ** 10n), vm.put(newAddress(), forged, SYSTEM_PROGRAM)];
  const traders = [first!, ...others];
  const world = { vm, mints, traders, bystander: join(), admin, fees: Object.fromEntries(fees), strangers };
  return { ...world, orders: new Map(), time: NOW };
}

/** What everybody has of every token, wherever it is. SOL is a token like the others, wrapped or not. */
export function holdings(world: World): Holdings {
  const { vm, mints, fees } = world;
  const of = (party: Party, mint: Address) => {
    const own = [...world.orders].filter(([, order]) => order.maker === party.key);
    const places = [...party.accounts[mint]!, ...own.filter(([, order]) => order.inputMint === mint).map(reserveOf)];
    if (mint !== WRAPPED_SOL_MINT) return sum(places.map((place) => vm.amount(place)));
    const rents = own.filter(([, order]) => order.inputMint !== mint).map(reserveOf);
    const all = [party.key, ...places, ...rents, ...own.map(([address]) => address)];
    return sum(all.map((place) => vm.lamports(place)));
  };
  const each = (held: (mint: Address) => bigint) => Object.fromEntries(mints.map((mint) => [mint, held(mint)]));
  const program = each((mint) => (mint === WRAPPED_SOL_MINT ? vm.lamports(fees[mint]!) : vm.amount(fees[mint]!)));
  return {
    program,
    ...Object.fromEntries(parties(world).map((party) => [party.key, each((mint) => of(party, mint))])),
  };
}
export const reserveOf = ([, order]: [Address, LimitOrder]) => order.inputMintReserve;

// ---- what is sent ---------------------------------------------------------------------------------------------------

interface Sent {
  instructions: Instruction[];
  /** What it says of who gets and gives what, where that is not in its events. */
  expect?: (expected: Holdings, events: LimitOrderEvent[]) => void;
}

function move(expected: Holdings, from: string, to: string, mint: Address, amount: bigint): void {
  expected[from]![mint]! -= amount;
  expected[to]![mint]! += amount;
}

function opening(world: World, maker: Party, random: Random): Sent {
  const { vm, mints, traders } = world;
  const inputMint = pick(mints, random);
  const outputMint = pick(mints, random);
  const makerInputMintAccount = pick(maker.accounts[inputMint]!, random);
  const payer = random(3) === 0 ? pick(traders, random) : maker;
  const some = (most: bigint) =>
    random(30) === 0 ? BigInt(random(4)) : (most * BigInt(random(1 << 20))) >> BigInt(20 + random(25));
  const terms = {
    payer: payer.key,
    maker: maker.key,
    uniqueId: BigInt(random(50)),
    makerInputMintAccount,
    ...(random(3) === 0 && { referral: pick(pick(traders, random).accounts[outputMint]!, random) }),
    inputMint,
    outputMint,
    inputTokenProgram: vm.owner(inputMint),
    outputTokenProgram: vm.owner(outputMint),
    makingAmount: some(vm.amount(makerInputMintAccount)),
    takingAmount: some(10n ** 9n),
    ...(random(3) === 0 && { expiredAt: world.time + BigInt(random(40)) }),
    ...(random(2) === 0 && { feeBps: random(500) }),
    ...(random(3) === 0 && { slippageBps: random(9_999) }),
  };
  const rents = (expected: Holdings) => {
    const reserve = inputMint === mints[1] ? 2_074_080n : 2_039_280n;
    move(expected, payer.key, maker.key, WRAPPED_SOL_MINT, 3_480_000n + reserve);
  };
  return { instructions: [initializeOrder(terms)], expect: rents };
}

function filling(world: World, [order, state]: [Address, LimitOrder], random: Random): Sent {
  const { vm, traders } = world;
  const taker = pick(traders, random);
  const maker = parties(world).find(({ key }) => key === state.maker)!;
  const accountOf = (party: Party, mint: Address) => pick(party.accounts[mint]!, random);
  const part = (state.makingAmount * BigInt(random(1 << 20))) >> BigInt(20 + random(20));
  const makingAmount = random(3) === 0 ? state.makingAmount : part;
  const price = limitOrderPrice(state, makingAmount);
  const most = price ? price.takingAmount + price.feeAmount : U64_MAX;
  const inSol = state.outputMint === WRAPPED_SOL_MINT;
  const accounts = { taker: taker.key, order, inputMintReserve: state.inputMintReserve };
  const loan = preFlashFillOrder({
    ...accounts,
    takerInputMintAccount: accountOf(taker, state.inputMint),
    inputMint: state.inputMint,
    inputTokenProgram: state.inputTokenProgram,
    makingAmount,
  });
  const payment = flashFillOrder({
    ...accounts,
    maker: maker.key,
    ...(!(inSol && random(2) === 0) && { makerOutputMintAccount: accountOf(maker, state.outputMint) }),
    ...(!(inSol && random(2) === 0) && { takerOutputMintAccount: accountOf(taker, state.outputMint) }),
    feeAccount: state.feeAccount,
    inputTokenProgram: state.inputTokenProgram,
    outputMint: state.outputMint,
    outputTokenProgram: state.outputTokenProgram,
    maxTakingAmount: random(4) === 0 ? (most * BigInt(random(10_000))) / 10_000n : most,
  });
  const [left, reserved] = [state.makingAmount, vm.amount(state.inputMintReserve)];
  const expect = (expected: Holdings, events: LimitOrderEvent[]) => {
    const { makingAmount: lent, takingAmount } = tradesIn(events)[0]!;
    // With the last part goes what strangers have sent to the reserve.
    move(expected, maker.key, taker.key, state.inputMint, lent === left ? reserved : lent);
    move(expected, taker.key, maker.key, state.outputMint, takingAmount);
    const feeOwner = parties(world).find(({ accounts: own }) => own[state.outputMint]!.includes(state.feeAccount));
    const fee = (takingAmount * BigInt(state.feeBps)) / 10_000n;
    move(expected, taker.key, feeOwner?.key ?? 'program', state.outputMint, fee);
  };
  return { instructions: [loan, payment], expect };
}

function cancelling(world: World, [order, state]: [Address, LimitOrder], signer: Party, random: Random): Sent {
  const maker = parties(world).find(({ key }) => key === state.maker)!;
  const { inputMint, inputTokenProgram, inputMintReserve } = state;
  const unwraps = inputMint === WRAPPED_SOL_MINT && random(2) === 0;
  const to = unwraps ? {} : { makerInputMintAccount: pick(maker.accounts[inputMint]!, random) };
  const accounts = {
    signer: signer.key,
    maker: maker.key,
    order,
    inputMintReserve,
    inputMint,
    inputTokenProgram,
    ...to,
  };
  if (signer !== world.admin) return { instructions: [cancelOrder(accounts)] };
  return { instructions: [cancelDustOrder({ ...accounts, oneUsdInputMintAmount: BigInt(random(1000)) })] };
}

function presenting(world: World, [, state]: [Address, LimitOrder], random: Random): Sent {
  const giver = pick(world.traders, random);
  const { inputMint: mint, inputTokenProgram: tokenProgram, inputMintReserve: destination } = state;
  const decimals = mint === WRAPPED_SOL_MINT ? 9 : 6;
  const [source, amount] = [pick(giver.accounts[mint]!, random), BigInt(random(5))];
  const transfer = { source, mint, destination, authority: giver.key, amount, decimals, tokenProgram };
  const expect = (expected: Holdings) => move(expected, giver.key, state.maker, mint, amount);
  return { instructions: [tokenTransferChecked(transfer)], expect };
}

function administering(world: World, random: Random): Sent {
  const { vm, mints, admin, fees } = world;
  if (random(2) === 0) {
    const stableFeeBps = random(30);
    return {
      instructions: [updateLimitOrderFee({ admin: admin.key, normalFeeBps: stableFeeBps + random(100), stableFeeBps })],
    };
  }
  const mint = pick(mints, random);
  const accounts = { programFeeAccount: fees[mint]!, destinationTokenAccount: pick(admin.accounts[mint]!, random) };
  const collected = vm.amount(fees[mint]!);
  return {
    instructions: [withdrawLimitOrderFee({ admin: admin.key, ...accounts, tokenProgram: vm.owner(mint), mint })],
    expect: (expected) => move(expected, 'program', admin.key, mint, collected),
  };
}

/** What somebody sends who keeps to the interface; whether the program accepts it is another thing. */
export function honest(world: World, random: Random): Sent {
  const maker = pick([...world.traders, world.bystander], random);
  const orders = [...world.orders];
  const action = random(20);
  if (orders.length === 0 || (action < 6 && orders.length < MOST_ORDERS)) return opening(world, maker, random);
  const order = pick(orders, random);
  if (action < 14) return filling(world, order, random);
  if (action === 14) return administering(world, random);
  if (action === 15) return presenting(world, order, random);
  const signer = pick([...world.traders, world.admin], random);
  const own = parties(world).find(({ key }) => key === order[1].maker)!;
  return cancelling(world, order, random(2) === 0 ? own : signer, random);
}

/** The transaction with instructions left out, repeated or exchanged, accounts replaced, data changed. */
export function spoiled(sent: Sent, world: World, random: Random): Instruction[] {
  const orders = [...world.orders];
  const everything = [
    ...parties(world).flatMap(({ key, accounts }) => [key, ...Object.values(accounts).flat()]),
    ...orders.flatMap((order) => [order[0], reserveOf(order), order[1].feeAccount]),
    ...[...world.mints, ...Object.values(world.fees), ...world.strangers, ...Object.values(LIMIT_ORDER_ADDRESSES)],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, INSTRUCTIONS_SYSVAR],
  ];
  let all = [...sent.instructions];
  if (random(3) === 0 && orders.length) all.push(...filling(world, pick(orders, random), random).instructions);
  if (random(4) === 0) all.splice(random(all.length + 1), 0, ...honest(world, random).instructions);
  if (random(4) === 0) all = all.filter(() => random(3) > 0);
  if (random(4) === 0) all.sort(() => random(3) - 1);
  const copies = all.map((one) => ({
    ...one,
    accounts: one.accounts.map((meta) => ({ ...meta })),
    data: Uint8Array.from(one.data),
  }));
  for (let changes = random(3); changes > 0 && copies.length; changes--) {
    const { accounts, data } = pick(copies, random);
    if (accounts.length === 0) continue;
    const meta = pick(accounts, random);
    const other = pick(pick(copies, random).accounts, random) ?? meta;
    switch (random(6)) {
      case 0:
        [meta.address, other.address] = [other.address, meta.address];
        break;
      case 1:
        meta.address = other.address;
        break;
      case 2:
        if (data.length > 8) data[8 + random(data.length - 8)] = random(256);
        break;
      case 3:
        if (random(3) === 0) accounts.pop();
        else meta.signer = false;
        break;
      default:
        meta.address = pick(everything, random);
    }
  }
  // Everybody but the bystander and the admin may be an accomplice; addresses of programs cannot sign.
  const signers = new Set(world.traders.map(({ key }) => key));
  for (const meta of copies.flatMap(({ accounts }) => accounts)) if (!signers.has(meta.address)) meta.signer = false;
  return copies;
}

export const tradesIn = (events: LimitOrderEvent[]) =>
  events.flatMap((event) => (event.name === 'tradeEvent' ? [event.data] : []));
