import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressFromBytes,
  base58Encode,
  compileMessage,
  deactivateLookupTable,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  verify,
} from '@slipway/wire';
import { connectSigner, type RemoteSigner } from '../../server/dist/signer/index.js';
import { run, SLIPWAY } from './command.js';
import { eventually } from './rounds.js';
import { type SignerProcess, startSigner } from './signer-process.js';

const BURNT = 100_000_000n;

describe('what the operator of a signer decides', () => {
  let signer: SignerProcess;
  let copy: RemoteSigner;
  before(async () => {
    const limits = { gas: { solPerHour: 1, solPerDay: 1.5 } };
    signer = await startSigner({ api: ['api'], operator: ['operator'] }, { limits });
    copy = await connectSigner({ endpoint: { path: join(signer.folder, 'api.sock') }, name: 'api', patienceMs: 0 });
  });
  after(async () => {
    copy?.close();
    await signer?.close();
  });

  const slipway = (...args: string[]) => run(SLIPWAY, ['signer', ...args], { cwd: signer.folder });

  /** A valid transaction that burns SOL of the gas wallet as a fee. */
  function burning(lamports = BURNT): Uint8Array {
    const wallet = generateKeypair().address;
    return compileMessage({
      version: 0,
      feePayer: copy.address('gas'),
      instructions: [
        setComputeUnitLimit(1_000),
        setComputeUnitPrice((lamports - 10_000n) * 1_000n),
        systemTransfer({ from: wallet, to: wallet, lamports: 1n }),
      ],
      blockhash: addressFromBytes(new Uint8Array(32).fill(7)),
    });
  }
  const sign = (message: Uint8Array) => copy.cosign({ keys: ['gas'], message, request: 'a request' });
  const said = (asked: Promise<unknown>) =>
    asked.then(
      () => 'signed',
      (error: Error) => error.message,
    );
  const outcome = (message = burning()) => said(sign(message));
  /** Until the signer has heard of what its operator has decided: it looks again and again. */
  const becomes = (asked: () => Promise<string>, expected: RegExp) =>
    eventually(`${expected}`, async () => expected.test(await asked()) || undefined);
  /** What the service does by itself: the end of a lookup table of the keeper. */
  const ownDeed = () => {
    const keeper = copy.address('keeper');
    const table = generateKeypair().address;
    const instructions = [deactivateLookupTable({ table, authority: keeper })];
    const message = compileMessage({ version: 0, feePayer: keeper, instructions, blockhash: table });
    return said(copy.cosign({ keys: ['keeper'], message }));
  };

  /** Asked for by itself, so that the request does not show that the keeper signs, too. */
  const vaultBesideKeeper = async () => {
    const wallet = generateKeypair().address;
    const vault = await copy.publicKey(`vault:${wallet}`);
    const instructions = [systemTransfer({ from: vault, to: wallet, lamports: 1n })];
    const message = compileMessage({ version: 0, feePayer: copy.address('keeper'), instructions, blockhash: wallet });
    return said(copy.cosign({ keys: [`vault:${wallet}`], message }));
  };

  /** Kills it, starts it, and waits until the copy has it again. */
  async function restart(): Promise<void> {
    await signer.kill();
    await signer.start();
    while (
      await copy.probe().then(
        () => false,
        () => true,
      )
    )
      await sleep(20);
  }

  it('attack: a copy that was broken into has its signer burn SOL in fees, and kills it in between: no more than the limit of an hour', async () => {
    let burnt = 0n;
    for (let starts = 0; starts < 3; starts++) {
      for (let n = 0; n < 6; n++) {
        const said = await outcome();
        if (said === 'signed') burnt += BURNT;
        else assert.match(said, /does not sign with gas: it has signed for [\d.]+ SOL within the hour, and may for 1$/);
      }
      await restart();
    }
    assert.ok(burnt > 700_000_000n && burnt <= 1_000_000_000n, `${burnt}`);
    assert.match(signer.log(), /a wallet comes near its limit/);
  });

  it('has every signature and refusal in a record, which says when somebody has changed it', async () => {
    const small = burning(20_000n);
    await restart();
    const before = await slipway('audit', 'verify', '--json');
    const [signed] = await sign(small);
    assert.ok(verify(copy.address('gas'), small, signed!.signature));
    await sign(small);
    await assert.rejects(copy.sign('gas', small), /may not ask for this/);
    const { code, out: stdout } = await slipway('audit', 'export');
    assert.equal(code, 0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; entry: Record<string, unknown> });
    const { end } = JSON.parse(before.out) as { end: string };
    const since = lines.filter(({ seq }) => seq > Number(end.split(':')[0])).map(({ entry }) => entry);
    assert.deepEqual(
      since.map(({ at: _at, digest: _digest, ...entry }) => entry),
      [
        {
          caller: 'api',
          act: 'cosign',
          request: 'a request',
          signatures: { gas: base58Encode(signed!.signature) },
        },
        { caller: 'api', act: 'sign', key: 'sign', refused: 'api may not ask for this' },
      ],
    );
    assert.ok(lines.filter(({ entry }) => 'refused' in entry).length >= 2, 'those of the limit, too');
    assert.doesNotMatch(stdout, /passphrase/);
    const verified = await slipway('audit', 'verify', '--end', end);
    assert.deepEqual(
      [verified.code, /^The record is whole\. It ends with \d+:[0-9a-f]{64}\n$/.test(verified.out)],
      [0, true],
    );

    const state = join(signer.folder, 'signer-state');
    const files = readdirSync(state).filter((name) => name.startsWith('record-'));
    const path = join(state, files.find((name) => readFileSync(join(state, name), 'utf8').includes('"a request"'))!);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.replace('"a request"', '"another"'));
    const broken = await slipway('audit', 'verify');
    assert.equal(broken.code, 1);
    assert.match(broken.out, /^The record is broken: number \d+ was changed\n$/);
    writeFileSync(path, whole);
  });

  it('attack: a copy that was broken into goes on after the operator has stopped the signer, key by key and over starts: nothing is signed until he resumes', async () => {
    const next = () => burning(20_000n);
    assert.equal(await outcome(next()), 'signed');
    const stopped = await slipway('stop', 'all', '--why', 'a copy was broken into');
    assert.deepEqual(
      [stopped.code, stopped.out],
      [0, 'Stopped: all, within a second. "slipway signer resume" goes on.\n'],
    );
    await becomes(() => outcome(next()), /its operator has stopped all: a copy was broken into/);
    await restart();
    assert.match(await outcome(next()), /has stopped all/);
    assert.match(signer.log(), /"what":"all","reason":"a copy was broken into","msg":"it is stopped/);
    assert.match((await slipway('stop', 'fills', '--why', 'prices')).out, /resume fills" goes on/);
    assert.equal((await slipway('resume', 'all')).out, 'Resumed: all.\n');
    await becomes(() => outcome(next()), /^signed$/);
    // The gas wallet pays for somebody else: it is nothing that the service does by itself.
    assert.match(await ownDeed(), /its operator has stopped fills: prices/);
    assert.match(await vaultBesideKeeper(), /its operator has stopped fills: prices/);
    assert.deepEqual(JSON.parse((await slipway('resume', '--json')).out), { resumed: ['fills'], stopped: {} });
    assert.equal((await slipway('resume')).out, 'Nothing of it was stopped.\n');
    await becomes(ownDeed, /^signed$/);
    assert.equal(await vaultBesideKeeper(), 'signed');
  });

  it('a damaged file of stops stops all, and a second signer on the same folder does not start', async () => {
    const path = join(signer.folder, 'signer-state', 'stopped.json');
    writeFileSync(path, '{"stopped":');
    await becomes(() => outcome(burning(20_000n)), /not known what is stopped: .*stopped\.json is damaged/);
    assert.equal((await slipway('resume')).out, 'Resumed: all.\n');
    await becomes(() => outcome(burning(20_000n)), /^signed$/);
    const second = await run(SLIPWAY, ['signer'], {
      cwd: signer.folder,
      env: { SLIPWAY_SIGNER_PASSPHRASE: 'a passphrase of the tests' },
    });
    assert.equal(second.code, 1);
    assert.match(second.error, /another signer \(process \d+\) uses .*signer-state/);
    assert.ok(existsSync(join(signer.folder, 'api.sock')));
  });

  it('says what is wrong with the words of a command', async () => {
    for (const [words, why] of [
      [['stop'], /expected what to stop: fills, or all/],
      [['stop', 'crafts', '--why', 'x'], /expected what to stop: fills, or all/],
      [['stop', 'all'], /--why: expected a text/],
      [['resume', 'everything'], /expected fills, all, or nothing more/],
      [['audit'], /expected verify, or export/],
      [['audit', 'verify', '--end', '7'], /--end must be a number, a colon and a hash/],
      [['audit', 'verify', '--config', 'none.json'], /none\.json: there is no such file/],
    ] as const) {
      const { code, error: stderr } = await slipway(...words);
      assert.equal(code, 2, words.join(' '));
      assert.match(stderr, why);
    }
    assert.equal((await slipway('stop', '--help')).code, 0);
    writeFileSync(
      join(signer.folder, 'other.json'),
      JSON.stringify({ file: 'other/signer.json', callers: { one: { roles: ['keeper'], socket: 'one.sock' } } }),
    );
    for (const words of [['stop', 'all', '--why', 'x'], ['resume'], ['audit', 'verify'], ['audit', 'export']]) {
      const { code, error } = await slipway(...words, '--config', 'other.json');
      assert.equal(code, 1, error);
      assert.match(error, /signer-state\S* does not exist: a start of the signer makes it/);
    }
  });
});
