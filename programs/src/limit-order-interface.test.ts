import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Address, Instruction } from '@slipway/wire';
import {
  anyValues,
  byName,
  comparable,
  decode,
  derived,
  encode,
  errorsInSource,
  fixedOr,
  type Node,
  readInterface,
} from './interface-testing.js';
import * as builders from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM, limitOrderAddress } from './limit-order-addresses.js';
import { LIMIT_ORDER_ERRORS } from './limit-order-errors.js';
import { decodeLimitOrderEvent } from './limit-order-events.js';
import { decodeLimitOrderFees, encodeLimitOrder, type LimitOrder } from './limit-order-state.js';
import { fillOf, limitOrderVm, NOW, openOrder, stateOf } from './limit-order-testing.js';
import { newAddress, succeeded } from './test-vm.js';

// The interface description, read as the tools of its standard do, against the builders, the decoders and the program.

const idl = readInterface('limit-order');

// ---- instructions ---------------------------------------------------------------------------------------------------

const BUILDERS: Record<string, (input: Node) => Instruction> = {
  initializeOrder: builders.initializeOrder,
  cancelOrder: builders.cancelOrder,
  cancelDustOrder: builders.cancelDustOrder,
  preFlashFillOrder: builders.preFlashFillOrder,
  flashFillOrder: builders.flashFillOrder,
  updateFee: builders.updateLimitOrderFee,
  withdrawFee: builders.withdrawLimitOrderFee,
};

/** Where the description says by itself what an account is. */
function knownAddress(account: Node, given: Record<string, Node>): Address | undefined {
  if (account.name === 'program') return LIMIT_ORDER_PROGRAM;
  if (account.name === 'programData') return LIMIT_ORDER_ADDRESSES.programData;
  const { defaultValue } = account;
  if (!defaultValue || defaultValue.kind === 'payerValueNode') return undefined;
  if (defaultValue.kind === 'publicKeyValueNode') return given[account.name] ?? defaultValue.publicKey;
  const { pda, seeds } = defaultValue;
  const node = pda.kind === 'pdaLinkNode' ? byName(idl.pdas, pda.name) : pda;
  return derived(node, idl.publicKey, (name) => given[byName(seeds, name).value.name]);
}

for (const [name, build] of Object.entries(BUILDERS)) {
  test(`the builder of ${name} makes what the description says`, () => {
    const { accounts, arguments: args } = byName(idl.instructions, name);
    for (const absent of [false, true]) {
      const given: Record<string, Node> = anyValues(args);
      const optionals = new Set(accounts.filter((a: Node) => a.isOptional).map((a: Node) => a.name));
      for (const arg of args) if (absent && arg.type.kind === 'optionTypeNode') delete given[arg.name];
      for (const account of accounts) given[account.name] = newAddress();
      if (name === 'initializeOrder') given.order = limitOrderAddress(given.maker, given.uniqueId).address;
      for (const fixed of ['systemProgram', 'associatedTokenProgram', 'instruction']) delete given[fixed];
      if (absent) for (const optional of optionals) delete given[optional as string];
      const made = build(given);
      assert.equal(made.program, idl.publicKey);
      assert.deepEqual(
        made.accounts,
        accounts.map((account: Node) => {
          const isAbsent = absent && account.isOptional;
          const address = isAbsent ? LIMIT_ORDER_PROGRAM : (knownAddress(account, given) ?? given[account.name]);
          return { address, signer: account.isSigner, writable: account.isWritable && !isAbsent };
        }),
      );
      const data = args.map((arg: Node) => encode(arg.type, fixedOr(arg, given[arg.name])));
      assert.deepEqual(Buffer.from(made.data), Buffer.concat(data));
    }
  });
}

test('every instruction of the description has a builder, but fillOrder', () => {
  const names = idl.instructions.map(({ name }: Node) => name);
  assert.deepEqual([...Object.keys(BUILDERS), 'fillOrder'].sort(), names.sort());
});

// ---- accounts, events, addresses, errors ----------------------------------------------------------------------------

