import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../errors/index.js';
import type { Guest } from '../../lib/places.js';
import { countLaunchesUnderWay, insertLaunch } from '../../store/launches.js';
import { insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { boundLaunches, LAUNCHES_PER_KEY, LAUNCHES_WITHOUT_STOCK } from './launch-bound.js';

const AT = new Date(Date.UTC(2026, 10, 20));

async function open(t: TestContext) {
  const store = await openAnyStore();
  t.after(() => store.close());
  let made = 0;
  const craft = async ({ id: caller, together }: Guest) => {
    const id = `${++made}`;
    const request = { id, area: 'studio', wallet: 'creator', messageHash: Buffer.alloc(32), cosigners: [] };
    const launch = { creator: 'creator', config: 'c', pool: 'p', quoteMint: 'q', name: 'N', symbol: 'S' };
    await store.transaction(async (tx) => {
      const times = { createdAt: AT, expiresAt: AT };
      await insertCrafted(tx, [{ ...request, ...times, lastValidBlockHeight: 1n, payload: { caller, together } }]);
      await insertLaunch(tx, { ...launch, mint: `mint${id}`, requestId: id, sniperSlots: null, createdAt: AT });
    });
  };
  const bound = boundLaunches({ store, mintSuffix: 'ab' });
  const call = (caller: string, bounded = bound, together?: string, tier = 'free') =>
    bounded({ id: caller, together, tier }, () => craft({ id: caller, together }));
  return { store, bound, call };
}

test('attack: a free key asks for 20 launches at once: they take 5 mint addresses out of a stock of 20', async (t) => {
  const { store, call } = await open(t);
  const calls = await Promise.allSettled(Array.from({ length: 20 }, () => call('attacker')));
  const refused = calls.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  assert.equal(refused.length, 20 - LAUNCHES_PER_KEY);
  assert.equal(LAUNCHES_PER_KEY, 5);
  for (const reason of refused) {
    assert.ok(reason instanceof AppError && reason.status === 429);
    assert.match(reason.message, /^Too many launches of this key are under way; try again when /);
  }
  await assert.rejects(call('attacker'), { status: 429 });
  await assert.rejects(call('attacker', boundLaunches({ store, mintSuffix: 'ab' })), { status: 429 });
  assert.equal(await countLaunchesUnderWay(store, 'attacker'), 5);

  await call('somebody else');
  await store.query(`update ledger set state = 'landed' where id = (select min(id) from ledger)`);
  await call('attacker');
  await assert.rejects(call('attacker'), { status: 429 }, 'what has landed counts no more');
  await call('attacker', boundLaunches({ store, mintSuffix: '' }));
});

test('attack: a free key fills the disk with uploads for launches that it never sends: those of 200 at a time', async (t) => {
  const { store, call } = await open(t);
  const unbound = boundLaunches({ store, mintSuffix: '' });
  for (let count = 0; count < LAUNCHES_WITHOUT_STOCK; count++) await call('attacker', unbound);
  await assert.rejects(call('attacker', unbound), { status: 429 });
  await call('somebody else', unbound);
  await call('attacker', unbound, undefined, 'unlimited');
});

test('attack: another user asks for launches by the key of a page, from ever more addresses: one each, and 5 in all', async (t) => {
  const { bound, call } = await open(t);
  await call('page 1', bound, 'page');
  await assert.rejects(call('page 1', bound, 'page'), { status: 429 });
  let crafted = 0;
  for (let index = 0; index < 20; index++) {
    crafted += await call(`page ${index}`, bound, 'page').then(
      () => 1,
      () => 0,
    );
  }
  assert.equal(crafted, LAUNCHES_PER_KEY - 1);
  await call('somebody else');
});

test('attack: a free key asks for launches that are refused: they leave no place of the key taken', async (t) => {
  const store = await openAnyStore();
  t.after(() => store.close());
  const bound = boundLaunches({ store, mintSuffix: 'ab' });
  for (let call = 0; call < 2 * LAUNCHES_PER_KEY; call++) {
    await assert.rejects(
      bound({ id: 'key', tier: 'free' }, () => Promise.reject(new Error('cannot pay'))),
      /cannot pay/,
    );
  }
});
