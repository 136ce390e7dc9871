import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, addressToBytes, type Keypair, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import fc from 'fast-check';
import { PATIENCE_MS } from '../../lib/testing.js';
import { isRefused, type Quote, type QuoteRequest, type Token } from '../router.js';
import {
  FREE,
  fees,
  newAddress,
  openAggregator,
  openWorld,
  type Routing,
  type TestPool,
  tableOf,
  type World,
  WRAPPED_SOL,
} from './testing.js';

const RUNS = 160;
const PLAIN_RUNS = 120;
const LYING = 4_242n;
const SIGNATURE_FEE = 5_000n;
const TERMS = [FREE, fees([25n, 10_000n], [5n, 10_000n]), fees([30n, 10_000n]), fees([1n, 3n], [1n, 7n])];

let world: World;
let routing: Routing;
let plain: Routing;
let owner: Keypair;
let payer: Keypair;
let receiver: Address;
let tokens: Token[];
let pools: TestPool[];
let own: Address[];
let foreign: Address[];
let feeAccounts: Address[];

before(async () => {
  world = await openWorld();
  const programs = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM];
  tokens = await Promise.all(programs.map((program, i) => world.token({ program, decimals: 3 * i })));
  tokens.push(WRAPPED_SOL);
  // In a row, with more than one pool between neighbors, so that splits pay.
  const pairs = [
    [0, 1],
    [0, 1],
    [1, 0],
    [1, 3],
    [3, 1],
    [3, 2],
    [2, 3],
  ] as const;
  pools = [];
  for (const [i, [a, b]] of pairs.entries()) {
    pools.push(await world.pool(tokens[a]!, tokens[b]!, [1n, 1n], TERMS[i % TERMS.length]!));
  }
  [owner, payer, receiver] = [await world.wallet(), await world.wallet(), newAddress()];
  own = await Promise.all(tokens.map((token) => world.holding(token, owner.address, LYING)));
  foreign = await Promise.all(tokens.map((token) => world.holding(token, receiver)));
  feeAccounts = await Promise.all(tokens.map((token) => world.holding(token, newAddress())));
  const lookupTables = [await world.lookupTable(tableOf(pools))];
  routing = await openAggregator(world, { lookupTables });
  plain = await openAggregator(world, { programs: { tokenSwap: TOKEN_SWAP_PROGRAM } });
});

after(async () => {
  routing.close();
  plain.close();
  await world.close();
});

const signal = () => AbortSignal.timeout(PATIENCE_MS);

// Of any size, small ones as often as large ones.
const sized = (bits: number) =>
  fc.tuple(fc.nat(bits - 1), fc.bigInt(0n, 2n ** BigInt(bits) - 1n)).map(([less, n]) => (n >> BigInt(less)) + 1n);
const reserve = fc.oneof(
  { weight: 4, arbitrary: sized(30).map((n) => n + 2n ** 30n) },
  { weight: 1, arbitrary: sized(60) },
);
const cases = fc
  .record({
    reserves: fc.array(fc.tuple(reserve, reserve), { minLength: 7, maxLength: 7 }),
    ends: fc.tuple(fc.nat(3), fc.nat(3)).filter(([from, to]) => from !== to),
    amount: fc.oneof(
      { weight: 6, arbitrary: sized(34) },
      { weight: 1, arbitrary: fc.bigInt(1n, 2n ** 64n - 1n) },
      { weight: 1, arbitrary: fc.constantFrom(1n, 2n, 2n ** 64n - 1n) },
    ),
    fee: fc.option(
      fc.record({
        bps: fc.integer({ min: 1, max: 9_999 }),
        side: fc.constantFrom('input' as const, 'output' as const),
      }),
      { nil: undefined },
    ),
    isForeign: fc.boolean(),
    othersPay: fc.boolean(),
  })
  // An account with so much wrapped SOL would have more lamports than there can be.
  .map((example) => (example.ends[0] === 3 ? { ...example, amount: (example.amount >> 1n) + 1n } : example));
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

async function prepare({ reserves, ends: [from], amount }: Case): Promise<void> {
  await Promise.all([
    ...pools.map((pool, i) => world.setReserves(pool, reserves[i]!)),
    ...tokens.map((token, i) => world.holding(token, owner.address, i === from ? amount : LYING, own[i]!)),
    ...tokens.map((token, i) => world.holding(token, receiver, 0n, foreign[i]!)),
    ...tokens.map((token, i) => world.holding(token, receiver, 0n, feeAccounts[i]!)),
  ]);
  for (const { live } of [routing, plain])
    await live.refresh(pools.flatMap(({ address, vaults }) => [address, ...vaults]));
}

function requestOf({ ends: [from, to], amount, fee, isForeign }: Case): QuoteRequest {
  return {
    mode: 'exact-in',
    input: tokens[from]!,
    output: tokens[to]!,
    amount,
    owner: owner.address,
    ...(isForeign && { receiver }),
    ...(fee && { fee }),
    excludeVenues: new Set(),
  };
}

