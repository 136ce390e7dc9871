import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  generateKeypair,
  SYSTEM_PROGRAM,
} from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const [SOL, WHOLE] = [1_000_000_000n, 1_000_000n];
const MINUTE_MS = 60_000;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
before(async () => {
  world = await openTriggerWorld();
});
after(() => world?.close());

it('attack: a wallet closes its account for what its SOL is sold for after a part of it: no key is asked to give the keeper the rent, which raises an alarm', async () => {
  const pool = await world.world.pool(WRAPPED_SOL, world.bought, [400n * SOL, 400n * WHOLE]);
  await world.aggregator.discover();
  world.setPrice(WRAPPED_SOL.mint, 1);
  let [late, sent] = [0, 0];
  const clock = { now: () => world.clock.now() + late };
  const landing = world.newLanding([world.world.rpc], { clock });
  const keeper = await world.newKeeper({
    clock,
    landing: {
      vouchesForOrder: (order) => landing.vouchesForOrder(order),
      unlandedAt: (row, said) => landing.unlandedAt(row, said),
      execute: (...closing) => landing.execute(...closing),
      send(...fill) {
        sent++;
        return landing.send(...fill);
      },
    },
  });
  const client = world.newClient();
  const wallet = await client.register();
  await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 200n * SOL);
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9, slippageBps: 500 } as const;
  const mints = {
    inputMint: WRAPPED_SOL.mint,
    outputMint: world.bought.mint,
    triggerMint: WRAPPED_SOL.mint,
  };
  const id = await client.open(wallet, 100n * SOL, { ...mints, ...terms });
  const afterTurn = async () => {
    late += MINUTE_MS;
    await keeper.runDue();
    return [(await world.rowOf(id)).progress.state, sent];
  };
  assert.deepEqual(await afterTurn(), ['partial_fill_success', 1]);

  const { mint, tokenProgram } = world.bought;
  const account = associatedTokenAddress(wallet.address, mint, tokenProgram);
  await world.world.remove(account);
  await world.world.setReserves(pool, [1_000_000n * SOL, 1_000_000n * WHOLE]);
  assert.deepEqual(await afterTurn(), ['partial_fill_success', 1]);

  await world.world.holding(world.bought, wallet.address, 0n, account);
  assert.deepEqual(await afterTurn(), ['fill_success', 2]);
});

it('attack: a stranger on the chain sends a unit to each of twenty orders of a wallet, before their fills land, so that these cannot close their accounts: one fee of each, and all are filled', async () => {
  const client = world.newClient();
  const wallet = await client.register();
  const { sold, bought } = world;
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9 } as const;
  const accounts = new Map<Address, string>();
  for (let orders = 0; orders < 22; orders++) {
    await world.fund(wallet.address, sold, AMOUNT);
    const mints = { inputMint: sold.mint, outputMint: bought.mint, triggerMint: sold.mint };
    const id = await client.open(wallet, AMOUNT, { ...mints, ...terms });
    accounts.set((await world.rowOf(id)).inputAccount as Address, id);
  }
  const ids = [...accounts.values()];
  const vault = (await world.rowOf(ids[0]!)).vault as Address;
  const rpc: Rpc = {
    ...world.world.rpc,
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'sendTransaction') {
        const { decoded } = decodeTransaction(Buffer.from(params[0] as string, 'base64'));
        const account = decoded.accounts.find((each) => accounts.has(each));
        if (account && accounts.delete(account)) await world.world.holding(sold, vault, AMOUNT + 1n, account);
      }
      return world.world.rpc.call<T>(method, params);
    },
  };
  const keeper = await world.newKeeper({ landing: world.newLanding([rpc]) });
  for (let turns = 0; turns < 4; turns++) {
    await keeper.runDue();
    world.clock.setOffset(world.clock.offsetMs + 3_000);
  }
  const failed = `select count(*)::int as lost from ledger where payload ->> 'orderId' = any($1) and state = 'failed'`;
  assert.equal((await world.store.query<{ lost: number }>(failed, [ids])).rows[0]!.lost, 22);
  const states = await Promise.all(ids.map(async (id) => (await world.rowOf(id)).progress.state));
  assert.deepEqual(new Set(states), new Set(['fill_success']));
});

