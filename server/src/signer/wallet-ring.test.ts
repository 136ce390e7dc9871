import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  type Address,
  addressFromBytes,
  closeLookupTable,
  compileMessage,
  deactivateLookupTable,
  extendLookupTable,
  generateKeypair,
  type Instruction,
  systemTransfer,
  verify,
} from '@slipway/wire';
import { SignerRefused } from './policies/index.js';
import { rekeySeedFile } from './rekey.js';
import { openSigner } from './signer.js';
import { CHEAP, deriveCheaply, KILLER } from './testing.js';
import { openNoted, WALLET_ROLES } from './wallet-keys.js';

const passphrase = 'the passphrase of the test';
const SIGNER = new URL('./signer.js', import.meta.url).href;

let folder: string;
let files = 0;
before(async () => {
  await deriveCheaply();
  folder = mkdtempSync(join(tmpdir(), 'slipway-ring-'));
});
after(() => rmSync(folder, { recursive: true }));

function newFile(): string {
  files += 1;
  const own = join(folder, `${files}`);
  mkdirSync(own);
  return join(own, 'signer.json');
}
const open = (file: string) => openSigner({ file, passphrase, create: true });

function messageOf(feePayer: Address, ...instructions: Instruction[]): Uint8Array {
  const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
  return compileMessage({ version: 0, feePayer, instructions, blockhash });
}
const payment = (payer: Address, ...others: Address[]) => {
  const user = generateKeypair().address;
  const transfers = [user, ...others].map((from) => systemTransfer({ from, to: user, lamports: 1n }));
  return messageOf(payer, ...transfers);
};
const refusal = (why: RegExp) => (error: Error) => {
  assert.ok(error instanceof SignerRefused, String(error));
  assert.match(error.reason, why);
  return true;
};

