import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { clawbackInvite, inviteAddress } from '@slipway/programs';
import { generateKeypair } from '@slipway/wire';
import * as fc from 'fast-check';
import { Registry } from 'prom-client';
import {
  breaking,
  claim,
  forget,
  listsOf,
  makeInvite,
  newWallet,
  openSendWorld,
  type SendWorld,
  send,
  USDC,
} from '../../areas/send/testing.js';
import { RpcError } from '../../chain/index.js';
import { pendingInvites } from '../../store/invite-lists.js';

let world: SendWorld;
before(async () => {
  world = await openSendWorld();
});
after(() => world.close());
beforeEach(() => forget(world));

/** Invites of one sender, some of them ended in one way or another. */
async function makeHistory(count: number) {
  const sender = await newWallet(world);
  const invites = [];
  for (let n = 0; n < count; n++) {
    const invite = await makeInvite(world, sender, 900_000n + BigInt(n), n % 2 ? USDC.mint : undefined);
    const isToken = n % 2 === 1;
    let end: string | undefined;
    if (n % 3 === 0) end = await claim(world, invite.key, generateKeypair().address);
    if (n % 3 === 1 && !isToken) {
      end = await send(
        world,
        [sender],
        [clawbackInvite({ inviteInfo: inviteAddress(invite.key.address), sender: sender.address })],
      );
    }
    invites.push({ ...invite, end });
  }
  return { sender, invites };
}

/** What the index says after all of it was read at once from an empty store. */
async function rebuilt(): Promise<unknown> {
  await forget(world);
  await world.newIndex().sync();
  return listsOf(world);
}

it('rebuilt from nothing it is what it was when it was kept live', async () => {
  const sender = await newWallet(world);
  await world.index.sync();
  const [first] = (await makeHistory(3)).invites;
  await world.index.sync();
  for (let n = 0; n < 3; n++) {
    const { key } = await makeInvite(world, sender, 1_000_000n);
    await world.index.sync();
    if (n > 0) await claim(world, key, generateKeypair().address);
    await world.index.sync();
  }
  const live = await listsOf(world);
  assert.equal((live as object[][])[0]!.length, 6 + (await countBefore(first!.signature)));
  assert.deepEqual(await rebuilt(), live);
  const { done, unread, invites } = await world.index.rebuild();
  assert.deepEqual([done, unread, invites], [true, 0, (live as object[][])[0]!.length]);
  assert.deepEqual(await listsOf(world), live);
});

/** Invites of earlier tests. */
async function countBefore(signature: string): Promise<number> {
  const { rows } = await world.store.query<{ id: bigint }>('select id from invites where creation_tx = $1', [
    signature,
  ]);
  return Number(rows[0]!.id) - 1;
}

it('two copies that break down at any call end with each thing once, and nothing missing', async () => {
  await makeHistory(9);
  const whole = await rebuilt();
  const breaks = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(breaks, breaks, async (first, second) => {
      await forget(world);
      const copies = [first, second].map((breaksAt) => {
        let calls = 0;
        // Each breaks down only so many times, so that there is an end.
        return world.newIndex(breaking(world, () => breaksAt[calls++] === true));
      });
      const failed = (copy: (typeof copies)[number]) =>
        copy.sync().then(
          () => false,
          () => true,
        );
      await Promise.all(
        copies.map(async (copy) => {
          while (await failed(copy));
        }),
      );
      assert.deepEqual(await listsOf(world), whole);
    }),
    { numRuns: 6 },
  );
});

it('goes on past transactions that the node cannot give, counts them, and has them when it can', async () => {
  const { sender, invites } = await makeHistory(4);
  const whole = await rebuilt();
  const answers = [
    null,
    { blockTime: null, meta: null, transaction: ['', 'base64'] },
    { blockTime: 1, meta: { err: null, innerInstructions: [] }, transaction: ['AAAA', 'base64'] },
    { blockTime: 1, meta: { err: null, innerInstructions: null }, transaction: [null, 'base64'] },
    new RpcError(-32015, 'Transaction version (1) is not supported by the requesting client'),
  ];
  for (const [index, answer] of answers.entries()) {
    const { signature, end } = invites[index % 2 ? 3 : 0]!;
    for (const lost of [[signature], [end!], [signature, end!]]) {
      await forget(world);
      let isBroken = true;
      const registry = new Registry();
      let now = 0;
      const node = world.chainThat((method, [asked]) => {
        if (!isBroken || method !== 'getTransaction' || !lost.includes(asked as string)) return undefined;
        if (answer instanceof Error) throw answer;
        // A null is an answer, too, which only the RPC itself can give here.
        return answer ?? { meta: null };
      });
      const copy = world.newIndex({ ...node, registry, steadyNow: () => now });
      await copy.sync();
      // It may be the newest, which may come a little later.
      now += 10_000;
      await copy.sync();
      const gauge = registry.getSingleMetric('slipway_invite_unread_transactions')!;
      assert.equal((await gauge.get()).values[0]?.value, lost.length);
      const open = await pendingInvites(world.store, sender.address, { page: 1, size: 100 });
      assert.ok(
        open.some(({ creationTx }) => creationTx === invites[2]!.signature),
        'what came after it',
      );

      isBroken = false;
      now += 10 * 60_000;
      await copy.sync();
      assert.equal((await gauge.get()).values[0]?.value, 0);
      assert.deepEqual(await listsOf(world), whole);
    }
  }
});

