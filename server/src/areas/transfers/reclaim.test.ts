import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Address, generateKeypair, rentExemptLamports, TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { startTestServer } from '../../http/testing.js';
import { createLimiter } from '../../store/limiter.js';
import { registerTransfers } from './index.js';
import type { CraftReclaimAnswer } from './schema.js';
import {
  hold,
  lamportsOf,
  newMint,
  newMint2022,
  newWallet,
  openTransfersWorld,
  signed,
  type TransfersWorld,
  tokensIn,
} from './testing.js';

const RENT = 2_039_280n;

let world: TransfersWorld;
/** What the node says of these token accounts instead of the truth. */
const outdated = new Map<string, string>();
before(async () => {
  world = await openTransfersWorld(withOutdated);
});
after(() => world.close());

/** A node that lags behind: it answers an earlier state of some token accounts. */
function withOutdated(rpc: Rpc): Rpc {
  type Answer = { value: { pubkey: string; account: { data: [string, string] } }[] };
  const call = async <T>(method: string, params: unknown[]): Promise<T> => {
    const answer = await rpc.call<T>(method, params);
    if (method !== 'getTokenAccountsByOwner') return answer;
    for (const { pubkey, account } of (answer as Answer).value)
      account.data[0] = outdated.get(pubkey) ?? account.data[0];
    return answer;
  };
  return { ...rpc, call };
}

async function land(owner: Parameters<typeof signed>[1], { transactions }: CraftReclaimAnswer): Promise<void> {
  for (const { requestId, transaction } of transactions) {
    const { status, body } = await world.executeReclaim({ requestId, signedTransaction: signed(transaction, owner) });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, 'Success');
    assert.equal(body.code, 0);
    assert.ok(body.signature);
  }
}

it('closes the empty accounts of both token programs, and the rent comes back to the lamport', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mints = [await newMint(world), await newMint2022(world), await newMint(world), WRAPPED_SOL_MINT] as const;
  const empty = { owner: owner.address, amount: 0n };
  const [first, second] = mints;
  const closed = [
    await hold(world, { ...empty, mint: first }),
    await hold(world, { ...empty, mint: first }, { at: generateKeypair().address }),
    await hold(
      world,
      { ...empty, mint: second },
      { tokenProgram: TOKEN_2022_PROGRAM, extensions: [[7, Buffer.alloc(0)]] },
    ),
    await hold(world, { ...empty, mint: WRAPPED_SOL_MINT, isNative: true, rentExemptReserve: RENT }),
  ];
  const notAsked = await hold(world, { ...empty, mint: await newMint(world) });
  const foreign = await hold(world, { owner: generateKeypair().address, mint: first, amount: 0n });
  const before = await lamportsOf(world, owner.address);

  const { status, body } = await world.craftReclaim({ owner: owner.address, mints: [...mints, first] });
  assert.equal(status, 200, JSON.stringify(body));
  const total = 3n * RENT + rentExemptLamports(170);
  assert.equal(body.transactions.length, 1);
  assert.deepEqual([body.code, body.error], [0, undefined]);
  assert.equal(body.totalLamportsReclaimed, `${total}`);
  assert.equal(body.netLamportsReclaimed, `${total - BigInt(body.gasCostLamports)}`);
  assert.deepEqual([body.serviceFeeLamports, body.serviceFeeUsdAmount], ['0', 0]);
  assert.equal(body.netReclaimedUsdAmount, Math.round(Number(body.netLamportsReclaimed) * 0.15) / 1e6);
  assert.deepEqual(body.skippedMints, [{ mint: mints[2], reason: 'notHeld' }]);
  assert.ok(Date.parse(body.expireAt) > world.clock.now());

  await land(owner, body);
  assert.equal((await lamportsOf(world, owner.address)) - before, BigInt(body.netLamportsReclaimed));
  for (const account of closed) assert.equal(await lamportsOf(world, account), 0n);
  for (const account of [notAsked, foreign]) assert.equal(await lamportsOf(world, account), RENT);
});

