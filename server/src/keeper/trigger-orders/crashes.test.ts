import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Keypair } from '@slipway/wire';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import { steadyNow } from '../../lib/clock.js';
import { triggerOrderEvents } from '../../store/trigger-order-events.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { createMortal, type Mortal } from '../testing.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const WHOLE = 1_000_000n;
const [SHALLOW, DEEP] = [400n * WHOLE, 10n ** 13n];
const GIFT = 7n;

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
});
after(() => world?.close());

interface Stage {
  pools: bigint;
  isReached: (order: TriggerOrderRow) => boolean | Promise<boolean>;
}

interface Scenario {
  name: string;
  terms: Partial<TestTerms>;
  /** Somebody sends tokens to the account of the order. */
  gift?: boolean;
  /** What the keeper is to reach, one after the other. */
  stages: Stage[];
  /** Of the ones that landed. */
  fills: number;
}

const partly: Stage = { pools: SHALLOW, isReached: ({ progress }) => progress.state === 'partial_fill_success' };
const filled: Stage = { pools: DEEP, isReached: isClosed };

/** Filled, and nothing of it is left in the vault. */
async function isClosed({ progress, inputAccount, outputAccount }: TriggerOrderRow): Promise<boolean> {
  if (progress.state !== 'fill_success') return false;
  const accounts = [inputAccount, outputAccount].filter((account) => account !== null);
  return !(await Promise.all(accounts.map(world.exists))).includes(true);
}

const scenarios: Scenario[] = [
  { name: 'that is filled at once', terms: {}, stages: [filled], fills: 1 },
  { name: 'that is filled in two parts', terms: { slippageBps: 500 }, stages: [partly, filled], fills: 2 },
  { name: 'whose account is closed afterwards', terms: {}, gift: true, stages: [filled], fills: 1 },
  {
    name: 'with an entry and exits',
    terms: { orderType: 'otoco', tpPriceUsd: 0.95, slPriceUsd: 0.1 },
    stages: [filled],
    fills: 2,
  },
];

async function open({ terms, gift }: Scenario): Promise<{ wallet: Keypair; id: string }> {
  const opened = await world.deposit(client, terms);
  const { vault, inputAccount } = await world.rowOf(opened.id);
  if (gift) await world.world.holding(world.sold, vault as Address, AMOUNT + GIFT, inputAccount as Address);
  return opened;
}

/** A process goes on with the stages until it has reached them all or is dead. */
async function live(mortal: Mortal, id: string, stages: Stage[]): Promise<void> {
  const work = async () => {
    const { landing, keeper } = await world.newProcess(mortal);
    await landing.resume({ all: true });
    for (let [stage] = stages; stage; [stage] = stages) {
      const { pools, isReached } = stage;
      await world.world.setReserves(world.pool, [pools, pools]);
      while (!(mortal.isDead() || (await isReached(await world.rowOf(id))))) {
        await keeper.tick();
        await sleep(5);
      }
      if (mortal.isDead()) return;
      stages.shift();
      world.clock.setOffset(world.clock.offsetMs + 10_000);
    }
    mortal.kill();
  };
  await Promise.race([work(), mortal.died]);
}

async function assertDoneOnce({ fills, gift }: Scenario, wallet: Address, id: string): Promise<void> {
  const { progress } = await world.rowOf(id);
  const events = (await triggerOrderEvents(world.store, wallet, [id])).filter(({ type }) => type === 'fill');
  assert.deepEqual(
    events.map(({ state }) => state),
    Array(fills).fill('success'),
  );
  const { entry, exit } = progress;
  assert.deepEqual([entry.remaining, exit?.remaining ?? 0n], [0n, 0n]);
  const back = (exit?.received ?? 0n) + (gift ? GIFT : 0n);
  assert.deepEqual(
    [await world.held(wallet), await world.held(wallet, world.sold)],
    [exit ? 0n : entry.received, back],
  );
  const sum = (of: 'amount' | 'outputAmount') => events.reduce((total, event) => total + event[of]!, 0n);
  assert.deepEqual(
    [sum('amount'), sum('outputAmount')],
    [AMOUNT + (exit?.initial ?? 0n), entry.received + (exit?.received ?? 0n)],
  );
}

describe('a keeper that is killed at any of its calls', () => {
  for (const scenario of scenarios) {
    it(`loses no order ${scenario.name}, and fills none twice`, async (context) => {
      let [points, slowest] = [0, 0];
      for (let fatal = 1; ; fatal++) {
        const { wallet, id } = await open(scenario);
        const stages = [...scenario.stages];
        const first = createMortal(fatal);
        await live(first, id, stages);
        if (stages.length === 0) break;
        points = fatal;
        const began = steadyNow();
        await live(createMortal(), id, stages);
        slowest = Math.max(slowest, steadyNow() - began);
        await assertDoneOnce(scenario, wallet.address, id);
      }
      context.diagnostic(`${points} crash points, the slowest recovery took ${Math.round(slowest)} ms`);
      assert.ok(points > 20, `${points}`);
    });
  }
});
