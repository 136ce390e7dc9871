import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { associatedTokenAddress, SYSTEM_PROGRAM } from '@slipway/wire';
import { WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { openTriggerWorld } from './testing.js';

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
      execute(...fill) {
        sent++;
        return landing.execute(...fill);
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
