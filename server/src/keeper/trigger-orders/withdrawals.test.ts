import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  encodeTokenAccount,
  type Keypair,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { createClient, signed } from '../../areas/trigger-v2/testing.js';
import { turnOn, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import type { Store } from '../../store/sql.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { expireTriggerOrders } from '../expire-trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const SOL = 1_000_000_000n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
});
after(() => world?.close());

/** As when a stranger sends a unit there. */
async function give({ vault, inputAccount }: TriggerOrderRow): Promise<void> {
  const account = inputAccount as Address;
  await world.world.holding(world.sold, vault as Address, (await world.world.amount(account)) + 1n, account);
}

it('attack: a stranger on the chain sends a unit to the account of a cancelled order before each withdrawal lands: the second one brings the deposit home', async () => {
  const { wallet, id } = await world.deposit(client);
  const order = await world.rowOf(id);
  const withdrawal = async (isGiven: boolean) => {
    const { transaction, requestId: cancelRequestId } = await client.cancel(wallet.address, id);
    if (isGiven) await give(order);
    return client.confirm(wallet.address, id, { cancelRequestId, signedTransaction: signed(wallet, transaction) });
  };
  await assert.rejects(withdrawal(true), /Please initiate cancel again/);
  await withdrawal(true);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT + 1n);
  assert.equal((await world.rowOf(id)).progress.state, 'ready_to_cancel');
  // What he has sent since, and the rent.
  await withdrawal(false);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT + 2n);
  assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
  assert.equal(await world.exists(order.inputAccount), false);
});

it('attack: a stranger on the chain sends a unit to the empty account of a cancelled order that has two, before each withdrawal lands: the second one brings the deposit home', async () => {
  const terms = { orderType: 'otoco', triggerPriceUsd: 1_000, tpPriceUsd: 2_000, slPriceUsd: 500 } as const;
  const { wallet, id } = await world.deposit(client, terms);
  const { vault, inputAccount, outputAccount } = await world.rowOf(id);
  const account = outputAccount as Address;
  const withdrawal = async (isGiven: boolean) => {
    const { transaction, requestId: cancelRequestId } = await client.cancel(wallet.address, id);
    const given = (await world.world.amount(account)) + 1n;
    if (isGiven) await world.world.holding(world.bought, vault as Address, given, account);
    return client.confirm(wallet.address, id, { cancelRequestId, signedTransaction: signed(wallet, transaction) });
  };
  await assert.rejects(withdrawal(true), /Please initiate cancel again/);
  await withdrawal(true);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
  assert.equal((await world.rowOf(id)).progress.state, 'ready_to_cancel');
  await withdrawal(false);
  assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
  assert.deepEqual([await world.exists(inputAccount), await world.exists(account)], [false, false]);
});

it('attack: an issuer of a token takes what an order has bought of it, and sends a unit there before each withdrawal lands: the second one brings the rest of the deposit home', async () => {
  const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
  await pools(4n * AMOUNT);
  const terms = { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1, slippageBps: 500 } as const;
  const { wallet, id } = await world.deposit(client, terms);
  await (await world.newKeeper()).runDue();
  await pools(10n ** 13n);
  const { vault, outputAccount, progress } = await world.rowOf(id);
  assert.equal(progress.state, 'partial_fill_success');
  const account = outputAccount as Address;
  const hold = (amount: bigint) => world.world.holding(world.bought, vault as Address, amount, account);
  await hold(0n);
  const withdrawal = async () => {
    const { transaction, requestId: cancelRequestId } = await client.cancel(wallet.address, id);
    await hold((await world.world.amount(account)) + 1n);
    return client.confirm(wallet.address, id, { cancelRequestId, signedTransaction: signed(wallet, transaction) });
  };
  await assert.rejects(withdrawal(), /Please initiate cancel again/);
  await withdrawal();
  assert.equal(await world.held(wallet.address, world.sold), progress.entry.remaining);
});

