import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import type { IndexDeps, IndexedProgram } from './indexed-program.js';
import { nodeThat, type Row } from './testing/nodes.js';
import { PROGRAMS, type ProgramWorld } from './testing/programs.js';
import { UnreadTransactions } from './unread-transactions.js';

/** No slot of these ever comes. */
const NEVER = 9_000_000_000_000_000;

for (const [name, open] of Object.entries(PROGRAMS)) {
  describe(`unread transactions of ${name}`, () => {
    let world: ProgramWorld;
    let now = 0;
    const steadyNow = () => now;
    before(async () => {
      world = await open();
    });
    after(() => world.close());
    beforeEach(() => world.forget());

    type Index = ReturnType<ProgramWorld['newIndex']>;
    async function syncs(index: Index, times: number, everyMs: number): Promise<void> {
      for (let n = 0; n < times; n++) {
        await index.sync();
        now += everyMs;
      }
    }

    /** The second of three transactions is listed, and not given while `withholds`. */
    async function openUnread(lie: (answer: { slot: number }) => object | undefined, listed?: number) {
      await world.happen(1);
      const before = world.newIndex({ steadyNow });
      await before.sync();
      await before.close();
      const [, second] = await world.happen(3);
      const withholding = { is: true };
      const node = nodeThat(world, async (method, params) => {
        if (method === 'getSignaturesForAddress' && listed !== undefined) {
          const rows = await world.rpc.call<Row[]>(method, params);
          return rows.map((row) => (row.signature === second ? { ...row, slot: listed } : row));
        }
        if (method !== 'getTransaction' || params[0] !== second) return undefined;
        return withholding.is ? null : lie(await world.rpc.call(method, params));
      });
      const index = world.newIndex({ ...node, steadyNow });
      await syncs(index, 5, 11_000);
      assert.equal(await unread(), 1);
      // It is asked for with the next one.
      now += 300_000;
      withholding.is = false;
      return index;
    }

    async function unread(): Promise<number> {
      return (await world.store.query('select 1 from index_unread')).rows.length;
    }

    /** What is known is what is known when all is read at once. */
    async function assertWhole(): Promise<void> {
      const contents = await world.contents();
      await world.forget();
      const index = world.newIndex({ steadyNow });
      await syncs(index, 2, 0);
      await index.close();
      assert.deepEqual(contents, await world.contents());
    }

    it('attack: a node gives an unread transaction once in a slot that never comes: it is known in its own', async () => {
      let lies = 0;
      const index = await openUnread((answer) => (lies++ < 3 ? { ...answer, slot: NEVER } : answer));
      await syncs(index, 2, 300_000);
      assert.deepEqual([lies, await unread()], [2, 1]);
      await syncs(index, 3, 300_000);
      assert.deepEqual([lies, await unread()], [4, 0]);
      await index.close();
      await assertWhole();
    });

    it('attack: a node lists an unread transaction in a slot that never comes: it is known in its own after an hour', async () => {
      let asked = 0;
      const index = await openUnread((answer) => {
        asked += 1;
        return answer;
      }, NEVER);
      await syncs(index, 12, 300_000);
      assert.deepEqual([asked, await unread()], [12, 1]);
      await syncs(index, 1, 0);
      assert.deepEqual([asked, await unread()], [13, 0]);
      await index.close();
      await assertWhole();
    });
  });
}

it('nothing that comes late is asked for while nine times as long as the last took to put in order has not passed', async () => {
  let [now, asked] = [0, 0];
  const single = async () => {
    asked++;
    return [];
  };
  const deps = { store: { single }, chain: {}, steadyNow: () => now, registry: new Registry() };
  const program = { program: 'p', subject: 'p', unreadGauge: { name: 'unread', help: 'unread' } };
  const unread = new UnreadTransactions(deps as unknown as IndexDeps, program as unknown as IndexedProgram<never>);
  unread.rest(1_000);
  for (; now < 9_000; now += 1_000) {
    // As each look does, which has nothing to put in order.
    unread.rest(0);
    await unread.retry();
    assert.equal(asked, 0);
  }
  await unread.retry();
  assert.equal(asked, 1);
});
