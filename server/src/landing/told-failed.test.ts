import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { createChain, type Rpc } from '../chain/index.js';
import { emptyWire, FEES, log } from './testing.js';
import { createTracker } from './tracker.js';

const STEP_MS = 100;
const NOW_SLOT = 1_000;
const FAILED = { InstructionError: [0, { Custom: 1 }] };
const lifetime = { kind: 'blockhash', blockhash: generateKeypair().address, aliveAt: 1n } as const;

/** What a node says of how it has ended; undefined if it does not have it. */
type Word = null | typeof FAILED | undefined;

/** A node tells the end of one transaction by statuses and by lists, each time the next of these words, and then the last again. */
async function endOf({ statuses, lists }: { statuses: Word[]; lists: Word[] }, seconds = 20) {
  let now = 0;
  const counts = { statuses: 0, lists: 0 };
  const next = (words: Word[], kind: keyof typeof counts) => words[Math.min(counts[kind]++, words.length - 1)];
  const rpc: Rpc = {
    name: 'test',
    async call<T>(method: string): Promise<T> {
      const context = { slot: NOW_SLOT };
      if (method === 'isBlockhashValid') return { context, value: true } as T;
      if (method === 'getSignatureStatuses') {
        const err = next(statuses, 'statuses');
        const status = { slot: NOW_SLOT, err, confirmationStatus: 'confirmed' };
        return { context, value: [err === undefined ? null : status] } as T;
      }
      assert.equal(method, 'getSignaturesForAddress');
      const err = next(lists, 'lists');
      return (err === undefined ? [] : [{ signature: 'signature', slot: NOW_SLOT, err }]) as T;
    },
  };
  const steadyNow = () => now;
  const chain = createChain({ rpc, steadyNow, fees: FEES });
  const tracker = createTracker({ chain, sendRpcs: [], log, steadyNow });
  let event: string | undefined;
  tracker.track({ signature: 'signature', wire: emptyWire(lifetime.blockhash), lifetime }).then(
    (verdict) => {
      event = verdict.event;
    },
    () => {},
  );
  while (event === undefined && now < seconds * 1_000) {
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
