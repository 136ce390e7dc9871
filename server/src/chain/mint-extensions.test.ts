import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { readMintExtensions } from './mint-extensions.js';

/** A Token-2022 mint with one extension. */
function mintWith(type: number, content: Uint8Array): Uint8Array {
  const data = Buffer.alloc(170 + content.length);
  data[165] = 1;
  data.writeUInt16LE(type, 166);
  data.writeUInt16LE(content.length, 168);
  data.set(content, 170);
  return data;
}

it('an extension that is too short for its type makes the whole unreadable, never half read', () => {
  const shortest = new Map([
    [1, 108],
    [6, 1],
    [12, 32],
    [14, 64],
    [19, 72],
    [26, 33],
  ]);
  for (const [type, length] of shortest) {
    assert.equal(readMintExtensions(mintWith(type, new Uint8Array(length - 1))), undefined, `type ${type}`);
    assert.notEqual(readMintExtensions(mintWith(type, new Uint8Array(length))), undefined, `type ${type}`);
  }
});

it('what is not known is left alone, and no bytes throw', () => {
  const nothing = { nonTransferable: false, defaultFrozen: false, paused: false };
  assert.deepEqual(readMintExtensions(mintWith(3, new Uint8Array(32).fill(1))), nothing);
  assert.deepEqual(readMintExtensions(new Uint8Array(82)), nothing);
  fc.assert(
    fc.property(fc.nat(30), fc.uint8Array({ maxLength: 200 }), (type, content) => {
      readMintExtensions(mintWith(type, content));
    }),
  );
});

/** The name that is read from a mint that has this one, and no symbol. */
function nameIn(name: string): string | undefined {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(name));
  const content = Buffer.concat([new Uint8Array(64), length, Buffer.from(name), Buffer.alloc(4)]);
  return readMintExtensions(mintWith(19, content))?.metadata?.name;
}

it('a name as long as an account is cut, so that an answer stays small', () => {
  assert.equal(nameIn('n'.repeat(10_000))?.length, 100);
});

it('attack: an issuer of a token fills its mint with a name that takes long to look at: only the beginning is', () => {
  assert.equal(nameIn(`${'\u200b'.repeat(900)}Name`), 'Name');
  assert.equal(nameIn(`${'\u200b'.repeat(20_000)}Name`), '');
});
