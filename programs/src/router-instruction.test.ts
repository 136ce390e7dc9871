import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  compileMessage,
  decodeMessage,
  decompileInstructions,
  type MessageInput,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import fc from 'fast-check';
import { poolSwap } from './pool.js';
import { parseRoute, ROUTER_PROGRAM, type Route, type RouteHop, routeInstruction } from './router.js';
import { newAddress } from './test-vm.js';

const BLOCKHASH = '11111111111111111111111111111111';
const ADDRESSES = Array.from({ length: 60 }, newAddress);
const U64_MAX = 2n ** 64n - 1n;
const address = fc.constantFrom(...ADDRESSES);
const shares = (count: number) =>
  fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: count - 1, maxLength: count - 1 }).map((some) => {
    const sum = some.reduce((total, share) => total + share, 0);
    return [...some, 10_000 - sum];
  });

/** Routes in stages: each takes from one account, in up to three parts, and pays into one, the last into the destination. */
const routes: fc.Arbitrary<Route> = fc
  .record({
    places: fc.uniqueArray(address, { minLength: 6, maxLength: 6 }),
    stages: fc.array(fc.integer({ min: 1, max: 3 }).chain(shares), { minLength: 1, maxLength: 3 }),
    amounts: fc.tuple(fc.bigInt(0n, U64_MAX), fc.bigInt(0n, U64_MAX)),
    venues: fc.array(
      fc.record({
        program: address,
        accounts: fc.array(fc.record({ address, writable: fc.boolean() }), { maxLength: 8 }),
        before: fc.uint8Array({ maxLength: 20 }),
        after: fc.uint8Array({ maxLength: 20 }),
      }),
      { minLength: 9, maxLength: 9 },
    ),
    takerSigns: fc.boolean(),
    rest: fc.option(
      fc.record({
        account: address,
        mint: address,
        decimals: fc.integer({ min: 0, max: 255 }),
        tokenProgram: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
      }),
      { nil: undefined },
    ),
    fee: fc.option(
      fc.record({
        bps: fc.integer({ min: 1, max: 9_999 }),
        stage: fc.nat(3),
        mint: address,
        decimals: fc.integer({ min: 0, max: 255 }),
        tokenProgram: fc.constantFrom(TOKEN_PROGRAM, TOKEN_2022_PROGRAM),
      }),
      { nil: undefined },
    ),
  })
  .map(({ places, stages, amounts, venues, takerSigns, rest: left, fee }) => {
    const [taker, account, ...stops] = places as [Address, Address, ...Address[]];
    const hops = stages.flatMap((parts, stage) =>
      parts.map((shareBps, part): RouteHop => {
        const { program, accounts, before, after } = venues[stage * 3 + part]!;
        const metas = accounts.map((meta) => ({ ...meta, signer: takerSigns && meta.address === taker }));
        const data = Uint8Array.from([...before, ...new Uint8Array(8), ...after]);
        return {
          program,
          accounts: metas,
          data,
          amountOffset: before.length,
          from: stops[stage]!,
          to: stops[stage + 1]!,
          shareBps,
          ...(left && stage > 0 && part === parts.length - 1 && { rest: { ...left } }),
        };
      }),
    );
    const [amountIn, minOut] = amounts;
    const route = { taker, source: stops[0]!, destination: stops[stages.length]!, amountIn, minOut, hops };
    if (!fee) return route;
    const { stage, ...rest } = fee;
    return { ...route, fee: { ...rest, account, from: stops[Math.min(stage, stages.length)]! } };
  });

test('what is parsed is what was built, also out of a transaction that uses the accounts elsewhere', () => {
  fc.assert(
    fc.property(routes, (route) => {
      const instruction = routeInstruction(route);
      assert.deepEqual(parseRoute(instruction), route);
      assert.deepEqual(routeInstruction(parseRoute(instruction)!), instruction);
      assert.ok(new Set(instruction.accounts.map((meta) => meta.address)).size === instruction.accounts.length);
      const message = compileMessage({
        version: 0,
        feePayer: route.taker,
        instructions: [instruction],
        blockhash: BLOCKHASH,
      });
      assert.deepEqual(parseRoute(decompileInstructions(decodeMessage(message))[0]!), route);
    }),
    { numRuns: 400, seed: 1 },
  );
});

