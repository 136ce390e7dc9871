import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startLocalnet } from '@slipway/localnet';
import { type Address, deactivateLookupTable, decodeTransaction, generateKeypair } from '@slipway/wire';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { claimSettlement } from '../areas/send/settlement.js';
import { type Chain, createChain, createLocalRpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { inviteSettlement } from '../keeper/invites/index.js';
import { limitOrderSettlement } from '../keeper/limit-orders/index.js';
import { startLossReadings } from '../keeper/losses.js';
import { FILL_AREA } from '../keeper/trigger-orders/index.js';
import { openTriggerWorld } from '../keeper/trigger-orders/testing.js';
import { type Clock, createClock, steadyNow } from '../lib/clock.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { LossLimits, SignerRefused } from '../signer/index.js';
import { claimMany, insertCrafted, settleMany } from '../store/ledger.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import {
  GAS_PURSE,
  INVITE_PURSE,
  Landing,
  LIMIT_ORDER_PURSE,
  ReservationRefused,
  rememberOwn,
  type Settlement,
  TRIGGER_ORDER_PURSE,
  TRIGGER_RENT_PURSE,
} from './index.js';

const PURSES = [GAS_PURSE, LIMIT_ORDER_PURSE, TRIGGER_ORDER_PURSE, TRIGGER_RENT_PURSE, INVITE_PURSE];
const FEE = 5_000n;
const log = pino({ level: 'silent' });

/** A node that says of everything that it has expired, though it lands. */
const lying = (real: Chain): Pick<Chain, 'isBlockhashValid' | 'latestBlockhash' | 'statuses'> => ({
  async latestBlockhash() {
    const { slot, lastValidBlockHeight, ...latest } = await real.latestBlockhash();
    return { ...latest, slot: slot + 10_000n, lastValidBlockHeight: lastValidBlockHeight + 10_000n };
  },
  async isBlockhashValid() {
    return { valid: false, slot: (await real.latestBlockhash()).slot + 15_000n };
  },
  async statuses(signatures) {
    return { slot: (await real.latestBlockhash()).slot + 20_000n, found: signatures.map(() => undefined) };
  },
});

/** A real chain, on which what the keeper sends fails, though its simulation goes well. */
async function openWorld({
  lies = false,
  limits,
  blaming = () => ({}),
}: {
  lies?: boolean;
  limits?: LossLimits;
  blaming?: (clock: Clock) => Record<string, Settlement>;
} = {}) {
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const real = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  const chain: Chain = {
    ...real,
    ...(lies && lying(real)),
    simulate: async () => ({ err: null, logs: [], unitsConsumed: 300, accounts: [] }),
  } as Chain;
  const [store, signer] = [await openAnyStore(), testSigner(limits)];
  const keeper = signer.address('keeper');
  let signings = 0;
  const counted: typeof signer = {
    ...signer,
    cosign(request) {
      signings++;
      return signer.cosign(request);
    },
  };
  await rpc.call('requestAirdrop', [keeper, 10_000_000_000]);
  const settlements = {
    ...Object.fromEntries(PURSES.map((purse) => [purse.name, { keys: ['keeper'] as const, purse }])),
    ...blaming(clock),
  };
  const landings = [1, 2].map(
    () =>
      new Landing({
        store,
        clock,
        steadyNow,
        chain,
        signer: counted,
        log,
        sendRpcs: [rpc],
        settlements,
        observe: () => {},
      }),
  );
  return {
    clock,
    store,
    landings,
    signings: () => signings,
    paid: async () => 10_000_000_000n - ((await real.account(keeper))?.lamports ?? 0n),
    /** The state in which it ends, or why we do not pay for it. */
    async send(area: string, wallet: Address, copy = 0, payload = {}): Promise<string> {
      const { blockhash, lastValidBlockHeight } = await real.latestBlockhash();
      // There is no such table.
      const instructions = [deactivateLookupTable({ table: generateKeypair().address, authority: keeper })];
      const budget = { computeUnitLimit: 300, computeUnitPrice: 0n };
      const crafted = craftTransaction({ feePayer: keeper, instructions, blockhash, budget });
      const own = { area, wallet, crafted, lastValidBlockHeight, cosigners: ['keeper'] as const, payload };
      const request = await rememberOwn((row) => store.single((tx) => insertCrafted(tx, [row])), own, clock);
      try {
        return (await landings[copy]!.execute(request, decodeTransaction(crafted.wire), { at: new Date(clock.now()) }))
          .state;
      } catch (error) {
        if (error instanceof ReservationRefused) return `not sent: ${error.bar}`;
        if (error instanceof SignerRefused) return 'not signed';
        throw error;
      }
    },
    async close() {
      for (const landing of landings) landing.close();
      await store.close();
      await net.close();
    },
  };
}

