import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileMessage, encodeTransaction, generateKeypair, sign } from '@slipway/wire';
import { type Chain, createChain, type Rpc } from '../chain/index.js';
import type { Guest } from '../lib/places.js';
import type { LedgerRow } from '../store/ledger.js';
import { createDelegatedSend } from './delegated-send.js';
import { FEES, log } from './testing.js';

describe('attack: a free key has what nobody has landed searched for, more than a node answers', () => {
  afterEach(() => {
    for (const close of opened.splice(0)) close();
  });
  const opened: (() => void)[] = [];

  /** A node that tells of each blockhash that it is dead, and what it has listed for whom. */
  function setUp(
    list: (caller: string | undefined) => Promise<never[]>,
    validity: (caller: string | undefined) => Promise<boolean> = async () => false,
  ) {
    const lists: (string | undefined)[] = [];
    let asked = 0;
    const rpcFor = (caller: string | undefined): Rpc => ({
      name: 'node.example',
      async call<T>(method: string): Promise<T> {
        const context = { slot: 10_000 };
        if (method === 'isBlockhashValid') {
          asked += 1;
          return { context, value: await validity(caller) } as T;
        }
        if (method === 'getLatestBlockhash')
          return { context, value: { blockhash: '1'.repeat(32), lastValidBlockHeight: 10_150 } } as T;
        assert.equal(method, 'getSignaturesForAddress');
        lists.push(caller);
        return (await list(caller)) as T;
      },
    });
    const chainOf = (caller?: Guest): Chain => ({
      ...createChain({ rpc: rpcFor(caller?.id), steadyNow: () => 0, fees: FEES }),
      by: chainOf,
    });
    const closing = new AbortController();
    let queries = 0;
    const store = {
      async query() {
        queries += 1;
        return { rows: [], rowCount: 0 };
      },
    } as never;
    const clock = { now: () => Date.now() };
    const delegated = createDelegatedSend({ store, clock, chain: chainOf(), log, closing: closing.signal });
    const search = (caller: Guest) => {
      const [payer, wallet] = [generateKeypair(), generateKeypair().address];
      const blockhash = generateKeypair().address;
      const message = compileMessage({ version: 0, feePayer: payer.address, instructions: [], blockhash });
      const wire = Buffer.from(encodeTransaction({ signatures: [sign(payer, message)], message }));
      const now = new Date();
      const row = { id: wallet, state: 'sending', signature: 'another', wire, wallet, createdAt: now, sentAt: now };
      return delegated.search({ ...row, lastValidBlockHeight: 9_900n } as unknown as LedgerRow, { caller });
    };
    opened.push(() => closing.abort());
    return { lists, search, queries: () => queries, asked: () => asked };
  }

  it('another key’s are searched for by its own calls, which have turns', async () => {
    const { lists, search } = setUp((caller) => (caller === 'other' ? Promise.resolve([]) : new Promise(() => {})));
    for (let n = 0; n < 100; n++) search({ id: 'attacker' }).catch(() => {});
    const told = await search({ id: 'other' });
    assert.ok('verdict' in told);
    assert.equal(told.verdict.event, 'expired');
    assert.ok(!lists.includes(undefined));
  });

  it('the pauses of many are no leak that Node warns of', async (t) => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    t.after(() => process.off('warning', hear));
    const { search, queries } = setUp(() => Promise.resolve([]));
    for (let n = 0; n < 50; n++) search({ id: `key ${n}` }).catch(() => {});
    while (queries() < 100) await sleep(5);
    assert.deepEqual(warnings, []);
  });

  it('sixteen of one key ask at a time whether they are dead', async () => {
    const { asked, search, queries } = setUp(
      () => Promise.resolve([]),
      () => new Promise(() => {}),
    );
    for (let n = 0; n < 100; n++) search({ id: 'attacker' }).catch(() => {});
    for (let n = 0; n < 100; n++) search({ id: `page ${n}`, together: 'page' }).catch(() => {});
    while (asked() < 32) await sleep(5);
    const before = queries();
    await sleep(1_500);
    assert.deepEqual([asked(), queries() - before], [32, 0]);
  });

  it('through a page: another client of it has a turn of its own', async () => {
    const waiting: [caller: string | undefined, answer: () => void][] = [];
    const validity = (caller: string | undefined) =>
      new Promise<boolean>((resolve) => waiting.push([caller, () => resolve(false)]));
    const { search } = setUp(() => Promise.resolve([]), validity);
    for (let n = 0; n < 100; n++) search({ id: 'attacker', together: 'page' }).catch(() => {});
    while (waiting.length < 16) await sleep(5);
    search({ id: 'another', together: 'page' }).catch(() => {});
    for (let times = 0; times < 5; times++) {
      waiting[times]![1]();
      await sleep(20);
    }
    assert.ok(
      waiting.some(([caller]) => caller === 'another'),
      `${waiting.length}`,
    );
  });

  it('of wallets whose transactions have no end: others of the same page are told all the same', async () => {
    const { lists, search } = setUp((caller) => (caller === 'endless' ? new Promise(() => {}) : Promise.resolve([])));
    for (let n = 0; n < 100; n++) search({ id: 'endless', together: 'page' }).catch(() => {});
    while (lists.length < 100) await sleep(5);
    const told = await search({ id: 'another', together: 'page' });
    assert.ok('verdict' in told);
  });
});
