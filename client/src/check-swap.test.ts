import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSwap, ROUTER_PROGRAM, type RouteHop, routeInstruction } from '@slipway/programs';
import {
  associatedTokenAddress,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { checkAskedSwap } from './check-swap.js';
import { type ClientOptions, connect } from './context.js';

const newAddress = () => generateKeypair().address;
const [taker, inputMint, outputMint, other] = [newAddress(), newAddress(), newAddress(), newAddress()];
const [source, destination] = [associatedTokenAddress(taker, inputMint), associatedTokenAddress(taker, outputMint)];

const pool = { pool: other, authority: other, vaultA: other, vaultB: other, poolMint: other, feeAccount: other };
const mints = { mintA: inputMint, mintB: outputMint, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
const ends = { authority: taker, source, destination, amountIn: 0n, minimumAmountOut: 0n };
const hop: RouteHop = {
  ...poolSwap({ accounts: { ...pool, ...mints }, aToB: true, ...ends }),
  amountOffset: 1,
  from: source,
  to: destination,
  shareBps: 10_000,
};

function check(change: Partial<RouteHop> = {}, options: Partial<ClientOptions> = { sandbox: true }): void {
  const route = { taker, source, destination, amountIn: 10n, minOut: 5n, hops: [{ ...hop, ...change }] };
  checkAskedSwap(
    {
      taker,
      receiver: taker,
      inputMint,
      outputMint,
      amount: 10n,
      least: 5n,
      gasless: false,
      maxFeeLamports: 10_000n,
      tipLamports: 0n,
      mayCreate: false,
      programs: connect({ url: '', ...options }).programs,
    },
    { signers: [taker], instructions: [setComputeUnitLimit(1_000), setComputeUnitPrice(1n), routeInstruction(route)] },
  );
}

test('attack: a lying service gives a client a route that calls a program of its own: not signed', () => {
  check();
  assert.throws(() => check({ program: other }), /a hop of \w+ that is no swap of a known venue/);
  assert.throws(() => check({ amountOffset: 0 }), /a hop of \w+ that is no swap of a known venue/);
});

test('attack: a lying service gives a client a route by a router that the client was not told of: not signed', () => {
  check({}, { programs: { router: ROUTER_PROGRAM } });
  assert.throws(() => check({}, {}), /give createClient its address as programs\.router, or sandbox: true/);
  assert.throws(() => check({}, { sandbox: false, programs: { tokenSwap: other } }), /programs\.router/);
  assert.throws(() => check({}, { programs: { router: other } }), /is not understood/);
  assert.throws(() => check({}, { sandbox: true, programs: { router: other } }), /is not understood/);
});