describe('the keys of a wallet', () => {
  it('are those of the seed, one after the other, and stay over starts, a new passphrase and a backup', async () => {
    const file = newFile();
    const signer = await open(file);
    const first = signer.address('gas');
    await signer.rotate('gas', 'make');
    const next = signer.wallets().gas.addresses[1]!;
    assert.equal(signer.address('gas'), first);
    await signer.rotate('gas', 'use');
    assert.equal(signer.address('gas'), next);
    assert.deepEqual(signer.wallets().keeper.addresses, [signer.address('keeper')]);
    await rekeySeedFile({ file, passphrase, newPassphrase: `${passphrase} anew` });
    const again = await openSigner({ file, passphrase: `${passphrase} anew`, create: false });
    assert.deepEqual(again.wallets(), signer.wallets());
    assert.ok(verify(next, Buffer.from('x'), await again.sign('gas', Buffer.from('x'))));
    assert.ok(verify(first, Buffer.from('x'), await again.sign(`gas:${first}`, Buffer.from('x'))));
    await assert.rejects(again.sign(`gas:${again.address('keeper')}`, Buffer.from('x')), RangeError);
    // No other key has changed.
    for (const key of ['keeper', 'tracker', 'seal', 'maker', `vault:${first}`] as const) {
      assert.equal(await again.publicKey(key), await signer.publicKey(key));
    }
  });

  it('a step can be asked for again; another exchange waits for the end of the one before', async () => {
    const signer = await open(newFile());
    for (const step of ['make', 'make', 'use', 'use'] as const) await signer.rotate('tracker', step);
    await assert.rejects(signer.rotate('tracker', 'make'), /has not ended/);
    for (const step of ['retire', 'retire', 'make'] as const) await signer.rotate('tracker', step);
    const { oldest, current, newest, addresses } = signer.wallets().tracker;
    assert.deepEqual([oldest, current, newest, new Set(addresses).size], [1, 1, 2, 3]);
  });

  it('attack: another user who can write to the signer file names other keys in it, or brings an old copy: it is not used', async () => {
    const file = newFile();
    const signer = await open(file);
    await signer.rotate('gas', 'make');
    copyFileSync(file, `${file}.old`);
    await signer.rotate('gas', 'use');
    const text = readFileSync(file, 'utf8');
    const changes: ((wallets: Record<string, unknown>) => void)[] = [
      (wallets) => Object.assign(wallets.gas as object, { current: 0 }),
      (wallets) => Object.assign(wallets.keeper as object, { oldest: 1, current: 1, newest: 1 }),
      (wallets) => Object.assign(wallets, { mac: '' }),
      (wallets) => delete wallets.tracker,
      (wallets) =>
        Object.assign(wallets.gas as object, { addresses: [signer.address('gas'), generateKeypair().address] }),
      (wallets) => delete (wallets.gas as { addresses?: unknown }).addresses,
    ];
    for (const change of changes) {
      const value = JSON.parse(text) as { wallets: Record<string, unknown> };
      change(value.wallets);
      writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
      await assert.rejects(open(file), /damaged/);
      await assert.rejects(signer.reload(), /damaged/);
    }
    copyFileSync(`${file}.old`, file);
    await assert.rejects(signer.reload(), /older than what this process has/);
    assert.equal(signer.address('gas'), signer.wallets().gas.addresses[1]);
  });

  it('killed after each of its calls to the file, a step is done or not, and can be taken again', async (t) => {
    const script = join(folder, 'step.mjs');
    writeFileSync(
      script,
      `import { openSigner } from ${JSON.stringify(SIGNER)};
       const [file, step] = process.argv.slice(2);
       const signer = await openSigner({ file, passphrase: ${JSON.stringify(passphrase)}, create: false });
       await signer.rotate('keeper', step);`,
    );
    writeFileSync(join(folder, 'cheap.mjs'), CHEAP);
    writeFileSync(join(folder, 'killer.mjs'), KILLER);
    const whole = newFile();
    const [old, next] = await addressesOf(whole);
    const preload = ['cheap.mjs', 'killer.mjs'].flatMap((name) => ['--import', pathToFileURL(join(folder, name)).href]);
    let deaths = 0;
    for (let fatal = 3; ; fatal += 1) {
      const file = newFile();
      copyFileSync(`${whole}.made`, file);
      const env = { PATH: process.env.PATH, KILL_AT: `${fatal}`, KILL_IN: dirname(file) };
      const child = spawn(process.execPath, [...preload, script, file, 'use'], { env, stdio: 'inherit' });
      const [code] = (await once(child, 'close')) as [number | null];
      const found = (await open(file)).address('keeper');
      assert.ok(found === old || found === next, `killed at call ${fatal}`);
      const after = await open(file);
      await after.rotate('keeper', 'use');
      assert.equal((await open(file)).address('keeper'), next);
      assert.deepEqual(readdirSync(dirname(file)), ['signer.json']);
      if (code === 0) break;
      deaths += 1;
    }
    t.diagnostic(`killed at ${deaths} calls`);
    assert.ok(deaths > 8);
  });
});

/** The first and the next address of a keeper; a file with the next one made is beside. */
async function addressesOf(file: string): Promise<[Address, Address]> {
  const signer = await open(file);
  await signer.rotate('keeper', 'make');
  copyFileSync(file, `${file}.made`);
  const [old, next] = signer.wallets().keeper.addresses;
  return [old!, next!];
}

it('a file from before, which notes no addresses, is taken as it is; what is not as it was written is not', () => {
  const key = Buffer.alloc(32, 7);
  const first = { oldest: 0, current: 0, newest: 0 };
  const noted = { gas: { oldest: 0, current: 1, newest: 1 }, keeper: first, tracker: first };
  const text = 'slipway wallet keys 1\n[["gas",0,1,1],["keeper",0,0,0],["tracker",0,0,0]]';
  const mac = createHmac('sha256', key).update(text).digest('hex');
  assert.deepEqual(openNoted({ ...noted, mac }, key, 'file'), noted);
  const more = { ...noted, gas: { ...noted.gas, addresses: [null, generateKeypair().address] } };
  for (const other of [more, { ...noted, gas: first }, { ...more, gas: { ...more.gas, addresses: [null] } }])
    assert.throws(() => openNoted({ ...other, mac }, key, 'file'), /damaged/);
});

