import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../errors/index.js';
import { countLaunchesUnderWay, insertLaunch } from '../../store/launches.js';
import { insertCrafted } from '../../store/ledger.js';
import { openEmbeddedStore } from '../../store/testing.js';
import { boundLaunches, LAUNCHES_PER_KEY } from './launch-bound.js';

const AT = new Date(Date.UTC(2026, 10, 20));

test('attack: a free key asks for 20 launches at once: they take 5 mint addresses out of a stock of 20', async (t) => {
  const store = await openEmbeddedStore();
  t.after(() => store.close());
  let made = 0;
  const craft = async (caller: string) => {
    const id = `${++made}`;
    const request = { id, area: 'studio', wallet: 'creator', messageHash: Buffer.alloc(32), cosigners: [] };
    const launch = { creator: 'creator', config: 'c', pool: 'p', quoteMint: 'q', name: 'N', symbol: 'S' };
    await store.transaction(async (tx) => {
      const times = { createdAt: AT, expiresAt: AT };
      await insertCrafted(tx, [{ ...request, ...times, lastValidBlockHeight: 1n, payload: { caller } }]);
      await insertLaunch(tx, { ...launch, mint: `mint${id}`, requestId: id, sniperSlots: null, createdAt: AT });
    });
  };
  const bound = boundLaunches({ store, mintSuffix: 'ab' });
  const call = (caller: string, bounded = bound) => bounded(caller, () => craft(caller));

  const calls = await Promise.allSettled(Array.from({ length: 20 }, () => call('attacker')));
  const refused = calls.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  assert.equal(refused.length, 20 - LAUNCHES_PER_KEY);
  assert.equal(LAUNCHES_PER_KEY, 5);
  for (const reason of refused) {
    assert.ok(reason instanceof AppError && reason.status === 429);
    assert.match(reason.message, /^This key has 5 launches under way; try again when /);
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

test('attack: a free key asks for launches that are refused: they leave no place of the key taken', async (t) => {
  const store = await openEmbeddedStore();
  t.after(() => store.close());
  const bound = boundLaunches({ store, mintSuffix: 'ab' });
  for (let call = 0; call < 2 * LAUNCHES_PER_KEY; call++) {
    await assert.rejects(
      bound('key', () => Promise.reject(new Error('cannot pay'))),
      /cannot pay/,
    );
  }
});
