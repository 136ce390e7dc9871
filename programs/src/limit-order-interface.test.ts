import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  base58Decode,
  findProgramAddress,
  type Instruction,
} from '@slipway/wire';
import * as builders from './limit-order.js';
import { LIMIT_ORDER_ADDRESSES, LIMIT_ORDER_PROGRAM, limitOrderAddress } from './limit-order-addresses.js';
import { LIMIT_ORDER_ERRORS } from './limit-order-errors.js';
import { decodeLimitOrderEvent } from './limit-order-events.js';
import { decodeLimitOrderFees, encodeLimitOrder, type LimitOrder } from './limit-order-state.js';
import { fillOf, limitOrderVm, NOW, openOrder, stateOf } from './limit-order-testing.js';
import { newAddress, succeeded } from './test-vm.js';

// The interface description, read as the tools of its standard do, against the builders, the decoders and the program.

// biome-ignore lint/suspicious/noExplicitAny: nodes of a foreign format
type Node = any;
const FOLDER = fileURLToPath(new URL('../limit-order/', import.meta.url));
const { program: idl }: Node = JSON.parse(readFileSync(`${FOLDER}idl.json`, 'utf8'));
const byName = (nodes: Node[], name: string): Node => nodes.find((node) => node.name === name);

// ---- a codec that the description drives ----------------------------------------------------------------------------

const SIZES: Record<string, number> = { u8: 1, u16: 2, u32: 4, u64: 8, i64: 8 };

function encode(type: Node, value: Node): Buffer {
  switch (type.kind) {
    case 'numberTypeNode': {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)));
      return bytes.subarray(0, SIZES[type.format]);
    }
    case 'publicKeyTypeNode':
      return Buffer.from(addressToBytes(value));
    case 'optionTypeNode':
      return value === undefined
        ? encode(type.prefix, 0)
        : Buffer.concat([encode(type.prefix, 1), encode(type.item, value)]);
    case 'fixedSizeTypeNode':
      return value;
    case 'structTypeNode':
      return Buffer.concat(type.fields.map((field: Node) => encode(field.type, fixedOr(field, value[field.name]))));
    case 'hiddenPrefixTypeNode':
      return Buffer.concat([...type.prefix.map((prefix: Node) => bytesOf(prefix.value)), encode(type.type, value)]);
    default:
      throw new Error(type.kind);
  }
}

const ENCODINGS: Record<string, (text: string) => Buffer> = {
  base16: (text) => Buffer.from(text, 'hex'),
  utf8: (text) => Buffer.from(text),
  base58: (text) => Buffer.from(base58Decode(text)!),
};
const bytesOf = ({ data, encoding }: Node) => ENCODINGS[encoding]!(data);
const fixedOr = (field: Node, value: Node) => (field.defaultValueStrategy ? bytesOf(field.defaultValue) : value);

function decode(type: Node, bytes: Buffer, at: number): [value: Node, end: number] {
  switch (type.kind) {
    case 'numberTypeNode': {
      const size = SIZES[type.format]!;
      if (size < 8) return [bytes.readUIntLE(at, size), at + size];
      return [type.format === 'i64' ? bytes.readBigInt64LE(at) : bytes.readBigUInt64LE(at), at + 8];
    }
    case 'publicKeyTypeNode':
      return [addressFromBytes(bytes, at), at + 32];
    case 'optionTypeNode':
      return bytes[at] === 1 ? decode(type.item, bytes, at + 1) : [undefined, at + 1];
    case 'structTypeNode': {
      const value: Node = {};
      let end = at;
      for (const field of type.fields) {
        if (field.defaultValueStrategy) {
          const fixed = bytesOf(field.defaultValue);
          assert.deepEqual(bytes.subarray(end, end + fixed.length), fixed);
          end += fixed.length;
        } else [value[field.name], end] = decode(field.type, bytes, end);
      }
      return [value, end];
    }
    default:
      throw new Error(type.kind);
  }
}

/** A value of each field, other ones each time. */
function anyValues(fields: Node[]): Record<string, Node> {
  let n = 0;
  const value = (type: Node): Node => {
    n++;
    if (type.kind === 'publicKeyTypeNode') return newAddress();
    if (type.kind === 'optionTypeNode') return value(type.item);
    return SIZES[type.format]! < 8 ? n * 7 : BigInt(n) * 0x0102030405060708n;
  };
  return Object.fromEntries(
    fields.filter((f) => !f.defaultValueStrategy).map((field) => [field.name, value(field.type)]),
  );
}

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
  return derived(node, (name) => given[byName(seeds, name).value.name]);
}

function derived(pda: Node, value: (name: string) => Node): Address {
  const seeds = pda.seeds.map((seed: Node) =>
    seed.kind === 'constantPdaSeedNode' ? bytesOf(seed.value) : encode(seed.type, value(seed.name)),
  );
  return findProgramAddress(seeds, pda.programId ?? idl.publicKey).address;
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
  assert.equal(derived(byName(idl.pdas, 'eventAuthority'), none), eventAuthority);
  assert.equal(derived(byName(idl.pdas, 'fee'), none), fee);
  const [maker, uniqueId] = [newAddress(), 0x0102030405060708n];
  const order = derived(byName(idl.pdas, 'order'), (name) => (name === 'maker' ? maker : uniqueId));
  assert.equal(order, limitOrderAddress(maker, uniqueId).address);
});

test('description, program and table have the same errors', () => {
  const described = idl.errors.map(({ name, code }: Node) => [code, name]);
  const table = Object.entries(LIMIT_ORDER_ERRORS).filter(([code]) => Number(code) >= 6000);
  assert.deepEqual(
    table.map(([code, name]) => [Number(code), name[0]!.toLowerCase() + name.slice(1)]),
    described,
  );
  const source = readFileSync(`${FOLDER}src/interface.h`, 'utf8');
  const numbers = [...source.matchAll(/ERROR_(\w+) = (\d+)/g)].map(([, name, code]) => [Number(code), name] as const);
  for (const [code, name] of numbers) {
    if (code < 6000) assert.ok(code in LIMIT_ORDER_ERRORS, name);
    else assert.equal(byName(idl.errors, camelCase(name!)).code, code);
  }
  assert.ok(numbers.length > 30);
});
const camelCase = (name: string) => name.toLowerCase().replace(/_./g, (pair) => pair[1]!.toUpperCase());

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

/** Without words for people, and with bytes in one encoding. */
function comparable(node: Node): Node {
  if (Array.isArray(node)) return node.map(comparable);
  if (typeof node !== 'object' || node === null) return node;
  if (node.kind === 'bytesValueNode') return { kind: node.kind, data: bytesOf(node).toString('hex') };
  const kept = Object.entries(node).filter(([key, value]) => key !== 'docs' && key !== 'message' && value !== false);
  return Object.fromEntries(kept.map(([key, value]) => [key, comparable(value)]));
}
