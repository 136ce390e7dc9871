import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type Address, generateKeypair, SYSTEM_PROGRAM, systemTransfer, TOKEN_PROGRAM } from '@slipway/wire';
import { Chain, ChainError } from './chain.js';
import { execute, lamportsOf, openTestChain, programCode, SOL, tempFolder } from './chain-testing.js';
import { createUpstream } from './fork.js';
import { accountOf, mintOf, startUpstream, USDC } from './fork-testing.js';
import { type PulledAccount, writePulled } from './pulled.js';

const SLOT = 9_000_000_000n;

const wallet = (address: Address, lamports: bigint): PulledAccount => ({
  address,
  slot: SLOT,
  account: accountOf(SYSTEM_PROGRAM, new Uint8Array(), lamports),
});

test('accounts of the folder are there from its slot on, change like others, and come anew when they were pulled anew', async (t) => {
  const [programsDir, dataDir] = [tempFolder(t), tempFolder(t)];
  const [one, other, later] = [generateKeypair(), generateKeypair(), generateKeypair()];
  writePulled(programsDir, 'example.com', [wallet(one.address, 3n * SOL), wallet(other.address, 2n * SOL)]);
  const { chain, time } = await openTestChain(t, { programsDir, dataDir });
  assert.ok(chain.slot >= SLOT);
  await execute(chain, [one], systemTransfer({ from: one.address, to: other.address, lamports: SOL }));
  assert.equal(await lamportsOf(chain, other.address), 3n * SOL);
  await chain.close();

  const reopen = async () => (await openTestChain(t, { programsDir, dataDir, now: () => time.now })).chain;
  const again = await reopen();
  assert.equal(await lamportsOf(again, other.address), 3n * SOL);
  await again.close();

  writePulled(programsDir, 'example.com', [wallet(later.address, SOL)]);
  const anew = await reopen();
  assert.equal(await lamportsOf(anew, later.address), SOL);
  assert.equal(await lamportsOf(anew, one.address), 3n * SOL);
  assert.equal(await lamportsOf(anew, other.address), 2n * SOL);
});

test('a mint that the chain has stays, for its tokens are held there', async (t) => {
  const programsDir = tempFolder(t);
  const stranger = generateKeypair().address;
  const [foreign, known] = [generateKeypair().address, USDC];
  const mint = (address: Address) => ({
    address,
    slot: 1n,
    account: accountOf(TOKEN_PROGRAM, mintOf(stranger, 7n)),
  });
  const plain = await openTestChain(t);
  writePulled(programsDir, 'example.com', [mint(known), mint(foreign)]);
  const { chain } = await openTestChain(t, { programsDir });
  assert.deepEqual(await chain.account(known), await plain.chain.account(known));
  assert.deepEqual(Buffer.from((await chain.account(foreign))!.data), Buffer.from(mintOf(stranger, 7n)));
});

test('a fork leaves the accounts of the folder out, and says so', async (t) => {
  const { server, time } = await startUpstream(t);
  const programsDir = tempFolder(t);
  const { address } = generateKeypair();
  writePulled(programsDir, 'example.com', [wallet(address, SOL)]);
  const lines: string[] = [];
  const fork = await Chain.open({
    upstream: createUpstream({ url: server.rpcUrl }),
    programsDir,
    tickMs: 0,
    now: () => time.now,
    log: (line) => lines.push(line),
  });
  t.after(() => fork.close());
  assert.equal(await fork.account(address), undefined);
  assert.ok(lines.some((line) => /accounts of the programs folder are left out/.test(line)));
});

test('a folder that is not as it was pulled stops the start with the name of the file', async (t) => {
  const { address } = generateKeypair();
  const program = generateKeypair().address;
  const account = join('accounts', `${address}.json`);
  const tamper = (file: string, from: string | RegExp, to: string) => (folder: string) => {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'latin1').replace(from, to), 'latin1');
  };
  const cases: [(folder: string) => void, string][] = [
    [tamper(account, `${SOL}`, `${2n * SOL}`), account],
    [tamper(`${program}.so`, /.$/s, 'x'), `${program}.so`],
    [tamper('manifest.json', '"version": 1', '"version": 2'), 'manifest.json'],
    [tamper('manifest.json', '{', ''), 'manifest.json'],
    [tamper('manifest.json', '"kind": "account"', '"kind": "other"'), 'manifest.json'],
    [tamper('manifest.json', address, '../../elsewhere'), 'manifest.json'],
    [tamper('manifest.json', program, generateKeypair().address), '.so'],
  ];
  for (const [change, file] of cases) {
    const folder = tempFolder(t);
    writePulled(folder, 'example.com', [wallet(address, SOL), { address: program, slot: SLOT, code: programCode() }]);
    change(folder);
    await assert.rejects(openTestChain(t, { programsDir: folder }), (error) => {
      assert.ok(error instanceof ChainError && error.kind === 'data', String(error));
      assert.ok(error.message.includes(join(folder, file)) || file === '.so', error.message);
      assert.ok(error.message.includes(file), error.message);
      return true;
    });
  }
});