describe('attack: a wallet makes transactions fail on the chain that the service pays for', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  let wallet: Address;
  before(async () => {
    world = await openWorld();
  });
  after(() => world?.close());
  beforeEach(() => {
    wallet = generateKeypair().address;
  });

  it('of one wallet: 1 of the gas wallet in ten minutes; in an hour 20 trigger orders, 20 of their rents, 20 invites; of one limit order: 10 in an hour', () => {
    const bounds = PURSES.map(({ name, wallet: { most, ms } }) => [name, most, ms / 60_000]);
    assert.deepEqual(bounds, [
      ['gas', 1, 10],
      ['limit-orders', 10, 60],
      ['trigger-orders', 20, 60],
      ['trigger-rents', 20, 60],
      ['invites', 20, 60],
    ]);
  });

  it('of all wallets, in an hour: 200 of the gas wallet, 200 limit orders, 1,000 trigger orders, 200 of their rents, 200 invites', () => {
    assert.deepEqual(
      PURSES.map(({ name, most }) => [name, most]),
      [
        ['gas', 200],
        ['limit-orders', 200],
        ['trigger-orders', 1_000],
        ['trigger-rents', 200],
        ['invites', 200],
      ],
    );
  });

  for (const { name, wallet: bound } of PURSES) {
    const minutes = bound.ms / 60_000;
    it(`${name}: those of one wallet, posted at once to two copies: ${bound.most} within ${minutes} minutes`, async () => {
      const before = await world.paid();
      const wanted = Array.from({ length: bound.most + 15 }, (_, index) => world.send(name, wallet, index % 2));
      const ends = await Promise.all(wanted);
      assert.equal(ends.filter((end) => end === 'failed').length, bound.most, ends.join(' '));
      assert.equal((await world.paid()) - before, FEE * BigInt(bound.most));
      assert.equal(await world.send(name, wallet), 'not sent: failed');
      assert.equal((await world.paid()) - before, FEE * BigInt(bound.most));
      assert.equal(await world.landings[0]!.barOf(name, wallet), 'failed');
      assert.equal(await world.landings[0]!.barOf(name, generateKeypair().address), undefined);
    });
  }

  it('limit orders: those of any number of makers: 200 an hour and then one of each new maker, with an alarm', async () => {
    const registry = new Registry();
    const lines: string[] = [];
    const told = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
    const losses = startLossReadings({ landing: world.landings[0]!, registry, log: told });
    const lost = async () => {
      await losses.runDue();
      const { values } = await registry.getSingleMetric('slipway_lost_transactions')!.get();
      return values.find(({ labels }) => labels.purse === LIMIT_ORDER_PURSE.name)!.value;
    };
    const before = await world.paid();
    const already = await lost();
    const makers = Array.from({ length: 25 }, () => generateKeypair().address);
    const ends = await Promise.all(
      makers.flatMap((maker) => times(10, (n) => world.send('limit-orders', maker, n % 2))),
    );
    const failed = ends.filter((end) => end === 'failed').length;
    // What is under way counts as lost, so that those that come at once may be refused early, never late.
    assert.ok(already + failed <= LIMIT_ORDER_PURSE.most + makers.length, `${failed}`);
    while ((await lost()) < LIMIT_ORDER_PURSE.most) await world.send('limit-orders', generateKeypair().address);
    const spent = await lost();
    for (const maker of [wallet, generateKeypair().address]) {
      const posted = await Promise.all(times(10, (n) => world.send('limit-orders', maker, n % 2)));
      assert.equal(posted.filter((end) => end === 'failed').length, 1, posted.join(' '));
      assert.equal(await world.send('limit-orders', maker), 'not sent: too-many');
    }
    assert.equal((await lost()) - spent, 2);
    assert.equal((await world.paid()) - before, FEE * BigInt(spent + 2 - already));

    assert.match(losses.alarm ?? '', /too many transactions .* at the cost of: limit-orders;/);
    await losses.runDue();
    assert.equal(lines.filter((line) => line.startsWith('too many transactions failed')).length, 1, lines.join('\n'));
    assert.equal(await world.send('trigger-orders', wallet), 'failed', 'is sent: a purse of its own');
    world.clock.setOffset(world.clock.offsetMs + 3_601_000);
    await losses.runDue();
    assert.equal(losses.alarm, undefined);
    await losses.close();
  });
});

