import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTransaction, generateKeypair, memo, sign, systemTransfer, withSignature } from '@slipway/wire';
import { ChainUnavailable, createChain, type Rpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { steadyNow } from '../lib/clock.js';
import { PATIENCE_MS, runningNow } from '../lib/testing.js';
import { testSigner } from '../sandbox/maker/testing.js';
import { findRequest, insertCrafted, type NewRequest, renewLeases } from '../store/ledger.js';
import { Landing, rememberOwn } from './index.js';
import { FEES, log, openWorld, signedBy } from './testing.js';

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

it('attack: a node answers nothing to one of two copies that share a database: the other one takes over what that has under way', async (t) => {
  const { store, clock, rpc, wallet } = world;
  const payer = await wallet(1_000_000_000);
  let isAway = false;
  const cutOff: Rpc = {
    ...rpc,
    call: (method, params) =>
      isAway || method === 'sendTransaction'
        ? Promise.reject(new ChainUnavailable('cut off'))
        : rpc.call(method, params),
  };
  const copyOver = (of: Rpc) =>
    new Landing({
      store,
      clock,
      steadyNow,
      log,
      signer: testSigner(),
      settlements: {},
      chain: createChain({ rpc: of, steadyNow, fees: FEES }),
      sendRpcs: [of],
      observe: () => {},
    });
  const [one, other] = [copyOver(cutOff), copyOver(rpc)];
  t.after(() => [one, other].map((copy) => copy.close()));
  const { blockhash, lastValidBlockHeight } = await createChain({ rpc, steadyNow, fees: FEES }).latestBlockhash();
  const budget = { computeUnitLimit: 1_000, computeUnitPrice: 0n };
  const instructions = [systemTransfer({ from: payer.address, to: generateKeypair().address, lamports: 500_000_000n })];
  const crafted = craftTransaction({ feePayer: payer.address, instructions, blockhash, budget });
  const unsigned = decodeTransaction(crafted.wire);
  const transaction = withSignature(unsigned, payer.address, sign(payer, unsigned.message));
  const asked = { area: 'a', wallet: payer.address, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
  const insert = (row: NewRequest) => store.single((tx) => insertCrafted(tx, [row]));
  const request = await rememberOwn(insert, asked, clock);
  const told = one.execute(request, transaction).catch(() => {});
  const stateOf = async () => (await findRequest(store, request.id))!.state;
  const until = async (isSo: () => Promise<boolean>) => {
    for (const end = runningNow() + PATIENCE_MS; !(await isSo()); await sleep(100)) assert.ok(runningNow() < end);
  };
  await until(async () => (await stateOf()) === 'sending');
  isAway = true;
  await until(async () => {
    await other.resume({ all: false });
    return (await stateOf()) === 'landed';
  });
  isAway = false;
  await told;
});
