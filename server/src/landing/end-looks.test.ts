import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { ChainUnavailable, createChain, type Rpc, RpcError, Unanswered } from '../chain/index.js';
import { CLOSE, leisurely } from './pace.js';
import { emptyWire, FEES, log } from './testing.js';
import { createTracker } from './tracker.js';

const SLOT_MS = 400;
const STEP_MS = 100;
const NOW_SLOT = 1_000;

const lifetime = { kind: 'blockhash', blockhash: generateKeypair().address, aliveAt: 1n } as const;
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
const newPayer = () => generateKeypair().address;

/** How long a node needs for what it cannot give in time. */
const HEAVY_MS = 10_000;
const LONG = 100;
const ARCHIVE_AWAY = new RpcError(-32019, 'Failed to query long-term storage; please try again');
const FORBIDDEN = new RpcError(403, 'This method is not part of your plan');

/** A node that tells of each transaction that it has landed, and lists what has; a time of its own. */
function openWorld({ isClose = false } = {}) {
  const begun = 1_000_000;
  let now = begun;
  /** By payer, the newest first. */
  const listed = new Map<string, string[]>();
  const counts = { lists: 0, long: 0, rows: 0, read: 0, reading: 0, mostReading: 0 };
  const node = {
    takesMs: 0,
    /** What it answers in place of a list, if anything: `isFull` says whether that has as many as it was asked for. */
    inPlace: (_isFull: boolean): unknown => undefined,
  };
  const ended = new Map<string, { event: string; afterMs: number }>();
  const slot = () => NOW_SLOT + Math.floor((now - begun) / SLOT_MS);
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [asked, options]: unknown[]): Promise<T> {
      const context = { slot: slot() };
      if (method === 'isBlockhashValid') return { context, value: true } as T;
      if (method === 'getSignatureStatuses') {
        const value = (asked as string[]).map(() => ({ slot: NOW_SLOT, err: null, confirmationStatus: 'confirmed' }));
        return { context, value } as T;
      }
      if (method === 'getTransaction') return read(asked as string) as T;
      assert.equal(method, 'getSignaturesForAddress');
      counts.lists += 1;
      if (node.takesMs > 0) await passed(node.takesMs);
      const { limit, before } = options as { limit: number; before?: string };
      const all = listed.get(asked as string) ?? [];
      const rows = all.slice(before === undefined ? 0 : all.indexOf(before) + 1).slice(0, limit);
      counts.rows += rows.length;
      if (limit === LONG) counts.long += 1;
      const instead = await node.inPlace(rows.length === limit);
      if (instead instanceof Error) throw instead;
      if (instead !== undefined) return instead as T;
      return rows.map((signature) => ({ signature, slot: slotOf(signature), err: null })) as T;
    },
  };
  const passed = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  /** What begins with `heavy` it does not give in time. */
  async function read(signature: string) {
    counts.read += 1;
    counts.mostReading = Math.max(counts.mostReading, ++counts.reading);
    if (signature.startsWith('heavy')) await passed(HEAVY_MS);
    counts.reading -= 1;
    if (signature.startsWith('heavy')) throw new Unanswered('no answer in 10000 ms');
    const isThere = [...listed.values()].some((signatures) => signatures.includes(signature));
    return isThere ? { slot: slotOf(signature), meta: { err: null } } : null;
  }
  /** What begins with `old` has landed long ago. */
  const slotOf = (signature: string) => (signature.startsWith('old') ? 1 : NOW_SLOT);
  const chain = createChain({ rpc, steadyNow: () => now, fees: FEES });
  const pace = isClose ? CLOSE : leisurely(chain);
  const tracker = createTracker({ chain, sendRpcs: [], log, steadyNow: () => now, pace });
  return {
    counts,
    node,
    ended,
    listed,
    /** Follows one that is listed, unless it is one of two with one nonce, and the other has landed. */
    follow(signature: string, caller: string, { payer = newPayer(), isTwin = false } = {}) {
      const at = now;
      if (!isTwin) listed.set(payer, [signature, ...(listed.get(payer) ?? [])]);
      tracker.track({ signature, wire: emptyWire(lifetime.blockhash, payer), lifetime, caller: { id: caller } }).then(
        ({ event }) => ended.set(signature, { event, afterMs: now - at }),
        () => {},
      );
      tracker.pollNow();
    },
    async pass(seconds: number, each: (second: number) => void = () => {}) {
      for (let passed = 0; passed < seconds * 1_000; passed += STEP_MS) {
        if (passed % 1_000 === 0) each(passed / 1_000);
        now += STEP_MS;
        mock.timers.tick(STEP_MS);
        for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    told: (beginning: string) => [...ended].filter(([signature]) => signature.startsWith(beginning)),
    close: () => tracker.close(),
  };
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

describe('attack: a free key submits what a node needs ten seconds to give, and what it never has', () => {
  it('no transaction is read to know how it has ended: 100 of them, by one payer or by as many, end within a second', async () => {
    for (const payer of [newPayer(), undefined]) {
      const world = openWorld();
      for (let index = 0; index < 100; index++)
        world.follow(`heavy ${index}`, 'attacker', payer === undefined ? {} : { payer });
      await world.pass(15, (second) => world.follow(`honest ${second}`, 'honest'));
      assert.equal(world.counts.read, 0);
      assert.equal(world.told('honest').length, 15);
      assert.ok(world.told('honest').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= 1_000));
      assert.equal(world.told('heavy').length, 100);
      assert.ok(world.told('heavy').every(([, { afterMs }]) => afterMs <= (payer === undefined ? 10_000 : 1_000)));
      world.close();
    }
  });

  it('200 of 200 payers, with the nonce of what has landed: 50 lists in a second, and those of another key end as fast as alone', async () => {
    const world = openWorld();
    for (let index = 0; index < 200; index++) world.follow(`twin ${index}`, `attacker ${index % 20}`, { isTwin: true });
    await world.pass(60, (second) => world.follow(`honest ${second}`, 'honest'));
    assert.ok(world.counts.lists <= 61 * 50, `${world.counts.lists} lists in a minute`);
    assert.equal(world.told('twin').length, 0);
    assert.ok(world.told('honest').length >= 59);
    assert.ok(world.told('honest').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= 1_000));
    // By then, nodes know it by all of its signature.
    await world.pass(150);
    assert.equal(world.told('twin').length, 200);
    world.close();
  });

  it('one that the node does not have is asked for less and less often', async () => {
    const world = openWorld();
    world.follow('twin', 'attacker', { isTwin: true });
    await world.pass(190);
    assert.ok(world.counts.lists <= 13, `${world.counts.lists} lists`);
    world.close();
  });

  it('strangers land 100 that name its payer: it is found behind them, and nothing that is older is read', async () => {
    const world = openWorld();
    const payer = newPayer();
    world.listed.set(payer, numbered('old', 5_000));
    world.follow('honest', 'honest', { payer });
    world.listed.get(payer)!.unshift(...numbered('naming', 100));
    await world.pass(4);
    assert.equal(world.ended.get('honest')?.event, 'landed');
    assert.equal(world.counts.rows, 3 * 26 + 100);
    const twin = newPayer();
    world.listed.set(twin, numbered('old', 5_000));
    world.follow('twin', 'attacker', { payer: twin, isTwin: true });
    await world.pass(2);
    assert.equal(world.told('twin').length, 0);
    assert.ok(world.counts.rows <= 178 + 3 * 26, `${world.counts.rows} rows`);
    world.close();
  });

  it('of 100 payers, each behind a thousand that name it, whose lines may be long: eight of the longer lists in a second, and others end as fast as alone', async () => {
    const world = openWorld();
    for (let index = 0; index < 100; index++) {
      const payer = newPayer();
      world.follow(`buried ${index}`, `attacker ${index % 5}`, { payer });
      world.listed.get(payer)!.unshift(...numbered('naming', 1_000));
    }
    await world.pass(60, (second) => world.follow(`honest ${second}`, 'honest'));
    assert.ok(world.counts.long <= 61 * 8, `${world.counts.long} of them`);
    assert.ok(world.told('honest').length >= 59);
    assert.ok(world.told('honest').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= 1_000));
    world.close();
  });
});

