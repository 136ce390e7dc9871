import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { expireInvite, initializeInvite, inviteAddress } from '@slipway/programs';
import { generateKeypair, type Keypair } from '@slipway/wire';
import { Registry } from 'prom-client';
import {
  lamportsOf,
  listsOf,
  makeInvite,
  newWallet,
  openSendWorld,
  type SendWorld,
  send,
  tokensOf,
  USDC,
} from '../../areas/send/testing.js';
import { Landing } from '../../landing/index.js';
import { steadyNow } from '../../lib/clock.js';
import type { testSigner } from '../../sandbox/maker/testing.js';
import { accountOfKey } from '../../store/event-accounts.js';
import { eventsAfter, numberEvents } from '../../store/events.js';
import { insertCrafted } from '../../store/ledger.js';
import { ledgerCleaningChore } from '../ledger.js';
import { KeeperWallet } from '../wallet.js';
import { createInviteKeeper, EXPIRIES_AN_HOUR, INVITE_AREA, type InviteKeeperDeps, inviteSettlement } from './index.js';

const WEEK = 7 * 24 * 60 * 60;

let world: SendWorld;
let sender: Keypair;
before(async () => {
  world = await openSendWorld();
  sender = await newWallet(world);
});
after(() => world.close());

function newKeeper(given: Partial<InviteKeeperDeps> = {}) {
  const { store, landing, chain, clock, log, index, keeper, program } = world;
  const wallet = new KeeperWallet({ chain, address: given.keeper ?? keeper, steadyNow, log });
  const common = { store, landing, chain, clock, steadyNow, log, index, keeper, wallet, program };
  return createInviteKeeper({ ...common, registry: new Registry(), ...given });
}

const actionsOf = async () => {
  const { body } = await world.get(`invite-history?address=${sender.address}`);
  return body.invites.map(({ action, receiver }) => [action, receiver]);
};
const transactions = async (address: string): Promise<{ signature: string; err: unknown }[]> =>
  world.rpc.call('getSignaturesForAddress', [address, { commitment: 'confirmed' }]);
const feesOf = async (): Promise<bigint> => {
  const rows = await transactions(world.keeper);
  const fees = rows.map(async ({ signature }) => {
    const params = [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }];
    return BigInt((await world.rpc.call<{ meta: { fee: number } }>('getTransaction', params)).meta.fee);
  });
  return (await Promise.all(fees)).reduce((sum, fee) => sum + fee, 0n);
};

it('gives SOL and tokens back when their time is over, not before, for the network fee', async () => {
  const keeper = newKeeper();
  const had = [await lamportsOf(world, sender.address), await tokensOf(world, sender.address, USDC.mint)];
  const keeperHad = (await lamportsOf(world, world.keeper)) + (await feesOf());
  const made = [await makeInvite(world, sender, 5_000_000n), await makeInvite(world, sender, 7n, USDC.mint)];
  await world.advance(WEEK - 60);
  await keeper.runDue();
  assert.deepEqual(await actionsOf(), []);
  await world.advance(61);
  await keeper.runDue();
  assert.deepEqual(await actionsOf(), [
    ['expired', null],
    ['expired', null],
  ]);
  const rents = 1_224_960n + 1_726_080n + 2_039_280n;
  const fees = made.reduce((sum, { crafted }) => sum + BigInt(crafted.totalFeeLamports), -rents);
  const has = [await lamportsOf(world, sender.address), await tokensOf(world, sender.address, USDC.mint)];
  assert.deepEqual(has, [had[0]! - fees, had[1]]);
  assert.equal((await lamportsOf(world, world.keeper)) + (await feesOf()), keeperHad);
  await keeper.close();
});

it('tells the key that has submitted an invite of its end, though nobody had read of it when the submission is old enough to go', async () => {
  const { store, clock, index } = world;
  const own = await newWallet(world);
  const { signature } = await makeInvite(world, own, 5_000_000n);
  const at = new Date(clock.now());
  const times = { lastValidBlockHeight: 1n, createdAt: at, expiresAt: at };
  const submission = {
    area: 'submit',
    wallet: own.address,
    messageHash: Buffer.alloc(32),
    cosigners: [],
    payload: null,
  };
  await store.transaction(async (tx) => {
    await insertCrafted(tx, [{ ...submission, ...times, id: 'submission', apiKey: 'submitter' }]);
    await tx.query(`update ledger set state = 'landed', signature = $1, settled_at = $2 where id = 'submission'`, [
      signature,
      at,
    ]);
  });
  const clean = async (readNews: () => Promise<void>) => {
    const agreedNow = async () => clock.now();
    await ledgerCleaningChore({ store, agreedNow, keepEndedMs: WEEK * 1_000, readNews })(() => false);
    const { rows } = await store.query(`select from ledger where id = 'submission'`);
    return rows.length === 0;
  };
  await world.advance(WEEK + 1);
  assert.equal(await clean(() => Promise.reject(new Error('away'))), false);
  assert.equal(await clean(() => index.keepUp()), true);
  await newKeeperDone();
  while ((await store.single((tx) => numberEvents(tx, 100, at))).found > 0) {}
  const told = await eventsAfter(store, [{ account: accountOfKey('submitter'), after: 0n }], 100);
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['invite.expired'],
  );
});

