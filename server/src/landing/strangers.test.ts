import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import {
  type Address,
  advanceNonce,
  generateKeypair,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
} from '@slipway/wire';
import { createChain, type Rpc } from '../chain/index.js';
import { NoPlace } from '../lib/places.js';
import { findBySignature } from '../store/ledger.js';
import { deleteEndedSubmissions } from '../store/ledger-cleaning.js';
import { CannotLand } from './index.js';
import { leisurely } from './pace.js';
import { emptyWire, FEES, log, openWorld, signedBy } from './testing.js';
import { createTracker } from './tracker.js';

describe('attack: a free key submits what will never land', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  beforeEach(() => {
    world.node.swallows = false;
    world.node.instead = () => undefined;
    world.ended.length = 0;
    world.chain.forget();
    world.calls.clear();
  });

  /** A blockhash of earlier than what else is told, so that nothing is asked twice. */
  const toldBefore = (method: string) =>
    method === 'getLatestBlockhash'
      ? { context: { slot: 1 }, value: { blockhash: generateKeypair().address, lastValidBlockHeight: 150 } }
      : undefined;
  const callsMade = () => {
    const { getLatestBlockhash, ...others } = Object.fromEntries(world.calls);
    return others;
  };

  const refused = (signed: ReturnType<typeof signedBy>, says: RegExp, id = 'attacker') =>
    assert.rejects(world.landing.submit(signed, { id }), (error) => {
      assert.ok(error instanceof CannotLand, String(error));
      assert.match(error.message, says);
      return true;
    });

  it('from payers that hold nothing: refused with one batched read, one question for the blockhash and one for each status, and no send', async () => {
    const blockhash = await world.blockhash();
    world.node.instead = toldBefore;
    const signed = Array.from({ length: 5 }, (_, index) => signedBy([memo(`${index}`)], blockhash, generateKeypair()));
    const says = /has 0 lamports, but the network fee is 5000/;
    await Promise.all(signed.map((each, index) => refused(each, says, `caller ${index}`)));
    assert.deepEqual(callsMade(), {
      isBlockhashValid: 1,
      getMultipleAccounts: 1,
      getSignatureStatuses: 5,
    });
    assert.equal((await world.store.query('select from ledger')).rowCount, 0);
  });

  it('from a payer that has the base fee, but not the priority fee that it offers: refused, and not sent', async () => {
    const payer = await world.wallet(1_000_000);
    const offer = [setComputeUnitLimit(1_000_000), setComputeUnitPrice(1_000_000n), memo('rich')];
    await refused(
      signedBy(offer, await world.blockhash(), payer),
      /has 1000000 lamports, but the network fee is 1005000/,
    );
    assert.equal(world.calls.get('sendTransaction'), undefined);
  });

  it('with a durable nonce, which never expires, and a payer without money: refused, and not sent', async () => {
    const owner = await world.wallet(1_000_000_000);
    const { nonce, value } = await world.nonce(owner);
    world.node.instead = toldBefore;
    const advance = (authority: Address) => [advanceNonce({ nonce, authority }), memo('again')];
    world.calls.clear();

    await refused(signedBy(advance(owner.address), value, generateKeypair(), owner), /has 0 lamports/);
    await refused(
      signedBy(advance(owner.address), generateKeypair().address, owner),
      /its nonce is not that of the account/,
    );
    const nobody = generateKeypair();
    const made = [advanceNonce({ nonce: nobody.address, authority: owner.address })];
    await refused(signedBy(made, value, owner), /its nonce is not that of the account/);
    assert.deepEqual(callsMade(), {
      getMultipleAccounts: 3,
      isBlockhashValid: 2,
      getSignatureStatuses: 3,
    });
    assert.deepEqual(
      await world.landing.submit(signedBy(advance(owner.address), value, owner), { id: 'owner' }).then(() => 1),
      1,
    );
    await world.haveEnded(2);
    assert.equal(world.ended[1]!.state, 'landed');
  });

  it('keeps 3 under way for itself, and 5 with all others: further ones cost no call, until those have ended and were posted 90 s ago', async () => {
    const payer = await world.wallet(1_000_000_000);
    const blockhash = await world.blockhash();
    world.node.swallows = true;
    let number = 0;
    const submit = (id: string) =>
      world.landing.submit(signedBy([memo(`cap ${number++}`)], blockhash, payer), { id }).then(
        () => 'taken',
        (error) => (error instanceof NoPlace ? error.whose : String(error)),
      );
    const submitMany = (id: string, count: number) => Promise.all(Array.from({ length: count }, () => submit(id)));
    assert.deepEqual((await submitMany('one', 5)).sort(), ['guest', 'guest', 'taken', 'taken', 'taken']);
    // As many as are left for others, so that there is one for who comes new.
    assert.deepEqual((await submitMany('other', 3)).sort(), ['guest', 'guest', 'taken']);
    assert.deepEqual(await submitMany('new', 2), ['taken', 'all']);
    const reads = world.calls.get('getMultipleAccounts');
    assert.equal(world.calls.get('sendTransaction'), 5);
    assert.deepEqual(await submitMany('third', 100), Array(100).fill('all'));
    assert.equal(world.calls.get('getMultipleAccounts'), reads);
    assert.equal(world.calls.get('sendTransaction'), 5);

    await world.rpc.call('localnet_advanceClock', [120]);
    world.chain.forget();
    await world.haveEnded(5);
    assert.deepEqual(
      world.ended.map(({ state }) => state),
      Array(5).fill('expired'),
    );
    // However soon: with a blockhash that was nearly dead, they would be 50 rows a second.
    assert.deepEqual(await submitMany('one', 1), ['guest']);
    world.time.ahead += 90_000;
    world.node.swallows = false;
    const late = signedBy([memo('late')], await world.blockhash(), payer);
    await world.landing.submit(late, { id: 'one' });
    await world.haveEnded(6);
    assert.equal(world.ended[5]!.state, 'landed');
  });

  it('fills no table: what has ended is deleted after the days that are configured, in batches', async () => {
    const payer = await world.wallet(1_000_000_000);
    const to = generateKeypair().address;
    const pay = async (lamports: bigint) =>
      signedBy([systemTransfer({ from: payer.address, to, lamports })], await world.blockhash(), payer);
    const signatures: string[] = [];
    for (const lamports of [1_000_000n, 2_000_000n, 3_000_000n]) {
      signatures.push(await world.landing.submit(await pay(lamports), { id: 'payer' }));
    }
    await world.haveEnded(3);
    const before = new Date(world.clock.now() + 1_000);
    const deleteSome = (until: Date, limit: number) =>
      world.store.transaction((tx) => deleteEndedSubmissions(tx, until, limit));
    assert.equal(await deleteSome(new Date(0), 10), 0);
    for (let deleted = 2; deleted === 2; ) deleted = await deleteSome(before, 2);
    for (const signature of signatures) assert.equal(await findBySignature(world.store, signature), undefined);
  });
});