it('attack: a node hides one of the two accounts of a cancelled order, or the mint of what is in it: the withdrawal of the other one does not end the order, and the next brings home the rest', async () => {
  const pools = (each: bigint) => world.world.setReserves(world.pool, [each, each]);
  const terms = { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1, slippageBps: 500 } as const;
  const orders: { wallet: Keypair; id: string }[] = [];
  for (let i = 0; i < 3; i++) {
    await pools(4n * AMOUNT);
    orders.push(await world.deposit(client, terms));
    await (await world.newKeeper()).runDue();
  }
  await pools(10n ** 13n);
  for (const [i, { wallet, id }] of orders.entries()) {
    const { inputAccount, outputAccount, progress } = await world.rowOf(id);
    assert.equal(progress.state, 'partial_fill_success');
    const hidden = [inputAccount, outputAccount, world.bought.mint][i];
    const accountReading = async (address: Address) => {
      const told = await world.chain.accountReading(address);
      return address === hidden ? { ...told, account: undefined } : told;
    };
    const account = async (address: Address) => (await accountReading(address)).account;
    const chain = { ...world.chain, account, accountReading };
    await createClient({ ...world, chain, landing: world.newLanding(), prices: world.priced }).withdraw(wallet, id);
    assert.equal((await world.rowOf(id)).progress.state, 'ready_to_cancel');
    await client.withdraw(wallet, id);
    assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
    assert.equal(await world.held(wallet.address, world.sold), progress.entry.remaining);
    assert.equal(await world.held(wallet.address), progress.held);
    assert.deepEqual([await world.exists(inputAccount), await world.exists(outputAccount!)], [false, false]);
  }
});

it('an order is cancelled whose issuer has taken all that one of its accounts held', async () => {
  const terms = { orderType: 'otoco', triggerPriceUsd: 1_000, tpPriceUsd: 2_000, slPriceUsd: 500 } as const;
  const { wallet, id } = await world.deposit(client, terms);
  const { vault, inputAccount } = await world.rowOf(id);
  await world.world.holding(world.sold, vault as Address, 0n, inputAccount as Address);
  await client.withdraw(wallet, id);
  assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
});

it('an order whose output has no mint any more, or one of the other token program, is cancelled with both rents', async () => {
  for (const program of [undefined, TOKEN_PROGRAM]) {
    const closed = await world.world.token({ program: TOKEN_2022_PROGRAM });
    const terms = { orderType: 'otoco', triggerPriceUsd: 1_000, tpPriceUsd: 2_000, slPriceUsd: 500 } as const;
    const { wallet, id } = await world.deposit(client, { ...terms, outputMint: closed.mint });
    const { inputAccount, outputAccount } = await world.rowOf(id);
    const { data, lamports } = (await world.chain.account(closed.mint))!;
    await world.world.remove(closed.mint);
    if (program) await world.world.put(closed.mint, program, data, lamports);
    await client.withdraw(wallet, id);
    assert.deepEqual([await world.exists(inputAccount), await world.exists(outputAccount!)], [false, false]);
    assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
  }
});

it('an order of a wallet whose account requires memos is withdrawn when that is off, which the refusal says', async () => {
  const wallet = await client.register();
  const sold = await world.world.token({ program: TOKEN_2022_PROGRAM });
  world.setPrice(sold.mint, 1);
  await world.fund(wallet.address, sold, AMOUNT);
  await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 2n * SOL);
  const mints = { inputMint: sold.mint, outputMint: world.bought.mint, triggerMint: sold.mint };
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 1_000 } as const;
  const id = await client.open(wallet, AMOUNT, { ...mints, ...terms });
  const own = associatedTokenAddress(wallet.address, sold.mint, TOKEN_2022_PROGRAM);
  await turnOn(world.world, wallet, own, 'memo');
  await assert.rejects(
    client.withdraw(wallet, id),
    /would fail: .* requires memos; turn that off first\. Please initiate/,
  );
  await world.world.holding(sold, wallet.address, 0n, own);
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, sold), AMOUNT);
});