test('no changed byte and no changed account is parsed as the same route', () => {
  fc.assert(
    fc.property(routes, fc.nat(), fc.integer({ min: 1, max: 255 }), (route, place, flip) => {
      const instruction = routeInstruction(route);
      const at = place % instruction.data.length;
      const data = Uint8Array.from(instruction.data);
      data[at]! ^= flip;
      assert.notDeepEqual(parseRoute({ ...instruction, data }), route);
      assert.notDeepEqual(parseRoute({ ...instruction, data: instruction.data.subarray(0, at) }), route);
      const accounts = instruction.accounts.map((meta) => ({ ...meta }));
      accounts[place % accounts.length]!.address = newAddress();
      assert.notDeepEqual(parseRoute({ ...instruction, accounts }), route);
      assert.equal(parseRoute({ ...instruction, accounts: instruction.accounts.slice(0, -1) }), undefined);
      assert.equal(parseRoute({ ...instruction, accounts: [...instruction.accounts, accounts[0]!] }), undefined);
    }),
    { numRuns: 400, seed: 2 },
  );
});

/** A route of pools of the sandbox: token a to d by way of b and c. */
function poolRoute(): Route {
  const [taker, a, b, c, d] = Array.from({ length: 5 }, newAddress) as [Address, Address, Address, Address, Address];
  const mints = Array.from({ length: 4 }, newAddress);
  const places = [a, b, c, d];
  const hops = [0, 1, 2].map((i): RouteHop => {
    const [pool, authority, vaultA, vaultB, poolMint, feeAccount] = Array.from({ length: 6 }, newAddress) as [
      Address,
      Address,
      Address,
      Address,
      Address,
      Address,
    ];
    const sides = { mintA: mints[i]!, mintB: mints[i + 1]!, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
    const accounts = { pool, authority, vaultA, vaultB, poolMint, feeAccount, ...sides };
    const [from, to] = [places[i]!, places[i + 1]!];
    const swap = {
      accounts,
      aToB: true,
      authority: taker,
      source: from,
      destination: to,
      amountIn: 0n,
      minimumAmountOut: 0n,
    };
    return { ...poolSwap(swap), amountOffset: 1, from, to, shareBps: 10_000 };
  });
  return { taker, source: a, destination: d, amountIn: 1n, minOut: 1n, hops };
}

test('three hops over pools fit into a transaction without lookup tables, and leave much room with one', (t) => {
  const route = poolRoute();
  const instruction = routeInstruction(route);
  const message: MessageInput = {
    version: 0,
    feePayer: route.taker,
    instructions: [instruction],
    blockhash: BLOCKHASH,
  };
  const size = unsignedTransaction(compileMessage(message)).length;
  const addresses = instruction.accounts.slice(3).map((meta) => meta.address);
  const lookupTables = [{ address: newAddress(), addresses }];
  const sizeWithTable = unsignedTransaction(compileMessage({ ...message, lookupTables })).length;
  t.diagnostic(
    `instruction data ${instruction.data.length} bytes; transaction ${size}, with a lookup table ${sizeWithTable}`,
  );
  assert.ok(size <= 1_232);
  assert.ok(sizeWithTable <= 500);
});

test('a signer or writable account that the route needs cannot be less', () => {
  const instruction = routeInstruction(poolRoute());
  for (const [i, meta] of instruction.accounts.entries()) {
    for (const right of ['signer', 'writable'] as const) {
      const accounts = instruction.accounts.with(i, { ...meta, [right]: false });
      assert.equal(parseRoute({ ...instruction, accounts }) === undefined, meta[right]);
    }
  }
  assert.ok(instruction.accounts[0]?.signer && !instruction.accounts[0].writable);
});

test('another program, other bytes, a second fee', () => {
  const route = poolRoute();
  const instruction = routeInstruction(route);
  const other = newAddress();
  assert.equal(parseRoute({ ...instruction, program: other }), undefined);
  assert.equal(parseRoute(instruction, other), undefined);
  assert.deepEqual(parseRoute(routeInstruction(route, other), other), route);
  assert.equal(parseRoute({ ...instruction, data: new Uint8Array(0) }), undefined);
  assert.equal(parseRoute({ ...instruction, accounts: [] }), undefined);
  const fee = { bps: 50, from: route.source, account: other, mint: other, decimals: 6, tokenProgram: TOKEN_PROGRAM };
  const paid = routeInstruction({ ...route, fee });
  const feeHop = paid.data.subarray(17, 17 + 8 + 4 + 1 + 1);
  const twice = Uint8Array.from([...paid.data.subarray(0, 17), ...feeHop, ...paid.data.subarray(17)]);
  assert.equal(parseRoute({ ...paid, data: twice }), undefined);
  // A part of what there is that goes to another program than a token program is no fee.
  const open = Uint8Array.from(instruction.data);
  open.set([1, 0x80], 20);
  assert.equal(parseRoute({ ...instruction, data: open }), undefined);
});

test('routes that the program would refuse, or that lose tokens on the way, are not built', () => {
  const route = poolRoute();
  const [first, second, third] = route.hops as [RouteHop, RouteHop, RouteHop];
  const fee = {
    bps: 50,
    from: route.source,
    account: newAddress(),
    mint: newAddress(),
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM,
  };
  const many = (count: number) =>
    Array.from({ length: count }, () => ({ address: newAddress(), signer: false, writable: false }));
  const withFirst = (part: Partial<RouteHop>): Partial<Route> => ({ hops: [{ ...first, ...part }, second, third] });
  const wrong: [RegExp, Partial<Route>][] = [
    [/without hops/, { hops: [] }],
    [/same account/, { source: route.destination }],
    [/amountIn/, { amountIn: -1n }],
    [/amountIn/, { amountIn: 2n ** 64n }],
    [/minOut/, { minOut: 2n ** 64n }],
    [/router itself/, withFirst({ program: ROUTER_PROGRAM })],
    [/foreign signer/, withFirst({ accounts: [{ address: newAddress(), signer: true, writable: false }] })],
    [/nothing came/, { hops: [second, third] }],
    [/nothing came/, { hops: [second, first, third] }],
    [/nothing is taken/, { hops: [first, third] }],
    [/nothing is taken/, { hops: [first, second] }],
    [/shareBps/, withFirst({ shareBps: 0 })],
    [/shareBps/, withFirst({ shareBps: 10_001 })],
    [/shareBps/, withFirst({ shareBps: 0.5 })],
    [/add up to 9999/, withFirst({ shareBps: 9_999 })],
    [/add up to 15000/, { hops: [{ ...first, shareBps: 5_000 }, first, second, third] }],
    [/no rest/, { hops: [first, { ...second, shareBps: 5_000, rest: fee }, { ...second, shareBps: 5_000 }, third] }],
    [/amountOffset/, withFirst({ amountOffset: first.data.length - 7 })],
    [/amountOffset/, withFirst({ amountOffset: -1 })],
    [/amountOffset/, withFirst({ amountOffset: 0.5 })],
    [/bytes of data/, withFirst({ data: new Uint8Array(1 + 8 + 256) })],
    [/bytes of data/, withFirst({ data: new Uint8Array(256 + 8), amountOffset: 256 })],
    [/with 41 accounts/, withFirst({ accounts: many(41) })],
    [/fee.bps/, { fee: { ...fee, bps: 0 } }],
    [/fee.bps/, { fee: { ...fee, bps: 10_000 } }],
    [/where the fee/, { fee: { ...fee, from: newAddress() } }],
  ];
  for (const [message, part] of wrong) {
    assert.throws(() => routeInstruction({ ...route, ...part }), { name: 'RangeError', message }, String(message));
  }
  const spare = 64 - routeInstruction(route).accounts.length;
  const withMore = (count: number): Route => ({
    ...route,
    hops: [first, { ...second, accounts: many(count - 20) }, { ...third, accounts: [...third.accounts, ...many(20)] }],
  });
  const lost = routeInstruction(route).accounts.length - routeInstruction(withMore(20)).accounts.length + 20;
  assert.equal(routeInstruction(withMore(spare + lost)).accounts.length, 64);
  assert.throws(() => routeInstruction(withMore(spare + lost + 1)), /a route of 65 accounts/);
});

test('a part that the taker hands to the receiver is a hop, not a fee', () => {
  const route = poolRoute();
  const receiver = newAddress();
  const parts = {
    mint: newAddress(),
    source: route.destination,
    destination: receiver,
    authority: route.taker,
    decimals: 6,
  };
  const transfer = tokenTransferChecked({ ...parts, amount: 0n });
  const handOver = { ...transfer, amountOffset: 1, from: route.destination, to: receiver, shareBps: 10_000 };
  const whole = { ...route, destination: receiver, hops: [...route.hops, handOver] };
  const fee = {
    bps: 50,
    from: route.destination,
    account: newAddress(),
    mint: parts.mint,
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM,
  };
  for (const built of [whole, { ...whole, fee }]) assert.deepEqual(parseRoute(routeInstruction(built)), built);
});
