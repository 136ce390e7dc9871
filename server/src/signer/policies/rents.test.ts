import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extension, newAddress, succeeded, TestVm } from '@slipway/programs/testing';
import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { SANDBOX_PROGRAMS } from '../cosign.js';
import { checkPolicies, readToSign } from './index.js';

/** Each extension of a mint for which its accounts have one, too: transfer fees, no transfers, a hook, a pause. */
const EXTENSIONS = [
  extension(1, Buffer.alloc(108)),
  extension(9),
  extension(14, Buffer.alloc(64)),
  extension(26, Buffer.alloc(33)),
];

/** What the signer counts for an account whose rent the gas wallet gives to somebody, without the fee. */
function counted(mint: Address, owner: Address, tokenProgram: Address): bigint {
  const [gas, somebody] = [newAddress(), newAddress()];
  const lossOf = (...made: Parameters<typeof compileMessage>[0]['instructions']) => {
    const message = compileMessage({
      version: 0,
      feePayer: gas,
      instructions: [systemTransfer({ from: somebody, to: owner, lamports: 1n }), ...made],
      blockhash: addressFromBytes(new Uint8Array(32).fill(9)),
    });
    return checkPolicies(readToSign(message), [{ name: 'gas', address: gas }], {
      keeper: owner,
      programs: SANDBOX_PROGRAMS,
    })[0]!;
  };
  return lossOf(createAssociatedTokenIdempotent({ payer: gas, owner, mint, tokenProgram })) - lossOf();
}

test('attack: an issuer of a token gives its mint extensions that make accounts larger: no account costs more than the signer counts', () => {
  const vm = new TestVm('all');
  const paid = (mint: Address, tokenProgram: Address) => {
    const [payer, owner] = [vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000n), newAddress()];
    succeeded(vm.run(createAssociatedTokenIdempotent({ payer, owner, mint, tokenProgram })));
    const lamports = 1_000_000_000n - vm.lamports(payer);
    assert.equal(vm.lamports(associatedTokenAddress(owner, mint, tokenProgram)), lamports);
    return { lamports, counted: counted(mint, owner, tokenProgram) };
  };
  const classic = paid(vm.mint(), TOKEN_PROGRAM);
  assert.equal(classic.counted, classic.lamports);
  let most = 0n;
  for (let chosen = 0; chosen < 2 ** EXTENSIONS.length; chosen++) {
    const extensions = Buffer.concat(EXTENSIONS.filter((_, at) => chosen & (1 << at)));
    const mint = vm.mint({ tokenProgram: TOKEN_2022_PROGRAM, ...(extensions.length > 0 && { extensions }) });
    const found = paid(mint, TOKEN_2022_PROGRAM);
    assert.ok(found.lamports <= found.counted, `extensions ${chosen.toString(2)}: ${found.lamports}`);
    if (found.lamports > most) most = found.lamports;
  }
  assert.equal(most, counted(vm.mint(), newAddress(), TOKEN_2022_PROGRAM), 'and not more than it can be');
});

test('attack: a copy that was broken into names a token program of its own, whose accounts may have any size: the gas wallet makes none', () => {
  assert.throws(() => counted(newAddress(), newAddress(), newAddress()), /another token program/);
});