it('an order that sells SOL, and whose account somebody has given to, is cancelled with its second withdrawal, too', async () => {
  const wallet = await client.register();
  await world.world.pool(WRAPPED_SOL, world.bought, [400n * SOL, 400n * AMOUNT]);
  await world.aggregator.discover();
  world.setPrice(WRAPPED_SOL.mint, 1);
  await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 200n * SOL);
  const id = await client.open(wallet, 100n * SOL, {
    inputMint: WRAPPED_SOL.mint,
    outputMint: world.bought.mint,
    triggerMint: WRAPPED_SOL.mint,
    orderType: 'single',
    triggerCondition: 'above',
    triggerPriceUsd: 1_000,
  });
  const { vault, inputAccount } = await world.rowOf(id);
  await client.cancel(wallet.address, id);
  await world.world.holding(WRAPPED_SOL, vault as Address, 100n * SOL + 1n, inputAccount as Address);
  const { transaction, requestId: cancelRequestId } = await client.cancel(wallet.address, id);
  await client.confirm(wallet.address, id, { cancelRequestId, signedTransaction: signed(wallet, transaction) });
  assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
  assert.equal(await world.exists(inputAccount), false);
});

it('does not expire an order whose owner has given it more time since it was listed', async () => {
  const { wallet, id } = await world.deposit(client);
  const expiresAt = (await world.rowOf(id)).expiresAt.getTime();
  world.clock.setOffset(world.clock.offsetMs + (expiresAt - world.clock.now()) + MINUTE_MS);
  const { store } = world;
  const edits = async (owner: Keypair) =>
    client.edit(owner.address, id, { orderType: 'single', expiresAt: world.clock.now() + 60 * MINUTE_MS });
  let isEdited = false;
  const listedFirst: Store = {
    ...store,
    async transaction(work) {
      if (!isEdited) {
        isEdited = true;
        await edits(wallet);
      }
      return store.transaction(work);
    },
  };
  await expireTriggerOrders(listedFirst, new Date(world.clock.now()));
  assert.equal((await world.rowOf(id)).progress.state, 'open');
});

it('a withdrawal says what it brings home, and whether that is all: not where the issuer of one of two tokens has frozen it', async () => {
  await world.world.setReserves(world.pool, [4n * AMOUNT, 4n * AMOUNT]);
  const terms = { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1, slippageBps: 500 } as const;
  const { wallet, id } = await world.deposit(client, terms);
  await (await world.newKeeper()).runDue();
  const { progress, inputAccount } = await world.rowOf(id);
  const { remaining, received } = progress.entry;
  assert.equal(progress.state, 'partial_fill_success');
  const account = inputAccount as Address;
  const { owner, data, lamports } = (await world.chain.account(account))!;
  const tokens = decodeTokenAccount(data)!;
  const setState = (state: 'frozen' | 'initialized') =>
    world.world.put(account, owner, encodeTokenAccount({ ...tokens, state }), lamports);
  const withdrawal = async () => {
    const { transaction, requestId: cancelRequestId, withdrawn } = await client.cancel(wallet.address, id);
    const body = { cancelRequestId, signedTransaction: signed(wallet, transaction) };
    const answers = [await client.confirm(wallet.address, id, body), await client.confirm(wallet.address, id, body)];
    assert.deepEqual(answers[0], answers[1]);
    assert.deepEqual(answers[0]!.withdrawn, withdrawn);
    return { withdrawn, state: answers[0]!.orderState };
  };

  await setState('frozen');
  assert.deepEqual(await withdrawal(), {
    withdrawn: [{ mint: world.bought.mint, amount: `${received}` }],
    state: 'pending_withdraw',
  });
  assert.equal(await world.held(wallet.address), received);
  await setState('initialized');
  assert.deepEqual(await withdrawal(), {
    withdrawn: [{ mint: world.sold.mint, amount: `${remaining}` }],
    state: 'cancelled',
  });
  assert.equal(await world.held(wallet.address, world.sold), remaining);
});
