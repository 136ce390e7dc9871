import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDammV2Program, DynamicBondingCurveIdl } from '@meteora-ag/dynamic-bonding-curve-sdk';
import { Connection } from '@solana/web3.js';
import { byName, type Node } from './interface-testing.js';
import { Description, startOf } from './interfaces-testing.js';
import type { ProgramName } from './program-files.js';

// The descriptions of stand-ins against the published interfaces, which Meteora's own library has.

const camel = (name: string) =>
  name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()).replace(/^\w/, (c) => c.toLowerCase());

for (const [program, published] of [
  ['bonding-curve', DynamicBondingCurveIdl],
  ['damm-v2', createDammV2Program(new Connection('http://127.0.0.1:1'), 'confirmed').rawIdl],
] as [ProgramName, Node][]) {
  test(`the description of ${program} has the published interface’s names, in its order`, () => {
    const { idl } = new Description(program);
    assert.equal(idl.publicKey, published.address);
    const theirs = (nodes: Node[], name: string) =>
      nodes.find((node) => camel(node.name) === name) ?? assert.fail(name);
    for (const { name, accounts, arguments: args } of idl.instructions) {
      const their = theirs(published.instructions, name);
      assert.deepEqual(
        accounts.map((each: Node) => [each.name, each.isWritable, each.isSigner, each.isOptional]),
        their.accounts.map((each: Node) => [camel(each.name), !!each.writable, !!each.signer, !!each.optional]),
        name,
      );
      assert.deepEqual(namesOf(args).slice(1), namesOf(their.args), name);
      assert.equal(
        startOf(byName(idl.instructions, name)).toString('hex'),
        Buffer.from(their.discriminator).toString('hex'),
      );
    }
    for (const { name, data } of idl.accounts)
      assert.deepEqual(namesOf(data.fields).slice(1), namesOf(theirs(published.types, name).type.fields), name);
    for (const { name, data } of idl.events)
      assert.deepEqual(namesOf(data.type.fields), namesOf(theirs(published.types, name).type.fields), name);
    for (const { name, type } of idl.definedTypes)
      assert.deepEqual(namesOf(type.fields), namesOf(theirs(published.types, name).type.fields), name);
    for (const { name, code } of idl.errors.slice(0, -1)) assert.equal(theirs(published.errors, name).code, code, name);
  });
}

const namesOf = (nodes: Node[]): string[] => nodes.map(({ name }) => camel(name));