describe('attack: a free key keeps 500 transactions under way until their blockhash is dead', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const FLIGHTS = 500;
  const DIES_AT = 1_070_000;
  const BLOCKHASH = generateKeypair().address;

  /**
   * Follows them for 120 s, of which their blockhash lives 70, and `told` is their status for 80, on a clock of its own; where there
   * are several such keys, or addresses of a page, for longer, and one of another that is posted last. Returns the calls by method, and after how many
   * seconds that one is sent.
   */
  async function follow(
    simulated: unknown,
    { told = null as unknown, keys = 1, page = {} as { together?: string } } = {},
  ) {
    let now = 1_000_000;
    const isAlive = () => now < DIES_AT;
    const calls: { method: string; at: number; first: unknown }[] = [];
    const answers: Record<string, (params: unknown[]) => unknown> = {
      getSignatureStatuses: ([signatures]) => {
        return { context: { slot: 9 }, value: (signatures as []).map(() => (now < 1_080_000 ? told : null)) };
      },
      getSignaturesForAddress: () => [],
      isBlockhashValid: () => ({ context: { slot: 9 }, value: isAlive() }),
      simulateTransaction: () => ({ value: { err: simulated, logs: [] } }),
      sendTransaction: () => 'sent',
    };
    const rpc: Rpc = {
      name: 'test',
      async call<T>(method: string, params: unknown[]): Promise<T> {
        calls.push({ method, at: now, first: params[0] });
        return answers[method]!(params) as T;
      },
    };
    const chain = createChain({ rpc, steadyNow: () => now, fees: FEES });
    const tracker = createTracker({ chain, sendRpcs: [rpc], log, steadyNow: () => now, pace: leisurely(chain) });
    const track = (signature: string, id: string, wire = emptyWire(BLOCKHASH)) =>
      tracker.track({
        signature,
        wire,
        lifetime: { kind: 'blockhash', blockhash: BLOCKHASH, aliveAt: 1n },
        caller: { id, ...page },
      });
    const other = emptyWire(BLOCKHASH);
    const verdicts = Array.from({ length: FLIGHTS * keys }, (_, index) => track(`${index}`, `key ${index % keys}`));
    if (keys > 1) verdicts.push(track('other', 'other', other));
    for (const end = 1_080_000 + 40_000 * keys; now < end; now += 100) {
      mock.timers.tick(100);
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    tracker.close();
    const events = await Promise.all(verdicts.map((verdict) => verdict.then(({ event }) => event)));
    assert.deepEqual(new Set(events), new Set(['expired']));
    const of = (method: string) => calls.filter((call) => call.method === method);
    const busiest = (method: string, until = Number.POSITIVE_INFINITY) => {
      const some = of(method).filter(({ at }) => at < until);
      return Math.max(...some.map(({ at }) => some.filter((call) => call.at >= at && call.at < at + 1_000).length));
    };
    const sentAfter = of('sendTransaction')
      .filter(({ first, at }) => at < DIES_AT && first === Buffer.from(other).toString('base64'))
      .map(({ at }) => Math.floor((at - 1_000_000) / 1_000));
    return { of, busiest, sentAfter };
  }

  it('each is sent again at most 7 times, 50 in a second, and its blockhash is asked about once a second for all, twice when it is dead', async () => {
    const { of, busiest } = await follow(null);
    assert.ok(of('sendTransaction').length <= FLIGHTS * 7, `${of('sendTransaction').length}`);
    assert.ok(busiest('sendTransaction') <= 50);
    assert.equal(of('simulateTransaction').length, FLIGHTS);
    assert.equal(busiest('isBlockhashValid', DIES_AT), 1);
    assert.equal(busiest('isBlockhashValid'), 2);
    // Two groups of at most 256, each second, and once more for those whose blockhash is dead.
    assert.ok(busiest('getSignatureStatuses') <= 4);
  });

  it('signed with the nonce of one that has landed, whose status nodes tell for all: 50 are asked for in a second', async () => {
    const { of, busiest } = await follow(null, { told: { slot: 8, err: null, confirmationStatus: 'confirmed' } });
    assert.ok(of('getSignaturesForAddress').length >= FLIGHTS);
    assert.ok(busiest('getSignaturesForAddress') <= 50, `${busiest('getSignaturesForAddress')}`);
  });

  it('and four others do so: what another key has posted is sent again as soon and as often as ever', async () => {
    const { busiest, sentAfter } = await follow(null, { keys: 5 });
    assert.ok(busiest('sendTransaction') <= 50);
    assert.deepEqual(sentAfter, [2, 6, 14, 30, 46, 62]);
  });

  it('and four others do so through the same page: what another client of it has posted is sent again as soon and as often as ever', async () => {
    const { sentAfter } = await follow(null, { keys: 5, page: { together: 'page' } });
    assert.deepEqual(sentAfter, [2, 6, 14, 30, 46, 62]);
  });

  it('what fails in simulation is simulated three times, 50 in a second, and never sent again', async () => {
    const { of, busiest } = await follow({ InstructionError: [0, { Custom: 1 }] });
    assert.equal(of('simulateTransaction').length, 3 * FLIGHTS);
    assert.ok(busiest('simulateTransaction') <= 50, `${busiest('simulateTransaction')}`);
    assert.equal(of('sendTransaction').length, 0);
  });
});