it('60 accounts take three transactions of at most 1,232 bytes, which land one after the other', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mints: Address[] = [];
  for (let index = 0; index < 60; index++) {
    const tokenProgram = index % 2 === 0 ? undefined : TOKEN_2022_PROGRAM;
    const mint = await newMint(world, tokenProgram);
    await hold(world, { owner: owner.address, mint, amount: 0n }, tokenProgram && { tokenProgram });
    mints.push(mint);
  }
  const before = await lamportsOf(world, owner.address);
  const { body } = await world.craftReclaim({ owner: owner.address, mints });
  assert.equal(body.transactions.length, 3);
  for (const { transaction } of body.transactions) assert.ok(Buffer.from(transaction, 'base64').length <= 1_232);
  assert.equal(body.totalLamportsReclaimed, `${60n * RENT}`);
  await land(owner, body);
  assert.equal((await lamportsOf(world, owner.address)) - before, BigInt(body.netLamportsReclaimed));
  const again = await world.craftReclaim({ owner: owner.address, mints });
  assert.deepEqual([again.body.transactions, again.body.netLamportsReclaimed], [[], '0']);
  assert.equal(again.body.skippedMints?.length, 60);
});

it('what holds something, is frozen, or is for another to close stays, and the answer says why', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mine = { owner: owner.address, amount: 0n };
  const tokenProgram = TOKEN_2022_PROGRAM;
  const fees = Buffer.alloc(8);
  fees.writeBigUInt64LE(3n);
  const kept: [Address, string, Promise<Address>][] = [];
  const keep = async (reason: string, mint: Address, account: Promise<Address>) => kept.push([mint, reason, account]);
  const [holding, frozen, closer, withheld, secret] = [
    await newMint(world),
    await newMint(world),
    await newMint(world),
    await newMint2022(world),
    await newMint2022(world),
  ];
  await keep('nonempty', holding, hold(world, { ...mine, mint: holding, amount: 1n }));
  const wrapped = { ...mine, mint: WRAPPED_SOL_MINT, amount: 5n, isNative: true, rentExemptReserve: RENT };
  await keep('nonempty', WRAPPED_SOL_MINT, hold(world, wrapped));
  await keep('frozen', frozen, hold(world, { ...mine, mint: frozen, state: 'frozen' }));
  await keep(
    'closeAuthority',
    closer,
    hold(world, { ...mine, mint: closer, closeAuthority: generateKeypair().address }),
  );
  await keep('withheld', withheld, hold(world, { ...mine, mint: withheld }, { tokenProgram, extensions: [[2, fees]] }));
  await keep(
    'withheld',
    secret,
    hold(world, { ...mine, mint: secret }, { tokenProgram, extensions: [[17, Buffer.alloc(64)]] }),
  );
  const own = await newMint(world);
  const closable = await hold(world, {
    ...mine,
    mint: own,
    closeAuthority: owner.address,
    delegate: generateKeypair().address,
  });

  const { body } = await world.craftReclaim({ owner: owner.address, mints: [...kept.map(([mint]) => mint), own] });
  assert.deepEqual(
    body.skippedMints,
    kept.map(([mint, reason]) => ({ mint, reason })),
  );
  assert.equal(body.totalLamportsReclaimed, `${RENT}`);
  await land(owner, body);
  assert.equal(await lamportsOf(world, closable), 0n);
  for (const [, , account] of kept) assert.ok((await lamportsOf(world, await account)) >= RENT);
});

