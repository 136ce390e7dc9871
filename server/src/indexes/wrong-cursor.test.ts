import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { CLOCK_SYSVAR } from '@slipway/wire';
import { ChainUnavailable, RpcError } from '../chain/index.js';
import { getIndexCursor } from '../store/index-cursors.js';
import { eventually, nodeThat, nodeWith, type Range, type Row } from './testing/nodes.js';
import { PROGRAMS, type ProgramWorld } from './testing/programs.js';

const MADE_UP = '5'.repeat(87);
const NOT_REACHED = new RpcError(-32016, 'Minimum context slot has not been reached');

for (const [name, open] of Object.entries(PROGRAMS)) {
  describe(`an index of ${name}, of whose newest or oldest transaction a node says what is not so`, () => {
    let world: ProgramWorld;
    let now = 0;
    before(async () => {
      world = await open();
    });
    after(() => world.close());
    beforeEach(() => world.forget());

    const steadyNow = () => now;
    const cursor = async () => (await getIndexCursor(world.store, world.program))!;
    const rowsOf = () => world.rpc.call<Row[]>('getSignaturesForAddress', [world.program, { limit: 1_000 }]);

    /** Looks as a new process with this node does, and twice more, a minute later each. */
    async function look(node: object = {}): Promise<void> {
      const index = world.newIndex({ steadyNow, ...node });
      for (const waited of [0, 60_000, 60_000]) {
        now += waited;
        await index.sync().catch((error) => assert.ok(error instanceof ChainUnavailable, `${error}`));
      }
      await index.close();
    }

    /** Reads until the whole history is read. */
    async function readAll(): Promise<void> {
      const index = world.newIndex({ steadyNow });
      await eventually('all is read', async () => {
        await index.sync();
        return (await cursor()).complete;
      });
      await index.close();
    }

    /** Whether everything is known, and each thing once. */
    async function assertWhole(): Promise<void> {
      const contents = await world.contents();
      assert.equal((await world.store.query('select from index_unread')).rows.length, 0);
      await world.forget();
      await readAll();
      assert.deepEqual(contents, await world.contents());
    }

    /** A node that puts one more row before all others, and knows what is in it. */
    const lyingOf = (signature: string, slot: number) =>
      nodeThat(world, async (method, params) => {
        if (method === 'getTransaction' && params[0] === signature) return { meta: null };
        if (method === 'getSignatureStatuses' && (params[0] as string[])[0] === signature) return { value: [{ slot }] };
        if (method !== 'getSignaturesForAddress' || (params[1] as Range).before) return undefined;
        return [{ signature, slot }, ...(await world.rpc.call<Row[]>(method, params))];
      });

    it('attack: a node lists as the newest transaction one that is none: a minute later an honest one is believed, and nothing is missing', async () => {
      for (const [ahead, signature] of [
        [9_000_000_000_000_000, MADE_UP],
        [150, MADE_UP],
        [1, MADE_UP],
        [150, 'no signature'],
      ] as const) {
        await world.happen(2);
        await readAll();
        await world.happen(1);
        await look(lyingOf(MADE_UP, Number((await rowsOf())[0]!.slot) + ahead));
        assert.equal((await cursor()).newest, MADE_UP);
        await world.store.query('update index_cursors set newest = $1', [signature]);
        await world.happen(3);
        if (ahead === 1) await world.rpc.call('localnet_advanceClock', [1]);
        await look();
        await assertWhole();
      }
    });

    it('attack: a node makes up the newest transaction before any is recorded: all is read anew', async () => {
      await world.happen(2);
      await world.store.query(
        `insert into index_cursors (program, newest, newest_slot, oldest, newest_position, oldest_position, complete)
         values ($1, $2, $3, $2, 0, 0, true)
         on conflict (program) do update set newest = $2, newest_slot = $3, oldest = $2, complete = true`,
        [world.program, MADE_UP, 9_000_000_000_000_000n],
      );
      await look();
      await readAll();
      await assertWhole();
    });

    it('attack: a node lists a transaction in a slot that never comes, and gives it in its own: nothing is believed of it', async () => {
      await world.happen(1);
      await readAll();
      const known = await cursor();
      await world.happen(2);
      const lying = nodeThat(world, async (method, params) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        const [first, ...rows] = await world.rpc.call<Row[]>(method, params);
        return [...(first ? [{ ...first, slot: 9_000_000_000_000_000 }] : []), ...rows];
      });
      await assert.rejects(world.newIndex(lying).sync(), ChainUnavailable);
      assert.deepEqual(await cursor(), known);
      await world.newIndex().sync();
      await assertWhole();
    });

    it('attack: a node ends a page of the old history with transactions that are none: what is older is read all the same', async () => {
      await world.happen(32);
      const real = (await rowsOf()).map(({ slot }) => slot);
      const none = Array.from({ length: 30 }, (_, n) => ({
        signature: `${MADE_UP.slice(0, -2)}${n + 11}`.replaceAll('0', 'z'),
        slot: real.at(-1)!,
      }));
      let pages = 0;
      const lying = nodeThat(world, async (method, params) => {
        if (method === 'getTransaction' && `${params[0]}`.startsWith('5555555555')) return { meta: null };
        if (method !== 'getSignaturesForAddress') return undefined;
        if (pages === 3) throw new ChainUnavailable('test');
        pages += 1;
        const range = params[1] as Range;
        const rows = await world.rpc.call<Row[]>(method, [world.program, { ...range, limit: 6 }]);
        return range.before ? [...(pages === 2 ? rows : []), ...none] : rows;
      });
      const index = world.newIndex({ ...lying, steadyNow });
      await index.sync().catch(() => {});
      await eventually('it has lied', async () => {
        await index.sync().catch(() => {});
        return pages === 3;
      });
      await index.close();
      assert.equal((await cursor()).complete, false);
      await readAll();
      now += 10 * 60_000;
      // Nobody can say that these are none: they are asked for again, ever less often.
      await world.store.query('delete from index_unread');
      await assertWhole();
    });

    /** Nodes that give six at a time, of which one has kept only the newest ten and answers where this is so. */
    const twoNodes = (isShort: () => boolean) =>
      nodeThat(world, async (method, params) => {
        if (method !== 'getSignaturesForAddress') return undefined;
        const { before, limit = 1_000, ...range } = params[1] as Range;
        const rows = await world.rpc.call<Row[]>(method, [world.program, { ...range, limit: 1_000 }]);
        const kept = isShort() ? rows.filter((row) => newestTen.has(row.signature)) : rows;
        const from = before === undefined ? 0 : kept.findIndex(({ signature }) => signature === before) + 1;
        return before !== undefined && from === 0 ? [] : kept.slice(from, from + Math.min(limit, 6));
      });
    let newestTen = new Set<string>();
    async function keepTen(): Promise<void> {
      newestTen = new Set((await rowsOf()).slice(0, 10).map(({ signature }) => signature));
    }

    it('attack: a node that keeps less than others behind its address ends the old history: it is read all the same a minute later, or by the next process', async () => {
      const made = await world.happen(30);
      await keepTen();
      let asked = 0;
      let isShort = true;
      // All but the first page, so that the third is empty.
      const nodes = twoNodes(() => ++asked > 1 && isShort);
      const index = world.newIndex({ steadyNow, ...nodes });
      await eventually('it seems to end', async () => {
        await index.sync();
        return (await cursor()).complete;
      });
      await index.close();
      const known = () => world.transactions().then((all) => made.filter((each) => all.includes(each)).length);
      assert.ok((await known()) < 30);
      isShort = false;
      const later = world.newIndex({ steadyNow, ...nodes });
      await later.sync();
      await eventually('all is read', async () => {
        await later.sync();
        return (await known()) === 30;
      });
      await later.close();
      // Also in the same process.
      await world.forget();
      asked = 0;
      isShort = true;
      const same = world.newIndex({ steadyNow, ...nodes });
      await eventually('it seems to end', async () => {
        await same.sync();
        return (await cursor()).complete;
      });
      assert.ok((await known()) < 30);
      isShort = false;
      now += 60_000;
      await eventually('all is read', async () => {
        await same.sync();
        return (await known()) === 30;
      });
      await same.close();
    });

    it('attack: a node that keeps less than others behind its address ends the list of what is new: nothing of it is left out', async () => {
      for (const short of [1, 2, 3, 4]) {
        await world.forget();
        await world.happen(2);
        await readAll();
        const made = await world.happen(30);
        await keepTen();
        let asked = 0;
        const index = world.newIndex({ steadyNow, ...twoNodes(() => ++asked >= short && asked < short + 3) });
        for (let looks = 0; looks < 3; looks++) {
          await index.sync().catch((error) => assert.ok(error instanceof ChainUnavailable, `${error}`));
        }
        await index.close();
        const known = new Set(await world.transactions());
        assert.equal(made.filter((each) => known.has(each)).length, 30, `${short}`);
      }
    });

    it('goes back for no node that is behind, has pruned the newest transaction, or does not answer', async () => {
      await world.happen(3);
      await readAll();
      const [known, contents] = [await cursor(), await world.contents()];
      const late = async () => {
        const account = (await world.chain.account(CLOCK_SYSVAR))!;
        const data = Buffer.from(account.data);
        data.writeBigUInt64LE(known.newestSlot - 1n, 0);
        data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1_000) - 70), 32);
        return { ...account, data };
      };
      const denies = (refusal: Error) =>
        nodeThat(world, (method, params) => {
          if (method === 'getSignatureStatuses') return { value: (params[0] as string[]).map(() => null) };
          return method === 'getSignaturesForAddress' ? Promise.reject(refusal) : undefined;
        });
      const behind = denies(NOT_REACHED);
      const ignoring = nodeWith(world, (rows) => rows.slice(1), 'more');
      for (const node of [
        { chain: { ...behind.chain, account: late } },
        { chain: { ...ignoring.chain, account: late } },
        nodeWith(world, () => [], 'nothing'),
        denies(new RpcError(-32603, 'Internal error')),
      ]) {
        await look(node);
        assert.deepEqual(await cursor(), known);
      }
      assert.deepEqual(await world.contents(), contents);
    });
  });
}