describe('attack: a free key submits what a node needs ten seconds to give while that refuses all lists that its own ledger does not fill', () => {
  it('behind newer ones of its payer: eight are read in a second, and ten at the same time; those of others are listed as fast as alone, or read in their turn', async () => {
    const world = openWorld();
    const [keys, each] = [20, 10];
    world.node.inPlace = (isFull) => (isFull ? undefined : ARCHIVE_AWAY);
    const behind = (signature: string, caller: string, isTwin = false) => {
      const payer = newPayer();
      world.follow(signature, caller, { payer, isTwin });
      world.listed.set(payer, ['newer', ...(world.listed.get(payer) ?? [])]);
    };
    for (let index = 0; index < keys * each; index++) {
      const isTwin = index % 2 === 0;
      behind(`${isTwin ? 'twin' : 'heavy'} ${index}`, `attacker ${index % keys}`, isTwin);
    }
    await world.pass(90, (second) => {
      world.follow(`honest ${second}`, 'honest');
      if (second % 30 === 0) behind(`read ${second}`, 'other');
    });
    assert.ok(world.told('honest').length >= 89);
    assert.ok(world.told('honest').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= 1_000));
    assert.equal(world.told('read').length, 3);
    assert.ok(world.told('read').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= keys * 1_000));
    assert.equal(world.told('twin').length, 0);
    assert.ok(world.counts.read <= 91 * 8, `${world.counts.read} read`);
    assert.ok(world.counts.mostReading <= 10, `${world.counts.mostReading} at the same time`);
    world.close();
  });

  it('whose payer has newer ones, while it lists: two lists at first, and then one each time', async () => {
    const world = openWorld();
    const payer = newPayer();
    world.listed.set(payer, ['newer']);
    world.follow('twin', 'attacker', { payer, isTwin: true });
    await world.pass(190);
    assert.ok(world.counts.lists <= 13, `${world.counts.lists} lists`);
    world.close();
  });
});