/** Builds and sends what was quoted, asking for all of its output, and compares every balance. */
async function execute(quote: Quote, example: Case): Promise<void> {
  const { ends, fee, isForeign, othersPay } = example;
  const [from, to] = ends;
  const feeAccount = fee && feeAccounts[fee.side === 'input' ? from : to]!;
  const rentPayer = othersPay ? payer : owner;
  const destination = isForeign ? foreign[to]! : own[to]!;
  const built = await quote.build({
    owner: owner.address,
    source: own[from]!,
    destination,
    receiver: isForeign ? receiver : owner.address,
    feePayer: payer.address,
    rentPayer: rentPayer.address,
    absentSigners: new Set(),
    minOut: quote.outAmount,
    ...(feeAccount && { feeAccount }),
  });
  if (isRefused(built)) assert.fail(built.reason);

  const moved = new Map<Address, bigint>();
  const move = (account: Address, by: bigint) => moved.set(account, (moved.get(account) ?? 0n) + by);
  for (const account of [...own, ...foreign, ...feeAccounts, ...pools.flatMap(({ vaults }) => vaults)])
    move(account, 0n);
  move(own[from]!, -quote.inAmount);
  move(destination, quote.outAmount);
  if (feeAccount) move(feeAccount, quote.feeAmount);
  for (const hop of quote.hops) {
    move(hop.vaultIn!, hop.inAmount);
    move(hop.vaultOut!, -hop.outAmount);
  }
  const accounts = [...moved.keys()];
  const amounts = () => Promise.all(accounts.map((account) => world.amount(account)));
  const lamports = () => Promise.all([world.lamports(owner.address), world.lamports(payer.address)]);
  const [before, [ownerBefore, payerBefore]] = [await amounts(), await lamports()];

  assert.equal(await world.run([payer, owner], built.instructions, built.lookupTables), null);

  const expected = accounts.map((account, i) => before[i]! + moved.get(account)!);
  assert.deepEqual(await amounts(), expected);
  // What was lent came back, and the owner paid nothing for it.
  assert.deepEqual(await lamports(), [ownerBefore, payerBefore! - 2n * SIGNATURE_FEE]);
  for (const address of built.instructions.flatMap(({ accounts }) => accounts.map((meta) => meta.address))) {
    if (moved.has(address)) continue;
    assert.equal(await isTokenAccountOf(address, owner.address), false, `${address} was left behind`);
  }
}

async function isTokenAccountOf(address: Address, wallet: Address): Promise<boolean> {
  type Value = { value: { owner: string; data: [string, string] } | null };
  const { value } = await world.rpc.call<Value>('getAccountInfo', [address, { encoding: 'base64' }]);
  const data = Buffer.from(value?.data[0] ?? '', 'base64');
  return data.length >= 165 && data.subarray(32, 64).equals(Buffer.from(addressToBytes(wallet)));
}

test('whatever is quoted is what the chain does, to the unit', { timeout: 300_000 }, async () => {
  const done = { refused: 0, steps: [0, 0, 0, 0], split: 0, inputFee: 0, outputFee: 0 };
  const property = fc.asyncProperty(cases, async (example) => {
    await prepare(example);
    const quote = await routing.aggregator.quote(requestOf(example), signal());
    if (isRefused(quote)) {
      assert.match(quote.refused, /^(?:no-route|too-large)$/);
      done.refused++;
      return;
    }
    const steps = new Set(quote.hops.map(({ inputMint }) => inputMint)).size;
    done.steps[steps]! += 1;
    if (quote.hops.length > steps) done.split++;
    if (example.fee) done[`${example.fee.side}Fee`]++;
    await execute(quote, example);
  });
  await fc.assert(property, { numRuns: RUNS, seed: 3, includeErrorInReport: true });
  const { steps, split, inputFee, outputFee, refused } = done;
  const counts = [steps[1]!, steps[2]!, steps[3]!, split, inputFee, outputFee, refused];
  assert.ok(
    counts.every((count) => count > 5),
    JSON.stringify(done),
  );
});

test('so it is without the router program, over one step', { timeout: 300_000 }, async () => {
  const done = { split: 0, single: 0, outputFee: 0, noPool: 0, refused: 0 };
  const property = fc.asyncProperty(cases, async (example) => {
    await prepare(example);
    const quote = await plain.aggregator.quote(requestOf(example), signal());
    const [from, to] = example.ends;
    if (!isRefused(quote)) {
      done[quote.hops.length > 1 ? 'split' : 'single']++;
      return execute(quote, example);
    }
    if (example.fee?.side === 'output') {
      assert.equal(quote.refused, 'unsupported-request');
      done.outputFee++;
    } else {
      assert.equal(quote.refused, 'no-route');
      done[from + to === 1 || from + to > 3 ? 'refused' : 'noPool']++;
    }
  });
  await fc.assert(property, { numRuns: PLAIN_RUNS, seed: 5, includeErrorInReport: true });
  assert.ok(
    Object.values(done).every((count) => count > 2),
    JSON.stringify(done),
  );
});
