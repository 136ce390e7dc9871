import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ChainUnavailable, createHttpRpc, readPastTransaction, Unanswered } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
import type { Store, Tx } from '../store/sql.js';
import { eventually, nodeThat } from './testing/nodes.js';
import { PROGRAMS, type ProgramWorld } from './testing/programs.js';

/** One that calls another program 63 times with ten kilobytes each is 893,963 bytes in a node's answer, and costs 5,000 lamports. */
for (const [name, open] of Object.entries(PROGRAMS)) {
  describe(`an index of ${name} whose program others name in the heaviest transactions that there are`, () => {
    let world: ProgramWorld;
    let now = 0;
    const heavy = new Set<string>();
    before(async () => {
      world = await open();
    });
    after(() => world.close());
    beforeEach(async () => {
      await world.forget();
      heavy.clear();
    });

    /** A node that answers of the heavy ones as `answer` does. */
    const nodeOf = (answer: () => unknown) =>
      nodeThat(world, (method, params) =>
        method === 'getTransaction' && heavy.has(params[0] as string) ? answer() : undefined,
      );

    async function land(...kinds: ('light' | 'heavy')[]): Promise<string[]> {
      const light: string[] = [];
      for (const kind of kinds) {
        // One may be made in two transactions.
        const made = await world.happen(1);
        for (const each of made) kind === 'heavy' ? heavy.add(each) : light.push(each);
      }
      return light;
    }

    async function unknownOf(made: readonly string[]): Promise<string[]> {
      const known = new Set(await world.transactions());
      return made.filter((each) => !known.has(each));
    }

    it('attack: a stranger on the chain lands transactions that a node takes longer to tell than it has: all others are known, and these are asked for ever more seldom', async () => {
      let asked = 0;
      let isSlow = true;
      const index = world.newIndex({
        ...nodeOf(async () => {
          asked++;
          const until = now + 10_000;
          await setImmediate();
          if (!isSlow) return undefined;
          now = Math.max(now, until);
          throw new Unanswered('no answer in 10000 ms');
        }),
        steadyNow: () => now,
      });
      const first = await land('light');
      await index.sync();
      // One among others, and more than are read at a time.
      const others = await land('light', 'heavy', 'light', ...Array<'heavy'>(20).fill('heavy'), 'light', 'light');
      const began = now;
      while ((await unknownOf([...first, ...others])).length > 0) {
        await index.sync().catch((error) => assert.ok(error instanceof ChainUnavailable, `${error}`));
        now += 2_000;
        // A minute until the node is not blamed any more, and ten seconds for each four.
        assert.ok(now - began < 180_000, 'all others are known');
      }
      const before = asked;
      for (let minutes = 0; minutes < 60; minutes++) {
        await index.sync();
        now += 60_000;
      }
      assert.ok(asked - before <= 4 * 20, `asked for ${asked - before} times in an hour`);
      isSlow = false;
      for (let looks = 0; looks < 4; looks++) {
        now += 5 * 60_000;
        await index.sync();
      }
      assert.deepEqual(await unknownOf([...heavy]), []);
      await index.close();
    });

    it('attack: a stranger on the chain lands transactions of a megabyte: they are read in their turn, four a second, and nothing comes late', async () => {
      const called = Array.from({ length: 63 }, () => ({ programIdIndex: 0, accounts: [], data: 'z'.repeat(13_900) }));
      const node = nodeThat(world, async (method, params) => {
        if (method !== 'getTransaction' || !heavy.has(params[0] as string)) return undefined;
        const answer = await world.rpc.call<{ meta: { innerInstructions: object[] } }>(method, params);
        return {
          ...answer,
          meta: {
            ...answer.meta,
            innerInstructions: [...answer.meta.innerInstructions, { index: 99, instructions: called }],
          },
        };
      });
      await world.newIndex().sync();
      const others = await land('light', ...Array<'heavy'>(9).fill('heavy'), 'light');
      const index = world.newIndex({ ...node, steadyNow });
      const began = steadyNow();
      await index.sync();
      await eventually('all is known', async () => (await unknownOf([...others, ...heavy])).length === 0);
      // Three are in the first batch, which has four.
      assert.ok(steadyNow() - began >= 3 * 210, `${steadyNow() - began} ms`);
      assert.equal((await world.store.query('select from index_unread')).rows.length, 0);
      await index.close();
    });

    it('attack: a stranger on the chain lands transactions that take long to record: four are recorded at a time', async () => {
      await land(...Array<'light'>(13).fill('light'));
      /** How many are read before each time that something is recorded, which takes so long. */
      const sizesOf = async (tookMs: number) => {
        await world.forget();
        const sizes = [0];
        const node = nodeThat(world, (method) => {
          if (method === 'getTransaction') sizes.push(sizes.pop()! + 1);
        });
        const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
          const result = await world.store.transaction(async (tx) => {
            const done = await work(tx);
            now += tookMs;
            return done;
          });
          sizes.push(0);
          return result;
        };
        const store: Store = Object.assign(Object.create(world.store), { transaction });
        const index = world.newIndex({ ...node, store, steadyNow: () => now });
        await index.sync();
        await index.close();
        return sizes;
      };
      assert.equal(Math.max(...(await sizesOf(1_000))), 4);
      assert.ok(Math.max(...(await sizesOf(0))) >= 8);
    });
  });
}

describe('what a node tells of a heavy transaction', () => {
  it('is given up where it does not come, which does not say that the node is away', async () => {
    const server = createServer((request, response) => {
      request.resume();
      if (request.url === '/slow') return;
      response.writeHead(504).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const read = (path: string) =>
      readPastTransaction(createHttpRpc({ url: `${base}${path}`, timeoutMs: 300 }), 'signature');
    const isOf = async (path: string) => {
      const { unreadable, ...why } = (await read(path)) as { unreadable: string };
      return why;
    };
    try {
      assert.deepEqual(await isOf('/slow'), { isRefused: true });
      assert.deepEqual(await isOf('/gateway'), { isRefused: true });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    await assert.rejects(read('/'), ChainUnavailable);
  });
});
