import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getNodeCodec } from '@codama/dynamic-codecs';
import type { Address, Instruction } from '@slipway/wire';
import { byName, type Node, readInterface } from './interface-testing.js';
import type { ProgramName } from './program-files.js';
import type { TestVm } from './test-vm.js';

// Compares an interface description with what a program does on the virtual machine. A public library reads it.

const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

type Call = { program: Address; data: Uint8Array };

/** What a program was told, and what it told, in all transactions of a machine that succeeded from now on. */
export function watch(vm: TestVm, program: Address): { instructions: Instruction[]; calls: Call[] } {
  const seen: ReturnType<typeof watch> = { instructions: [], calls: [] };
  const run = vm.run.bind(vm);
  vm.run = (...instructions) => {
    const outcome = run(...instructions);
    if (outcome.failure) return outcome;
    seen.instructions.push(...instructions.filter((each) => each.program === program));
    seen.calls.push(...outcome.calls().filter((each) => each.program === program));
    return outcome;
  };
  return seen;
}

/** The description, and the names in it that have been seen in bytes of the program. */
export class Description {
  readonly idl: Node;
  readonly #root: Node;
  readonly #seen = new Set<string>();

  constructor(program: ProgramName) {
    this.idl = readInterface(program);
    this.#root = { kind: 'rootNode', program: this.idl, additionalPrograms: [] };
  }

  assertInstruction({ accounts, data }: Instruction): void {
    const node = this.#find(this.idl.instructions, data);
    this.#read(node, data);
    for (const [i, described] of node.accounts.entries()) {
      const account = accounts[i];
      if (!account && described.isOptional && node.optionalAccountStrategy === 'omitted') continue;
      assert.ok(account, `${node.name}: ${described.name}`);
      const isAbsent = described.isOptional && account.address === this.idl.publicKey;
      if (described.isSigner === true) assert.ok(account.signer, `${node.name}: ${described.name} signs`);
      if (described.isWritable && !isAbsent) assert.ok(account.writable, `${node.name}: ${described.name} is writable`);
      if (described.defaultValue) assert.equal(account.address, described.defaultValue.publicKey, described.name);
    }
  }

  /** An instruction or an event that a program has sent. */
  assertCall({ data }: Call): void {
    const isEvent = EVENT_TAG.equals(data.subarray(0, 8));
    const bytes = isEvent ? data.subarray(8) : data;
    this.#read(this.#find(isEvent ? this.idl.events : this.idl.instructions, bytes), bytes);
  }

  /** Answers what the account says. */
  assertAccount(name: string, data: Uint8Array): Node {
    const node = byName(this.idl.accounts, name);
    assert.equal(data.length, node.size);
    assert.deepEqual(Buffer.from(data.subarray(0, startOf(node).length)), startOf(node));
    return this.#read(node, data);
  }

  /** All that is described has been seen. */
  assertComplete(): void {
    const all = [...this.idl.instructions, ...this.idl.accounts, ...this.idl.events].map(labelOf);
    assert.deepEqual([...this.#seen].sort(), all.sort());
  }

  #find(nodes: Node[], data: Uint8Array): Node {
    const found = nodes.find((node) => startOf(node).equals(data.subarray(0, startOf(node).length)));
    return (
      found ?? assert.fail(`nothing is described that begins with ${Buffer.from(data.subarray(0, 8)).toString('hex')}`)
    );
  }

  #read(node: Node, data: Uint8Array): Node {
    const codec = getNodeCodec([this.#root, this.idl, node]);
    const value = codec.decode(data);
    const again = codec.encode(value);
    // A text that is filled up with zeros is read without them.
    const isPadded = node.kind === 'accountNode' && JSON.stringify(node).includes('stringTypeNode');
    if (isPadded) assert.deepEqual(codec.decode(again), value, node.name);
    else assert.equal(Buffer.from(again).toString('hex'), Buffer.from(data).toString('hex'), node.name);
    this.#seen.add(labelOf(node));
    return value;
  }
}

const labelOf = ({ kind, name }: Node) => `${kind} ${name}`;

/** The bytes that an instruction, an account or an event begins with. */
export function startOf(node: Node): Buffer {
  if (node.kind === 'eventNode') return Buffer.from(node.discriminators[0].constant.value.data, 'hex');
  const { defaultValue } = (node.arguments ?? node.data.fields)[0];
  return defaultValue.kind === 'numberValueNode'
    ? Buffer.of(defaultValue.number)
    : Buffer.from(defaultValue.data, 'hex');
}

// ---- the C source ---------------------------------------------------------------------------------------------------

export function sourceOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');
}

/** The places in an account at which its fields begin, also those of structures in it; plain bytes are all places. */
export function placesOf(idl: Node, account: Node): Set<number> {
  const places = new Set<number>();
  const walk = (type: Node, at: number): number => {
    if (type.kind === 'structTypeNode')
      return type.fields.reduce((end: number, field: Node) => walk(field.type, end), at);
    if (type.kind === 'definedTypeLinkNode') return walk(byName(idl.definedTypes, type.name).type, at);
    if (type.kind === 'arrayTypeNode') {
      let end = at;
      for (let i = 0; i < type.count.value; i++) end = walk(type.item, end);
      return end;
    }
    const end = at + sizeOf(type);
    for (let place = at; place < (type.kind === 'fixedSizeTypeNode' ? end : at + 1); place++) places.add(place);
    return end;
  };
  assert.equal(walk(account.data, 0), account.size, account.name);
  return places;
}

function sizeOf(type: Node): number {
  if (type.kind === 'publicKeyTypeNode') return 32;
  if (type.kind === 'booleanTypeNode') return 1;
  if (type.kind === 'fixedSizeTypeNode') return type.size;
  return Number(/^[ui](\d+)$/.exec(type.format)?.[1] ?? assert.fail(type.kind)) / 8;
}
