import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { verify } from '@slipway/wire';
import { KeyManagementError } from '../key-management.js';
import type { KmsSettings } from './kms-keys.js';
import { usePlace } from './place-testing.js';

const MESSAGE = Buffer.from('a message');
const NEXT = 'alias/slipway-gas-2';
const ED25519 = 'ECC_NIST_EDWARDS25519';

const place = usePlace();
const { kms } = place;
const forget = (...aliases: string[]) => {
  for (const alias of aliases) kms.aliases.delete(alias);
};

test('a next key that is not there, not permitted, of another kind, or one that is used already: named, with what to do', async () => {
  forget(NEXT);
  const signer = await place.open();
  const [address, asked] = [signer.address('gas'), () => kms.countOf('Sign')];
  const why = () => place.whyNot(signer.rotate('gas', 'make'), KeyManagementError);
  assert.match(
    await why(),
    /^AWS KMS has no key alias\/slipway-gas-2, the next one of the gas wallet: make a key of the spec ECC_NIST_EDWARDS25519 with this alias, and permit the signer to use it$/,
  );
  kms.make('slipway-gas-2', 'ECC_NIST_P256');
  assert.match(await why(), /alias\/slipway-gas-2 must have the spec ECC_NIST_EDWARDS25519/);
  kms.aliases.set(NEXT, kms.aliases.get('alias/slipway-keeper')!);
  assert.match(await why(), /another key for each of gas, keeper and tracker: keeper 0 and gas 1 are one/);
  const arn = kms.make('slipway-gas-2', ED25519);
  // It can be read, and not used: that would only be found when the wallet is this one.
  kms.fault = ({ operation, input }) =>
    operation === 'Sign' && input.KeyId === arn ? { error: 'AccessDeniedException' } : undefined;
  assert.match(await why(), new RegExp(`kms:Sign with ${arn} .*AccessDeniedException.*see the permissions`));
  assert.equal(readFileSync(place.file, 'utf8'), place.sealed);
  // The wallet that is used works all the while.
  const before = asked();
  assert.ok(verify(address, MESSAGE, await signer.sign('gas', MESSAGE)));
  assert.equal(asked(), before + 1);
  await signer.describe();
  kms.fault = () => undefined;
  const { gas } = await signer.rotate('gas', 'make');
  assert.deepEqual([gas.current, gas.newest, gas.addresses], [0, 1, [address, kms.addressOf(NEXT)]]);
  forget(NEXT);
});

test('a wallet that is named by no alias has no next key: said before anything is begun', async () => {
  const keys: Partial<KmsSettings['keys']> = { gas: kms.aliases.get('alias/slipway-gas')! };
  const signer = await place.open(keys);
  assert.match(
    await place.whyNot(signer.rotate('gas', 'make'), KeyManagementError),
    /kms\.keys\.gas must be an alias, so that the next key can have its name and a number/,
  );
  const arn = `arn:aws:kms:eu-central-1:111122223333:alias/slipway-gas`;
  kms.aliases.set(arn, keys.gas!);
  kms.aliases.set(`${arn}-2`, kms.make('named-by-its-arn', ED25519));
  const named = await place.open({ gas: arn });
  assert.equal((await named.rotate('gas', 'make')).gas.addresses[1], kms.addressOf(`${arn}-2`));
  forget(arn, `${arn}-2`);
});

test('a signer that is killed after any step goes on from there; the key from before signs until it is retired', async () => {
  kms.make('slipway-tracker-2', ED25519);
  kms.make('slipway-tracker-3', ED25519);
  const addresses = ['', '-2', '-3'].map((end) => kms.addressOf(`alias/slipway-tracker${end}`));
  for (const number of [1, 2]) {
    for (const step of ['make', 'use', 'retire'] as const) {
      await (await place.open()).rotate('tracker', step);
      const signer = await place.open();
      const { oldest, current, newest } = signer.wallets().tracker;
      const expected = { make: [number - 1, number - 1], use: [number - 1, number], retire: [number, number] }[step];
      assert.deepEqual([oldest, current, newest], [...expected, number], step);
      assert.equal(signer.address('tracker'), addresses[current]);
      for (const address of addresses.slice(oldest, newest + 1))
        assert.ok(verify(address, MESSAGE, await signer.sign(`tracker:${address}`, MESSAGE)));
      // Taken again, it changes nothing.
      const file = readFileSync(place.file, 'utf8');
      if (step !== 'make' || newest > current) await signer.rotate('tracker', step);
      assert.equal(readFileSync(place.file, 'utf8'), file);
    }
  }
  // One that is retired may be given up, unless it is the first: the file names its address.
  kms.keyOf('alias/slipway-tracker-2').enabled = false;
  assert.deepEqual((await place.open()).wallets().tracker.addresses, [addresses[0], null, addresses[2]]);
  kms.keyOf('alias/slipway-tracker').enabled = false;
  assert.match(await place.whyNot(place.open(), KeyManagementError), /DisabledException/);
  kms.keyOf('alias/slipway-tracker').enabled = true;
  // An alias that somebody has moved to a key of his own.
  const arn = kms.aliases.get('alias/slipway-tracker-3')!;
  const other = kms.make('slipway-tracker-3', ED25519);
  assert.match(
    await place.whyNot(place.open(), KeyManagementError),
    new RegExp(`key 3 of the tracker wallet is ${kms.addressOf(other)}, and was ${addresses[2]} when it was made`),
  );
  kms.aliases.set('alias/slipway-tracker-3', arn);
  assert.equal((await place.open()).address('tracker'), addresses[2]);
  forget('alias/slipway-tracker-3');
  assert.match(
    await place.whyNot(place.open(), KeyManagementError),
    /kms:GetPublicKey with alias\/slipway-tracker-3 \(NotFoundException/,
  );
  forget('alias/slipway-tracker-2');
});