it('waits a little for a transaction that the node lists and does not have yet, and reads nothing that is newer', async () => {
  const { invites } = await makeHistory(3);
  const whole = await rebuilt();
  await forget(world);
  let now = 0;
  let calls = 0;
  const node = world.chainThat((method, [asked]) => {
    if (method !== 'getTransaction' || asked !== invites[1]!.signature || ++calls > 2) return undefined;
    return { meta: null };
  });
  const copy = world.newIndex({ ...node, steadyNow: () => now });
  for (let round = 0; round < 2; round++) {
    await copy.sync();
    const { rows } = await world.store.query<{ count: bigint }>(
      'select count(*) from invites where creation_tx = any($1)',
      [[invites[1]!.signature, invites[2]!.signature]],
    );
    assert.equal(rows[0]!.count, 0n);
    now += 1_000;
  }
  await copy.sync();
  assert.deepEqual(await listsOf(world), whole);
});

it('attack: a stranger on the chain sends bursts of more than are read at a time, while a node is late or errs once: what is newer waits, and nothing comes late; for what a node never gives it does not wait each time', async () => {
  await world.index.sync();
  const { invites } = await makeHistory(18);
  const late = invites[3]!.signature;
  const never = [invites[12]!.signature, invites[17]!.signature];
  let now = 0;
  const answers: unknown[] = [{ meta: null }, new RpcError(-32603, 'Internal error')];
  const node = world.chainThat((method, [asked]) => {
    if (method !== 'getTransaction') return undefined;
    if (never.includes(asked as string)) return { meta: null };
    if (asked !== late) return undefined;
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const copy = world.newIndex({ ...node, steadyNow: () => now });
  const areKnown = async (...signatures: string[]) => {
    const { rows } = await world.store.query('select from invites where creation_tx = any($1)', [signatures]);
    return rows.length === signatures.length;
  };
  const unread = async () => (await world.store.query('select from index_unread')).rows.length;
  for (const _ of [1, 2]) {
    await copy.sync();
    assert.deepEqual([await areKnown(invites[2]!.signature), await areKnown(late), await unread()], [true, false, 0]);
  }
  await copy.sync();
  assert.deepEqual([await areKnown(invites[11]!.signature), await areKnown(invites[13]!.signature)], [true, false]);
  now += 10_000;
  await copy.sync();
  assert.deepEqual([await areKnown(invites[13]!.signature, invites[16]!.signature), await unread()], [true, 2]);
  never.length = 0;
  now += 10_000;
  await copy.sync();
  assert.equal(await unread(), 0);
  const live = await listsOf(world);
  assert.deepEqual(await rebuilt(), live);
});

it('is not set back by a node that is behind, nor doubled by one that names old transactions as new', async () => {
  await makeHistory(5);
  const whole = await rebuilt();
  for (const known of [0, 1, 4]) {
    // Such a node does not know the transaction that it was asked to stop at.
    const node = world.chainThat(async (method, [program, range]) => {
      if (method !== 'getSignaturesForAddress') return undefined;
      const { until: _, ...rest } = range as Record<string, unknown>;
      const rows = await world.rpc.call<unknown[]>(method, [program, rest]);
      return rest.before ? rows : rows.slice(known);
    });
    await world.newIndex(node).sync();
    assert.deepEqual(await listsOf(world), whole);
    await forget(world);
    await world.newIndex(node).sync();
    await world.newIndex().sync();
    assert.deepEqual(await listsOf(world), whole);
  }
});

it('a transaction without a time has that of its neighbor', async () => {
  const { sender, invites } = await makeHistory(3);
  await rebuilt();
  const timeOf = async () => (await pendingInvites(world.store, sender.address, { page: 1, size: 9 }))[0]!.creationTime;
  const real = await timeOf();
  await forget(world);
  const node = world.chainThat(async (method, params) => {
    if (method !== 'getSignaturesForAddress') return undefined;
    const rows = await world.rpc.call<{ signature: string }[]>(method, params);
    return rows.map((row) => (row.signature === invites[2]!.signature ? { ...row, blockTime: null } : row));
  });
  await world.newIndex(node).sync();
  assert.ok(Math.abs(real.getTime() - (await timeOf()).getTime()) < 60_000);
});

it('reads short pages to their end', async () => {
  await makeHistory(4);
  const whole = await rebuilt();
  await forget(world);
  const node = world.chainThat((method, [program, range]) =>
    method === 'getSignaturesForAddress'
      ? world.rpc.call(method, [program, { ...(range as object), limit: 2 }])
      : undefined,
  );
  await world.newIndex(node).sync();
  assert.deepEqual(await listsOf(world), whole);
});

it('reads nothing on its own before it was asked, and goes on from then', async () => {
  await makeHistory(1);
  await forget(world);
  for (const table of ['invite_index', 'index_cursors']) await world.store.query(`delete from ${table}`);
  const copy = world.newIndex();
  await copy.keepUp();
  assert.deepEqual(((await listsOf(world)) as object[][])[0], []);
  await copy.fresh();
  const { length } = ((await listsOf(world)) as object[][])[0]!;
  assert.ok(length > 0);
  await makeInvite(world, await newWallet(world), 1_000_000n);
  await copy.keepUp();
  assert.equal(((await listsOf(world)) as object[][])[0]!.length, length + 1);
});
