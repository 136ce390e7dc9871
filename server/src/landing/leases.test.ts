import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { memo } from '@slipway/wire';
import { findRequest, renewLeases } from '../store/ledger.js';
import { openWorld, signedBy } from './testing.js';

const HOUR_MS = 60 * 60_000;

let world: Awaited<ReturnType<typeof openWorld>>;
before(async () => {
  world = await openWorld();
  world.node.swallows = true;
});
after(() => world?.close());

async function submit(landing: typeof world.landing) {
  const signed = signedBy([memo('one')], await world.blockhash(), await world.wallet(1_000_000_000));
  return landing.submit(signed, { id: 'caller' });
}

const leaseOf = async (id: string) => (await findRequest(world.store, id))!.leaseUntil!.getTime();

it('attack: an operator by mistake runs a copy whose clock is an hour ahead: it takes nothing that others follow, and what it has sent does not wait for that hour when it is set right', async (t) => {
  const { store, landing, clock, newLanding } = world;
  const followed = await submit(landing);
  const ahead = newLanding({ now: () => clock.now() + HOUR_MS });
  const right = newLanding(clock);
  t.after(() => [ahead, right].map((copy) => copy.close()));
  // It may be long since this process could renew it.
  await store.transaction((tx) => renewLeases(tx, [followed]));
  assert.equal(await ahead.resume({ all: false }), 0);
  const sent = await submit(ahead);
  const isLong = async () => (await leaseOf(sent)) - (await leaseOf(followed)) > HOUR_MS / 2;
  assert.equal(await isLong(), false);
  ahead.close();
  // As a copy of an earlier version has written it.
  await store.query(`update ledger set lease_until = lease_until + interval '1 hour' where id = $1`, [sent]);
  assert.equal(await isLong(), true);
  await right.resume({ all: false });
  assert.equal(await isLong(), false);
});
