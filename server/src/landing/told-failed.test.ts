import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { createChain, type Rpc, RpcError } from '../chain/index.js';
import { CLOSE, leisurely } from './pace.js';
import { emptyWire, FEES, log } from './testing.js';
import { createTracker } from './tracker.js';

const STEP_MS = 100;
const NOW_SLOT = 1_000;
const FAILED = { InstructionError: [0, { Custom: 1 }] };
const lifetime = { kind: 'blockhash', blockhash: generateKeypair().address, aliveAt: 1n } as const;

/** What a node says of how it has ended; undefined if it does not have it. */
type Word = null | typeof FAILED | undefined;

interface Told {
  statuses: Word[];
  /** As statuses that are asked of all that the node has kept; by default those of late. */
  kept?: Word[];
  /** `none` where it keeps none. */
  lists?: (Word | 'none')[];
  finalized?: boolean;
  /** How many slots ago statuses say that it was. */
  back?: number;
  isOurs?: boolean;
  isDead?: boolean;
  isLeisurely?: boolean;
}

/** A node tells the end of one transaction by statuses and by lists, each time the next of these words, and then the last again. */
async function endOf(told: Told) {
  const { statuses, kept = statuses, lists = [undefined], finalized = false, back = 0, isOurs = false } = told;
  let now = 0;
  const counts = { statuses: 0, kept: 0, lists: 0 };
  const next = <T>(words: T[], kind: keyof typeof counts) => words[Math.min(counts[kind]++, words.length - 1)];
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string, [, options]: unknown[]): Promise<T> {
      const context = { slot: NOW_SLOT };
      if (method === 'isBlockhashValid') return { context, value: !told.isDead } as T;
      if (method === 'getSignatureStatuses') {
        const isKept = (options as { searchTransactionHistory: boolean }).searchTransactionHistory;
        const err = isKept ? next(kept, 'kept') : next(statuses, 'statuses');
        const confirmationStatus = finalized ? 'finalized' : 'confirmed';
        const status = { slot: NOW_SLOT - back, err, confirmationStatus };
        return { context, value: [err === undefined ? null : status] } as T;
      }
      assert.equal(method, 'getSignaturesForAddress');
      const err = next(lists, 'lists');
      if (err === 'none') throw new RpcError(-32011, 'Transaction history is not available from this node');
      return (err === undefined ? [] : [{ signature: 'signature', slot: NOW_SLOT, err }]) as T;
    },
  };
  const steadyNow = () => now;
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const pace = told.isLeisurely ? leisurely({ ...chain, simulate: async () => ({ err: null }) as never }) : CLOSE;
  const tracker = createTracker({ chain, sendRpcs: [], log, steadyNow, pace });
  let event: string | undefined;
  tracker.track({ signature: 'signature', wire: emptyWire(lifetime.blockhash), lifetime, isOurs }).then(
    (verdict) => {
      event = verdict.event;
    },
    () => {},
  );
  while (event === undefined && now < 20_000) {
    now += STEP_MS;
    mock.timers.tick(STEP_MS);
    for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  tracker.close();
  return { event, afterMs: now, ...counts };
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

describe('attack: a node of several behind an address lists what has landed as failed: nobody is told to pay again', () => {
  it('once, or three times in a row, while the statuses say that it has landed', async () => {
    for (const lies of [1, 3]) {
      const lists = [...Array<Word>(lies).fill(FAILED), null];
      assert.equal((await endOf({ statuses: [null], lists })).event, 'landed');
    }
  });

  it('each other time, whether a list between has it or lacks it, and another node says so by statuses', async () => {
    for (const between of [null, undefined]) {
      const { event } = await endOf({ statuses: [FAILED], lists: [FAILED, between, FAILED, null] });
      assert.equal(event, 'landed');
    }
  });
});

describe('attack: a node of several behind an address says by a status that what is under way has failed: nobody is told to pay again', () => {
  for (const [isOurs, what] of [
    [true, 'three times in a row, of what a wallet of the service pays for'],
    [false, 'again and again, of what others pay for'],
  ] as const)
    it(`finalized, of now and of long ago, ${what}`, async () => {
      const statuses = [FAILED, FAILED, FAILED, undefined, FAILED, FAILED, FAILED, undefined, null];
      for (const back of [0, 600])
        assert.equal((await endOf({ statuses, lists: [null], finalized: true, back, isOurs })).event, 'landed');
    });

  it('three times in a row, and that no node keeps lists', async () => {
    const lists = ['none', 'none', 'none', 'none', null] as const;
    assert.equal((await endOf({ statuses: [FAILED, FAILED, FAILED, null], lists: [...lists] })).event, 'landed');
    assert.equal((await endOf({ statuses: [FAILED], lists: ['none'] })).event, 'failed');
  });

  it('again and again, of slots before it was made, which no list has', async () => {
    for (const finalized of [true, false])
      assert.equal((await endOf({ statuses: [FAILED], finalized, back: 600 })).event, undefined);
  });
});

it('what has failed is told so at its fourth status where its wallet is one of the service', async () => {
  for (const finalized of [true, false]) {
    const { event, afterMs } = await endOf({ statuses: [FAILED], isOurs: true, finalized });
    assert.equal(event, 'failed');
    assert.ok(afterMs <= 2_000, `${afterMs} ms`);
  }
});

it('what has failed so long ago that a node remembers it only when it looks further is told so', async () => {
  for (const isOurs of [true, false]) {
    const { event } = await endOf({ statuses: [undefined], kept: [FAILED], lists: [FAILED], isOurs, isDead: true });
    assert.equal(event, 'failed');
  }
});

it('what has failed is told so once two lists say it, as its statuses do', async () => {
  const { event, afterMs, lists } = await endOf({ statuses: [FAILED], lists: [FAILED] });
  assert.deepEqual([event, lists], ['failed', 2]);
  assert.ok(afterMs <= 2_000, `${afterMs} ms`);
});

it('of two with one nonce, what has failed is told so once four lists say it, though the status of the other one says for both that it has landed', async () => {
  const { event, afterMs, lists } = await endOf({ statuses: [null], lists: [FAILED] });
  assert.deepEqual([event, lists], ['failed', 4]);
  assert.ok(afterMs <= 3_000, `${afterMs} ms`);
});

it('what is dead, and on no node, is told as expired within seconds of the first word of that, also what strangers post', async () => {
  for (const isLeisurely of [true, false]) {
    const { event, afterMs } = await endOf({ statuses: [undefined], isDead: true, isLeisurely });
    assert.equal(event, 'expired');
    assert.ok(afterMs <= 8_000, `${afterMs} ms`);
  }
});
