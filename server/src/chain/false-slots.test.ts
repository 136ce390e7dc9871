import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { generateKeypair, SYSTEM_PROGRAM } from '@slipway/wire';
import { pino } from 'pino';
import { createChain } from './chain.js';
import { createLiveAccounts } from './live-accounts.js';
import type { Rpc } from './rpc.js';

const START = 1_000_000;
const SLOT_MS = 400;
const log = pino({ level: 'silent' });
/** How many slots behind the chain the nodes of one address are. */
const APART = [
  [0, 140],
  [140, 0, 140],
  [140, 140, 140, 0],
  [3, 40, 17, 0, 40],
];

describe('accounts that are watched', () => {
  /** Nodes that take turns, each so many slots behind the chain; an account holds the slot at which it is read. */
  function open(t: TestContext, lags = [0]) {
    let [now, turn] = [0, 0];
    const [account, told] = [generateKeypair().address, { ahead: 0, isGone: false }];
    const rpc: Rpc = {
      name: 'test',
      async call<T>(_method: string, [addresses]: unknown[]): Promise<T> {
        const slot = START + Math.floor(now / SLOT_MS) - lags[turn++ % lags.length]!;
        const data = [Buffer.from(new BigUint64Array([BigInt(slot)]).buffer).toString('base64'), 'base64'];
        const held = told.isGone ? null : { lamports: 1, owner: SYSTEM_PROGRAM, executable: false, data };
        return { context: { slot: slot + told.ahead }, value: (addresses as string[]).map(() => held) } as T;
      },
    };
    const live = createLiveAccounts({ rpc, steadyNow: () => now, log });
    t.after(() => live.close());
    live.watch([account]);
    /** At which slot was so what is known so much later; undefined where the account is said to be gone. */
    const readAfter = async (ms: number, lie = { ahead: 0, isGone: false }): Promise<number | undefined> => {
      now += ms;
      Object.assign(told, lie);
      const { data } = (await live.refresh([account])).get(account)!.account ?? {};
      Object.assign(told, { ahead: 0, isGone: false });
      return data && Number(Buffer.from(data).readBigUInt64LE());
    };
    const slotNow = () => START + Math.floor(now / SLOT_MS);
    return { readAfter, slotNow };
  }

  it('attack: a node of several behind an address tells once that the accounts of pools are gone, at a slot that is far ahead: the next answer counts', async (t) => {
    for (const ahead of [25, 150, 990, 9 * 10 ** 12]) {
      const { readAfter, slotNow } = open(t);
      for (let times = 0; times < 3; times++) assert.equal(await readAfter(1_000), slotNow());
      assert.equal(await readAfter(1_000, { ahead, isGone: true }), undefined);
      assert.equal(await readAfter(1_000), slotNow(), `${ahead}`);
    }
  });

  it('attack: a node of several behind an address tells once of the accounts of pools at a slot that is no further ahead than most are apart: other answers count 8 s later', async (t) => {
    const { readAfter, slotNow } = open(t);
    for (let times = 0; times < 3; times++) assert.equal(await readAfter(1_000), slotNow());
    await readAfter(1_000, { ahead: 20, isGone: true });
    for (let s = 1; s <= 7; s++) assert.equal(await readAfter(1_000), undefined);
    assert.equal(await readAfter(1_000), slotNow());
  });

  it('never go back to what was before, where nodes that take turns are up to 140 slots apart, once each has answered twice', async (t) => {
    for (const lags of APART)
      for (const everyMs of [100, 1_000, 15_000]) {
        const { readAfter } = open(t, lags);
        let newest = 0;
        for (let times = 0; times < 100; times++) {
          const next = (await readAfter(everyMs))!;
          assert.ok(times < 2 * lags.length || next >= newest, `${lags}, each ${everyMs} ms: ${next} after ${newest}`);
          newest = next;
        }
      }
  });
});

describe('the newest blockhash', () => {
  /** Nodes that take turns, each so many slots behind the chain. */
  function open(lags = [0]) {
    let [now, asked] = [0, 0];
    const [blockhash, told] = [generateKeypair().address, { slot: 0, height: 0, times: 0 }];
    const rpc: Rpc = {
      name: 'test',
      async call<T>(): Promise<T> {
        const isLie = told.times-- > 0;
        const slot = START + Math.floor(now / SLOT_MS) - lags[asked++ % lags.length]!;
        const lastValidBlockHeight = slot - 100_000 + 150 + (isLie ? told.height : 0);
        return { context: { slot: slot + (isLie ? told.slot : 0) }, value: { blockhash, lastValidBlockHeight } } as T;
      },
    };
    const chain = createChain({ rpc, steadyNow: () => now, fees: { percentile: 50, maxMicroLamports: 0n } });
    /** How far what is told so much later is ahead of the chain: the slot and the height of its blockhash, and the newest slot. */
    const aheadAfter = async (ms: number, lie: Partial<typeof told> = {}) => {
      now += ms;
      Object.assign(told, { slot: 0, height: 0, times: 1 }, lie);
      const { slot, lastValidBlockHeight } = await chain.latestBlockhash();
      told.times = 0;
      const [height, newest] = [Number(lastValidBlockHeight) + 100_000 - 150, Number(await chain.newestSlot())];
      return [Number(slot), height, newest].map((each) => each - START - Math.floor(now / SLOT_MS));
    };
    return { aheadAfter, asked: () => asked };
  }
  const NONE = [0, 0, 0];

  it('attack: a node of several behind an address tells twice of a blockhash with a height that comes in an hour, or never: it is asked again, and nothing is crafted by that', async () => {
    for (const height of [25, 150, 9_000, 10 ** 12]) {
      const { aheadAfter, asked } = open();
      for (let times = 0; times < 3; times++) assert.deepEqual(await aheadAfter(1_000), NONE);
      for (const restMs of [400, 600_000]) assert.deepEqual(await aheadAfter(restMs, { height }), NONE, `${height}`);
      assert.equal(asked(), 3 + 2 * 2);
    }
  });

  it('attack: a node of several behind an address tells with the first blockhash, and with a later one, of a slot that never comes: that is not the newest', async () => {
    for (const slot of [25, 150, 9_000, 9 * 10 ** 12]) {
      const { aheadAfter, asked } = open();
      await aheadAfter(1_000, { slot });
      for (let times = 0; times < 3; times++) assert.deepEqual(await aheadAfter(400), NONE);
      assert.deepEqual(await aheadAfter(400, { slot }), NONE, `${slot}`);
      assert.equal(asked(), 4 + 2);
    }
  });

  it('is asked for once where nodes that take turns are up to 140 slots apart, once each has answered twice', async () => {
    for (const lags of APART)
      for (const everyMs of [400, 1_000, 15_000, 600_000]) {
        const { aheadAfter, asked } = open(lags);
        for (let times = 0; times < 100; times++) await aheadAfter(everyMs);
        assert.ok(asked() <= 100 + 2 * lags.length, `${lags}, each ${everyMs} ms: ${asked()}`);
      }
  });

  it('is that of a chain which has really gone far ahead, by the second answer', async () => {
    const { aheadAfter, asked } = open();
    for (let times = 0; times < 3; times++) assert.deepEqual(await aheadAfter(1_000), NONE);
    const jumped = { slot: 1_500, height: 1_500, times: Number.POSITIVE_INFINITY };
    for (let times = 0; times < 3; times++) assert.deepEqual(await aheadAfter(1_000, jumped), [1_500, 1_500, 1_500]);
    assert.equal(asked(), 6 + 1);
  });
});
