import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  sign,
  systemTransfer,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import { ChainUnavailable } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { withOtherSignature } from '../lib/other-signature-testing.js';
import type { Guest } from '../lib/places.js';
import type { LedgerRow } from '../store/ledger.js';
import { type AcceptDeps, accept, isRefusal, type Posted } from './accept.js';
import { ReservationRefused } from './grouped-writes.js';
import { PostedAnswers } from './posted-answers.js';
import { WouldFail } from './preflight.js';
import { newRequest } from './request.js';

const NOW = Date.UTC(2026, 0, 1);
const [user, gas, maker] = [generateKeypair(), generateKeypair(), generateKeypair()];
const LAST_BLOCK = 150n;
/** Who posts. */
const CALLER: Guest = { id: 'caller' };
/** The slot of the node that tells the height. */
const NEWEST = 400n;

/** A payment of the user; `sponsor`, who signs as well, pays its fee. */
function craft({ sponsor = user.address, lamports = 5n } = {}) {
  const instructions = [systemTransfer({ from: user.address, to: maker.address, lamports })];
  const budget = { computeUnitLimit: 1_000, computeUnitPrice: 0n };
  return craftTransaction({ feePayer: sponsor, instructions, blockhash: gas.address, budget });
}

function signed(wire: Uint8Array, keypair = user, signer = user): Transaction {
  const transaction = decodeTransaction(wire);
  return withSignature(transaction, signer.address, sign(keypair, transaction.message));
}

const base64Of = (transaction: Transaction) => Buffer.from(encodeTransaction(transaction)).toString('base64');

/** A request in the ledger, and what landing and the chain were asked. */
function world(
  options: {
    crafted?: ReturnType<typeof craft>;
    row?: Partial<LedgerRow>;
    height?: bigint;
    /** Of the nodes that are asked for the status, one after the other. */
    slots?: bigint[];
    onChain?: string;
    execute?: () => Promise<LedgerRow>;
    /** What statuses are asked for last, before they are told. */
    told?: () => Promise<void>;
    isForged?: boolean;
    /** As another copy has it land while the signer or the node is asked. */
    meanwhile?: Partial<LedgerRow>;
  } = {},
) {
  const { crafted = craft(), height = LAST_BLOCK, slots = [], onChain } = options;
  const made = {
    id: 'request',
    area: 'area',
    wallet: user.address,
    crafted,
    lastValidBlockHeight: LAST_BLOCK,
    cosigners: [],
    payload: { kept: true },
  };
  const row = { ...newRequest(made, { now: () => NOW }), state: 'crafted', ...options.row } as LedgerRow;
  const asked: string[] = [];
  const landed = { ...row, state: 'landed', signature: 'signature' } as LedgerRow;
  const details: unknown[] = [];
  let reads = 0;
  const time = { now: 0 };
  const deps = {
    caller: CALLER,
    clock: { now: () => NOW },
    chain: {
      async blockHeight() {
        asked.push('height');
        return height;
      },
      async statuses(signatures: string[]) {
        asked.push('statuses');
        await options.told?.();
        return { slot: slots.shift() ?? NEWEST, found: signatures.map((each) => (each === onChain ? {} : undefined)) };
      },
      newestSlot: async () => NEWEST,
    },
    landing: {
      looks: new PostedAnswers<boolean>(
        () => 5_000,
        () => time.now,
      ),
      vouchesFor: async () => options.isForged !== true,
      walletsOf: () => [],
      async execute(_: LedgerRow, __: Transaction, detail: unknown, how: { caller?: Guest }) {
        assert.equal(how.caller, CALLER);
        asked.push('execute');
        details.push(detail);
        return options.execute ? options.execute() : landed;
      },
      async delegate(_: LedgerRow, __: Transaction, ___: unknown, caller: Guest) {
        assert.equal(caller, CALLER);
        asked.push('delegate');
        return landed;
      },
    },
    async findRequest(id: string) {
      if (id !== row.id) return undefined;
      reads += 1;
      return reads === 1 ? row : { ...row, ...options.meanwhile };
    },
  } as unknown as AcceptDeps;
  const before = structuredClone(row);
  return {
    crafted,
    row,
    landed,
    asked,
    details,
    time,
    looks: () => asked.filter((what) => what === 'statuses').length,
    post: async (posted: Partial<Posted> = {}) => {
      const ended = await accept(deps, {
        area: 'area',
        base64: base64Of(signed(crafted.wire)),
        request: 'request',
        terms: () => ({ ours: [] }),
        ...posted,
      });
      assert.deepEqual(structuredClone(row), before, 'the request is as it was');
      return ended;
    },
  };
}

const sent = (asked: string[]) => asked.some((what) => what === 'execute' || what === 'delegate');

