import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_COMPUTE_UNITS, UNITS_APART } from '../crafting/budget.js';
import type { Crafted } from '../crafting/transaction.js';
import { type TryOutChain, tryOut } from './index.js';

const USED = 100_000;

async function limitWith(moreUnits?: number): Promise<number> {
  const chain: TryOutChain = {
    latestBlockhash: async () => ({ blockhash: '1'.repeat(32), lastValidBlockHeight: 150n, slot: 1n }),
    computeUnitPrice: async () => 0n,
    simulate: async () => ({ err: null, logs: [], unitsConsumed: USED, accounts: [] }),
  };
  const limits: number[] = [];
  const craft: Parameters<typeof tryOut>[1] = (_, { computeUnitLimit }) => {
    limits.push(computeUnitLimit);
    return {} as Crafted;
  };
  await tryOut(chain, craft, moreUnits === undefined ? {} : { moreUnits });
  return limits.at(-1)!;
}

it('the limit of compute units has room for what a trade may use besides, up to what a transaction may ask for', async () => {
  const isNear = (limit: number, least: number) => assert.ok(limit >= least && limit < least + UNITS_APART, `${limit}`);
  isNear(await limitWith(), USED * 1.1);
  isNear(await limitWith(70_000), USED * 1.1 + 70_000);
  assert.equal(await limitWith(MAX_COMPUTE_UNITS), MAX_COMPUTE_UNITS);
});
