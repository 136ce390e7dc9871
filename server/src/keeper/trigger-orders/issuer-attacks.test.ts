import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Address, TOKEN_2022_PROGRAM } from '@slipway/wire';
import { AMOUNT, openTriggerWorld } from './testing.js';

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

/** Where a token account says whether it is frozen. */
const STATE = 108;
const [THAWED, FROZEN] = [1, 2];

async function setState(account: Address, state: number): Promise<void> {
  const { owner, data, lamports } = (await world.chain.account(account))!;
  const changed = Uint8Array.from(data);
  changed[STATE] = state;
  await world.world.put(account, owner, changed, lamports);
}

it('attack: an issuer of a token sends some of it to an order that deposits another token, and freezes it: the deposit comes back all the same', async () => {
  const client = world.newClient();
  const { wallet, id } = await world.deposit(client, {
    orderType: 'otoco',
    triggerPriceUsd: 1_000,
    tpPriceUsd: 2_000,
    slPriceUsd: 500,
  });
  const { vault, inputAccount, outputAccount } = await world.rowOf(id);
  await world.world.holding(world.bought, vault as Address, 5n, outputAccount as Address);
  await setState(outputAccount as Address, FROZEN);
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, world.sold), AMOUNT);
  assert.equal(await world.exists(inputAccount), false);
  assert.equal((await world.rowOf(id)).progress.state, 'ready_to_cancel');
  await assert.rejects(client.withdraw(wallet, id), /would fail/, 'nothing but the frozen tokens is left');
  await setState(outputAccount as Address, THAWED);
  await client.withdraw(wallet, id);
  assert.equal(await world.held(wallet.address, world.bought), 5n);
  assert.equal(await world.exists(outputAccount!), false);
  assert.equal((await world.rowOf(id)).progress.state, 'cancelled');
  const { rows } = await world.store.query<{ type: string; state: string }>(
    'select type, state from order_events where order_id = $1',
    [id],
  );
  const ended = rows.filter(({ type }) => type !== 'deposit').map(({ type, state }) => `${type} ${state}`);
  assert.deepEqual(ended.sort(), ['cancelled success', 'withdrawal success', 'withdrawal success']);
});

it('attack: an issuer of a token multiplies what wallets show of it by ten, which its feed counts and no account does: no order is made or filled by that feed', async () => {
  const extensions = new Uint8Array(60);
  const view = new DataView(extensions.buffer);
  view.setUint16(0, 25, true);
  view.setUint16(2, 56, true);
  for (const at of [36, 52]) view.setFloat64(at, 10, true);
  const scaled = await world.world.token({ program: TOKEN_2022_PROGRAM, extensions });
  await world.world.pool(scaled, world.bought, [10n ** 13n, 10n ** 13n]);
  await world.aggregator.discover();
  const client = world.newClient();
  const sell = async (inputMint: Address, outputMint: Address) => {
    const wallet = await client.register();
    const input = inputMint === scaled.mint ? scaled : world.sold;
    await world.fund(wallet.address, input, AMOUNT);
    const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.5 } as const;
    return client.open(wallet, AMOUNT, { inputMint, outputMint, triggerMint: inputMint, ...terms });
  };
  // Also while the feed has no price for a moment.
  for (const stale of [false, true]) {
    world.setPrice(scaled.mint, 1, { source: 'hermes', stale });
    await assert.rejects(sell(scaled.mint, world.bought.mint), /inputMint: its amounts are shown times a multiplier/);
    await assert.rejects(sell(world.sold.mint, scaled.mint), /outputMint: its amounts are shown times a multiplier/);
  }

  // By a price of what accounts hold, an order is made and filled.
  for (const [source, left] of [
    ['hermes', AMOUNT],
    ['fixed', 0n],
  ] as const) {
    world.setPrice(scaled.mint, 1);
    const { inputAccount } = await world.rowOf(await sell(scaled.mint, world.bought.mint));
    world.setPrice(scaled.mint, 1, { source });
    await (await world.newKeeper()).runDue();
    assert.equal(await world.world.amount(inputAccount as Address), left, source);
  }
});
