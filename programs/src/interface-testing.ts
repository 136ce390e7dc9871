import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Address, addressFromBytes, addressToBytes, base58Decode, findProgramAddress } from '@slipway/wire';
import { newAddress } from './test-vm.js';

// Reads an interface description as the tools of its standard do: a codec that it drives, and what to compare it with.

// biome-ignore lint/suspicious/noExplicitAny: nodes of a foreign format
export type Node = any;

const FOLDER = new URL('..', import.meta.url);

/** The description of a program's interface in this repository. */
export function readInterface(program: string): Node {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`${program}/idl.json`, FOLDER)), 'utf8')).program;
}

export const byName = (nodes: Node[], name: string): Node => nodes.find((node) => node.name === name);

const SIZES: Record<string, number> = { u8: 1, u16: 2, u32: 4, u64: 8, i64: 8 };

export function encode(type: Node, value: Node): Buffer {
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
export const fixedOr = (field: Node, value: Node) => (field.defaultValueStrategy ? bytesOf(field.defaultValue) : value);

export function decode(type: Node, bytes: Buffer, at: number): [value: Node, end: number] {
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
    case 'fixedSizeTypeNode':
      return [bytes.subarray(at, at + type.size), at + type.size];
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
export function anyValues(fields: Node[]): Record<string, Node> {
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

/** The address of a description's pda; `value` gives what its seeds are made of. */
export function derived(pda: Node, program: Address, value: (name: string) => Node): Address {
  const seeds = pda.seeds.map((seed: Node) =>
    seed.kind === 'constantPdaSeedNode' ? bytesOf(seed.value) : encode(seed.type, value(seed.name)),
  );
  return findProgramAddress(seeds, pda.programId ?? program).address;
}

/** The error numbers that the C sources say, by their names in the description's way. */
export function errorsInSource(...files: string[]): (readonly [code: number, name: string])[] {
  const sources = files.map((file) => readFileSync(fileURLToPath(new URL(file, FOLDER)), 'utf8'));
  const found = sources.flatMap((source) => [...source.matchAll(/ERROR_(\w+) = (\d+)/g)]);
  return found.map(([, name, code]) => [Number(code), camelCase(name!)] as const);
}
const camelCase = (name: string) => name.toLowerCase().replace(/_./g, (pair) => pair[1]!.toUpperCase());

/** Without words for people, and with bytes in one encoding. */
export function comparable(node: Node): Node {
  if (Array.isArray(node)) return node.map(comparable);
  if (typeof node !== 'object' || node === null) return node;
  if (node.kind === 'bytesValueNode') return { kind: node.kind, data: bytesOf(node).toString('hex') };
  const kept = Object.entries(node).filter(([key, value]) => key !== 'docs' && key !== 'message' && value !== false);
  return Object.fromEntries(kept.map(([key, value]) => [key, comparable(value)]));
}
