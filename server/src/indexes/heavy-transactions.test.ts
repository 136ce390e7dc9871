import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { AnswerTooLong, ChainUnavailable, createHttpRpc, readPastTransaction, Unanswered } from '../chain/index.js';
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
    const nodeOf = (answer: (most: number | undefined) => unknown) =>
      nodeThat(world, (method, params, most) =>
        method === 'getTransaction' && heavy.has(params[0] as string) ? answer(most) : undefined,
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

    it('attack: a stranger on the chain lands transactions of a megabyte: of each only a part is read until there is time, a tenth of which is theirs', async () => {
      let [parts, wholes] = [0, 0];
      const index = world.newIndex({
        ...nodeOf((most) => {
          if (most !== undefined && most < 893_963) {
            parts++;
            throw new AnswerTooLong('the answer has more bytes');
          }
          wholes++;
          now += 50;
          return undefined;
        }),
        steadyNow: () => now,
      });
      const first = await land('light');
      await index.sync();
      const others = await land(...Array<'heavy'>(12).fill('heavy'), 'light', 'light');
      const began = now;
      await index.sync();
      await eventually('all others are known', async () => (await unknownOf([...first, ...others])).length === 0);
      assert.ok(wholes <= 4 && parts >= 12, `${wholes} of ${parts}`);
      for (; now < began + 10_000; now += 100) {
        await index.sync();
        assert.ok(wholes * 50 <= (now - began) / 10 + 4 * 50, `${wholes} in ${now - began} ms`);
      }
      assert.deepEqual(await unknownOf([...heavy]), []);
      await index.close();
    });
  });
}

describe('what a node tells of a heavy transaction', () => {
  it('is cut off where it is longer than is read, and given up where it does not come: neither says that the node is away', async () => {
    const server = createServer((request, response) => {
      request.resume();
      if (request.url === '/slow') return;
      if (request.url === '/gateway') response.writeHead(504).end();
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'a'.repeat(2_000) }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const read = (path: string, most?: number) =>
      readPastTransaction(createHttpRpc({ url: `${base}${path}`, timeoutMs: 300 }), 'signature', most);
    const isOf = async (path: string, most?: number) => {
      const { unreadable, ...why } = (await read(path, most)) as { unreadable: string };
      return why;
    };
    try {
      assert.deepEqual(await isOf('/', 1_000), { isTooLong: true });
      assert.deepEqual(await isOf('/', 10_000), { isMissing: true });
      assert.deepEqual(await isOf('/slow'), { isRefused: true });
      assert.deepEqual(await isOf('/gateway'), { isRefused: true });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    await assert.rejects(read('/'), ChainUnavailable);
  });
});