describe('attack: a node has the keeper pay for what fails, and says that it has expired, so that no purse counts it', () => {
  it('it signs for as much as the limit of its hour, where the keys are in the copy; later for another hour', async () => {
    let now = 0;
    // Half of it is for fills of trigger orders with a seal, which these are not.
    const limit = { hour: 40n * FEE, day: 60n * FEE };
    const limits = await LossLimits.open({
      limits: { gas: limit, keeper: limit },
      clock: { now: () => now },
      nearing: () => {},
    });
    const world = await openWorld({ lies: true, limits });
    const inAnHour = () =>
      Promise.all(times(40, (n) => world.send('trigger-orders', generateKeypair().address, n % 2)));
    try {
      const ends = (await inAnHour()).sort();
      assert.deepEqual(ends, [...times(20, () => 'expired'), ...times(20, () => 'not signed')]);
      assert.equal(await world.paid(), 20n * FEE);
      now += 65 * 60_000;
      await inAnHour();
      assert.equal(await world.paid(), 30n * FEE, 'the limit of the day');
    } finally {
      await world.close();
    }
  });
});

describe('attack: a wallet and 49 more make 1,000 fills of their own orders fail, to stop the stop-losses of all others', () => {
  let world: Awaited<ReturnType<typeof openTriggerWorld>>;
  before(async () => {
    world = await openTriggerWorld();
  });
  after(() => world?.close());

  it('each of them is barred for the hour, from 200 on with an alarm; the orders of a wallet of which nothing has failed, and of one with four failures, are filled', async () => {
    const { store, clock } = world;
    const landing = world.newLanding();
    const losses = startLossReadings({ landing, registry: new Registry(), log });
    const attackers = times(50, () => generateKeypair().address);
    await lose(
      store,
      clock,
      FILL_AREA,
      times(199, (n) => attackers[n % 50]!),
    );
    await losses.runDue();
    assert.equal(losses.alarm, undefined);
    await lose(store, clock, FILL_AREA, [attackers[49]!]);
    await losses.runDue();
    assert.match(losses.alarm ?? '', /^many transactions .* at the cost of: trigger-orders;/);
    await lose(
      store,
      clock,
      FILL_AREA,
      times(800, (n) => attackers[n % 50]!),
    );
    const [order, failed, failing] = [await world.open(0.9), await world.open(0.9), await world.open(0.9)];
    for (const [{ wallet }, count] of [
      [failed, 4],
      [failing, 5],
    ] as const)
      await lose(
        store,
        clock,
        FILL_AREA,
        times(count, () => wallet),
      );
    for (const wallet of attackers) assert.equal(await landing.barOf(FILL_AREA, wallet), 'failed');
    assert.equal(await landing.barOf(FILL_AREA, failing.wallet), 'too-many');

    const keeper = await world.newKeeper();
    await keeper.runDue();
    for (const filled of [order, failed]) {
      assert.equal((await world.rowOf(filled.id)).progress.state, 'fill_success');
      assert.ok((await world.paid(filled)) > 0n);
    }
    assert.equal((await world.rowOf(failing.id)).progress.state, 'open');
    assert.equal(await world.paid(failing), 0n);
    // A crash in which everybody's have failed is over when it ends, by as much as the bound allows in a minute.
    for (const isOver of [false, true]) {
      clock.setOffset(clock.offsetMs + 61_000);
      assert.equal(await landing.barOf(FILL_AREA, failing.wallet), undefined);
      if (isOver) break;
      await lose(
        store,
        clock,
        FILL_AREA,
        times(16, () => generateKeypair().address),
      );
      assert.equal(await landing.barOf(FILL_AREA, failing.wallet), 'too-many');
    }
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
    await keeper.runDue();
    assert.equal((await world.rowOf(failing.id)).progress.state, 'fill_success');
    await losses.close();
  });
});

