import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { KeyRefused, keysOf, type SigningKey } from './signing-keys.js';

const [wallet, other] = [generateKeypair().address, generateKeypair().address];
const row = (...cosigners: string[]) => ({ id: 'r', area: 'area', wallet, cosigners });

describe('attack: a database writer names a key in a row whose area never uses it; no key signs', () => {
  const cases: [string, readonly SigningKey[], string[]][] = [
    ['any key, in an area without keys', [], ['gas']],
    ['the keeper, in an area of the gas wallet', ['gas'], ['gas', 'keeper']],
    ["another wallet's vault", ['vault', 'tracker'], [`vault:${other}`, 'tracker']],
    ['a vault without a wallet', ['vault'], ['vault']],
    ['a vault with more than a wallet', ['vault'], [`vault:${wallet}:0`]],
    ['a key of logins', ['vault', 'tracker'], ['login:2955']],
    ['the seal', ['gas', 'keeper', 'maker', 'tracker', 'vault', 'mint', 'launch'], ['seal']],
    ['a role with a member', ['gas'], ['gas:0']],
    ['a launch without a number', ['mint', 'launch'], ['mint']],
    ['a name of the prototype', ['gas'], ['constructor']],
    ['nothing', ['gas'], ['']],
  ];
  for (const [what, allowed, names] of cases) {
    it(what, () => assert.throws(() => keysOf(row(...names), allowed), KeyRefused));
  }

  it('and the keys of its own area sign', () => {
    const names = [`vault:${wallet}`, 'tracker'];
    assert.deepEqual(keysOf(row(...names), ['vault', 'tracker']), names);
    assert.deepEqual(keysOf(row('mint:5', 'launch:5'), ['mint', 'launch']), ['mint:5', 'launch:5']);
    assert.deepEqual(keysOf(row(), undefined), []);
  });
});