it('several keepers pay for each invite once', async () => {
  const signer = world.deps.signer as ReturnType<typeof testSigner>;
  const copies = [1, 2, 3].map(() => {
    const { store, clock, chain, log, rpc } = world;
    const landing = new Landing({
      store,
      clock,
      steadyNow,
      chain,
      signer,
      log,
      sendRpcs: [rpc],
      settlements: { [INVITE_AREA]: inviteSettlement },
      observe: () => {},
    });
    return { landing, keeper: newKeeper({ landing, index: world.newIndex() }) };
  });
  for (let n = 0; n < 6; n++) await makeInvite(world, sender, 1_000_000n);
  await world.advance(WEEK + 1);
  const before = (await transactions(world.keeper)).length;
  await Promise.all(copies.map(({ keeper }) => keeper.runDue()));
  assert.equal((await world.get(`pending-invites?address=${sender.address}`)).body.invites.length, 0);
  const after = await transactions(world.keeper);
  assert.equal(after.length - before, 6);
  assert.ok(after.every(({ err }) => err === null));
  for (const { keeper, landing } of copies) {
    await keeper.close();
    landing.close();
  }
});

it('leaves alone what somebody else has sent back, and what cannot be sent back holds nothing up', async () => {
  const gone = await makeInvite(world, sender, 1_000_000n);
  const stuck = await makeInvite(world, sender, 1_000_000n);
  const good = await makeInvite(world, sender, 1_000_000n);
  await world.advance(WEEK + 1);
  await world.index.sync();
  const stranger = await newWallet(world);
  const inviteInfo = inviteAddress(gone.key.address);
  await send(world, [stranger], [expireInvite({ inviteInfo, sender: sender.address, keeper: stranger.address })]);
  const stuckAt = inviteAddress(stuck.key.address);
  // Its account names another sender than the program has: the simulation refuses it.
  const account = world.chain.account;
  const chain: typeof world.chain = {
    ...world.chain,
    async account(address) {
      const found = await account(address);
      if (address !== stuckAt || !found) return found;
      const data = Uint8Array.from(found.data);
      data[8]! ^= 1;
      return { ...found, data };
    },
  };
  const registry = new Registry();
  // This instance has not been told yet of what the stranger did.
  const keeper = newKeeper({ chain, registry, index: { sync: async () => {} } });
  const before = (await transactions(world.keeper)).length;
  await keeper.runDue();
  assert.equal(await world.chain.account(inviteAddress(good.key.address)), undefined);
  assert.notEqual(await world.chain.account(stuckAt), undefined);
  assert.equal((await transactions(world.keeper)).length - before, 1);
  const counted = await registry.getSingleMetric('slipway_invite_expiries_total')!.get();
  const outcomes = Object.fromEntries(counted.values.map(({ labels, value }) => [labels.outcome, value]));
  assert.deepEqual(outcomes, { expired: 1, failed: 1 });
  await keeper.close();
});

it('pays for so many in an hour, and not from a wallet that is nearly empty', async () => {
  await newKeeperDone();
  const key = generateKeypair();
  const { unixTimestamp } = await chainTime();
  const expiry = BigInt(unixTimestamp + 100);
  const terms = { sender: sender.address, inviteSigner: key.address, amount: 890_880n, expiry };
  await send(world, [sender, key], [initializeInvite(terms)]);
  await world.advance(101);
  const poor = newKeeper({ keeper: generateKeypair().address });
  await poor.runDue();
  await poor.close();
  let now = 0;
  let sent = 0;
  const invitePda = inviteAddress(key.address);
  // It seems to have worked, and the invite is there as before.
  const landing = {
    execute: async (request: Parameters<InviteKeeperDeps['landing']['execute']>[0]) => {
      sent++;
      return { ...request, state: 'landed' as const };
    },
  };
  // What it did is not on the chain: there is nothing to read.
  const index = { sync: async () => {} };
  const keeper = newKeeper({ landing, index, steadyNow: () => now });
  for (let round = 0; round < 3; round++) await keeper.runDue();
  assert.equal(sent, EXPIRIES_AN_HOUR);
  now += 60 * 60_000;
  await keeper.runDue();
  assert.ok(sent > EXPIRIES_AN_HOUR);
  assert.notEqual(await world.chain.account(invitePda), undefined);
  await keeper.close();
});

async function newKeeperDone(): Promise<void> {
  const keeper = newKeeper();
  await keeper.runDue();
  await keeper.close();
  await listsOf(world);
}

async function chainTime(): Promise<{ unixTimestamp: number }> {
  const slot = await world.rpc.call<number>('getSlot', []);
  return { unixTimestamp: await world.rpc.call<number>('getBlockTime', [slot]) };
}