describe('attack: a wallet has failures counted for its limit orders or invites, so that those of any number of them are paid for', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  before(async () => {
    world = await openWorld({
      blaming: (clock) => ({ 'limit-orders': limitOrderSettlement, invites: claimSettlement(clock) }),
    });
  });
  after(() => world?.close());

  for (const [purse, kind] of [
    [LIMIT_ORDER_PURSE, 'order'],
    [INVITE_PURSE, 'invite'],
  ] as const) {
    it(`${purse.name}: beyond ${purse.most} in an hour one of each ${kind}`, async () => {
      const { store, clock, send } = world;
      const others = times(purse.most, () => generateKeypair().address);
      await lose(store, clock, purse.name, others);
      const before = await world.paid();
      const wallet = generateKeypair().address;
      for (const blamed of times(4, () => generateKeypair().address)) {
        const ends: string[] = [];
        for (let tries = 0; tries < 4; tries++)
          ends.push(await send(purse.name, wallet, tries % 2, { [kind]: blamed }));
        assert.deepEqual(ends, ['failed', ...times(3, () => 'not sent: too-many')]);
      }
      assert.equal((await world.paid()) - before, 4n * FEE);
    });
  }
});

describe('attack: a stranger on the chain cancels expired limit orders, and sends expired invites back, before the keeper does: the fills and claims of their owner go on', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  before(async () => {
    const blaming = () => ({ 'limit-orders': limitOrderSettlement, invites: inviteSettlement });
    world = await openWorld({ blaming });
  });
  after(() => world?.close());

  for (const [purse, kind] of [
    [LIMIT_ORDER_PURSE, 'order'],
    [INVITE_PURSE, 'invite'],
  ] as const) {
    it(`${purse.name}: ${purse.wallet.most} of one owner count for each ${kind}`, async () => {
      const wallet = generateKeypair().address;
      for (let n = 0; n < purse.wallet.most; n++) {
        const payload = { kind: 'cancel', [kind]: generateKeypair().address };
        assert.equal(await world.send(purse.name, wallet, n % 2, payload), 'failed');
      }
      assert.equal(await world.landings[0]!.barOf(purse.name, wallet), undefined);
      assert.equal(await world.send(purse.name, wallet, 0, { kind: 'fill', [kind]: 'another' }), 'failed', 'is sent');
    });
  }
});

describe('attack: a wallet has barred orders of its own tried again and again, so that what the signer may sign for in an hour is used up', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  before(async () => {
    world = await openWorld({
      blaming: () => ({
        'limit-orders': limitOrderSettlement,
        'trigger-orders': { keys: ['keeper'], purse: TRIGGER_ORDER_PURSE, isOurs: true },
      }),
    });
  });
  after(() => world?.close());

  for (const [purse, kind] of [
    [LIMIT_ORDER_PURSE, 'order'],
    [TRIGGER_ORDER_PURSE, 'orderId'],
  ] as const) {
    it(`${purse.name}: one more is signed by each copy, and those of others as before`, async () => {
      const { store, clock, send, signings } = world;
      const wallet = generateKeypair().address;
      await lose(
        store,
        clock,
        purse.name,
        times(purse.wallet.most, () => wallet),
      );
      const before = signings();
      for (let tries = 0; tries < 20; tries++)
        assert.equal(await send(purse.name, wallet, tries % 2, { [kind]: `order ${tries}` }), 'not sent: failed');
      assert.equal(signings() - before, 2);
      assert.equal(await send(purse.name, generateKeypair().address, 0, { [kind]: 'another' }), 'failed');
      world.clock.setOffset(clock.offsetMs + 3_601_000);
      assert.equal(await send(purse.name, wallet, 0, { [kind]: 'later' }), 'failed', 'is sent again');
      assert.equal(signings() - before, 4);
    });
  }
});

let written = 0;
/** Writes to the ledger that a transaction of each of these wallets has failed at our cost. */
async function lose(store: Store, clock: Clock, area: string, wallets: readonly string[]): Promise<void> {
  const now = new Date(clock.now());
  const made = { cosigners: ['keeper'], payload: null, lastValidBlockHeight: 1n, createdAt: now, expiresAt: now };
  const rows = wallets.map((wallet) => {
    const id = `loss ${written++}`;
    return { id, area, wallet, messageHash: Buffer.from(id), ...made };
  });
  const sent = { wire: new Uint8Array([1]), sentAt: now };
  await store.transaction(async (tx) => {
    await insertCrafted(tx, rows);
    await claimMany(
      tx,
      rows.map(({ id }) => ({ id, signature: `of ${id}`, ...sent })),
    );
    await settleMany(
      tx,
      rows.map(({ id }) => ({ id, event: 'failed', slot: 5n, error: 'AccountInUse', settledAt: now })),
    );
  });
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
