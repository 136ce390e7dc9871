import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  associatedTokenAddress,
  decodeTransaction,
  generateKeypair,
  readonlySigner,
  sign,
  systemTransfer,
} from '@slipway/wire';
import { connectSigner, type KeyName, SignerRefused } from '../../server/dist/signer/index.js';
import { backUp } from './backup.js';
import { feesPaidBy, solOf } from './balances.js';
import { killUnderLoad } from './production-kills.js';
import {
  FUNDED,
  LEAST_OF_A_SOL,
  NEVER,
  ONE_SOL,
  ONE_USDC,
  type Owner,
  type Owners,
  openOwners,
  type Placed,
} from './production-owners.js';
import {
  cancel,
  cancelPath,
  confirmed,
  confirmPath,
  executeSwap,
  orderSwap,
  signedInstead,
} from './production-requests.js';
import { eventually } from './rounds.js';
import { lamportsOf, SOL, tokensOf, USDC } from './swap.js';
import { type Deposit, depositBody, orderBody } from './trigger-user.js';
import { JUP, signTransaction } from './wallet.js';

const SALE = { inputMint: SOL, outputMint: USDC, amount: ONE_SOL };
const GASLESS = { inputMint: USDC, outputMint: JUP, amount: 20n * ONE_USDC };
const NOT_OURS = 'this order is not as its owner made it';
const NOT_WRITTEN = 'this row was not written by the service';

