import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  decodeBondingCurvePool,
  decodeLock,
  lockerAccount,
  MIGRATED_POOL_CONFIGS,
  migrateToDammV2,
} from '@slipway/programs';
import { generateKeypair } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { createMortal, until } from '../testing.js';
import { openMigrationWorld, type TestLaunch } from './testing.js';

const { SLIPWAY_PROGRAMS_DIR: programsDir } = process.env;
const skip = programsDir
  ? false
  : 'set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex to run this';
/** Rent and fee of one migration, with some room. */
const ONE = 23_000_000n;
const MOST_CALLS = 60;

describe('the keeper of launches on our stand-ins', () => migrates({}));
describe('the keeper of launches on the real programs', { skip }, () => migrates({ programsDir: programsDir! }));

function migrates(options: { programsDir?: string }): void {
  let w: Awaited<ReturnType<typeof openMigrationWorld>>;
  before(async () => {
    w = await openMigrationWorld(options);
  });
  after(() => w?.close());

  const lamports = () => w.world.lamports(w.wallet);

  it('moves what is sold out, once, however many instances there are, and tells of it', async () => {
    const launches = [await w.launch(), await w.launch(0.5), await w.launch()] as [TestLaunch, TestLaunch, TestLaunch];
    const before = await lamports();
    const keepers = Array.from({ length: 3 }, () => w.newKeeper().keeper);
    await Promise.all(keepers.map((keeper) => keeper.runDue()));
    for (const keeper of keepers) await keeper.runDue();
    assert.deepEqual(await Promise.all(launches.map(w.isMigrated)), [true, false, true]);
    assert.deepEqual(await Promise.all(launches.map(w.inPool)), [1_112, 0, 1_112]);
    const spent = before - (await lamports());
    assert.ok(spent > 2n * 22_000_000n && spent < 2n * ONE, String(spent));
    const told = await w.told();
    assert.deepEqual(
      new Map(told.map(({ mint, migratedPool }) => [mint, migratedPool])),
      new Map([launches[0], launches[2]].map(({ pool, moved }) => [pool.baseMint, moved])),
    );
    assert.ok(told.length === 2 && told.every(({ signature }) => signature));
  });

  it('learns of what somebody else has moved', async () => {
    const launch = await w.launch();
    const stranger = await w.world.wallet();
    const position = generateKeypair();
    const moved = { dammConfig: MIGRATED_POOL_CONFIGS[2]!, positions: [position.address] as const };
    await w.ran([stranger, position], [migrateToDammV2({ pool: launch.pool, ...moved, payer: stranger.address })]);
    const before = await lamports();
    const { keeper } = w.newKeeper();
    const toldOf = async () => (await w.told()).filter(({ mint }) => mint === launch.pool.baseMint);
    for (let turn = 0; turn < 9; turn++) await keeper.runDue();
    assert.deepEqual(await toldOf(), []);
    await keeper.runDue();
    assert.equal(await lamports(), before);
    const told = await toldOf();
    assert.equal(told.length, 1);
    assert.equal(told[0]!.signature, undefined);
  });

  it('attack: a node says nine times in a row that a launch of which all is sold has moved: nobody is told so, and it is moved', async () => {
    const launch = await w.launch();
    const mortal = createMortal();
    let looks = 0;
    const rpc = (own: Rpc): Rpc => ({
      ...mortal.rpc(own),
      async call<T>(method: string, params: unknown[]): Promise<T> {
        const answer = await own.call<T>(method, params);
        const at = method === 'getMultipleAccounts' ? (params[0] as string[]).indexOf(launch.pool.pool) : -1;
        if (at < 0 || ++looks > 9) return answer;
        const { value } = answer as { value: { data: [string, string] }[] };
        value[at]!.data[0] = asMigrated(value[at]!.data[0]);
        return answer;
      },
    });
    const { keeper } = w.newKeeper({ mortal: { ...mortal, rpc } });
    for (let turn = 0; turn < 12; turn++) await keeper.runDue();
    assert.ok(looks > 9);
    assert.ok(await w.isMigrated(launch));
    const told = (await w.told()).filter(({ mint }) => mint === launch.pool.baseMint);
    assert.deepEqual([told.length, told[0]?.signature !== undefined], [1, true]);
  });

  it('spends no more in a day than it may', async () => {
    await w.store.query(`delete from ledger where area = 'launch-migrations'`);
    const launches = [await w.launch(), await w.launch()];
    const before = await lamports();
    const poor = w.newKeeper({ budget: 2n * ONE - 2_000_000n });
    for (let turn = 0; turn < 3; turn++) await poor.keeper.runDue();
    const moved = await Promise.all(launches.map(w.isMigrated));
    assert.equal(moved.filter(Boolean).length, 1);
    assert.ok(before - (await lamports()) < ONE);
    assert.match(await poor.registry.metrics(), /slipway_launch_migrations_total\{step="migrate",outcome="done"\} 1/);
    await w.newKeeper({ budget: 10n * ONE }).keeper.runDue();
    assert.deepEqual(await Promise.all(launches.map(w.isMigrated)), [true, true]);
  });

  it('is killed at any call, and another instance goes on, at the price of one migration', async () => {
    for (let call = 1; call <= MOST_CALLS; call += 4) {
      const launch = await w.launch();
      const before = await lamports();
      const mortal = createMortal();
      const doomed = w.newKeeper({ budget: 100n * ONE, mortal });
      mortal.killAfter(call);
      await Promise.race([doomed.keeper.runDue().catch(() => {}), mortal.died]);
      mortal.kill();
      // What the dead instance holds: leases that end by themselves.
      await w.store.query(`delete from settings where key like 'lease.%'`);
      const heir = w.newKeeper({ budget: 100n * ONE });
      const told = async () => (await w.told()).filter(({ mint }) => mint === launch.pool.baseMint);
      await heir.keeper.runDue();
      await until(async () => {
        await heir.landing.resume({ all: true });
        await heir.keeper.runDue();
        return (await told()).length > 0;
      });
      assert.equal(await w.isMigrated(launch), true, `call ${call}`);
      assert.ok(before - (await lamports()) < ONE + 100_000n, `call ${call}`);
      assert.deepEqual(
        (await told()).map(({ signature }) => signature !== undefined),
        [true],
        `call ${call}`,
      );
      await heir.keeper.close();
    }
  });

  it('hands what the creator gets later to the lock program first', async () => {
    const launch = await w.launch(1, { vested: true });
    const { keeper } = w.newKeeper({ budget: 100n * ONE });
    await keeper.runDue();
    await keeper.runDue();
    assert.equal(await w.isMigrated(launch), true);
    const lock = decodeLock((await w.account(lockerAccount(launch.pool).owner))!)!;
    assert.deepEqual([lock.mint, lock.atCliff + lock.perPeriod], [launch.pool.baseMint, 1_000_000_000n]);
  });
}

/** The account of a pool as it would be had it moved. */
function asMigrated(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  for (let at = bytes.length - 1; at >= 0; at--) {
    const before = bytes[at]!;
    bytes[at] = 1;
    if (decodeBondingCurvePool(bytes)?.isMigrated) return bytes.toString('base64');
    bytes[at] = before;
  }
  throw new Error('no byte says so');
}