describe('what a key signs that was exchanged', () => {
  it('is what names it, by its role, until it is retired', async () => {
    const signer = await open(newFile());
    for (const role of WALLET_ROLES) for (const step of ['make', 'use'] as const) await signer.rotate(role, step);
    const [old, now] = signer.wallets().gas.addresses as Address[];
    for (const payer of [old!, now!]) {
      const message = payment(payer);
      const signed = await signer.cosign({ keys: ['gas'], message });
      assert.deepEqual(
        signed.map(({ address }) => address),
        [payer],
      );
      assert.ok(verify(payer, message, signed[0]!.signature));
    }
    await signer.rotate('gas', 'retire');
    await assert.rejects(signer.cosign({ keys: ['gas'], message: payment(old!) }), refusal(/exchanged for another/));
    assert.equal((await signer.cosign({ keys: ['gas'], message: payment(now!) })).length, 1);
  });

  it('attack: a copy that was broken into names keys that were exchanged, or two of one wallet: nothing is signed', async () => {
    const signer = await open(newFile());
    for (const role of WALLET_ROLES) for (const step of ['make', 'use'] as const) await signer.rotate(role, step);
    const { gas, keeper } = signer.wallets();
    const [oldGas, newGas] = gas.addresses as [Address, Address];
    const [oldKeeper, newKeeper] = keeper.addresses as [Address, Address];
    const thief = generateKeypair().address;
    const cases: [Parameters<typeof signer.cosign>[0]['keys'], Uint8Array, RegExp][] = [
      // Each would stand for somebody else who signs, so that fees are burned for nobody.
      [['gas'], messageOf(newGas, systemTransfer({ from: oldGas, to: newGas, lamports: 1n })), /party|exchanged/],
      [['gas'], payment(newGas, oldGas), /exchanged for another/],
      [[`gas:${oldGas}`], payment(oldGas), /named without its address/],
      [['keeper'], messageOf(newKeeper, systemTransfer({ from: oldKeeper, to: thief, lamports: 1n })), /lookup tables/],
    ];
    const table = generateKeypair().address;
    const ofTables: Instruction[] = [
      closeLookupTable({ table, authority: oldKeeper, recipient: thief }),
      extendLookupTable({ table, authority: oldKeeper, payer: newKeeper, addresses: [thief] }),
      extendLookupTable({ table, authority: oldKeeper, payer: oldKeeper, addresses: [thief] }),
    ];
    for (const instruction of ofTables) cases.push([['keeper'], messageOf(newKeeper, instruction), /keeper/]);
    for (const [names, message, why] of cases) {
      await assert.rejects(signer.cosign({ keys: names, message }), refusal(why));
    }
    await signer.rotate('keeper', 'retire');
    await assert.rejects(
      signer.cosign({
        keys: ['keeper'],
        message: messageOf(oldKeeper, deactivateLookupTable({ table, authority: oldKeeper })),
      }),
      refusal(/takes part/),
    );
  });

  it('gives up the tables that only the old key of the keeper can, paid by the keeper and for its gain, also when it is retired', async () => {
    const signer = await open(newFile());
    for (const step of ['make', 'use', 'retire'] as const) await signer.rotate('keeper', step);
    const [old, now] = signer.wallets().keeper.addresses as [Address, Address];
    const table = generateKeypair().address;
    const deeds = [
      deactivateLookupTable({ table, authority: old }),
      closeLookupTable({ table, authority: old, recipient: now }),
    ];
    for (const deed of deeds) {
      const message = messageOf(now, deed);
      const signed = await signer.cosign({ keys: ['keeper'], message });
      assert.deepEqual(
        signed.map(({ address }) => address),
        [now, old],
      );
      for (const { address, signature } of signed) assert.ok(verify(address, message, signature));
    }
  });
});
