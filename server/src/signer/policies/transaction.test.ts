import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  addressFromBytes,
  advanceNonce,
  associatedTokenAddress,
  compileMessage,
  generateKeypair,
  type Instruction,
  type Keypair,
  MAX_TRANSACTION_SIZE,
  sign,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import type { KeyName } from '../bare-keys.js';
import { createCosign, SANDBOX_PROGRAMS } from '../cosign.js';
import { SignerRefused } from './index.js';

const [user, mint, nonce] = [generateKeypair().address, generateKeypair().address, generateKeypair().address];
const vaultName = `vault:${user}` as const;
const keys = new Map<KeyName, Keypair>(
  (['gas', 'keeper', 'tracker', vaultName] as const).map((name) => [name, generateKeypair()]),
);
const of = (name: KeyName): Address => keys.get(name)!.address;
const cosign = createCosign(
  {
    publicKey: async (name) => of(name),
    sign: async (name, message) => sign(keys.get(name)!, message),
  },
  { programs: SANDBOX_PROGRAMS },
);
const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
const home = (): Instruction => {
  const sent = tokenTransferChecked({
    source: generateKeypair().address,
    destination: associatedTokenAddress(user, mint),
    authority: of(vaultName),
    amount: 1n,
    mint,
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM,
  });
  return { ...sent, accounts: [...sent.accounts, { address: of('tracker'), signer: true, writable: false }] };
};

/** What each key signs in the work of the service. */
const works: { asked: KeyName[]; feePayer: Address; instructions: Instruction[] }[] = [
  { asked: ['gas'], feePayer: of('gas'), instructions: [systemTransfer({ from: user, to: nonce, lamports: 1n })] },
  {
    asked: ['keeper'],
    feePayer: of('keeper'),
    instructions: [systemTransfer({ from: user, to: of('keeper'), lamports: 1n })],
  },
  { asked: [vaultName, 'tracker'], feePayer: user, instructions: [home()] },
];

test('attack: a copy that was broken into has signatures made that live on after a stop, by a durable nonce of its own: no key signs one', async () => {
  const advanced = advanceNonce({ nonce, authority: user });
  // The chain reads it with bytes after it, too.
  const longer = { ...advanced, data: Uint8Array.from([...advanced.data, 1, 2, 3]) };
  for (const { asked, feePayer, instructions } of works) {
    const ask = (...first: Instruction[]) =>
      cosign({
        keys: asked,
        message: compileMessage({ version: 0, feePayer, instructions: [...first, ...instructions], blockhash }),
      });
    assert.equal((await ask()).length, asked.length, 'and without it as before');
    for (const durable of [advanced, longer]) {
      await assert.rejects(ask(durable), (error) => {
        assert.ok(error instanceof SignerRefused);
        assert.match(error.message, /a durable nonce/);
        return true;
      });
    }
  }
});

test('attack: a copy that was broken into asks for signatures under more than the chain takes: no key signs it', async () => {
  const message = (bytes: number) => {
    const filler = { program: nonce, accounts: [], data: new Uint8Array(bytes) };
    const pay = systemTransfer({ from: user, to: nonce, lamports: 1n });
    return compileMessage({ version: 0, feePayer: of('gas'), instructions: [pay, filler], blockhash });
  };
  const ask = (bytes: number) => cosign({ keys: ['gas'], message: message(bytes) });
  const room = 1_000 + MAX_TRANSACTION_SIZE - unsignedTransaction(message(1_000)).length;
  assert.equal((await ask(room)).length, 1);
  // The last one is larger without a signature, too.
  for (const bytes of [room + 1, room + 128, room + 129, 60_000]) {
    await assert.rejects(ask(bytes), (error) => {
      assert.ok(error instanceof SignerRefused);
      assert.match(error.message, /more than the 1232 bytes/);
      return true;
    });
  }
});
