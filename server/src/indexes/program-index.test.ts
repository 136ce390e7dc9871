import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ChainUnavailable, RpcError } from '../chain/index.js';
import { getIndexCursor } from '../store/index-cursors.js';
import { BATCH } from './indexed-program.js';
import { eventually, nodeThat, nodeWith, type Range, type Row, UNKNOWN } from './testing/nodes.js';
import { PROGRAMS, type ProgramWorld } from './testing/programs.js';

const UNSUPPORTED = new RpcError(-32015, 'Transaction version (1) is not supported by the requesting client');

for (const [name, open] of Object.entries(PROGRAMS)) {
  describe(`an index of ${name}`, () => {
    let world: ProgramWorld;
    before(async () => {
      world = await open();
    });
    after(() => world.close());
    beforeEach(() => world.forget());

    const node = (answer: Parameters<typeof nodeThat>[1]) => nodeThat(world, answer);
    const cursor = async () => (await getIndexCursor(world.store, world.program))!;

    /** Reads until the whole history is read. */
    async function readAll(): Promise<void> {
      const index = world.newIndex();
      await index.sync();
      await eventually('all is read', async () => {
        await index.sync();
        return (await cursor()).complete;
      });
      await index.close();
    }

    /** What is known when everything is read at once. */
    async function whole(): Promise<unknown> {
      await world.forget();
      await readAll();
      return world.contents();
    }

    async function assertKnown(signatures: string[]): Promise<void> {
      const known = new Set(await world.transactions());
      assert.deepEqual(
        signatures.filter((each) => !known.has(each)),
        [],
      );
    }

    it('reads nothing again from a node that does not know the newest transaction yet, and moves nothing back', async () => {
      await world.happen(30);
      await readAll();
      const [contents, known] = [await world.contents(), await cursor()];
      for (const unknown of UNKNOWN) {
        const behind = nodeWith(world, (rows) => rows.slice(2), unknown);
        await world.newIndex(behind).sync();
        assert.equal(behind.asked.transactions, 0, unknown);
        assert.deepEqual(await cursor(), known, unknown);
        assert.deepEqual(await world.contents(), contents, unknown);
      }
      const later = await world.happen(2);
      await world.newIndex().sync();
      await assertKnown(later);
    });

    it('does not believe a node that has not seen the slot of the newest transaction', async () => {
      await world.happen(1);
      await readAll();
      const slots: unknown[] = [];
      const index = world.newIndex(
        node((method, params) => {
          if (method !== 'getSignaturesForAddress') return undefined;
          const { until, minContextSlot } = params[1] as Range;
          if (until) slots.push(minContextSlot);
          return undefined;
        }),
      );
      await index.sync();
      const [row] = await world.rpc.call<Row[]>('getSignaturesForAddress', [world.program, { limit: 1 }]);
      assert.deepEqual(slots, [row!.slot]);
    });

    it('takes nothing where another node does not know where the first has ended, and all of it later', async () => {
      await world.happen(1);
      await readAll();
      const known = await cursor();
      const later = await world.happen(7);
      const newest = node((method, params) => {
        if (method === 'getSignatureStatuses') return { context: { slot: 1 }, value: [null] };
        if (method !== 'getSignaturesForAddress') return undefined;
        const range = params[1] as Range;
        return range.before ? [] : world.rpc.call(method, [world.program, { ...range, limit: 4 }]);
      });
      await assert.rejects(world.newIndex(newest).sync(), ChainUnavailable);
      assert.deepEqual(await cursor(), known);
      await world.newIndex().sync();
      await assertKnown(later);
      const contents = await world.contents();
      assert.deepEqual(await whole(), contents);
    });

    for (const unknown of ['more', 'error'] as const) {
      it(`goes on after what the node has not kept, where it gives ${unknown}`, async () => {
        await world.happen(2);
        await readAll();
        const before = await world.transactions();
        const missed = await world.happen(3);
        await world.rpc.call('localnet_advanceClock', [1]);
        const kept = await world.happen(2);
        let now = 0;
        const index = world.newIndex({ ...nodeWith(world, (rows) => rows.slice(0, 2), unknown), steadyNow: () => now });
        await index.sync();
        assert.deepEqual((await world.transactions()).sort(), before.sort(), 'another node may have all');
        now += 60_000;
        await index.sync();
        await assertKnown([...before, ...kept]);
        assert.deepEqual(
          (await world.transactions()).filter((each) => missed.includes(each)),
          [],
        );
        await world.forget();
        await readAll();
        await assertKnown([...before, ...missed, ...kept]);
      });
    }

    it('reads what is new where the node has lost where the old history was left', async () => {
      await world.happen(4);
      const short = node((method, params) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        if ((params[1] as Range).before) throw new ChainUnavailable('test');
        return world.rpc.call(method, [world.program, { ...(params[1] as Range), limit: 3 }]);
      });
      const stopped = world.newIndex(short);
      await stopped.sync().catch(assertUnavailable);
      await stopped.close();
      assert.equal((await cursor()).complete, false);
      const later = await world.happen(4);
      for (const unknown of ['nothing', 'error'] as const) {
        const index = world.newIndex(nodeWith(world, (rows) => rows.slice(0, 5), unknown));
        for (let n = 0; n < 2; n++) await index.sync();
        await index.close();
        assert.equal((await cursor()).complete, false, 'what it does not know is no end');
        await assertKnown(later);
      }
      await readAll();
      const contents = await world.contents();
      assert.deepEqual(await whole(), contents);
    });

    it('stops where the node refuses every transaction, and skips nothing', async () => {
      const signatures = await world.happen(2);
      let isBroken = true;
      const refusal = new RpcError(-32005, 'Node is behind');
      const index = world.newIndex(
        node((method) => (isBroken && method === 'getTransaction' ? Promise.reject(refusal) : undefined)),
      );
      await assert.rejects(index.sync(), ChainUnavailable);
      assert.deepEqual(await world.transactions(), []);
      isBroken = false;
      await index.sync();
      await assertKnown(signatures);
    });

    it('goes on after a minute where the node refuses all that there is, and has it when it does not', async () => {
      await readAll();
      const lost = await world.happen(1);
      let now = 0;
      let isBroken = true;
      const refusal = new RpcError(-32603, 'Internal error');
      const index = world.newIndex({
        ...node((method) => (isBroken && method === 'getTransaction' ? Promise.reject(refusal) : undefined)),
        steadyNow: () => now,
      });
      await assert.rejects(index.sync(), ChainUnavailable);
      now += 59_999;
      await assert.rejects(index.sync(), ChainUnavailable);
      now += 1;
      await index.sync();
      assert.equal((await cursor()).newest, lost[0]);
      isBroken = false;
      now += 10 * 60_000;
      await index.sync();
      await assertKnown(lost);
      await index.close();
    });

    it('goes on past transactions of a version that nobody reads, and has them when they can be read', async () => {
      await readAll();
      const lost = await world.happen(3);
      let now = 0;
      let isBroken = true;
      const index = world.newIndex({
        ...node((method) => (isBroken && method === 'getTransaction' ? Promise.reject(UNSUPPORTED) : undefined)),
        steadyNow: () => now,
      });
      await index.sync();
      assert.deepEqual((await cursor()).newest, lost.at(-1));
      isBroken = false;
      const later = await world.happen(1);
      now += 10 * 60_000;
      await index.sync();
      await assertKnown([...lost, ...later]);
      const contents = await world.contents();
      assert.deepEqual(await whole(), contents);
    });

    it('has each transaction once where a node tells of old ones as new', async () => {
      await world.happen(4);
      const contents = await whole();
      const lying = node(async (method, params) => {
        if (method === 'getSignatureStatuses') {
          return { context: { slot: 1 }, value: [(params[0] as string[])[0] === 'unknown' ? null : { slot: 1 }] };
        }
        if (method === 'getTransaction') return { ...(await world.rpc.call<object>(method, params)), slot: later };
        if (method !== 'getSignaturesForAddress') return undefined;
        if ((params[1] as Range).before) return [];
        const rows = await world.rpc.call<Row[]>(method, [world.program, { limit: 3 }]);
        return rows.map((row) => ({ ...row, slot: later }));
      });
      const { newestPosition, newestSlot } = await cursor();
      const later = Number(newestSlot) + 1;
      await world.store.query('update index_cursors set newest = $1 where program = $2', ['unknown', world.program]);
      let now = 0;
      const index = world.newIndex({ ...lying, steadyNow: () => now });
      for (; now <= 60_000; now += 60_000) await index.sync();
      assert.ok((await cursor()).newestPosition > newestPosition, 'they were read');
      assert.deepEqual(await world.contents(), contents);
    });

    it('stops after a batch of what is new where it is closed, and goes on there', async () => {
      await world.happen(1);
      await readAll();
      const { newestPosition } = await cursor();
      const news = await world.happen(30);
      let closed: Promise<void> | undefined;
      const index = world.newIndex(
        node((method) => {
          if (method === 'getTransaction') closed ??= index.close();
          return undefined;
        }),
      );
      await index.sync();
      await closed;
      assert.equal((await cursor()).newestPosition - newestPosition, BigInt(BATCH));
      await readAll();
      await assertKnown(news);
    });

    /** How many transactions are read at a time, of 30; `answer` is called for each time, and says how long it takes. */
    async function batchesOf(answer: (batches: number) => number): Promise<number[]> {
      await world.forget();
      const { chain } = nodeWith(world, (rows) => rows.slice(0, 30), 'nothing');
      const batches: number[] = [];
      let now = 0;
      let asked = 0;
      const index = world.newIndex({
        ...nodeThat({ rpc: chain.rpc, chain }, async (method) => {
          if (method !== 'getTransaction') return undefined;
          asked += 1;
          await new Promise(setImmediate);
          if (asked === 0) return undefined;
          batches.push(asked);
          asked = 0;
          now += answer(batches.length);
          return undefined;
        }),
        steadyNow: () => now,
      });
      await index.sync().catch(assertUnavailable);
      await index.sync();
      await index.close();
      return batches;
    }

    it('reads ever more at a time while that takes less than a second, and few again where it takes longer or fails', async () => {
      await world.happen(30);
      assert.deepEqual(await batchesOf(() => 999), [4, 8, 16, 2]);
      assert.deepEqual(await batchesOf((batches) => (batches > 1 ? 1_000 : 0)), [4, 8, 4, 4, 4, 4, 2]);
      const failing = (batches: number) => {
        if (batches === 3) throw new ChainUnavailable('test');
        return 0;
      };
      assert.deepEqual(await batchesOf(failing), [4, 8, 16, 4, 8, 6]);
    });

    it('asks a node that has forgotten the oldest transaction ever more seldom whether there is an older one', async () => {
      await world.happen(4);
      await readAll();
      let [now, asked] = [0, 0];
      const pruned = nodeWith(world, (rows) => rows.slice(0, 2), 'error');
      const counted = nodeThat({ rpc: pruned.chain.rpc, chain: world.chain }, (method, params) => {
        if (method === 'getSignaturesForAddress' && (params[1] as Range).before) asked++;
        return undefined;
      });
      const index = world.newIndex({ ...counted, steadyNow: () => now });
      for (; now < 24 * 3_600_000; now += 10 * 60_000) await index.sync();
      await index.close();
      // On a busy machine one reading may still go on at the next.
      assert.ok(asked >= 12 && asked <= 32, `asked ${asked} times in a day`);
    });

    it('reads the same through pages that are short', async () => {
      await world.happen(5);
      const contents = await whole();
      await world.forget();
      const index = world.newIndex(
        node((method, params) =>
          method === 'getSignaturesForAddress'
            ? world.rpc.call(method, [world.program, { ...(params[1] as Range), limit: 7 }])
            : undefined,
        ),
      );
      await index.sync();
      await eventually('all is read', async () => {
        await index.sync();
        return (await cursor()).complete;
      });
      await index.close();
      assert.deepEqual(await world.contents(), contents);
    });
  });
}

function assertUnavailable(error: unknown): void {
  assert.ok(error instanceof ChainUnavailable, `${error}`);
}