describe('a posted transaction', () => {
  test('lands with what its area has prepared, and is answered with the final row', async () => {
    const { post, landed, details, asked } = world();
    assert.equal(await post({ prepare: ({ id }) => ({ of: id }) }), landed);
    assert.deepEqual([details, asked], [[{ of: 'request' }], ['height', 'execute']]);
  });

  test('that was posted before is followed, whatever the height, and nothing is prepared again', async () => {
    for (const state of ['sending', 'landed', 'failed', 'expired'] as const) {
      const { post, asked } = world({ row: { state }, height: 10_000n });
      await post({ prepare: () => assert.fail('prepared again') });
      assert.deepEqual(asked, ['execute']);
    }
  });

  test('is found by what it is, where no id is posted with it', async () => {
    const { post, row, landed } = world();
    const signers: string[] = [];
    const request: Posted['request'] = async (posted) => {
      signers.push(...posted.signers);
      return row;
    };
    assert.equal(await post({ request }), landed);
    assert.deepEqual(signers, [user.address]);
  });

  test('that a market maker signs last is handed to the maker while the offer stands, whatever the height', async () => {
    const crafted = craft({ sponsor: maker.address });
    for (const [until, reason] of [
      [NOW, undefined],
      [NOW - 1, 'too-late'],
    ] as const) {
      const { post, asked } = world({ crafted, height: 10_000n });
      const delegate = { until, deliver: () => assert.fail('delivered by the landing alone') };
      const ended = await post({ terms: () => ({ ours: [maker.address], delegate }) });
      assert.equal(isRefusal(ended) ? ended.reason : undefined, reason);
      assert.deepEqual(asked, reason ? [] : ['delegate']);
    }
  });

  test('beyond its last block is landed only where its owner has sent it, which a missing signature rules out', async () => {
    const complete = craft();
    const signature = transactionSignature(signed(complete.wire));
    const height = LAST_BLOCK + 1n;
    const found = world({ crafted: complete, height, onChain: signature });
    assert.equal(await found.post(), found.landed);
    assert.deepEqual(found.asked, ['height', 'statuses', 'execute']);

    const unknown = world({ crafted: complete, height });
    assert.deepEqual(await unknown.post(), { reason: 'too-late' });
    assert.deepEqual(unknown.asked, ['height', 'statuses']);

    const cosigned = world({ crafted: craft({ sponsor: gas.address }), height });
    assert.deepEqual(await cosigned.post({ terms: () => ({ ours: [gas.address] }) }), { reason: 'too-late' });
    assert.deepEqual(cosigned.asked, ['height'], 'nobody can have sent it without our signature');

    const crafted = craft({ sponsor: gas.address });
    const another = sign(gas, new Uint8Array(1));
    const spoiled = withSignature(signed(crafted.wire), gas.address, another);
    const posed = world({ crafted, height, onChain: transactionSignature(spoiled) });
    const post = { base64: base64Of(spoiled), terms: () => ({ ours: [gas.address] }) };
    assert.deepEqual(await posed.post(post), { reason: 'too-late' });
    assert.deepEqual(posed.asked, ['height'], 'nor with another signature of ours in its place');
  });

  test('attack: a free key posts a dead transaction over and over, also many times at once: its history is looked at once in five seconds', async () => {
    const dead = world({ height: LAST_BLOCK + 1n });
    const posts = () => Promise.all(Array.from({ length: 20 }, () => dead.post()));
    for (let times = 0; times < 3; times++) assert.deepEqual(await posts(), Array(20).fill({ reason: 'too-late' }));
    assert.equal(dead.looks(), 1);
    dead.time.now += 5_000;
    await posts();
    assert.equal(dead.looks(), 2);
  });

  test('attack: a free key posts a dead transaction with ever other signatures of it: three are looked for, one at a time, and of others nobody says that they have expired', async () => {
    let [asked, most] = [0, 0];
    const told = async () => {
      most = Math.max(most, ++asked);
      await new Promise((resolve) => setImmediate(resolve));
      asked--;
    };
    const dead = world({ height: LAST_BLOCK + 1n, told });
    const base64 = base64Of(signed(dead.crafted.wire));
    const post = () => dead.post({ base64: withOtherSignature(base64, user) });
    const ends = await Promise.allSettled(Array.from({ length: 20 }, post));
    const late = ends.filter((end) => end.status === 'fulfilled');
    assert.deepEqual(
      late.map(({ value }) => value),
      Array(3).fill({ reason: 'too-late' }),
    );
    for (const end of ends) assert.ok(end.status === 'fulfilled' || end.reason instanceof ChainUnavailable);
    await assert.rejects(post(), ChainUnavailable);
    assert.deepEqual([dead.looks(), most], [3, 1]);
    dead.time.now += 5_000;
    assert.deepEqual(await post(), { reason: 'too-late' });
  });

  test('attack: a free key posts a dead transaction many times at once where the node does not answer: all hear of the one look, and after the second one the next is a second later', async () => {
    const away = new ChainUnavailable('away');
    const dead = world({ height: LAST_BLOCK + 1n, told: () => Promise.reject(away) });
    for (let times = 0; times < 2; times++)
      await Promise.all(Array.from({ length: 20 }, () => assert.rejects(dead.post(), away)));
    await assert.rejects(dead.post(), away);
    assert.equal(dead.looks(), 2);
    dead.time.now += 1_000;
    await assert.rejects(dead.post(), away);
    assert.equal(dead.looks(), 3);
  });

  test('beyond its last block has not expired by the word of a node that is behind', async () => {
    const late = { crafted: craft(), height: LAST_BLOCK + 1n };
    const behind = world({ ...late, slots: Array(10).fill(NEWEST - 1n) });
    await assert.rejects(behind.post(), ChainUnavailable);
    assert.equal(sent(behind.asked), false);
    const another = world({ ...late, slots: [NEWEST - 1n, NEWEST] });
    assert.deepEqual(await another.post(), { reason: 'too-late' });
    const onChain = transactionSignature(signed(late.crafted.wire));
    const known = world({ ...late, onChain, slots: [NEWEST - 1n] });
    assert.equal(await known.post(), known.landed);
  });

  test('whose id is dead is answered only when it was posted in time', async () => {
    const expiresAt = new Date(NOW - 1);
    for (const [state, reason] of [
      ['crafted', 'expired-request'],
      ['sending', undefined],
      ['landed', undefined],
    ] as const) {
      const ended = await world({ row: { state, expiresAt } }).post();
      assert.equal(isRefusal(ended) ? ended.reason : undefined, reason, state);
    }
    const last = world({ row: { expiresAt: new Date(NOW) } });
    assert.equal(await last.post(), last.landed);
  });

  test('that another copy has landed while the chain or the signer is asked has not expired', async () => {
    const late = { crafted: craft({ sponsor: gas.address }), height: LAST_BLOCK + 1n };
    for (const options of [late, { row: { expiresAt: new Date(NOW - 1) } }]) {
      for (const [state, isTaken] of [
        ['crafted', false],
        ['sending', true],
        ['landed', true],
      ] as const) {
        const { post, asked } = world({ ...options, meanwhile: { state } });
        const ended = await post({ terms: () => ({ ours: [gas.address] }), prepare: () => assert.fail('prepared') });
        assert.deepEqual([!isRefusal(ended), asked.includes('execute')], [isTaken, isTaken], state);
      }
    }
  });

  test('that the settlement refuses, or that would fail, says so with what the answer needs', async () => {
    const error = new ReservationRefused('taken');
    assert.deepEqual(await world({ execute: () => Promise.reject(error) }).post(), { reason: 'reserved', error });
    const doomed = world({ execute: () => Promise.reject(new WouldFail('AccountNotFound', [])) });
    const refusal = await doomed.post();
    assert.ok(isRefusal(refusal) && refusal.reason === 'would-fail');
    assert.deepEqual([refusal.err, refusal.request], ['AccountNotFound', doomed.row]);
    assert.deepEqual(refusal.transaction.message, doomed.crafted.message);
    const bug = new Error('something else');
    await assert.rejects(world({ execute: () => Promise.reject(bug) }).post(), bug);
  });
});