it('attack: a free key reclaims for any wallet with ever so many accounts of one mint: 8 transactions, a call for each, and one for the wallet', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mint = await newMint(world);
  const empty = { owner: owner.address, mint, amount: 0n };
  for (let index = 0; index < 230; index++) await hold(world, empty, { at: generateKeypair().address });
  let simulated = 0;
  const chain: typeof world.chain = {
    ...world.chain,
    simulate: (wire, options) => {
      simulated++;
      return world.chain.simulate(wire, options);
    },
  };
  const tiers = { free: { perMinute: 12, executePer10s: 1 } };
  const { app } = await startTestServer((server) => registerTransfers(server, { ...world.deps, chain }), {
    limiter: createLimiter({ store: world.store, tiers, steadyNow: () => 5_000_000 }),
  });
  const craft = () =>
    app.inject({
      method: 'POST',
      url: '/ultra/v1/reclaim/craft',
      headers: { 'x-api-key': 'good-key' },
      payload: { owner: owner.address, mints: [mint] },
    });
  const first = await craft();
  assert.deepEqual([first.statusCode, first.headers['x-ratelimit-remaining']], [200, '3'], first.body);
  assert.equal(first.json<CraftReclaimAnswer>().transactions.length, 8);
  assert.equal(first.json<CraftReclaimAnswer>().totalLamportsReclaimed, `${200n * RENT}`);
  simulated = 0;
  const second = await craft();
  assert.deepEqual([second.statusCode, simulated], [429, 0]);
  assert.match(second.body, /each transaction counts as a call/);
  await app.close();
});

it('an account that got tokens since the node looked is left out; the others are closed', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mints = [await newMint(world), await newMint(world), await newMint(world)];
  const accounts = [];
  for (const mint of mints) accounts.push(await hold(world, { owner: owner.address, mint, amount: 0n }));
  const [, late] = accounts as [Address, Address];
  outdated.set(late, Buffer.from((await world.chain.account(late))!.data).toString('base64'));
  await hold(world, { owner: owner.address, mint: mints[1]!, amount: 77n });
  const { body } = await world.craftReclaim({ owner: owner.address, mints });
  assert.deepEqual(body.skippedMints, [{ mint: mints[1], reason: 'refused' }]);
  assert.equal(body.totalLamportsReclaimed, `${2n * RENT}`);
  await land(owner, body);
  assert.equal(await tokensIn(world, late), 77n);
});

it('an account that gets tokens before the transaction lands is not closed', async () => {
  const owner = await newWallet(world, 1_000_000_000n);
  const mint = await newMint(world);
  const account = await hold(world, { owner: owner.address, mint, amount: 0n });
  const { body } = await world.craftReclaim({ owner: owner.address, mints: [mint] });
  await hold(world, { owner: owner.address, mint, amount: 9n });
  const { requestId, transaction } = body.transactions[0]!;
  const post = { requestId, signedTransaction: signed(transaction, owner) };
  const failed = await world.executeReclaim(post);
  assert.deepEqual([failed.status, failed.body.code], [400, 11]);
  assert.match(failed.body.error!, /^signedTransaction: not sent, because it would fail/);
  assert.equal(await tokensIn(world, account), 9n);
  assert.match((await world.execute(post)).body.error!, /^requestId: unknown/);
});

it('a wallet without SOL for the fee is told how much it needs, and bad requests which field is wrong', async () => {
  const owner = await newWallet(world, 0n);
  const mint = await newMint(world);
  await hold(world, { owner: owner.address, mint, amount: 0n });
  const { status, body } = await world.craftReclaim({ owner: owner.address, mints: [mint] });
  assert.equal(status, 200);
  assert.deepEqual([body.code, body.error, body.transactions], [2, 'Top up 0.00089588 SOL for gas', []]);
  assert.equal(body.netLamportsReclaimed, '0');
  for (const [wrong, pattern] of [
    [{ owner: 'x', mints: [mint] }, /^owner: expected a public key/],
    [{ owner: owner.address, mints: [mint, 'x'] }, /^mints\[1\]: expected a public key/],
    [{ owner: owner.address, mints: [] }, /^mints: /],
    [{ owner: owner.address, mints: Array.from({ length: 201 }, () => mint) }, /^mints: /],
    [{ owner: owner.address }, /^mints: /],
  ] as const) {
    const answer = await world.craftReclaim(wrong);
    assert.equal(answer.status, 400);
    assert.match(answer.body.error!, pattern);
  }
});
