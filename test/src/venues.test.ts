import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  associatedTokenAddress,
  encodeTokenAccount,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { run, SLIPWAY } from './command.js';
import { Lab, lookupTableData, missingPrograms, PAIR_WRITERS, type PoolRow, ROW_PROGRAMS, writeRow } from './pools.js';
import { type Service, startService } from './service.js';
import { askOrder, executeOrder, order, tokensIn } from './swap.js';
import { rpc } from './wallet.js';

const HAS = 10n ** 12n;
const AMOUNT = 1_234_567_890n;
/** The service looks for pools twice a minute. */
const MOST_TRIES = 180;
const PATIENCE_MS = 1_000;
/** In a token account: where its state stands, and the state that no transfer leaves or reaches. */
const TOKEN_STATE = 108;
const FROZEN = 2;
const NEIGHBORS = [0, 1, 2, 3, 4] as const;
/** Three hops over pools of different venues: the first three of the row, and the last three. */
const LONG = [
  [0, 3],
  [2, 5],
] as const;

type Written = [Address, { lamports: bigint; owner: Address; data: Uint8Array }];

describe('pools of other companies, from outside', { skip: missingPrograms(...ROW_PROGRAMS), timeout: 900_000 }, () => {
  const programsDir = process.env.SLIPWAY_PROGRAMS_DIR!;
  const taker = generateKeypair();
  const table = generateKeypair().address;
  let row: PoolRow;
  let pools: Written[];
  let purses: Written[];
  let other: Localnet;
  before(async () => {
    row = writeRow();
    const tableData = lookupTableData(row.table);
    const tableAccount = { lamports: rentExemptLamports(tableData.length), owner: ADDRESS_LOOKUP_TABLE_PROGRAM };
    pools = [...row.accounts, [table, { ...tableAccount, data: tableData }]];
    purses = pursesOf(row, taker);
    other = await startLocalnet({ rpcPort: 0, programsDir });
    await write(other.rpcUrl, [...pools, ...purses]);
  });
  after(() => other?.close());

  it('are found while the offline sandbox runs, keep what they promise, and are gone when they are closed', async (t) => {
    const service = await startHere(t, { SLIPWAY_PROGRAMS_DIR: programsDir });
    assert.notEqual((await ask(service, 0, 1)).status, 200);
    await write(service.rpcUrl, [...pools, ...purses]);
    await swapEverywhere(service);
    await rpc(service, 'localnet_setAccount', row.pools[0]!.address, null);
    await until(async () => (await ask(service, 0, 1)).status !== 200, 'the pool is still quoted');
  });

  it('keep what they promise in a fork of another chain', async (t) => {
    await swapEverywhere(await startHere(t, { SLIPWAY_FORK_URL: other.rpcUrl }));
  });

  it('keep what they promise offline, when they were pulled from another chain', async (t) => {
    const dir = tempFolder(t);
    const wanted = [...row.pools.map(({ address }) => address), table].flatMap((address) => ['--pool', address]);
    const pulled = await run(SLIPWAY, ['programs', 'pull', '--rpc', other.rpcUrl, '--dir', dir, ...wanted], {
      cwd: dir,
    });
    assert.equal(pulled.code, 0, pulled.error);
    for (const program of ROW_PROGRAMS)
      assert.ok(readFileSync(join(dir, `${program}.so`)).equals(readFileSync(join(programsDir, `${program}.so`))));
    const service = await startHere(t, { SLIPWAY_PROGRAMS_DIR: dir });
    await write(service.rpcUrl, purses);
    await swapEverywhere(service);
  });

  it('are traded with over three hops by lookup tables that the keeper makes', async (t) => {
    const service = await startHere(t, { SLIPWAY_PROGRAMS_DIR: programsDir }, []);
    await write(service.rpcUrl, [...row.accounts, ...purses]);
    for (const [from, to] of LONG) {
      const labels = row.pools.slice(from, to).map(({ label }) => label);
      await until(async () => (await ask(service, from, to)).status === 200, 'no table is made');
      assert.deepEqual(await swap(service, from, to), labels);
      assert.deepEqual(await swap(service, to, from), labels.toReversed());
    }
  });

  it('leave their pair to another where they fail, whatever price they name', async (t) => {
    const lab = new Lab();
    const [writeCpmm, writeDamm] = PAIR_WRITERS;
    const tokens = [0, 1].map(() => ({ mint: lab.vm.mint(), tokenProgram: TOKEN_PROGRAM, decimals: 6 }));
    const pair = {
      mints: [tokens[0]!.mint, tokens[1]!.mint] as [Address, Address],
      tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] as [Address, Address],
    };
    // For the second token one gives a third of the first, one as much, and one three times as much.
    const healthy = writeCpmm!(lab, pair);
    const frozen = writeDamm!(lab, pair);
    const broken = writeCpmm!(lab, { ...pair, mints: [pair.mints[1], pair.mints[0]] });
    const written = [healthy, frozen, broken].flatMap((pool) => pool.written);
    const accounts = new Map(written.map((address) => [address, lab.account(address)!]));
    // A vault that the issuer of the token has frozen, and observations that are gone, on which no quote depends.
    accounts.get(frozen.written[1]!)!.data[TOKEN_STATE] = FROZEN;
    accounts.delete(broken.written[2]!);
    const service = await startHere(t, { SLIPWAY_PROGRAMS_DIR: programsDir });
    await write(service.rpcUrl, [...accounts, ...pursesOf({ tokens }, taker)]);
    const [output, input] = pair.mints;
    const query = { inputMint: input, outputMint: output, amount: AMOUNT };
    await until(async () => (await askOrder(service, query)).status === 200, 'the pools are not found');
    const made = await order(service, { ...query, taker: taker.address, excludeRouters: 'jupiterz' });
    assert.deepEqual(
      made.routePlan.map(({ swapInfo }) => swapInfo.ammKey),
      [healthy.address],
    );
    assert.equal((await executeOrder(service, made, taker)).status, 'Success');
    const purse = associatedTokenAddress(taker.address, output, TOKEN_PROGRAM);
    assert.equal(await tokensIn(service, purse), HAS + BigInt(made.outAmount));
    // Who asks next is not told of the price that nobody gets.
    await until(async () => {
      const { routePlan } = await order(service, query);
      return routePlan.length === 1 && routePlan[0]!.swapInfo.ammKey === healthy.address;
    }, 'the broken pool is still quoted');
  });

  function startHere(t: TestContext, env: Record<string, string>, lookupTables = [table]): Promise<Service> {
    const dataDir = tempFolder(t);
    writeFileSync(join(dataDir, 'slipway.config.json'), JSON.stringify({ swap: { lookupTables } }));
    return startService({ env, dataDir }).then((service) => {
      t.after(() => service.kill());
      return service;
    });
  }

  const ask = (service: Service, from: number, to: number) =>
    askOrder(service, { inputMint: row.tokens[from]!.mint, outputMint: row.tokens[to]!.mint, amount: AMOUNT });

  /** Through each pool there and back, and through three pools in one transaction. */
  async function swapEverywhere(service: Service): Promise<void> {
    const ways = [...NEIGHBORS.map((from) => [from, from + 1] as const), ...LONG];
    await until(async () => {
      const answers = await Promise.all(ways.map(([from, to]) => ask(service, from, to)));
      return answers.every(({ status }) => status === 200);
    }, 'some pools are not found');
    for (const [from, to] of ways) {
      const labels = row.pools.slice(from, to).map(({ label }) => label);
      assert.deepEqual(await swap(service, from, to), labels);
      assert.deepEqual(await swap(service, to, from), labels.toReversed());
    }
  }

  /** Executes an order, whose promise must be what happens, to the unit; answers over which venues it went. */
  async function swap(service: Service, from: number, to: number): Promise<string[]> {
    const [input, output] = [row.tokens[from]!, row.tokens[to]!];
    const made = await order(service, {
      inputMint: input.mint,
      outputMint: output.mint,
      amount: AMOUNT,
      taker: taker.address,
      excludeRouters: 'jupiterz',
    });
    const accounts = [input, output].map((token) =>
      associatedTokenAddress(taker.address, token.mint, token.tokenProgram),
    );
    const amounts = () => Promise.all(accounts.map((account) => tokensIn(service, account)));
    const [hadIn, hadOut] = (await amounts()) as [bigint, bigint];
    const done = await executeOrder(service, made, taker);
    assert.equal(done.status, 'Success', `${from} to ${to}: ${JSON.stringify(done)}`);
    const [hasIn, hasOut] = (await amounts()) as [bigint, bigint];
    assert.equal(hadIn - hasIn, BigInt(made.inAmount));
    assert.equal(hasOut - hadOut, BigInt(made.outAmount));
    assert.equal(done.totalOutputAmount, made.outAmount);
    return made.routePlan.map(({ swapInfo }) => swapInfo.label);
  }
});

function tempFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-venues-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The taker's SOL and tokens. */
function pursesOf({ tokens }: Pick<PoolRow, 'tokens'>, { address: owner }: Keypair): Written[] {
  return [
    [owner, { lamports: 10n ** 10n, owner: SYSTEM_PROGRAM, data: new Uint8Array(0) }],
    ...tokens.map(({ mint, tokenProgram }): Written => {
      const account = { mint, owner, amount: HAS, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
      const data = encodeTokenAccount(account);
      const purse = associatedTokenAddress(owner, mint, tokenProgram);
      return [purse, { lamports: rentExemptLamports(data.length), owner: tokenProgram, data }];
    }),
  ];
}

async function write(rpcUrl: string, accounts: readonly Written[]): Promise<void> {
  for (const [address, { lamports, owner, data }] of accounts) {
    const account = {
      lamports: Number(lamports),
      owner,
      executable: false,
      data: Buffer.from(data).toString('base64'),
    };
    await rpc({ rpcUrl }, 'localnet_setAccount', address, account);
  }
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (await isSo()) return;
    await sleep(PATIENCE_MS);
  }
  assert.fail(otherwise);
}
