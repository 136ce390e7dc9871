import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { PATIENT } from '../testing.js';
import { INIT, useProcessPlace } from './process-testing.js';

const place = useProcessPlace();
const { kms } = place;
// Nothing here is about what AWS KMS may take.
place.preload.push(PATIENT);

/** Kills what runs when it asks AWS KMS for the n-th time, before the answer or just after it. */
async function killedAt(words: readonly string[], request: number, isAnswered: boolean): Promise<boolean> {
  const before = kms.asked.length;
  const running = place.start(words);
  kms.fault = () => {
    if (kms.asked.length - before !== request) return undefined;
    if (isAnswered) setImmediate(() => running.child.kill('SIGKILL'));
    else running.child.kill('SIGKILL');
    return isAnswered ? undefined : 'hang';
  };
  const code = await running.ended;
  kms.fault = () => undefined;
  if (code !== null) assert.equal(code, 0, running.error());
  return code === null;
}

test('init killed at each of its requests and after each of its files: it is run again, and there is one seed', async () => {
  const check = async (when: string) => {
    const again = await place.init();
    assert.ok(again.code === 0 || /exists already/.test(again.error), `${when}: ${again.error}`);
    const { context } = JSON.parse(place.signerFile()) as { context: { seal: string } };
    assert.equal(context.seal, (await place.openBackup()).address('seal'), when);
    for (const name of ['keys', 'backup']) assert.deepEqual(readdirSync(place.at(name)).filter(isOdd), [], when);
    for (const name of ['keys', 'backup']) for (const file of readdirSync(place.at(name))) rmSync(place.at(name, file));
  };
  let requests = 0;
  for (const isAnswered of [false, true]) {
    for (let request = 1; await killedAt(INIT, request, isAnswered); request++) {
      requests += 1;
      await check(`request ${request}`);
    }
    for (const name of ['keys', 'backup']) for (const file of readdirSync(place.at(name))) rmSync(place.at(name, file));
  }
  // GetPublicKey of three keys, DescribeKey, Encrypt, Decrypt, and those with which it is opened once more.
  assert.ok(requests >= 12, `${requests}`);
  const steps = { keys: 0, backup: 0 };
  for (const name of ['keys', 'backup'] as const) {
    for (let step = 1; ; step++) {
      const { code, error } = await place.init({ KILL_AT: `${step}`, KILL_IN: place.at(name) });
      if (code !== null) {
        assert.equal(code, 0, error);
        break;
      }
      steps[name] += 1;
      await check(`step ${step} in ${name}`);
    }
    for (const each of ['keys', 'backup']) for (const file of readdirSync(place.at(each))) rmSync(place.at(each, file));
  }
  assert.ok(steps.keys >= 5 && steps.backup >= 5, JSON.stringify(steps));
});

/** Left by what was killed while it wrote a file that did not exist yet: harmless, and named like nothing else. */
const isOdd = (name: string) => name !== 'signer.json' && !/^signer\.json\.[0-9a-f]{12}\.tmp$/.test(name);

test('rekey killed at each of its requests and after each of its steps: one of the two keys opens the file, and it is run again', async () => {
  assert.equal((await place.init()).code, 0);
  const sealed = place.signerFile();
  const backup = await place.openBackup();
  const old = kms.aliases.get('alias/slipway-seed')!;
  const arn = kms.make('other', 'SYMMETRIC_DEFAULT');
  const words = ['rekey', '--new-key', arn, '--json'];
  const opened = { old: 0, new: 0 };
  const check = async (when: string) => {
    const isOld = place.signerFile() === sealed;
    opened[isOld ? 'old' : 'new'] += 1;
    const again = await place.run(words);
    const expected = { file: place.at('keys', 'signer.json'), changed: isOld, old: isOld ? old : arn, key: arn };
    assert.deepEqual(JSON.parse(again.out), expected, `${when}: ${again.error}`);
    assert.deepEqual(readdirSync(place.at('keys')), ['signer.json'], when);
    const { context, key } = JSON.parse(place.signerFile()) as { context: { seal: string }; key: string };
    assert.deepEqual([context.seal, key], [backup.address('seal'), arn], when);
    reset();
  };
  const reset = () => writeFileSync(place.at('keys', 'signer.json'), sealed, { mode: 0o600 });
  for (const isAnswered of [false, true]) {
    for (let request = 1; await killedAt(words, request, isAnswered); request++) await check(`request ${request}`);
    reset();
  }
  for (let step = 1; ; step++) {
    const { code, error } = await place.run(words, { KILL_AT: `${step}`, KILL_IN: place.at('keys') });
    if (code !== null) {
      assert.equal(code, 0, error);
      break;
    }
    await check(`step ${step}`);
  }
  assert.ok(opened.old >= 20 && opened.new >= 2, JSON.stringify(opened));
});
