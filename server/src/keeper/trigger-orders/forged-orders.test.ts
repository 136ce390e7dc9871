import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, associatedTokenAddress } from '@slipway/wire';
import { pino } from 'pino';
import type { Token } from '../../routing/router.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const NEVER = { triggerCondition: 'above', triggerPriceUsd: 1_000_000 } as const;

describe('attack: a database writer changes what an order sells, buys or waits for; not a unit is sold', () => {
  let world: Awaited<ReturnType<typeof openTriggerWorld>>;
  let client: ReturnType<typeof world.newClient>;
  /** A token of the attacker, whose pool counts as deep and whose price is believed. */
  let theirs: Token;
  before(async () => {
    world = await openTriggerWorld();
    client = world.newClient();
    theirs = await world.world.token();
    await world.world.pool(world.sold, theirs, [10n ** 13n, 10n ** 13n]);
    world.setPrice(theirs.mint, 1);
  });
  after(() => world?.close());

  type Deposited = Awaited<ReturnType<typeof world.deposit>>;
  const write = (text: string, values: unknown[]) => world.store.single((tx) => tx.query(text, values));
  const left = async ({ id }: Deposited) => world.world.amount((await world.rowOf(id)).inputAccount as Address);

  interface Case {
    terms?: Parameters<typeof world.deposit>[1];
    change: string;
    values?: () => unknown[] | Promise<unknown[]>;
  }

  /** Changes an order that does not fire yet, and gives the keeper much time; an order beside it is filled. */
  async function assertNotFilled({ terms = NEVER, change, values = () => [] }: Case): Promise<Deposited> {
    const victim = await world.deposit(client, terms);
    await write(`update orders set ${change} where id = $1`, [victim.id, ...(await values())]);
    const beside = await world.deposit(client);
    const lines: { level: number; order?: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const keeper = await world.newKeeper({ log });
    for (let turn = 1; turn <= 5; turn++) {
      await keeper.runDue();
      world.clock.setOffset(world.clock.offsetMs + 6 * MINUTE_MS);
      for (const { mint } of [world.sold, world.bought, theirs]) world.setPrice(mint, 1);
    }
    await keeper.close();
    const about = lines.filter(({ order }) => order === victim.id);
    assert.deepEqual(
      about.map(({ level }) => level),
      [50],
      'one line, an error',
    );
    const { rows } = await world.store.query(`select from ledger where area = 'trigger-fill' and wallet = $1`, [
      victim.wallet.address,
    ]);
    assert.equal(rows.length, 0, 'nothing was crafted');
    assert.equal(await left(victim), AMOUNT);
    assert.equal((await world.rowOf(beside.id)).progress.state, 'fill_success', 'the order beside it');
    return victim;
  }

  /** Its owner gets all of it back. */
  async function assertComesBack({ wallet, id }: Deposited): Promise<void> {
    await client.withdraw(wallet, id);
    const { mint, tokenProgram } = world.sold;
    assert.equal(await world.world.amount(associatedTokenAddress(wallet.address, mint, tokenProgram)), AMOUNT);
  }

  it("by the attacker's own token as the output; the owner cancels and gets all of it back", async () => {
    const change = 'output_mint = $2, trigger_price_usd = 0.5';
    await assertComesBack(await assertNotFilled({ change, values: () => [theirs.mint] }));
  });

  it('by a price that makes it fire; the owner cannot make it good by a change, and gets all of it back', async () => {
    const victim = await assertNotFilled({ change: 'trigger_price_usd = 0.5, slippage_bps = 10000' });
    const edit = client.edit(victim.wallet.address, victim.id, { orderType: 'single', slippageBps: 50 });
    await assert.rejects(edit, /cannot be changed: cancel it/);
    await assertComesBack(victim);
  });

  it('by another token whose price fires it', async () => {
    await assertComesBack(
      await assertNotFilled({
        change: `trigger_mint = $2, trigger_condition = 'below'`,
        values: () => [theirs.mint],
      }),
    );
  });

  it('by input and output swapped', async () => {
    const change = 'input_mint = output_mint, output_mint = input_mint, trigger_price_usd = 0.5';
    await assertComesBack(await assertNotFilled({ change }));
  });

  it('by another type, that keeps what it buys in a vault or sells it at another price', async () => {
    const change = `type = 'oco', trigger_condition = null, trigger_price_usd = null, tp_price_usd = 0.5, sl_price_usd = 0.1`;
    await assertComesBack(await assertNotFilled({ change }));
  });

  it('by the terms and the seal of another order', async () => {
    const { seal } = await world.rowOf((await world.deposit(client)).id);
    const change = 'trigger_price_usd = 0.9, seal = $2';
    await assertComesBack(await assertNotFilled({ change, values: () => [seal] }));
  });

  for (const [what, change] of [
    ['wallet', 'wallet = $2'],
    ['account', 'input_account = $2'],
    ['vault', 'vault = $2'],
  ] as const) {
    it(`by another ${what}; the owner cancels and gets all of it back`, async () => {
      const victim = await world.deposit(client);
      const attacker = await world.deposit(client, NEVER);
      const own = await world.rowOf(attacker.id);
      const value = { wallet: attacker.wallet.address, account: own.inputAccount, vault: own.vault }[what];
      const { inputAccount } = await world.rowOf(victim.id);
      if (what === 'wallet') await write('update order_events set wallet = $2 where order_id = $1', [victim.id, value]);
      await write(`update orders set ${change} where id = $1`, [victim.id, value]);
      const keeper = await world.newKeeper();
      await keeper.runDue();
      await keeper.close();
      await assert.rejects(client.cancel((await client.register()).address, victim.id), /not yours/);
      assert.equal(await world.world.amount(inputAccount as Address), AMOUNT, 'nothing is sold');
      await assertComesBack(victim);
      await assert.rejects(client.withdraw(attacker.wallet, victim.id), /Cannot cancel|gone from the chain|not yours/);
      await assertComesBack(attacker);
    });
  }

  it('by no seal at all', async () => {
    await assertComesBack(await assertNotFilled({ change: 'trigger_price_usd = 0.5, seal = null' }));
  });

  it("by a trigger mint that is put back before the attacker's price fires it", async () => {
    const { id } = await world.deposit(client, { triggerCondition: 'above', triggerPriceUsd: 50 });
    await write('update orders set trigger_mint = $2 where id = $1', [id, theirs.mint]);
    const keeper = await world.newKeeper();
    await keeper.runDue();
    await write('update orders set trigger_mint = $2 where id = $1', [id, world.sold.mint]);
    world.setPrice(theirs.mint, 60);
    await keeper.runDue();
    await keeper.close();
    world.setPrice(theirs.mint, 1);
    const { retryAt, inputAccount, progress } = await world.rowOf(id);
    assert.notEqual(retryAt, null, 'it has fired');
    assert.deepEqual([progress.state, await world.world.amount(inputAccount as Address)], ['open', AMOUNT]);
  });

  it("and what its owner changes is filled by the owner's new terms", async () => {
    const { wallet, id } = await world.deposit(client, NEVER);
    await client.edit(wallet.address, id, { orderType: 'single', triggerPriceUsd: 0.75, slippageBps: 77 });
    const keeper = await world.newKeeper();
    await keeper.runDue();
    await keeper.close();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.notEqual(await world.held(wallet.address), 0n);
  });
});
