import assert from 'node:assert/strict';
import { type Address, type Instruction, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FuzzTarget } from './fuzz-engine.js';
import { type Change, flowsOf } from './fuzz-invariants.js';
import { fillInstruction, ORDER_ENGINE_PROGRAM } from './order-engine.js';
import {
  type FillOptions,
  type FillWorld,
  fillWorld,
  orderEngineVm,
  SOL_SIDES,
  SPL,
  TOKEN_2022,
  wrappedSol,
} from './order-engine-testing.js';

/** Fills of every pair of tokens and forms of SOL, and a taker and a maker who never sign. */
export function orderEngineTarget(): FuzzTarget {
  const vm = orderEngineVm();
  const sides: FillOptions[] = [
    { input: SPL, output: SPL },
    { input: TOKEN_2022, output: SPL },
    { input: SPL, output: TOKEN_2022 },
    ...SOL_SIDES.flatMap((side) => [
      { input: side, output: SPL },
      { input: TOKEN_2022, output: side },
    ]),
  ];
  const worlds = sides.map((options) => fillWorld(vm, options));
  const bystanders = [fillWorld(vm), fillWorld(vm, { input: SOL_SIDES[0]! })];
  const makers = new Map([...worlds, ...bystanders].map(({ fill, temporary }) => [temporary, fill.maker]));
  return {
    vm,
    program: ORDER_ENGINE_PROGRAM,
    seeds: worlds.map(({ fill }) => [fillInstruction(fill)]),
    signers: worlds.flatMap(({ fill }) => [fill.taker, fill.maker]),
    others: [
      ...bystanders.flatMap(({ fill }) => fillInstruction(fill).accounts.map((meta) => meta.address)),
      ...worlds.slice(0, 2).flatMap(({ fill }) => [wrappedSol(vm, fill.taker, 9n), wrappedSol(vm, fill.maker, 9n)]),
    ],
    isProgramOwned: (address) => makers.has(address),
    isAlone: true,
    check: (change) => checkFill(worlds, makers, change),
  };
}

/** Both amounts have moved between those two who signed, to the unit, and nothing else. */
function checkFill(worlds: FillWorld[], makers: Map<Address, Address>, change: Change): void {
  const [{ accounts, data }] = change.instructions as [Instruction];
  const [taker, maker, , , , , inputMint, , outputMint] = accounts.map((meta) => meta.address) as Address[];
  const { signers, what } = change;
  assert.ok(signers.has(taker!) && signers.has(maker!), `${what}: a fill without both signatures`);
  const terms = Buffer.from(data);
  const expected = new Map<string, bigint>();
  const move = (from: Address, to: Address, mint: Address, amount: bigint) => {
    const token = mint === WRAPPED_SOL_MINT ? 'sol' : mint;
    for (const [owner, change] of [
      [from, -amount],
      [to, amount],
    ] as const)
      expected.set(`${owner} ${token}`, (expected.get(`${owner} ${token}`) ?? 0n) + change);
  };
  move(taker!, maker!, inputMint!, terms.readBigUInt64LE(8));
  move(maker!, taker!, outputMint!, terms.readBigUInt64LE(16));
  const flow = flowsOf(change, (account) => makers.get(account));
  for (const owner of new Set(worlds.flatMap(({ fill }) => [fill.taker, fill.maker]))) {
    for (const token of new Set(['sol', ...worlds.flatMap(({ fill }) => [fill.inputMint, fill.outputMint])])) {
      assert.equal(flow(owner, token), expected.get(`${owner} ${token}`) ?? 0n, `${what}: ${owner} ${token}`);
    }
  }
}