describe('of several reasons to refuse', () => {
  /** In the order in which they are told; each spoils a good post in its own way. */
  const FAULTS = ['unknown-request', 'expired-request', 'terms', 'message-changed', 'signature', 'too-late', 'prepare'];

  async function refusalOf(faults: ReadonlySet<string>, decodable: boolean, posted: Partial<Posted> = {}) {
    const crafted = craft({ sponsor: gas.address });
    const { post, asked } = world({
      crafted,
      ...(faults.has('expired-request') && { row: { expiresAt: new Date(NOW - 1) } }),
      ...(faults.has('too-late') && { height: LAST_BLOCK + 1n }),
    });
    const { wire } = faults.has('message-changed') ? craft({ sponsor: gas.address, lamports: 6n }) : crafted;
    const transaction = signed(wire, faults.has('signature') ? maker : user);
    const fault = (name: string) => {
      if (faults.has(name)) throw new Error(name);
    };
    const ended = await post({
      base64: decodable ? base64Of(transaction) : 'AAAA',
      ...(faults.has('unknown-request') && { area: 'another' }),
      terms() {
        fault('terms');
        return { ours: [gas.address] };
      },
      prepare: () => fault('prepare'),
      ...posted,
    }).catch(({ message }: Error) => ({ reason: message }));
    assert.equal(sent(asked), faults.size === 0 && decodable);
    return 'reason' in ended ? ended.reason.replace('invalid-signature', 'signature') : undefined;
  }

  const subsets = Array.from({ length: 2 ** FAULTS.length }, (_, bits) =>
    FAULTS.filter((_name, index) => bits & (1 << index)),
  );

  test('the first is told, and with any of them nothing is sent', async () => {
    for (const faults of subsets) assert.equal(await refusalOf(new Set(faults), true), faults[0], faults.join());
  });

  test('a transaction that cannot be decoded comes first, unless the area wants the request looked at before', async () => {
    const beforeDecoding = FAULTS.slice(0, 3);
    for (const faults of subsets) {
      assert.equal(await refusalOf(new Set(faults), false), 'undecodable', faults.join());
      const told = faults.find((fault) => beforeDecoding.includes(fault)) ?? 'undecodable';
      const posted = { requestFirst: true } as const;
      assert.equal(await refusalOf(new Set(faults), false, posted), told, faults.join());
    }
  });
});