it('attack: a stranger on the chain sends a unit to the account of a stop whose wallet has closed the one that it pays into: all that lies there is sold, and the rent pays for another one', async () => {
  const { sold, bought } = world;
  const common = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9, slippageBps: 500 } as const;
  await world.world.pool(WRAPPED_SOL, bought, [1_000_000n * SOL, 1_000_000n * WHOLE]);
  await world.aggregator.discover();
  world.setPrice(WRAPPED_SOL.mint, 1);
  const client = world.newClient();
  const keeper = await world.newKeeper();
  for (const [token, amount] of [
    [sold, AMOUNT],
    [WRAPPED_SOL, 100n * SOL],
  ] as const) {
    const wallet = await client.register();
    if (token === sold) await world.fund(wallet.address, sold, amount);
    else await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 200n * SOL);
    const mints = { inputMint: token.mint, outputMint: bought.mint, triggerMint: token.mint };
    const id = await client.open(wallet, amount, { ...mints, ...common });
    const row = await world.rowOf(id);
    const [account, source] = [world.accountOf(wallet.address), row.inputAccount as Address];
    assert.ok(await world.exists(account));
    await world.world.remove(account);
    await world.world.holding(token, row.vault as Address, amount + 1n, source);
    const before = await world.world.lamports(world.payer);
    await keeper.runDue();
    const { state, entry } = (await world.rowOf(id)).progress;
    assert.deepEqual([state, entry.remaining], ['fill_success', 0n]);
    assert.equal(await world.held(wallet.address), entry.received);
    assert.equal(await world.exists(source), false);
    // The keeper has paid fees alone.
    assert.ok(before - (await world.world.lamports(world.payer)) < 1_000_000n);
  }
});

it('attack: a page has a wallet give away the account that its order is filled into: nothing is paid into it, and the order waits', async () => {
  const { wallet, id } = await world.deposit(world.newClient());
  const { mint, tokenProgram } = world.bought;
  const account = associatedTokenAddress(wallet.address, mint, tokenProgram);
  const keeper = await world.newKeeper();
  const afterTurn = async (owner: Address) => {
    await world.world.holding(world.bought, owner, 0n, account);
    world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
    await keeper.runDue();
    return [(await world.rowOf(id)).progress.state, await world.world.amount(account)];
  };
  assert.deepEqual(await afterTurn(generateKeypair().address), ['open', 0n]);
  const [state, paid] = await afterTurn(wallet.address);
  assert.equal(state, 'fill_success');
  assert.equal(paid, (await world.rowOf(id)).progress.entry.received);
});

it('attack: a page has a wallet assign itself to a program: no SOL is paid to it, and the order waits', async () => {
  const client = world.newClient();
  const wallet = await client.register();
  await world.world.pool(WRAPPED_SOL, world.bought, [10_000n * SOL, 10_000n * WHOLE]);
  await world.aggregator.discover();
  world.setPrice(WRAPPED_SOL.mint, 1);
  await world.fund(wallet.address, world.bought, AMOUNT);
  const mints = { inputMint: world.bought.mint, outputMint: WRAPPED_SOL.mint, triggerMint: world.bought.mint };
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 0.9 } as const;
  const id = await client.open(wallet, AMOUNT, { ...mints, ...terms });
  const keeper = await world.newKeeper();
  const afterTurn = async (program: Address) => {
    await world.world.put(wallet.address, program, new Uint8Array(0), SOL);
    world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
    await keeper.runDue();
    const { state, entry } = (await world.rowOf(id)).progress;
    return [state, entry.received];
  };
  assert.deepEqual(await afterTurn(generateKeypair().address), ['open', 0n]);
  assert.equal((await afterTurn(SYSTEM_PROGRAM))[0], 'fill_success');
});
