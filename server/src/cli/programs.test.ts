import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DAMM_V2_PROGRAM } from '@slipway/checks';
import { BONDING_CURVE_PROGRAM, LOCKER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { PATIENCE_MS } from '../lib/testing.js';
import { openAggregator, openWorld, type TestPool, type World } from '../routing/aggregator/testing.js';
import { isRefused, type Token } from '../routing/router.js';
import { runCli } from './main.js';

const SECRET = 'a-key-of-the-operator';
const RESERVES: [bigint, bigint] = [10n ** 12n, 3n * 10n ** 12n];

describe('programs pull', () => {
  let source: World;
  let tokens: [Token, Token];
  let pool: TestPool;
  let table: Address;
  let parent: string;
  let url: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'slipway-pull-'));
    source = await openWorld();
    url = `${source.rpcUrl}/?api-key=${SECRET}`;
    tokens = [await source.token(), await source.token({ decimals: 9 })];
    pool = await source.pool(...tokens, RESERVES);
    table = await source.lookupTable([pool.address, ...pool.vaults]);
  });
  after(async () => {
    await source?.close();
    await rm(parent, { recursive: true, force: true });
  });

  async function run(argv: string[], env: Record<string, string> = {}) {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCli(['programs', 'pull', ...argv], {
      env,
      cwd: parent,
      colors: false,
      stdout: (text) => out.push(text),
      stderr: (text) => err.push(text),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  const folder = () => mkdtemp(join(parent, 'programs-'));
  const pullInto = async (dir: string, ...more: string[]) => {
    const done = await run(['--rpc', url, '--pool', pool.address, `--pool=${table}`, '--dir', dir, ...more]);
    assert.equal(done.code, 0, done.err);
    return done;
  };

  it('brings a pool with its program to another chain, where the same swap gives the same', async (t) => {
    const dir = await folder();
    await pullInto(dir);
    const target = await openWorld({ programsDir: dir });
    t.after(() => target.close());
    const given = await Promise.all(
      [source, target].map(async (world) => {
        const owner = await world.wallet();
        const [from, to] = await Promise.all(
          tokens.map((token, i) => world.holding(token, owner.address, i === 0 ? 10n ** 9n : 0n)),
        );
        const routing = await openAggregator(world, { lookupTables: [table] });
        t.after(() => routing.close());
        const [input, output] = tokens;
        const request = { mode: 'exact-in' as const, input, output, amount: 10n ** 9n, owner: owner.address };
        const quote = await routing.aggregator.quote(
          { ...request, excludeVenues: new Set() },
          AbortSignal.timeout(PATIENCE_MS),
        );
        if (isRefused(quote)) assert.fail(quote.reason);
        const built = await quote.build({
          owner: owner.address,
          source: from!,
          destination: to!,
          receiver: owner.address,
          minOut: quote.outAmount,
          feePayer: owner.address,
          rentPayer: owner.address,
          absentSigners: new Set<Address>(),
        });
        if (isRefused(built)) assert.fail(built.reason);
        assert.equal(await world.run([owner], built.instructions, built.lookupTables), null);
        assert.equal(await world.amount(to!), quote.outAmount);
        return quote.outAmount;
      }),
    );
    assert.ok(given[0]! > 0n);
    assert.equal(given[0], given[1]);
  });

  it('lists every file with its slot and hash, and tells its progress in JSON, without the key', async () => {
    const dir = await folder();
    const { out, err } = await pullInto(dir, '--json');
    const { files, source: host } = JSON.parse(out) as { files: Record<string, string>[]; source: string };
    assert.equal(host, new URL(url).host);
    assert.ok(files.some(({ kind, address }) => kind === 'program' && address === TOKEN_SWAP_PROGRAM));
    for (const address of [pool.address, table, ...pool.vaults, ...tokens.map(({ mint }) => mint)]) {
      const entry = files.find((file) => file.address === address);
      assert.match(entry?.slot ?? '', /^[1-9]\d*$/);
      assert.match(entry?.sha256 ?? '', /^[0-9a-f]{64}$/);
      assert.equal(entry?.kind, 'account');
    }
    for (const line of err.split('\n')) assert.equal(typeof JSON.parse(line).progress, 'string');
    const written = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    assert.equal(written.length, files.length + 1);
    for (const entry of written)
      assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes(SECRET), entry.name);
    assert.ok(!out.includes(SECRET) && !err.includes(SECRET));
  });

  it('makes files whose chain does not start when one was changed, or is gone, and says which', async () => {
    const dir = await folder();
    await pullInto(dir);
    const account = join(dir, 'accounts', `${pool.vaults[0]}.json`);
    const before = await readFile(account, 'utf8');
    await writeFile(account, before.replace('"executable": false', '"executable":  false'));
    await assert.rejects(openWorld({ programsDir: dir }), new RegExp(`${pool.vaults[0]}\\.json.*SHA-256`));
    await rm(account);
    await assert.rejects(openWorld({ programsDir: dir }), new RegExp(`${pool.vaults[0]}\\.json: missing`));
    await writeFile(account, before);
    await appendFile(join(dir, `${TOKEN_SWAP_PROGRAM}.so`), '\0');
    await assert.rejects(openWorld({ programsDir: dir }), new RegExp(`${TOKEN_SWAP_PROGRAM}\\.so.*SHA-256`));
  });

  it('copies what launches need, too, where no pools are named', async () => {
    const { err } = await run(['--rpc', url, '--dir', await folder()]);
    for (const program of [...[BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM], ...[METADATA_PROGRAM, LOCKER_PROGRAM]])
      assert.match(err, new RegExp(`left out: ${program}`));
  });

  it('adds to what was pulled before, and never replaces a program of the operator', async () => {
    const dir = await folder();
    await pullInto(dir);
    const other = await source.pool(...tokens, [10n ** 9n, 10n ** 9n]);
    const more = await run(['--rpc', url, '--pool', other.address], { SLIPWAY_PROGRAMS_DIR: dir });
    assert.equal(more.code, 0, more.err);
    const names = await readdir(join(dir, 'accounts'));
    for (const address of [pool.address, other.address, table]) assert.ok(names.includes(`${address}.json`));
    const own = await folder();
    await writeFile(join(own, `${TOKEN_SWAP_PROGRAM}.so`), 'the operator has built this');
    const refused = await run(['--rpc', url, '--pool', pool.address, '--dir', own]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, new RegExp(`${TOKEN_SWAP_PROGRAM}\\.so: another version of your own`));
    assert.deepEqual(await readdir(own), [`${TOKEN_SWAP_PROGRAM}.so`]);
  });

  it('says what is wrong, writes nothing then, and never shows the key', async () => {
    const dir = await folder();
    const wrong: [string[], number, RegExp][] = [
      [['--rpc', url, '--pool', pool.address], 2, /SLIPWAY_PROGRAMS_DIR/],
      [['--rpc', url, '--pool', 'nonsense', '--dir', dir], 2, /--pool must be/],
      [['--rpc', `wss://${SECRET}@example.com`, '--dir', dir], 2, /--rpc must be an http/],
      [['--rpc', `http://user:${SECRET}@127.0.0.1:1/`, '--dir', dir], 1, /user name or password/],
      [['--rpc', url, '--pool', pool.vaults[0], '--dir', dir], 1, /expected a lookup table, or a pool of: .*Whirlpool/],
      [['--rpc', url, '--dir', dir], 1, /none of the programs/],
    ];
    for (const [argv, code, message] of wrong) {
      const { err, ...done } = await run(argv);
      assert.equal(done.code, code, err);
      assert.match(err, message);
      assert.ok(!err.includes(SECRET) && !done.out.includes(SECRET));
    }
    assert.deepEqual(await readdir(dir), []);
  });
});
