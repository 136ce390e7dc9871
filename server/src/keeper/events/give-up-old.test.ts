import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { MOST_GIVEN_UP } from '../../store/webhook-deliveries.js';
import type { Webhook } from '../../store/webhooks.js';
import { createGiveUpOld, PIECE } from './give-up-old.js';

const OLD = new Date('2026-01-01T00:00:00Z');
const YOUNG = new Date('2026-01-03T00:00:00Z');

let store: Store;
before(async () => {
  store = await openAnyStore();
});
after(() => store.close());
beforeEach(async () => {
  for (const table of ['events', 'webhooks']) await store.query(`delete from ${table}`);
  await store.query(
    `insert into webhooks (id, account, url_sealed, secrets_sealed, created_at, last, lease_holder)
     select id, 'key:k', '', '', $1, 0, 'me' from unnest('{one,other}'::text[]) as id`,
    [OLD],
  );
});

async function addEvents(first: number, last: number, toldAt: Date): Promise<void> {
  const page = JSON.stringify([{ kind: 'order.opened', at: OLD, wallet: 'w', data: {} }]);
  await store.query(
    `insert into events (account, last, count, at, page, told_at)
     select 'key:k', n, 1, $3, $4, $5 from generate_series($1::int, $2::int) as n`,
    [first, last, OLD, page, toldAt],
  );
}

function turnOf(id: string, isClosing = () => false) {
  const webhook = { id, account: 'key:k' } as Webhook;
  const isOld = ({ toldAt }: { toldAt: Date }) => toldAt < YOUNG;
  return { webhook, holder: 'me', wants: () => true, isOld, isClosing };
}

async function stateOf(id: string) {
  const { rows } = await store.query<{ last: bigint; count: bigint; first: bigint; is_free: boolean }>(
    `select w.last, count(d.number) as count, coalesce(min(d.number), 0) as first, w.lease_until is null as is_free
     from webhooks w left join webhook_deliveries d on d.webhook_id = w.id where w.id = $1 group by w.id`,
    [id],
  );
  const { last, count, first, is_free: isFree } = rows[0]!;
  return { last: Number(last), count: Number(count), first: Number(first), isFree };
}

test('attack: a free key has ever more events of long ago wait for a webhook that fails: as much as a turn allows is given up, and the next one goes on from there', async () => {
  await addEvents(1, 7 * PIECE + 1, OLD);
  await addEvents(7 * PIECE + 2, 7 * PIECE + 3, YOUNG);
  let seconds = 0;
  const steadyNow = () => {
    seconds += 6;
    return seconds * 1_000;
  };
  const giveUpOld = createGiveUpOld({ store, steadyNow });
  assert.equal(await giveUpOld(turnOf('one'), 0n), 2n * BigInt(PIECE));
  // Written already, so that it is also where a copy goes on that has taken the place of this one; and its turn is renewed.
  assert.deepEqual(await stateOf('one'), { last: 2 * PIECE, count: 2 * PIECE, first: 1, isFree: false });
  // A copy that ends does not begin another piece.
  assert.equal(
    await createGiveUpOld({ store, steadyNow: () => 0 })(
      turnOf('one', () => true),
      2n * BigInt(PIECE),
    ),
    3n * BigInt(PIECE),
  );
  let last = 3n * BigInt(PIECE);
  for (let turn = 0; turn < 3; turn++) last = await giveUpOld(turnOf('one'), last);
  assert.equal(last, BigInt(7 * PIECE + 1), 'none that is not old');
  const first = 7 * PIECE + 2 - MOST_GIVEN_UP;
  assert.deepEqual(await stateOf('one'), { last: Number(last), count: MOST_GIVEN_UP, first, isFree: false });
});

test('attack: a free key has events of long ago wait for many webhooks that fail: one of them is written for at a time', async () => {
  await addEvents(1, 3, OLD);
  const giveUpOld = createGiveUpOld({ store, steadyNow: () => 0 });
  assert.deepEqual(await Promise.all([giveUpOld(turnOf('one'), 0n), giveUpOld(turnOf('other'), 0n)]), [3n, 0n]);
  assert.equal((await stateOf('other')).count, 0);
  assert.equal(await giveUpOld(turnOf('other'), 0n), 3n);
  assert.equal((await stateOf('other')).count, 3);
});

test('nothing is given up in a turn that is another copy’s by now', async () => {
  await addEvents(1, 3, OLD);
  await store.query(`update webhooks set lease_holder = 'another copy'`);
  const giveUpOld = createGiveUpOld({ store, steadyNow: () => 0 });
  assert.equal(await giveUpOld(turnOf('one'), 0n), 0n);
  assert.deepEqual(await stateOf('one'), { last: 0, count: 0, first: 0, isFree: true });
});

test('what is deleted in the meantime is left for the next turn, which notes it', async () => {
  await addEvents(1, PIECE, OLD);
  await addEvents(PIECE + 3, PIECE + 4, OLD);
  const giveUpOld = createGiveUpOld({ store, steadyNow: () => 0 });
  assert.equal(await giveUpOld(turnOf('one'), 0n), BigInt(PIECE));
});