test('an order’s account reads the same by the description, by the decoder and by the program that wrote it', () => {
  const { data: type } = byName(idl.accounts, 'order');
  for (const expiredAt of [undefined, -5n, 2n ** 40n]) {
    const order = { ...anyValues(type.fields), expiredAt, bump: 7 } as LimitOrder;
    assert.deepEqual(decode(type, Buffer.from(encodeLimitOrder(order)), 0)[0], order);
  }
  const vm = limitOrderVm();
  for (const terms of [{}, { expiredAt: NOW + 77n, feeBps: 300, slippageBps: 400 }]) {
    const world = openOrder(vm, { terms });
    succeeded(vm.run(...fillOf(world, 3n)));
    const [value] = decode(type, vm.data(world.order), 0);
    assert.deepEqual(value, stateOf(world));
  }
  const fee = byName(idl.accounts, 'fee');
  const fees = vm.data(LIMIT_ORDER_ADDRESSES.fee);
  assert.equal(fees.length, fee.size);
  assert.deepEqual(decode(fee.data, fees, 0)[0], decodeLimitOrderFees(fees));
});

test('events read the same by the description and by the decoder', () => {
  const tag = Buffer.from('e445a52e51cb9a1d', 'hex');
  for (const { name, data: type } of idl.events) {
    const { fields } = type.type;
    for (const expiredAt of [undefined, 9n]) {
      const data = { ...anyValues(fields), ...(byName(fields, 'expiredAt') && { expiredAt }) };
      assert.deepEqual(decodeLimitOrderEvent(Buffer.concat([tag, encode(type, data)])), { name, data });
    }
  }
});

test('addresses are those of the description', () => {
  const { eventAuthority, fee } = LIMIT_ORDER_ADDRESSES;
  const none = () => undefined;
  assert.equal(derived(byName(idl.pdas, 'eventAuthority'), idl.publicKey, none), eventAuthority);
  assert.equal(derived(byName(idl.pdas, 'fee'), idl.publicKey, none), fee);
  const [maker, uniqueId] = [newAddress(), 0x0102030405060708n];
  const order = derived(byName(idl.pdas, 'order'), idl.publicKey, (name) => (name === 'maker' ? maker : uniqueId));
  assert.equal(order, limitOrderAddress(maker, uniqueId).address);
});

test('description, program and table have the same errors', () => {
  const described = idl.errors.map(({ name, code }: Node) => [code, name]);
  const table = Object.entries(LIMIT_ORDER_ERRORS).filter(([code]) => Number(code) >= 6000);
  assert.deepEqual(
    table.map(([code, name]) => [Number(code), name[0]!.toLowerCase() + name.slice(1)]),
    described,
  );
  const numbers = errorsInSource('base/framework.h', 'limit-order/src/interface.h');
  for (const [code, name] of numbers) {
    if (code < 6000) assert.ok(code in LIMIT_ORDER_ERRORS, name);
    else assert.equal(byName(idl.errors, name).code, code);
  }
  assert.ok(numbers.length > 30);
});

const publicInterface = process.env.SLIPWAY_PUBLIC_INTERFACE ?? '';
const skip = existsSync(publicInterface) ? false : 'needs the public interface’s file in SLIPWAY_PUBLIC_INTERFACE';

test('the description is the public interface, and the account that says who the admin is', { skip }, () => {
  const theirs = JSON.parse(readFileSync(publicInterface, 'utf8')).program;
  const [own, other] = [comparable(idl), comparable(theirs)];
  assert.deepEqual(
    own.instructions.map((instruction: Node) => ({
      ...instruction,
      accounts: instruction.accounts.filter(({ name }: Node) => name !== 'programData'),
    })),
    other.instructions,
  );
  assert.deepEqual(
    own.pdas.filter(({ name }: Node) => name !== 'order'),
    other.pdas,
  );
  for (const part of ['accounts', 'events', 'definedTypes', 'errors', 'publicKey', 'name']) {
    assert.deepEqual(own[part], other[part], part);
  }
});
