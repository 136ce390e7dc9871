import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainUnavailable } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, UNITS_APART } from '../crafting/budget.js';
import type { Crafted } from '../crafting/transaction.js';
import { type SeenUnits, type TryOutChain, tryOut } from './index.js';

const USED = 100_000;

/** Tries out a transaction that consumes `USED` units; the limits that were crafted, and those that were simulated. */
async function tried(options: { moreUnits?: number; seen?: SeenUnits; err?: unknown } = {}) {
  const crafted: number[] = [];
  const simulated: number[] = [];
  const chain: Pick<TryOutChain, 'latestBlockhash' | 'computeUnitPrice'> = {
    latestBlockhash: async () => ({ blockhash: '1'.repeat(32), lastValidBlockHeight: 150n, slot: 1n }),
    computeUnitPrice: async () => 0n,
  };
  const simulate = async (sample: Crafted) => {
    simulated.push(sample as unknown as number);
    const err = (sample as unknown as number) < USED ? 'ComputationalBudgetExceeded' : (options.err ?? null);
    return { err, logs: [], unitsConsumed: USED, accounts: [] };
  };
  const craft: Parameters<typeof tryOut>[1] = (_, { computeUnitLimit }) => {
    crafted.push(computeUnitLimit);
    return computeUnitLimit as unknown as Crafted;
  };
  const result = await tryOut(chain as TryOutChain, craft, { ...options, simulate });
  return { result, crafted, simulated };
}

const isNear = (limit: number, least: number) => assert.ok(limit >= least && limit < least + UNITS_APART, `${limit}`);

it('the limit of compute units has room for what a trade may use besides, up to what a transaction may ask for', async () => {
  const limitWith = async (moreUnits?: number) =>
    (await tried(moreUnits === undefined ? {} : { moreUnits })).crafted.at(-1)!;
  isNear(await limitWith(), USED * 1.1);
  isNear(await limitWith(70_000), USED * 1.1 + 70_000);
  assert.equal(await limitWith(MAX_COMPUTE_UNITS), MAX_COMPUTE_UNITS);
});

describe('a transaction of a shape that was seen before', () => {
  it('is simulated once, as it will be sent, if it consumes about as much', async () => {
    const seen: SeenUnits = { units: undefined };
    const first = await tried({ seen });
    assert.deepEqual([first.simulated, seen.units], [[MAX_COMPUTE_UNITS], USED]);
    assert.ok('isSimulated' in first.result && !first.result.isSimulated);
    const { result, crafted, simulated } = await tried({ seen });
    isNear(simulated[0]!, USED * 1.1);
    assert.deepEqual(simulated, crafted);
    assert.ok('isSimulated' in result && result.isSimulated);
    assert.equal(result.crafted as unknown, simulated[0]);
  });

  for (const [what, units] of [
    ['more than the limit', USED / 2],
    ['so much more that little of the margin is left', USED - 1],
    ['far less', USED * 2],
  ] as const) {
    it(`is simulated with the highest limit, and gets its own, if it consumes ${what}`, async () => {
      const seen: SeenUnits = { units };
      const { result, crafted, simulated } = await tried({ seen });
      assert.equal(simulated.length, 2);
      assert.equal(simulated[1], MAX_COMPUTE_UNITS);
      isNear(crafted.at(-1)!, USED * 1.1);
      assert.equal(seen.units, USED);
      assert.ok('isSimulated' in result && !result.isSimulated);
    });
  }

  it('is not sent if it fails', async () => {
    const seen: SeenUnits = { units: USED };
    const { result } = await tried({ seen, err: 'InsufficientFunds' });
    assert.ok('err' in result);
    assert.equal(seen.units, USED);
  });
});

it('attack: a node of several behind an address does not know the blockhash yet: the next one tries it out, and if that does not either, it is no failure of the transaction', async () => {
  let behind = 1;
  const simulate = async () => ({
    err: behind-- > 0 ? 'BlockhashNotFound' : null,
    logs: [],
    unitsConsumed: USED,
    accounts: [],
  });
  const chain: Pick<TryOutChain, 'latestBlockhash' | 'computeUnitPrice'> = {
    latestBlockhash: async () => ({ blockhash: '1'.repeat(32), lastValidBlockHeight: 150n, slot: 1n }),
    computeUnitPrice: async () => 0n,
  };
  const craft = () => ({}) as Crafted;
  assert.ok('isSimulated' in (await tryOut(chain as TryOutChain, craft, { simulate })));
  behind = 2;
  await assert.rejects(tryOut(chain as TryOutChain, craft, { simulate }), ChainUnavailable);
});
