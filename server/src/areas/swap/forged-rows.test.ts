import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Keypair, readonlySigner, systemTransfer } from '@slipway/wire';
import { base64Of, craftTransaction } from '../../crafting/transaction.js';
import { newRequest } from '../../landing/index.js';
import type { KeyName } from '../../signer/index.js';
import { insertCrafted } from '../../store/ledger.js';
import {
  balances,
  JUP,
  newWallet,
  openFeeAccount,
  openSwapWorld,
  SOL,
  type SwapWorld,
  signed,
  USDC,
} from './testing.js';

describe("attack: a database writer asks for the gas wallet's SOL; not a lamport moves", () => {
  let world: SwapWorld;
  let attacker: Keypair;
  before(async () => {
    world = await openSwapWorld();
    attacker = await newWallet(world, 1_000_000_000n, [[USDC, 100_000_000n]]);
    for (const token of [SOL, USDC, JUP]) await openFeeAccount(world, world.gasWallet, token);
  });
  after(() => world?.close());

  async function theft(lamports = 50_000_000_000n) {
    const transfer = systemTransfer({ from: world.gasWallet, to: attacker.address, lamports });
    const instructions = [{ ...transfer, accounts: [...transfer.accounts, readonlySigner(attacker.address)] }];
    const { blockhash, lastValidBlockHeight } = await world.chain.latestBlockhash();
    const budget = { computeUnitLimit: 10_000, computeUnitPrice: 0n };
    const crafted = craftTransaction({ feePayer: world.gasWallet, instructions, blockhash, budget });
    return { crafted, lastValidBlockHeight };
  }

  async function assertRefused(requestId: string, transaction: string) {
    const before = await balances(world, world.gasWallet);
    const { status, body } = await world.execute({ requestId, signedTransaction: signed(transaction, attacker) });
    assert.deepEqual([status, body.code], [400, -1], JSON.stringify(body));
    assert.deepEqual(await balances(world, world.gasWallet), before);
  }

  const ANY_PAYLOAD = 'select payload from ledger where payload is not null limit 1';

  it('by a row of their own', async () => {
    await world.order({ inputMint: USDC.mint, outputMint: JUP.mint, amount: '20000000', taker: attacker.address });
    const { payload } = (await world.store.query<{ payload: unknown }>(ANY_PAYLOAD)).rows[0]!;
    for (const cosigners of [['gas'], ['keeper'], ['gas', 'keeper']] as KeyName[][]) {
      const made = { ...(await theft()), area: 'swap', wallet: attacker.address, cosigners, payload };
      const row = newRequest(made, world.clock);
      await world.store.single((tx) => insertCrafted(tx, [row]));
      await assertRefused(row.id, base64Of(made.crafted));
    }
  });

  it('by other bytes for an order that the gas wallet pays for', async () => {
    const taker = await newWallet(world, 0n, [[USDC, 100_000_000n]]);
    const asked = { inputMint: USDC.mint, outputMint: JUP.mint, amount: '20000000', excludeRouters: 'jupiterz' };
    const { body: order } = await world.order({ ...asked, taker: taker.address });
    assert.equal(order.gasless, true, JSON.stringify(order));
    const { crafted } = await theft();
    await world.store.single((tx) =>
      tx.query('update ledger set message_hash = $2 where id = $1', [order.requestId, crafted.messageHash]),
    );
    await assertRefused(order.requestId, base64Of(crafted));
  });

  it('by a payload that does not fit: that one post is an error, and others are served', async () => {
    const query = { inputMint: SOL.mint, outputMint: JUP.mint, amount: '20000000', taker: attacker.address };
    const { body: order } = await world.order(query);
    const whole = (
      await world.store.query<{ payload: object }>('select payload from ledger where id = $1', [order.requestId])
    ).rows[0]!.payload;
    const signedTransaction = signed(order.transaction!, attacker);
    for (const payload of [null, 'text', [], {}, { ...whole, feePayer: 5 }, { ...whole, hops: 'none' }]) {
      await world.store.single((tx) =>
        tx.query('update ledger set payload = $2::jsonb where id = $1', [order.requestId, JSON.stringify(payload)]),
      );
      const { status } = await world.execute({ requestId: order.requestId, signedTransaction });
      assert.equal(status, 500);
    }
    const { body: next } = await world.order(query);
    const done = await world.execute({
      requestId: next.requestId,
      signedTransaction: signed(next.transaction!, attacker),
    });
    assert.equal(done.body.status, 'Success', JSON.stringify(done.body));
  });
});
