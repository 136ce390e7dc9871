import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ORDER_ENGINE_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, associatedTokenAddress, decodeTokenAccount, rentExemptLamports } from '@slipway/wire';
import { createChain, type Rpc } from '../../chain/index.js';
import { steadyNow } from '../../lib/clock.js';
import { openAggregator, unhurried } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const RENT = rentExemptLamports(165);
/** So many in a row must have found no account of an order. */
const LOOKS = 24;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
let keeper: Awaited<ReturnType<typeof world.newKeeper>>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  keeper = await world.newKeeper();
});
after(() => world?.close());

describe('the rent of a filled order', () => {
  const rentPaid = async (account: string) => (await world.chain.account(account as Address))?.lamports ?? 0n;

  it('comes back with the fill that empties its account', async () => {
    const { wallet, id } = await world.deposit(client);
    const lamports = await world.world.lamports(wallet.address);
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.equal(await world.world.lamports(wallet.address), lamports + RENT);
    assert.equal(await rentPaid((await world.rowOf(id)).inputAccount), 0n);
  });

  it('comes back with each of the two fills of an OTOCO order', async () => {
    const terms = { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1 } as const;
    const { wallet, id } = await world.deposit(client, terms);
    const lamports = await world.world.lamports(wallet.address);
    await keeper.runDue();
    const row = await world.rowOf(id);
    assert.deepEqual([row.progress.state, row.progress.stage], ['fill_success', 'exit']);
    assert.equal(await world.world.lamports(wallet.address), lamports + 2n * RENT);
    assert.equal(row.progress.exit?.initial, row.progress.entry.received);
    assert.equal(await world.held(wallet.address, world.sold), row.progress.exit?.received);
  });

  it('comes back by itself, with what others have sent to the account', async () => {
    const { wallet, id } = await world.deposit(client);
    const { inputAccount } = await world.rowOf(id);
    await give(inputAccount as Address, AMOUNT + 7n);
    const lamports = await world.world.lamports(wallet.address);
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.entry.remaining, 0n);
    assert.deepEqual([await world.exists(inputAccount), await world.held(wallet.address, world.sold)], [false, 7n]);
    assert.equal(await world.world.lamports(wallet.address), lamports + RENT);
  });

  it('stays where it is, and the keeper pays nothing, until the wallet has an account for what is left', async () => {
    const { wallet, id } = await world.deposit(client);
    const inputAccount = (await world.rowOf(id)).inputAccount as Address;
    await give(inputAccount, AMOUNT + 7n);
    const { mint, tokenProgram } = world.sold;
    const own = associatedTokenAddress(wallet.address, mint, tokenProgram);
    await world.world.remove(own);
    await keeper.runDue();
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.equal(await world.world.amount(inputAccount), 7n);
    const before = await world.world.lamports(world.payer);
    await nextTry(id);
    assert.equal(await world.world.lamports(world.payer), before);
    await world.world.holding(world.sold, wallet.address, 0n, own);
    await nextTry(id);
    assert.deepEqual([await world.exists(inputAccount), await world.world.amount(own)], [false, 7n]);
  });

  it('attack: a stranger on the chain leaves a unit in one of the two accounts of an order whose wallet has none for it: the other one is closed, and that one as soon as the wallet has an account', async () => {
    const terms = { orderType: 'otoco', tpPriceUsd: 1.5, slPriceUsd: 0.1 } as const;
    const { wallet, id } = await world.deposit(client, terms);
    const { vault, ...order } = await world.rowOf(id);
    const [input, output] = [order.inputAccount, order.outputAccount] as [Address, Address];
    await give(input, AMOUNT + 7n);
    await keeper.runDue();
    const { received } = (await world.rowOf(id)).progress.entry;
    await world.world.holding(world.bought, vault as Address, received + 7n, output);
    await world.world.remove(world.accountOf(wallet.address));
    await client.edit(wallet.address, id, { orderType: 'otoco', tpPriceUsd: 0.95 });
    await nextTry(id);
    assert.equal((await world.rowOf(id)).progress.state, 'fill_success');
    assert.deepEqual([await world.exists(input), await world.world.amount(output)], [false, 7n]);
    await world.world.holding(world.bought, wallet.address, 0n, world.accountOf(wallet.address));
    await nextTry(id);
    assert.deepEqual([await world.exists(output), await world.held(wallet.address)], [false, 7n]);
    for (let looks = 0; looks < LOOKS; looks++) {
      assert.equal(await isDue(id), true);
      await nextTry(id);
    }
    assert.equal(await isDue(id), false);
  });

  it('attack: a node hides the account of a filled order for all looks but one: what lies there, and the rent, come home with that one', async () => {
    const { wallet, id } = await world.deposit(client);
    const inputAccount = (await world.rowOf(id)).inputAccount as Address;
    await give(inputAccount, AMOUNT + 7n);
    const { chain, hidden } = hiding(inputAccount, id, LOOKS - 1);
    const lamports = await world.world.lamports(wallet.address);
    const lied = await world.newKeeper({ chain });
    for (let looks = 0; looks < LOOKS; looks++) {
      assert.deepEqual([await world.exists(inputAccount), await isDue(id)], [true, looks > 0]);
      await lied.runDue();
      await world.store.query('update orders set lease_until = null where id = $1', [id]);
    }
    assert.equal(hidden(), LOOKS - 1);
    assert.deepEqual([await world.exists(inputAccount), await isDue(id)], [false, false]);
    assert.equal(await world.held(wallet.address, world.sold), 7n);
    assert.equal(await world.world.lamports(wallet.address), lamports + RENT);
    await lied.close();
  });

  it('attack: a node hides one of the two accounts of a filled order while the other one is closed: it is closed later', async () => {
    const terms = { orderType: 'otoco', tpPriceUsd: 1.5, slPriceUsd: 0.1 } as const;
    const { wallet, id } = await world.deposit(client, terms);
    const { vault, ...order } = await world.rowOf(id);
    const [input, output] = [order.inputAccount, order.outputAccount] as [Address, Address];
    await give(input, AMOUNT + 7n);
    await keeper.runDue();
    const { received } = (await world.rowOf(id)).progress.entry;
    await world.world.holding(world.bought, vault as Address, received + 5n, output);
    await client.edit(wallet.address, id, { orderType: 'otoco', tpPriceUsd: 0.95 });
    const { chain, hidden } = hiding(input, id, 1);
    const lied = await world.newKeeper({ chain });
    await lied.runDue();
    assert.deepEqual([hidden(), await world.exists(input), await world.exists(output)], [1, true, false]);
    await nextTry(id);
    assert.equal(await world.exists(input), false);
    assert.equal(await world.held(wallet.address), 5n);
    await lied.close();
  });

  it('comes back afterwards, with what a venue did not take, where no router program sees to that', async () => {
    // A unit of what is bought is worth a thousand of what is sold.
    await world.world.setReserves(world.pool, [10n ** 15n, 10n ** 12n]);
    world.setPrice(world.bought.mint, 1_000);
    const programs = { tokenSwap: TOKEN_SWAP_PROGRAM };
    const { aggregator } = await openAggregator(world.world, { live: world.live, programs });
    const alone = await world.newKeeper({
      router: unhurried(aggregator),
      programs: { ...programs, orderEngine: ORDER_ENGINE_PROGRAM },
    });
    const { wallet, id } = await world.deposit(client);
    const lamports = await world.world.lamports(wallet.address);
    await alone.runDue();
    const { progress, inputAccount } = await world.rowOf(id);
    const { remaining, received } = progress.entry;
    assert.equal(progress.state, 'fill_success');
    assert.ok(remaining > 0n && remaining < 2_000n, `${remaining}`);
    assert.deepEqual(
      [await world.held(wallet.address, world.sold), await world.held(wallet.address)],
      [remaining, received],
    );
    assert.equal(await world.exists(inputAccount), false);
    assert.equal(await world.world.lamports(wallet.address), lamports + RENT);
    aggregator.close();
  });

  it('attack: a stranger on the chain has rents of a wallet fail as they are sent back, by a unit that he sends to the account: 20 fees an hour, and its orders are filled', async () => {
    const { wallet, id } = await world.deposit(client);
    const inputAccount = (await world.rowOf(id)).inputAccount as Address;
    await give(inputAccount, AMOUNT + 7n);
    let more = 7n;
    // As if he knew when: each simulation sees the account as it was before.
    const rpc: Rpc = {
      ...world.world.rpc,
      async call<T>(method: string, params: unknown[]): Promise<T> {
        const isFilled = (await world.rowOf(id)).progress.state === 'fill_success';
        if (method === 'sendTransaction' && isFilled && (await world.exists(inputAccount)))
          await give(inputAccount, ++more);
        return world.world.rpc.call<T>(method, params);
      },
    };
    const troubled = await world.newKeeper({ landing: world.newLanding([rpc]) });
    for (let tries = 0; tries < 25; tries++) {
      await troubled.runDue();
      await world.store.query('update orders set lease_until = null where id = $1', [id]);
    }
    const failed = `select count(*)::int as lost from ledger where wallet = $1 and area = 'trigger-rent' and state = 'failed'`;
    const { rows } = await world.store.query<{ lost: number }>(failed, [wallet.address]);
    assert.equal(rows[0]!.lost, 20);

    await world.fund(wallet.address, world.sold, AMOUNT);
    const { sold, bought } = world;
    const terms = {
      inputMint: sold.mint,
      outputMint: bought.mint,
      triggerMint: sold.mint,
      orderType: 'single',
    } as const;
    const stop = await client.open(wallet, AMOUNT, { ...terms, triggerCondition: 'above', triggerPriceUsd: 0.9 });
    await keeper.runDue();
    assert.equal((await world.rowOf(stop)).progress.state, 'fill_success');
  });

  async function isDue(id: string): Promise<boolean> {
    const { rows } = await world.store.query<{ isDue: boolean }>(
      'select rent_due as "isDue" from orders where id = $1',
      [id],
    );
    return rows[0]!.isDue;
  }

  /** A node that hides an account of an order, once that is filled, in its first so many answers. */
  function hiding(account: Address, id: string, most: number) {
    let hidden = 0;
    const rpc: Rpc = {
      ...world.world.rpc,
      async call<T>(method: string, params: unknown[]): Promise<T> {
        const answer = await world.world.rpc.call<T>(method, params);
        if (method !== 'getMultipleAccounts' || hidden >= most) return answer;
        const at = (params[0] as Address[]).indexOf(account);
        if (at < 0 || (await world.rowOf(id)).progress.state !== 'fill_success') return answer;
        hidden += 1;
        return { ...answer, value: (answer as { value: unknown[] }).value.with(at, null) };
      },
    };
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
    return { chain, hidden: () => hidden };
  }

  /** Once its claim is over. */
  async function nextTry(id: string): Promise<void> {
    await world.store.query('update orders set lease_until = null where id = $1', [id]);
    await keeper.runDue();
  }

  /** Sets what an order's account holds. */
  async function give(account: Address, amount: bigint): Promise<void> {
    const found = await world.chain.account(account);
    await world.world.holding(world.sold, decodeTokenAccount(found!.data)!.owner, amount, account);
  }
});