describe('a node that refuses lists does not have what has landed told late', () => {
  for (const isClose of [true, false])
    it(`where its archive is away: of a payer with one transaction, with thirty, and with a newer one, ${isClose ? 'closely' : 'leisurely'}`, async () => {
      const world = openWorld({ isClose });
      world.node.inPlace = (isFull) => (isFull ? undefined : ARCHIVE_AWAY);
      world.follow('alone', 'honest');
      const [busy, named] = [newPayer(), newPayer()];
      world.listed.set(busy, numbered('new', 29));
      world.follow('thirtieth', 'honest', { payer: busy });
      await world.pass(1);
      assert.deepEqual([...world.ended.keys()].sort(), ['alone', 'thirtieth']);
      assert.equal(world.counts.read, 0);
      world.follow('behind', 'honest', { payer: named });
      world.listed.get(named)!.unshift('newer');
      await world.pass(4);
      assert.equal(world.ended.get('behind')?.event, 'landed');
      assert.equal(world.counts.read, 1);
      world.close();
    });

  it('where its archive does not answer in time, and its lists lag behind', async () => {
    for (const isClose of [true, false]) {
      const world = openWorld({ isClose });
      world.node.inPlace = async (isFull) => {
        if (isFull) return undefined;
        await new Promise<void>((done) => setTimeout(done, HEAVY_MS));
        return new Unanswered('no answer in 10000 ms');
      };
      const [late, named] = [newPayer(), newPayer()];
      world.listed.set(late, ['older']);
      world.follow('late', 'honest', { payer: late, isTwin: true });
      world.follow('behind', 'honest', { payer: named });
      world.listed.get(named)!.unshift('newer');
      await world.pass(2);
      world.listed.get(late)!.unshift('late');
      await world.pass(40);
      assert.deepEqual([...world.ended.keys()].sort(), ['behind', 'late']);
      assert.ok(world.counts.lists <= 6 && world.counts.read <= 2);
      world.close();
    }
  });

  for (const [what, instead] of [
    ['refuses the method with a code of its own', FORBIDDEN],
    ['answers with something else', { rows: [] }],
  ] as const)
    it(`where it ${what}`, async () => {
      for (const isClose of [true, false]) {
        const world = openWorld({ isClose });
        world.node.inPlace = () => instead;
        await world.pass(30, (second) => world.follow(`honest ${second}`, 'honest'));
        await world.pass(4);
        assert.equal(world.told('honest').length, 30);
        assert.ok(world.told('honest').every(([, { event, afterMs }]) => event === 'landed' && afterMs <= 4_000));
        assert.equal(world.counts.read, 30);
        world.close();
      }
    });

  it('and what it does not have is not told as landed; it is listed again once it lists', async () => {
    const world = openWorld();
    world.node.inPlace = () => ARCHIVE_AWAY;
    world.follow('twin', 'attacker', { isTwin: true });
    await world.pass(100);
    const { read } = world.counts;
    assert.ok(read > 2 && world.ended.size === 0);
    world.node.inPlace = () => undefined;
    await world.pass(90);
    assert.deepEqual([world.ended.size, world.counts.read <= read + 1], [0, true]);
    world.close();
  });

  it('but a node that does not answer is asked for lists only', async () => {
    const world = openWorld();
    world.node.inPlace = () => new ChainUnavailable('no answer');
    world.follow('honest', 'honest');
    await world.pass(20);
    assert.equal(world.counts.read, 0);
    world.node.inPlace = () => undefined;
    await world.pass(30);
    assert.equal(world.ended.get('honest')?.event, 'landed');
    world.close();
  });
});

it('a list that lags behind is asked for again, and not a longer one', async () => {
  const world = openWorld();
  const payer = newPayer();
  world.listed.set(payer, numbered('new', 100));
  world.follow('honest', 'honest', { payer, isTwin: true });
  setTimeout(() => world.listed.get(payer)!.unshift('honest'), 500);
  await world.pass(3);
  assert.equal(world.ended.get('honest')?.event, 'landed');
  assert.equal(world.counts.long, 0);
  world.close();
});

it('a node that needs seconds for each list keeps nobody waiting for longer than twice that', async () => {
  const world = openWorld();
  world.node.takesMs = 3_400;
  await world.pass(60, (second) => {
    for (let key = 0; key < 4; key++) world.follow(`honest ${second} ${key}`, `key ${key}`);
  });
  await world.pass(10);
  assert.equal(world.ended.size, 240);
  const slowest = Math.max(...[...world.ended.values()].map(({ afterMs }) => afterMs));
  assert.ok(slowest <= 7_000, `${slowest} ms`);
  world.close();
});
