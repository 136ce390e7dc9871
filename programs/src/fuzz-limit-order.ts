import assert from 'node:assert/strict';
import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import { tokenOf } from './fuzz-accounts.js';
import type { FuzzTarget } from './fuzz-engine.js';
import { type Change, flowsOf } from './fuzz-invariants.js';
import { honestSeeds } from './fuzz-seeds.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM } from './limit-order-addresses.js';
import { honest, openWorld, type World } from './limit-order-callers.js';
import { decodeLimitOrder, type LimitOrder } from './limit-order-state.js';
import { randomNumbers } from './test-vm.js';

/** A world with open orders, partly filled and expired ones among them, and a bystander who never signs. */
export function limitOrderTarget(seed: number): FuzzTarget {
  const world = openWorld();
  const random = randomNumbers(seed);
  const next = () => {
    if (random(25) === 0) {
      world.time += BigInt(random(8));
      world.vm.setTime(world.time);
    }
    return honest(world, random);
  };
  const seeds = honestSeeds(world.vm, next, ({ instructions }) => {
    for (const { address } of instructions.flatMap((one) => one.accounts)) followOrder(world, address);
  });
  const owned = new Set<Address>([...world.orders.keys(), LIMIT_ORDER_ADDRESSES.fee]);
  return {
    vm: world.vm,
    program: LIMIT_ORDER_PROGRAM,
    seeds,
    signers: [...world.traders, world.admin].map((party) => party.key),
    others: [...world.strangers, ...Object.values(world.fees), ...Object.values(world.bystander.accounts).flat()],
    isProgramOwned: (address) => owned.has(address),
    isAlone: false,
    check: (change) => {
      for (const [address, order] of world.orders) checkOrder(address, order, change);
      for (const account of Object.values(world.fees)) checkFees(world, account, change);
    },
  };
}

function followOrder({ vm, orders }: World, address: Address): void {
  const order = vm.owner(address) === LIMIT_ORDER_PROGRAM ? decodeLimitOrder(vm.data(address)) : undefined;
  if (order) orders.set(address, order);
  else orders.delete(address);
}

/** Its reserve holds what is left of it, nothing stays lent, and its maker has its price for what is gone. */
function checkOrder(address: Address, had: LimitOrder, change: Change): void {
  const { accounts, signers, what } = change;
  const [state, reserve] = [accounts.get(address), accounts.get(had.inputMintReserve)];
  const has = state?.after?.owner === LIMIT_ORDER_PROGRAM ? decodeLimitOrder(state.after.data) : undefined;
  const left = state ? (has?.makingAmount ?? 0n) : had.makingAmount;
  if (has || !state) {
    assert.equal(has?.borrowMakingAmount ?? 0n, 0n, `${what}: a loan was not paid back`);
    const isHeld = !reserve || (tokenOf(reserve.after)?.amount ?? 0n) >= left;
    assert.ok(isHeld, `${what}: a reserve holds less than its order says`);
  }
  if (signers.has(had.maker) || left === had.makingAmount) return;
  const others = [...accounts].filter(([other, { before, after }]) => {
    const order = other !== address && before?.owner === LIMIT_ORDER_PROGRAM && decodeLimitOrder(before.data);
    return order && order.maker === had.maker && after && !after.data.equals(before.data);
  });
  if (others.length > 0) return; // each is checked where it is alone
  const flow = flowsOf(change);
  const rents = has ? 0n : state!.before!.lamports + (had.inputMint === WRAPPED_SOL_MINT ? 0n : rentOf(reserve));
  const got = (mint: Address) => (mint === WRAPPED_SOL_MINT ? flow(had.maker, 'sol') - rents : flow(had.maker, mint));
  const [back, paid] = [got(had.inputMint), got(had.outputMint)];
  const sold = had.makingAmount - left - (back > 0n ? back : 0n);
  const least = had.oriTakingAmount * BigInt(10_000 - had.slippageBps);
  const isPaid = sold <= 0n || paid * had.oriMakingAmount * 10_000n >= sold * least;
  assert.ok(isPaid, `${what}: a maker got ${paid} for ${sold} of order ${address}`);
}

const rentOf = (reserve: { before: { lamports: bigint } | undefined } | undefined) => reserve?.before?.lamports ?? 0n;

/** Nobody but the admin takes the program's fees. */
function checkFees({ admin }: World, account: Address, { accounts, signers, what }: Change): void {
  const seen = accounts.get(account);
  if (!seen || signers.has(admin.key)) return;
  const [had, has] = [tokenOf(seen.before), tokenOf(seen.after)];
  assert.ok(has && had && has.amount >= had.amount, `${what}: fees were taken`);
  assert.deepEqual(has.powers, had.powers, `${what}: fees changed hands`);
}
