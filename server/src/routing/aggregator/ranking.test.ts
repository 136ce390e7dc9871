import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import type { Address } from '@slipway/wire';
import type { Pool } from './legs.js';
import { createMarket } from './market.js';
import type { PoolState, Venue } from './venue.js';

const DEEP = 1e13;
const TOKENS = 1_200;
const POOLS = 200;
/** Of each of these pools, whatever the number of tokens. */
const ESTIMATES = 750;

it('attack: a stranger on the chain makes hundreds of tokens before a pair of hundreds of pools: a ranking estimates each for some of them, and the best path is found', () => {
  let estimates = 0;
  const poolOf = (mints: [Address, Address], price: number): Pool => {
    const estimateOut = (_: unknown, amount: number) => {
      estimates += 1;
      return (DEEP * price * amount) / (DEEP + amount);
    };
    const estimateIn = (_: unknown, out: number) => {
      estimates += 1;
      return (DEEP * out) / (DEEP * price - out);
    };
    const quote = (_: unknown, amount: bigint) => {
      const received = BigInt(Math.floor((DEEP * price * Number(amount)) / (DEEP + Number(amount))));
      return { paid: amount, received, fee: 0n };
    };
    const state = { estimateOut, estimateIn, quote } as unknown as PoolState;
    const [address, venue] = [newAddress(), { label: 'Unknown' } as Venue];
    return { address, venue, mints, accounts: [address], state: () => state, refusal: () => undefined };
  };
  const [near, second, far] = [newAddress(), newAddress(), newAddress()];
  const tokens = Array.from({ length: TOKENS }, newAddress);
  const hub = tokens[0]!;
  const pools = tokens.flatMap((token, i) => [poolOf([near, token], 1 + i / 1e4), poolOf([token, second], 1)]);
  for (let i = 0; i < POOLS; i++) pools.push(poolOf([second, far], 1 + i / 1e5));
  const market = createMarket(pools, new Set([hub, second]));
  for (const [mode, input, output] of [
    ['exact-in', near, far],
    ['exact-out', far, near],
  ] as const) {
    estimates = 0;
    const request = { mode, input: { mint: input }, output: { mint: output }, amount: 10n ** 9n };
    const [best] = market.paths(request, 0);
    assert.ok(estimates < ESTIMATES * POOLS, `${mode}: ${estimates} estimates`);
    assert.ok(best!.mints.includes(tokens.at(-1)!), mode);
    assert.ok(
      market.paths(request, 0).some(({ mints }) => mints.includes(hub)),
      'the path over hubs is among them',
    );
  }
});