/** The stage of production.test.ts, and somebody who has a part of it. */
describe('production under attack', () => {
  let stage: Owners;
  let thief: Owner;
  before(async () => {
    stage = await openOwners();
    thief = await stage.newOwner();
    // Where it takes what pays for the gas of others.
    await stage.production.fund(stage.production.wallets.gas, 0n, { [USDC]: 0n });
  });
  after(() => stage?.production.close());

  const idsOf = (orders: readonly Placed[]) => orders.map(({ id }) => id);
  const thiefHas = () =>
    Promise.all([SOL, USDC, JUP].map((mint) => tokensOf(stage.production, thief.wallet.address, mint)));

  describe('attack: a database writer rewrites orders, vaults and the ledger in production: nothing is sold or paid by that, and owners get everything back, less their own fees', () => {
    it('other terms, tokens, vaults, accounts, types, sizes, owners or seals in an order', async () => {
      const own = await stage.place(thief, NEVER);
      const { session, wallet } = thief;
      const account = associatedTokenAddress(wallet.address, USDC);
      const changes: [string, unknown[]][] = [
        ['slippage_bps = 10000', []],
        ['output_mint = $2', [JUP]],
        ['vault = $2', [session.vault]],
        ['input_account = $2', [own.account]],
        [`type = 'otoco', stage = 'entry', output_account = $2, tp_price_usd = 2, sl_price_usd = 1`, [account]],
        ['wallet = $2', [wallet.address]],
        ['entry_initial = 2 * entry_initial, entry_remaining = 2 * entry_remaining', []],
        ['seal = (select seal from orders where id = $2)', [own.id]],
        ['seal = null', []],
      ];
      const victims = await Promise.all(changes.map(() => stage.newOrder(NEVER)));
      for (const [index, [change, values]] of changes.entries())
        await stage.write(`update orders set trigger_price_usd = 1, ${change} where id = $1`, [
          victims[index]!.id,
          ...values,
        ]);
      await stage.tell(...idsOf(victims));
      await stage.keeperSays(NOT_OURS, idsOf(victims));
      await Promise.all([...victims, own].map(stage.assertAllBack));
    });

    it('whole orders of his own, over what lies in the vault of another wallet', async () => {
      const victim = await stage.newOrder(NEVER);
      const insert = async (changes: object) => {
        const id = randomUUID();
        const made = { id, deposit_request_id: randomUUID(), trigger_price_usd: 1, slippage_bps: 10_000, ...changes };
        await stage.write(
          `insert into orders select (jsonb_populate_record(null::orders, to_jsonb(o) || $2::jsonb)).*
           from orders o where id = $1`,
          [victim.id, JSON.stringify(made)],
        );
        return { ...thief, id, account: victim.account };
      };
      const { deposit_request_id } = (
        await stage.write('select deposit_request_id from orders where id = $1', [victim.id])
      ).rows[0] as { deposit_request_id: string };
      const forged = [
        await insert({}),
        await insert({ wallet: thief.wallet.address }),
        await insert({ wallet: thief.wallet.address, deposit_request_id, state: 'ready_to_cancel' }),
      ];
      await stage.tell(...idsOf(forged));
      await stage.keeperSays(NOT_OURS, idsOf(forged.slice(0, 2)));
      for (const order of forged.slice(1)) {
        const { status, body } = await stage.ask(cancelPath(order), { method: 'POST', token: thief.session.token });
        assert.notEqual(status, 200, JSON.stringify(body));
      }
      await stage.assertAllBack(victim);
    });

    it('his own vault, or none, as that of another wallet: what it deposits lies in its own', async () => {
      const victim = await stage.newOwner();
      const { vault } = victim.session;
      await stage.write('update vaults set address = $2 where wallet = $1', [
        victim.wallet.address,
        thief.session.vault,
      ]);
      const session = await victim.client.login();
      assert.equal(session.vault, vault);
      const order = await stage.place({ ...victim, session }, NEVER);
      assert.equal(await stage.ownerOf(order), vault);
      await stage.write('delete from vaults where wallet = $1', [victim.wallet.address]);
      assert.equal((await victim.client.login()).vault, vault);
      await stage.assertAllBack(order);
    });

    it('states, amounts, leases and deposits of orders: what is stuck by that, the operator sends home', async () => {
      const owner = await stage.newOwner();
      const changes = [
        `state = 'executing'`,
        `state = 'ready_execute', lease_until = now() + interval '1 year'`,
        `state = 'fill_success', funded = false, held = 0, entry_remaining = 0`,
        `state = 'partial_fill_success', entry_remaining = 1, entry_received = entry_initial`,
        `state = 'cancelled', cancel_asked = true`,
        `deposit_request_id = gen_random_uuid()::text`,
      ];
      const orders = await Promise.all(changes.map(() => stage.place(owner, NEVER, ONE_SOL / 2n)));
      for (const [index, change] of changes.entries())
        await stage.write(`update orders set ${change} where id = $1`, [orders[index]!.id]);
      await stage.tell(...idsOf(orders));
      await stage.turn();
      assert.deepEqual(
        await Promise.all(orders.map(stage.held)),
        orders.map(() => ONE_SOL / 2n),
      );
      const swept = await stage.production.operate('vaults', 'sweep', '--wallet', owner.wallet.address);
      assert.equal(swept.code, 0, swept.error);
      await stage.assertWhole(owner);
    });

    it('the hash, the keys, the payload or the whole of a row of the ledger', async () => {
      const victim = await stage.newOrder(NEVER);
      const own = await stage.place(await stage.newOwner(), NEVER);
      const { requestId } = await cancel(stage, own);
      const { wallet } = victim;
      const theft = await stage.theft(victim, own.wallet);
      const keys = [`vault:${wallet.address}`, 'tracker'];
      const copy = randomUUID();
      await stage.write(
        `insert into ledger select (jsonb_populate_record(null::ledger, to_jsonb(l) || $2::jsonb)).*
         from ledger l where id = $1`,
        [requestId, JSON.stringify({ id: copy, message_hash: `\\x${theft.hash.toString('hex')}`, cosigners: keys })],
      );
      await stage.write('update ledger set message_hash = $2, cosigners = $3 where id = $1', [
        requestId,
        theft.hash,
        keys,
      ]);
      for (const id of [requestId, copy])
        for (const payload of [undefined, { orderId: victim.id, withdrawn: [] }]) {
          if (payload)
            await stage.write('update ledger set payload = $2::jsonb where id = $1', [id, JSON.stringify(payload)]);
          for (const order of [own, { ...own, id: victim.id }]) {
            const sent = confirmed(order, { transaction: theft.transaction, requestId: id }, own.wallet);
            const { status, body } = await stage.ask(confirmPath(order), sent);
            assert.ok(status === 400 || status === 404, `${status} ${JSON.stringify(body)}`);
          }
        }
      const { api1, api2 } = stage.production.copies;
      await eventually('a copy has said so of both', async () => {
        const said = `${api1.log()}${api2.log()}`.split('\n').filter((line) => line.includes(NOT_WRITTEN));
        return [requestId, copy].every((id) => said.some((line) => line.includes(id))) || undefined;
      });
      await Promise.all([victim, own].map(stage.assertAllBack));
    });

    it('the bytes of a swap that the gas wallet pays for, by those that send him its SOL', async () => {
      const taker = generateKeypair();
      await stage.production.fund(taker.address, 0n, { [USDC]: 100n * ONE_USDC });
      const order = await orderSwap(stage, taker.address, GASLESS);
      assert.equal(order.gasless, true);
      const from = stage.production.wallets.gas as typeof taker.address;
      const before = await lamportsOf(stage.production, from);
      const transfer = systemTransfer({ from, to: taker.address, lamports: ONE_SOL });
      const signed = { ...transfer, accounts: [...transfer.accounts, readonlySigner(taker.address)] };
      const theft = await stage.crafted(taker, [signed], from);
      await stage.write('update ledger set message_hash = $2 where id = $1', [order.requestId, theft.hash]);
      const { status, body } = await executeSwap(stage, order.requestId, signTransaction(theft.transaction, taker));
      assert.deepEqual([status, body.code], [400, -1], JSON.stringify(body));
      assert.equal(await lamportsOf(stage.production, from), before);
      assert.equal(await lamportsOf(stage.production, taker.address), 0n);
    });

    it('an older order over a newer one: it is filled by what its owner has asked for before, and he is paid for that', async () => {
      const edited = await stage.newOrder(150.3);
      const { client, session, id } = edited;
      const putBack = await stage.keep('orders', id);
      await client.editPriceOrder(session, id, { orderType: 'single', triggerPriceUsd: NEVER });
      stage.production.setPrice(SOL, 150.5);
      await stage.turn();
      assert.equal(await stage.held(edited), ONE_SOL);
      await putBack();
      await stage.tell(id);
      await client.waitForPriceOrder(session, id, { states: ['filled'] });
      assert.ok((await stage.usdcOf(edited)) > LEAST_OF_A_SOL);
      await stage.assertSold(edited);
    });

    it('what has landed, as if it had not: posted again, it lands no second time', async () => {
      const owner = await stage.newOwner();
      const { token } = owner.session;
      const crafted = await stage.ask<Deposit>('/trigger/v2/deposit/craft', { token, body: depositBody(owner) });
      const putDepositBack = await stage.keep('ledger', crafted.body.requestId);
      const body = orderBody(owner, crafted.body, { triggerPriceUsd: NEVER, triggerMint: SOL });
      const create = () => stage.ask<{ id: string }>('/trigger/v2/orders/price', { token, body });
      const { id } = (await create()).body;
      const order = { ...owner, id, account: crafted.body.inputTokenAccount };
      const trade = await orderSwap(stage, owner.wallet.address, SALE);
      const putTradeBack = await stage.keep('ledger', trade.requestId);
      const swap = () => executeSwap(stage, trade.requestId, signTransaction(trade.transaction, owner.wallet));
      assert.equal((await swap()).body.status, 'Success');
      const ownedBy = async () => [await solOf(stage.production, owner.wallet.address), await stage.usdcOf(owner)];
      const before = await ownedBy();

      await putDepositBack();
      await stage.write('delete from orders where id = $1', [id]);
      const again = await create();
      assert.equal(again.status, 200, JSON.stringify(again.body));
      await putTradeBack();
      await swap();
      assert.deepEqual([await stage.held(order), await ownedBy()], [ONE_SOL, before]);

      const ended = { ...order, id: again.body.id };
      const withdrawal = await cancel(stage, ended);
      const putWithdrawalBack = await stage.keep('ledger', withdrawal.requestId);
      const putOrderBack = await stage.keep('orders', ended.id);
      const confirm = () => stage.ask(confirmPath(ended), confirmed(ended, withdrawal));
      assert.equal((await confirm()).status, 200);
      const after = await ownedBy();
      await putWithdrawalBack();
      await putOrderBack();
      await confirm();
      assert.deepEqual([await stage.held(order), await ownedBy()], [0n, after]);
      assert.equal(after[0], FUNDED - ONE_SOL - (await feesPaidBy(stage.production, owner.wallet.address)));
    });
  });

  it('attack: a database writer restores an old backup: what was filled, cancelled, traded or claimed since is neither sold nor paid again', async () => {
    const [filled, cancelled, open] = [
      await stage.newOrder(150.6),
      await stage.newOrder(150.6),
      await stage.newOrder(NEVER),
    ];
    const giver = await stage.newOwner({ [JUP]: 1_000n });
    const gift = await giver.client.send({ amount: 600n, mint: JUP });
    const trader = await stage.newOwner();
    const { body: challenge } = await stage.challenge(trader);
    const login = stage.answerTo(trader, challenge);
    // Last before the backup, and executed first: it lives for no longer than a minute.
    const trade = await orderSwap(stage, trader.wallet.address, SALE);
    const swap = () => executeSwap(stage, trade.requestId, signTransaction(trade.transaction, trader.wallet));
    const restore = await backUp(stage.production.store);

    assert.equal((await swap()).body.status, 'Success');
    assert.equal((await login()).status, 200);
    const withdrawal = await cancel(stage, cancelled);
    const confirm = () => stage.ask(confirmPath(cancelled), confirmed(cancelled, withdrawal));
    assert.equal((await confirm()).status, 200);
    const receiver = generateKeypair().address;
    const claim = () => thief.client.claim({ code: gift.code, receiver });
    await claim();
    stage.production.setPrice(SOL, 150.8);
    await filled.client.waitForPriceOrder(filled.session, filled.id, { states: ['filled'] });
    await stage.assertSold(filled);
    const later = await stage.newOrder(NEVER);
    const everybody = [filled, cancelled, open, trader, giver, later];
    const balances = () =>
      Promise.all([
        ...everybody.map(async (owner) => [
          await solOf(stage.production, owner.wallet.address),
          await stage.usdcOf(owner),
        ]),
        tokensOf(stage.production, receiver, JUP),
        thiefHas(),
      ]);
    const before = await balances();

    await stage.production.restart(restore);
    await stage.keeperSays('an order has fired, but cannot be filled now', idsOf([filled, cancelled]));
    await stage.turn();
    await confirm();
    await swap();
    await assert.rejects(claim());
    for (const order of [filled, cancelled])
      assert.notEqual((await stage.ask(cancelPath(order), { method: 'POST', token: order.session.token })).status, 200);
    assert.notEqual((await login()).status, 200);
    assert.deepEqual(await balances(), before);
    await stage.assertAllBack(open);
    assert.equal(await stage.held(later), ONE_SOL);
    const swept = await stage.production.operate('vaults', 'sweep', '--wallet', later.wallet.address);
    assert.equal(swept.code, 0, swept.error);
    await stage.assertWhole(later);
  });

  it('attack: a copy that was broken into asks the signer of production for fills, bare signatures, logins, and transactions to the thief: nothing is signed, and nothing moves', async () => {
    const [filled, victim] = [await stage.newOrder(100), await stage.newOrder(NEVER)];
    await filled.client.waitForPriceOrder(filled.session, filled.id, { states: ['filled'] });
    // With its rent, which the keeper pays to send back: its balance is compared below.
    await stage.assertSold(filled);
    const { production } = stage;
    const { rows } = await stage.write(
      `select wire, cosigners from ledger where area = 'trigger-fill' and payload->>'orderId' = $1 and state = 'landed'`,
      [filled.id],
    );
    const [fill] = rows as [{ wire: Uint8Array; cosigners: KeyName[] }];
    const { message } = decodeTransaction(fill.wire);
    const order = await stage.rowOf(victim.id);
    const vault: KeyName = `vault:${victim.wallet.address}`;
    const [home, thefts] = [await cancel(stage, victim), await stage.thefts(victim, thief.wallet)];
    const challenge = (await stage.challenge(victim)).body.challenge;
    const forged = sign(thief.wallet, Buffer.from(challenge));
    const watched = [victim.account, production.wallets.gas, production.wallets.keeper, thief.wallet.address];
    const balances = () => Promise.all(watched.map((address) => lamportsOf(production, address)));
    const before = await balances();

    const copy = await connectSigner({
      endpoint: { path: production.signer.socketOf('api1') },
      name: 'api1',
      patienceMs: 0,
    });
    const refuses = async (asked: Promise<unknown>, why: RegExp) =>
      assert.rejects(asked, (error: Error) => error instanceof SignerRefused && why.test(error.message));
    try {
      await refuses(copy.cosign({ keys: fill.cosigners, message, order: await stage.rowOf(filled.id) }), /may not ask/);
      await refuses(copy.cosign({ keys: fill.cosigners, message }), /./);
      for (const key of ['gas', 'keeper', 'tracker', vault, 'seal', 'login:1'] as KeyName[])
        await refuses(copy.sign(key, message), /may not ask/);
      await refuses(
        copy.issueLogin({
          wallet: victim.wallet.address,
          proof: { message: { challenge, signature: forged } },
          notBefore: 0,
        }),
        /has not signed/,
      );
      const givenAway = { ...order, triggerPriceUsd: 1, slippageBps: 10_000 };
      const proof = { edit: { before: order, consent: undefined } };
      await refuses(copy.sealOrder({ token: victim.session.token, order: givenAway, proof }), /must sign this change/);
      for (const { keys, message } of thefts) await refuses(copy.cosign({ keys, message }), /./);
    } finally {
      copy.close();
    }
    assert.deepEqual(await balances(), before);
    const { out } = await production.signer.command('audit', 'export');
    assert.match(out, /"caller":"api1".*"refused"/);
    const sent = await stage.ask(confirmPath(victim), confirmed(victim, home));
    assert.equal(sent.status, 200);
    await stage.assertWhole(victim);
  });

  it('attack: a thief of a login widens, moves, cancels and withdraws orders of production: he gets nothing, and the owner gets the funds or what a login alone may sell them for', async () => {
    const [kept, sold, ended] = [await stage.newOrder(NEVER), await stage.newOrder(NEVER), await stage.newOrder(NEVER)];
    const before = [await lamportsOf(stage.production, thief.wallet.address), await thiefHas()];
    const edit = ({ id, session: { token } }: Placed, terms: object) =>
      stage.ask(`/trigger/v2/orders/price/${id}`, { method: 'PATCH', token, body: { orderType: 'single', ...terms } });
    const fires = { triggerPriceUsd: 1 };
    for (const terms of [{ slippageBps: 10_000 }, { slippageBps: 2_001 }, { ...fires, slippageBps: 10_000 }])
      assert.equal((await edit(kept, terms)).status, 403);
    const deposit = { ...depositBody(thief), userAddress: thief.wallet.address };
    const { token } = kept.session;
    assert.notEqual((await stage.ask('/trigger/v2/deposit/craft', { token, body: deposit })).status, 200);
    const withdrawal = await cancel(stage, ended);
    for (const signedTransaction of [withdrawal.transaction, signedInstead(withdrawal.transaction, ended, thief)]) {
      const body = { signedTransaction, cancelRequestId: withdrawal.requestId };
      assert.equal((await stage.ask(confirmPath(ended), { token: ended.session.token, body })).status, 400);
    }
    assert.equal(await stage.held(ended), ONE_SOL);

    assert.equal((await edit(sold, { ...fires, slippageBps: 2_000 })).status, 200);
    await sold.client.waitForPriceOrder(sold.session, sold.id, { states: ['filled'] });
    await stage.assertSold(sold);
    assert.ok((await stage.usdcOf(sold)) >= 120n * ONE_USDC);

    await kept.client.logout(kept.session);
    await eventually('no copy takes the login', async () => {
      const answers = await Promise.all([0, 1].map(() => edit(kept, { slippageBps: 200 })));
      return answers.every(({ status }) => status === 401) || undefined;
    });
    const session = await kept.client.login();
    await Promise.all([{ ...kept, session }, ended].map(stage.assertAllBack));
    assert.deepEqual([await lamportsOf(stage.production, thief.wallet.address), await thiefHas()], before);
  });

  it('the signer is killed again and again under load: clients are told to ask again, nothing is lost or done twice, and all goes on', async (t) => {
    t.diagnostic(JSON.stringify(await killUnderLoad(stage)));
  });

  it('after all that, the wallets of the service have lost fees, and the record of the signer is whole', async () => {
    const { production } = stage;
    for (const wallet of Object.values(production.wallets)) {
      const lost = 10n * ONE_SOL - (await lamportsOf(production, wallet));
      assert.ok(lost <= (await feesPaidBy(production, wallet)), `${lost}`);
    }
    const verified = await production.signer.command('audit', 'verify');
    assert.equal(verified.code, 0, verified.error);
  });
});
