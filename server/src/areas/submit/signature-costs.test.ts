import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileMessage, encodeTransaction, generateKeypair, type Keypair, SYSTEM_PROGRAM, sign } from '@slipway/wire';
import { plentyLeft, startTestServer } from '../../http/testing.js';
import { registerSubmitTransaction } from './submit.js';

const BLOCKHASH = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';

/** All signatures are right but the last. */
function signedBy(signers: readonly Keypair[]): string {
  const [payer] = signers;
  const message = compileMessage({
    version: 0,
    feePayer: payer!.address,
    signers: signers.map(({ address }) => address),
    instructions: [{ program: SYSTEM_PROGRAM, accounts: [], data: new Uint8Array(0) }],
    blockhash: BLOCKHASH,
  });
  const signatures = signers.map((signer) => sign(signer, message));
  signatures.at(-1)![0]! ^= 1;
  return Buffer.from(encodeTransaction({ signatures, message })).toString('base64');
}

test('attack: a free key posts transactions of twelve signatures, which take as long as four calls: they count as four, before any is checked', async (t) => {
  let left = 10;
  const take = (_key: string, _bucket: string, _tier: string, weight = 1) => {
    const allowed = weight <= left;
    left = Math.max(0, left - weight);
    return { ...plentyLeft, allowed };
  };
  const { app } = await startTestServer((server) => registerSubmitTransaction(server, {} as never), {
    limiter: { take },
  });
  t.after(() => app.close());
  const submit = async (count: number) => {
    const payload = { signedTransaction: signedBy(Array.from({ length: count }, generateKeypair)) };
    const headers = { 'x-api-key': 'good-key' };
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/tx/v1/submit', headers, payload });
    return [statusCode, left, /does not match/.test(body)];
  };
  assert.deepEqual(await submit(3), [400, 9, true]);
  assert.deepEqual(await submit(4), [400, 7, true]);
  assert.deepEqual(await submit(12), [400, 3, true]);
  assert.deepEqual(await submit(12), [429, 0, false]);
});
