import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Keypair,
  readonlySigner,
  tokenTransferChecked,
} from '@slipway/wire';
import { signed } from '../../areas/trigger-v2/testing.js';
import { base64Of, craftTransaction } from '../../crafting/transaction.js';
import { newRequest, sealed } from '../../landing/index.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import type { KeyName } from '../../signer/index.js';
import { insertCrafted } from '../../store/ledger.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const NEVER = { triggerCondition: 'above', triggerPriceUsd: 1_000_000 } as const;

describe('attack: a database writer asks for the funds of a vault; not a unit moves', () => {
  let world: Awaited<ReturnType<typeof openTriggerWorld>>;
  let client: ReturnType<typeof world.newClient>;
  before(async () => {
    world = await openTriggerWorld();
    client = world.newClient();
  });
  after(() => world?.close());

  interface Party {
    wallet: Keypair;
    id: string;
    vault: Address;
    account: Address;
  }
  let [victim, attacker]: Party[] = [];
  beforeEach(async () => {
    [victim, attacker] = [await newParty(), await newParty()];
  });

  async function newParty(): Promise<Party> {
    const { wallet, id } = await world.deposit(client, NEVER);
    const { vault, inputAccount } = await world.rowOf(id);
    return { wallet, id, vault: vault as Address, account: inputAccount as Address };
  }
  const write = (text: string, values: unknown[] = []) => world.store.single((tx) => tx.query(text, values));
  const left = ({ account }: Party) => world.world.amount(account);
  const stolen = async () => (await world.held(attacker!.wallet.address, world.sold)) ?? 0n;

  /** A transaction that moves the victim's deposit to the attacker, signed by the attacker alone. */
  async function theft() {
    const [mine, { mint, tokenProgram, decimals }] = [attacker!.wallet.address, world.sold];
    const transfer = tokenTransferChecked({
      source: victim!.account,
      mint,
      destination: associatedTokenAddress(mine, mint, tokenProgram),
      authority: victim!.vault,
      amount: AMOUNT,
      decimals,
      tokenProgram,
    });
    const tracked = { ...transfer, accounts: [...transfer.accounts, readonlySigner(world.signer.address('tracker'))] };
    const instructions = [createAssociatedTokenIdempotent({ payer: mine, owner: mine, mint, tokenProgram }), tracked];
    const { blockhash, lastValidBlockHeight } = await world.chain.latestBlockhash();
    const budget = { computeUnitLimit: 200_000, computeUnitPrice: 0n };
    const crafted = craftTransaction({ feePayer: mine, instructions, blockhash, budget });
    return { crafted, lastValidBlockHeight };
  }

  /** The row that the attacker writes, in the wallet's name; `withSeal`: as if the attacker could seal, too. */
  async function forge(wallet: Address, keys: KeyName[], { withSeal = false } = {}): Promise<string> {
    const { crafted, lastValidBlockHeight } = await theft();
    const payload = { orderId: attacker!.id, withdrawn: [] };
    const own = { area: 'trigger-withdrawal', wallet, crafted, lastValidBlockHeight, cosigners: keys, payload };
    const row = newRequest(own, world.clock);
    const stored = withSeal ? await sealed(world.signer, row) : row;
    await world.store.single((tx) => insertCrafted(tx, [stored]));
    await write(`update orders set state = 'ready_to_cancel', vault = $2 where id = $1`, [attacker!.id, victim!.vault]);
    await assert.rejects(
      client.confirm(attacker!.wallet.address, attacker!.id, {
        signedTransaction: signed(attacker!.wallet, base64Of(crafted)),
        cancelRequestId: row.id,
      }),
    );
    return row.id;
  }

  async function assertNothingSigned(id: string) {
    const { rows } = await world.store.query('select state, signature, wire from ledger where id = $1', [id]);
    assert.deepEqual(rows, [{ state: 'crafted', signature: null, wire: null }]);
    assert.deepEqual([await left(victim!), await stolen()], [AMOUNT, 0n]);
  }

  const names = () => [`vault:${victim!.wallet.address}`, 'tracker'] as KeyName[];

  it("by a withdrawal in the ledger that names the victim's vault, for an order whose vault was changed", async () => {
    await assertNothingSigned(await forge(attacker!.wallet.address, names()));
    await assertNothingSigned(await forge(victim!.wallet.address, names()));
  });

  it("by the same row with a seal, because a row names no vault but its own wallet's, and only that one asks", async () => {
    await assertNothingSigned(await forge(attacker!.wallet.address, names(), { withSeal: true }));
    await assertNothingSigned(await forge(victim!.wallet.address, names(), { withSeal: true }));
    const own = [`vault:${attacker!.wallet.address}`, 'tracker'] as KeyName[];
    await assertNothingSigned(await forge(attacker!.wallet.address, own, { withSeal: true }));
  });

  it('by other bytes for a withdrawal that the service has crafted', async () => {
    const { requestId } = await client.cancel(attacker!.wallet.address, attacker!.id);
    const { crafted } = await theft();
    await write('update ledger set message_hash = $2, cosigners = $3 where id = $1', [
      requestId,
      crafted.messageHash,
      names(),
    ]);
    const body = { signedTransaction: signed(attacker!.wallet, base64Of(crafted)), cancelRequestId: requestId };
    await assert.rejects(client.confirm(attacker!.wallet.address, attacker!.id, body), /not found in cache/);
    await assertNothingSigned(requestId);
  });

  it("by an order that says it lies in the victim's vault: its withdrawal takes what lies in its own", async () => {
    await write('update orders set vault = $2, input_account = $3 where id = $1', [
      attacker!.id,
      victim!.vault,
      victim!.account,
    ]);
    const { transaction } = await client.cancel(attacker!.wallet.address, attacker!.id);
    assert.ok(!Buffer.from(transaction, 'base64').includes(Buffer.from(addressToBytes(victim!.account))));
    assert.deepEqual([await left(victim!), await stolen()], [AMOUNT, 0n]);
  });

  it("by an order of the victim that pays out into the attacker's account: the keeper does not fill it", async () => {
    const keeper = await world.newKeeper();
    const theirs = await world.fund(attacker!.wallet.address, world.bought, 0n);
    await write(
      `update orders set output_account = $2, type = 'otoco', stage = 'entry', tp_price_usd = 2, sl_price_usd = 0.1,
         trigger_price_usd = 0.5 where id = $1`,
      [victim!.id, theirs],
    );
    await keeper.runDue();
    assert.notEqual((await world.rowOf(victim!.id)).retryAt, null, 'it has fired');
    assert.deepEqual([await left(victim!), await world.world.amount(theirs)], [AMOUNT, 0n]);
    await keeper.close();
  });

  it("by another wallet's address in the victim's order: the victim's vault does not sign for it", async () => {
    const keeper = await world.newKeeper();
    await write('update orders set wallet = $2, trigger_price_usd = 0.5 where id = $1', [
      victim!.id,
      attacker!.wallet.address,
    ]);
    await keeper.runDue().catch(() => {});
    const tried = `select count(*) as tried, count(wire) as sent from ledger where area = 'trigger-fill' and wallet = $1`;
    const { rows } = await world.store.query(tried, [attacker!.wallet.address]);
    assert.deepEqual(rows, [{ tried: 0n, sent: 0n }]);
    assert.deepEqual([await left(victim!), await world.held(attacker!.wallet.address)], [AMOUNT, 0n]);
    await keeper.close();
  });

  it("by the attacker's vault as the vault of the victim: deposits go to the victim's own", async () => {
    await write('update vaults set address = $2 where wallet = $1', [victim!.wallet.address, attacker!.vault]);
    await world.fund(victim!.wallet.address, world.sold, AMOUNT);
    const { mint } = world.sold;
    const id = await client.open(victim!.wallet, AMOUNT, {
      inputMint: mint,
      outputMint: world.bought.mint,
      triggerMint: mint,
      orderType: 'single',
      ...NEVER,
    });
    const { vault, inputAccount } = await world.rowOf(id);
    assert.deepEqual([vault, await world.world.amount(inputAccount as Address)], [victim!.vault, AMOUNT]);
  });

  it('by a mangled row under way, which no copy can settle: what is settled beside it is, and the copy lives', async () => {
    await client.withdraw(victim!.wallet, victim!.id);
    await client.withdraw(attacker!.wallet, attacker!.id);
    const pairs = [victim!, attacker!].map(({ wallet }) => wallet.address);
    await write(
      `update ledger set state = 'sending', settled_at = null, lease_until = $2
       where area = 'trigger-withdrawal' and wallet = any($1) and sent_at is not null`,
      [pairs, new Date(world.clock.now())],
    );
    await write(`update ledger set payload = '"mangled"' where state = 'sending' and wallet = $1`, [pairs[1]]);
    await world.newLanding().resume({ all: true });
    const states = async () => {
      const { rows } = await world.store.query<{ wallet: string; state: string }>(
        `select wallet, state from ledger where area = 'trigger-withdrawal' and wallet = any($1) and sent_at is not null`,
        [pairs],
      );
      return pairs.map((wallet) => rows.find((row) => row.wallet === wallet)?.state);
    };
    for (const end = performance.now() + PATIENCE_MS; (await states())[0] !== 'landed'; await sleep(50)) {
      assert.ok(performance.now() < end, 'it was not settled');
    }
    assert.deepEqual(await states(), ['landed', 'sending']);
  });

  it('and a withdrawal as it was crafted still lands', async () => {
    await client.withdraw(victim!.wallet, victim!.id);
    assert.equal(await world.held(victim!.wallet.address, world.sold), AMOUNT);
  });
});
