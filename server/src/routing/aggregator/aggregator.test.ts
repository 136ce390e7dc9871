import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { POOL_SIZE, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  parseSystemCreateAccountWithSeed,
  rentExemptLamports,
  TOKEN_2022_PROGRAM,
} from '@slipway/wire';
import { createChain, createLiveAccounts, MAX_AGE_MS, type Rpc, RpcError } from '../../chain/index.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import {
  type Built,
  isRefused,
  type Quote,
  type QuoteRequest,
  type Refusal,
  type SwapParties,
  type Token,
} from '../router.js';
import { createAggregator } from './index.js';
import {
  FREE,
  fees,
  newAddress,
  openAggregator,
  openWorld,
  silent,
  type TestPool,
  tableOf,
  type World,
} from './testing.js';

const DEEP = 10n ** 12n;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const signal = () => AbortSignal.timeout(PATIENCE_MS);
const exactIn = (input: Token, output: Token, amount: bigint, more: Partial<QuoteRequest> = {}): QuoteRequest => ({
  mode: 'exact-in',
  input,
  output,
  amount,
  excludeVenues: new Set(),
  ...more,
});
function quoted(answer: Quote | Refusal): Quote {
  if (isRefused(answer)) assert.fail(`${answer.refused}: ${answer.reason}`);
  return answer;
}
function refused(answer: object, kind: Refusal['refused'], says: RegExp): void {
  assert.ok(isRefused(answer), 'it was not refused');
  assert.equal(answer.refused, kind, answer.reason);
  assert.match(answer.reason, says);
}
const venuesOf = ({ hops }: Quote) => hops.map(({ venue }) => venue);
/** Tokens in a row with a deep pool between neighbors. */
async function row(count: number): Promise<{ tokens: Token[]; pools: TestPool[] }> {
  const tokens = await Promise.all(Array.from({ length: count }, () => world.token()));
  const pools: TestPool[] = [];
  for (const [i, token] of tokens.slice(1).entries()) pools.push(await world.pool(tokens[i]!, token, [DEEP, DEEP]));
  return { tokens, pools };
}
const reservesOf = (pool: TestPool) => Promise.all(pool.vaults.map((vault) => world.amount(vault)));

describe('the choice of a route', { timeout: 300_000 }, () => {
  it('takes one pool for a small amount and both for a large one', async (t) => {
    const [a, b] = [await world.token(), await world.token()];
    const deep = await world.pool(a, b, [2n * DEEP, 2n * DEEP]);
    const shallow = await world.pool(b, a, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    assert.deepEqual(venuesOf(quoted(await aggregator.quote(exactIn(a, b, 10_000n), signal()))), [deep.address]);
    const large = quoted(await aggregator.quote(exactIn(a, b, DEEP), signal()));
    assert.deepEqual(venuesOf(large), [shallow.address, deep.address]);
    assert.deepEqual(
      large.hops.map(({ bps }) => bps),
      [3_400, 6_600],
      'as deep as they are, in steps of 2 %',
    );
    assert.ok(large.priceImpact > 0.24 && large.priceImpact < 0.26, 'a third of the pools comes in');
    assert.equal(
      large.hops.reduce((sum, { inAmount }) => sum + inAmount, 0n),
      large.inAmount,
    );
  });

  it('prefers fewer steps where more bring nothing, and takes more where they pay', async (t) => {
    const [a, b, c] = [await world.token(), await world.token(), await world.token()];
    const direct = await world.pool(a, c, [DEEP, DEEP], FREE);
    await world.pool(a, b, [DEEP, DEEP], FREE);
    await world.pool(b, c, [DEEP, DEEP], FREE);
    const { aggregator, live, close } = await openAggregator(world);
    t.after(close);
    assert.deepEqual(venuesOf(quoted(await aggregator.quote(exactIn(a, c, 1_000_000n), signal()))), [direct.address]);
    await world.setReserves(direct, [DEEP, (DEEP * 99n) / 100n]);
    await live.refresh(direct.vaults);
    assert.equal(quoted(await aggregator.quote(exactIn(a, c, 1_000_000n), signal())).hops.length, 2);
  });

  it('says what of its input each pool keeps', async (t) => {
    const [a, b, c] = [await world.token(), await world.token(), await world.token()];
    await world.pool(a, b, [DEEP, DEEP], fees([25n, 10_000n], [5n, 10_000n]));
    await world.pool(b, c, [DEEP, DEEP], fees([1n, 100n]));
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const [first, second] = quoted(await aggregator.quote(exactIn(a, c, 1_000_000n), signal())).hops;
    assert.equal(first!.fee, 3_000n);
    assert.equal(second!.fee, first!.outAmount / 100n);
  });

  it('leaves out the venues that are excluded, by their label in lower case', async (t) => {
    const { tokens } = await row(2);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const request = exactIn(tokens[0]!, tokens[1]!, 1_000n, { excludeVenues: new Set(['token swap']) });
    assert.ok(isRefused(await aggregator.quote(request, signal())));
    assert.deepEqual(
      aggregator.venues().map(({ label }) => label),
      ['Token Swap', 'Raydium CP', 'Meteora DAMM v2', 'Dynamic Bonding Curve', 'Whirlpool', 'Meteora DLMM'],
    );
  });

  it('finds the input for an output', async (t) => {
    const { tokens, pools } = await row(3);
    pools.push(await world.pool(tokens[0]!, tokens[1]!, [DEEP, DEEP], fees([30n, 10_000n])));
    const lookupTables = [await world.lookupTable(tableOf(pools))];
    const { aggregator, close } = await openAggregator(world, { lookupTables });
    t.after(close);
    const [a, , c] = tokens as [Token, Token, Token];
    for (const amount of [1n, 999n, 1_000_003n, DEEP / 7n, DEEP / 3n]) {
      for (const fee of [undefined, { bps: 77, side: 'input' as const }, { bps: 77, side: 'output' as const }]) {
        const exactOut = { ...exactIn(a, c, amount, fee && { fee }), mode: 'exact-out' as const };
        const quote = await aggregator.quote(exactOut, signal());
        if (amount === 1n && isRefused(quote)) continue;
        const { inAmount, outAmount } = quoted(quote);
        assert.ok(outAmount >= amount);
        const outOf = async (input: bigint) => {
          const answer = await aggregator.quote(exactIn(a, c, input, fee && { fee }), signal());
          return isRefused(answer) ? 0n : answer.outAmount;
        };
        // The other way round a route of fewer pools may be preferred that gives up to 1 bps less for each.
        assert.ok((await outOf(inAmount)) + 1n >= amount - (3n * amount) / 10_000n, 'what it says is enough');
        assert.ok((await outOf((inAmount * 999n) / 1_000n - 1n)) < amount, `${inAmount} for ${amount}`);
      }
    }
    assert.equal(isRefused(await aggregator.quote({ ...exactIn(a, c, DEEP), mode: 'exact-out' }, signal())), true);
    assert.deepEqual(await reservesOf(pools[0]!), [DEEP, DEEP]);
  });

  it('prices a token in another over pools in a row, in whole tokens', async (t) => {
    const [a, b, c] = [await world.token({ decimals: 9 }), await world.token(), await world.token({ decimals: 2 })];
    await world.pool(a, b, [DEEP, 150n * (DEEP / 1_000n)]);
    await world.pool(b, c, [DEEP, DEEP / 10_000n]);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    assert.ok(Math.abs(aggregator.spot(a.mint, b.mint)! - 150) < 1e-9);
    assert.ok(Math.abs(aggregator.spot(c.mint, a.mint)! - 1 / 150) < 1e-12);
    assert.equal(aggregator.spot(a.mint, newAddress()), undefined);
  });
});

describe('tokens that cannot be priced exactly', { timeout: 300_000 }, () => {
  const extension = (type: number, length: number, first = 0) => {
    const bytes = Buffer.alloc(4 + length);
    bytes.writeUInt16LE(type, 0);
    bytes.writeUInt16LE(length, 2);
    if (length > 0) bytes[4] = first;
    return bytes;
  };
  const cases: [string, Buffer, boolean][] = [
    ['transfer fee', extension(1, 108), false],
    ['transfer hook', extension(14, 64), false],
    ['non-transferable', extension(9, 0), false],
    ['pausable', extension(26, 33), false],
    ['default account state', extension(6, 1, 2), false],
    ['confidential mint and burn', extension(24, 196), false],
    ['number 999', extension(999, 8), false],
    ['that is cut off', extension(1, 108).subarray(0, 50), false],
    ['default account state', extension(6, 1, 1), true],
    ['permanent delegate', extension(12, 32), true],
    ['metadata pointer', extension(18, 64), true],
  ];
  it('are refused by the mint and the extension, also in the middle of a route', async (t) => {
    const [a, c] = [await world.token(), await world.token()];
    const tokens = await Promise.all(
      cases.map(([, extensions]) => world.token({ program: TOKEN_2022_PROGRAM, extensions })),
    );
    for (const token of tokens) await world.pool(a, token, [DEEP, DEEP]);
    const last = await world.pool(tokens[0]!, c, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    for (const [i, [name, , isFine]] of cases.entries()) {
      const token = tokens[i]!;
      const answer = await aggregator.quote(exactIn(a, token, 1_000_000n), signal());
      if (isFine) quoted(answer);
      else refused(answer, 'unsupported-token', new RegExp(`${token.mint}.*${name}`));
      assert.equal(isRefused(await aggregator.quote(exactIn(token, a, 1_000_000n), signal())), !isFine, name);
    }
    refused(await aggregator.quote(exactIn(a, c, 1_000_000n), signal()), 'no-route', /no pools/);
    assert.deepEqual(await reservesOf(last), [DEEP, DEEP]);
  });
});

describe('a token whose accounts may begin frozen', { timeout: 300_000 }, () => {
  it('attack: an issuer of a token has new accounts of it begin frozen once its pools are found, which no trial of them tells: no route goes over it from the start', async (t) => {
    const [a, b] = [await world.token(), await world.token()];
    const extensions = Buffer.from([6, 0, 1, 0, 1]);
    const token = await world.token({ program: TOKEN_2022_PROGRAM, extensions, freezeAuthority: newAddress() });
    await world.pool(a, token, [DEEP, DEEP]);
    await world.pool(token, b, [DEEP, 2n * DEEP]);
    const honest = await world.pool(a, b, [DEEP, DEEP]);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const quote = quoted(await aggregator.quote(exactIn(a, b, 1_000_000n), signal()));
    assert.deepEqual(venuesOf(quote), [honest.address]);
    const own = await aggregator.quote(exactIn(a, token, 1_000_000n), signal());
    refused(own, 'unsupported-token', /default account state/);
  });
});

describe('pools', { timeout: 300_000 }, () => {
  it('appear and vanish', async (t) => {
    const { tokens, pools } = await row(2);
    const [a, b] = tokens as [Token, Token];
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const better = await world.pool(a, b, [DEEP, 2n * DEEP]);
    await aggregator.discover();
    assert.deepEqual(venuesOf(quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()))), [better.address]);
    await world.remove(better.address);
    const owner = newAddress();
    const answer = await aggregator.quote(exactIn(a, b, 1_000n, { owner }), signal());
    assert.deepEqual(
      venuesOf(quoted(answer)),
      [pools[0]!.address],
      'the first look at the chain shows that it is gone',
    );
    await world.remove(pools[0]!.address);
    await aggregator.discover();
    refused(await aggregator.quote(exactIn(a, b, 1_000n), signal()), 'no-route', /no pools lead/);
  });

  it('are read again for who will sign, so that the quote is not behind', async (t) => {
    const { tokens, pools } = await row(2);
    const [a, b] = tokens as [Token, Token];
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    await world.setReserves(pools[0]!, [DEEP, DEEP / 2n]);
    const owner = newAddress();
    assert.equal(quoted(await aggregator.quote(exactIn(a, b, 1_000_000n, { owner }), signal())).outAmount, 498_499n);
    const late = await aggregator.quote(exactIn(a, b, 1_000_000n, { owner }), AbortSignal.abort());
    refused(late, 'timeout', /in time/);
  });

  it('are not quoted from bytes that are stale, and again when they are fresh', async (t) => {
    const { tokens, pools } = await row(2);
    const [a, b] = tokens as [Token, Token];
    const time = { now: 0 };
    const deps = { rpc: world.rpc, steadyNow: () => time.now, log: silent };
    const live = createLiveAccounts(deps);
    t.after(() => live.close());
    const programs = { router: ROUTER_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };
    const chain = createChain({ ...deps, fees: { percentile: 50, maxMicroLamports: 0n } });
    const aggregator = await createAggregator({ ...deps, chain, payer: newAddress, live, programs, pools: [] });
    t.after(aggregator.close);
    quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()));
    live.close();
    time.now = MAX_AGE_MS + 1;
    refused(await aggregator.quote(exactIn(a, b, 1_000n), signal()), 'unavailable', /not known to be current/);
    await aggregator.discover();
    refused(await aggregator.quote(exactIn(a, b, 1_000n), signal()), 'unavailable', /not known to be current/);
    await live.refresh(pools.flatMap(({ address, vaults }) => [address, ...vaults]));
    quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()));
  });

  it('with bytes that make no sense are left alone', async (t) => {
    const { tokens, pools } = await row(2);
    const [a, b] = tokens as [Token, Token];
    const [pool, other] = [pools[0]!, await world.token()];
    const foreign = newAddress();
    const damages: [string, () => Promise<unknown>][] = [
      ['a vault of another mint', () => world.holding(other, foreign, DEEP, pool.vaults[0])],
      ['a vault of another owner', () => world.holding(a, foreign, DEEP, pool.vaults[0])],
      ['a vault that is cut off', () => world.put(pool.vaults[0], a.tokenProgram, new Uint8Array(100))],
      ['a vault of no token program', () => world.put(pool.vaults[0], foreign, new Uint8Array(165))],
      ['no vault', () => world.remove(pool.vaults[0])],
      ['an empty vault', () => world.setReserves(pool, [0n, DEEP])],
    ];
    const { aggregator, live, close } = await openAggregator(world);
    t.after(close);
    for (const [name, damage] of damages) {
      await damage();
      await live.refresh(pool.vaults);
      assert.ok(isRefused(await aggregator.quote(exactIn(a, b, 1_000n), signal())), name);
      await world.setReserves(pool, [DEEP, DEEP]);
      await live.refresh(pool.vaults);
      quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()));
    }
  });

  it('whose own account changes are left alone until they are found again', async (t) => {
    const { tokens, pools } = await row(2);
    const [a, b] = tokens as [Token, Token];
    const { address, vaults } = pools[0]!;
    const { aggregator, live, close } = await openAggregator(world);
    t.after(close);
    const good = await bytesOf(address);
    const swapped = Buffer.from(good);
    swapped.set(addressToBytes(vaults[1]), 35);
    swapped.set(addressToBytes(vaults[0]), 67);
    const noFee = Buffer.from(good).fill(0, 235, 243);
    const damages: [string, Uint8Array, Address][] = [
      ['swapped vaults', swapped, TOKEN_SWAP_PROGRAM],
      ['a fee with the denominator 0', noFee, TOKEN_SWAP_PROGRAM],
      ['cut off', good.subarray(0, 200), TOKEN_SWAP_PROGRAM],
      ['another owner', good, newAddress()],
      ['zeros', new Uint8Array(POOL_SIZE), TOKEN_SWAP_PROGRAM],
    ];
    for (const [name, data, owner] of damages) {
      await world.put(address, owner, data);
      await live.refresh([address]);
      assert.ok(isRefused(await aggregator.quote(exactIn(a, b, 1_000n), signal())), name);
      await aggregator.discover();
      assert.ok(isRefused(await aggregator.quote(exactIn(a, b, 1_000n), signal())), `${name}, found again`);
    }
    await world.put(address, TOKEN_SWAP_PROGRAM, good);
    await aggregator.discover();
    quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()));
  });

  it('that are configured are enough where the RPC does not list any', async (t) => {
    const { tokens, pools } = await row(3);
    const rpc: Rpc = {
      name: 'strict',
      call: (method, params) => {
        if (method === 'getProgramAccounts') return Promise.reject(new RpcError(-32601, 'Method not found'));
        return world.rpc.call(method, params);
      },
    };
    const { aggregator, close } = await openAggregator(world, { rpc, pools: [pools[0]!.address, newAddress()] });
    t.after(close);
    const [a, b, c] = tokens as [Token, Token, Token];
    quoted(await aggregator.quote(exactIn(a, b, 1_000n), signal()));
    assert.ok(isRefused(await aggregator.quote(exactIn(a, c, 1_000n), signal())));
  });

  async function bytesOf(address: Address): Promise<Buffer> {
    type Value = { value: { data: [string, string] } };
    const { value } = await world.rpc.call<Value>('getAccountInfo', [address, { encoding: 'base64' }]);
    return Buffer.from(value.data[0], 'base64');
  }
});

describe('building', { timeout: 300_000 }, () => {
  const parties = (owner: Address): SwapParties => ({
    owner,
    source: newAddress(),
    destination: newAddress(),
    receiver: owner,
    feePayer: owner,
    rentPayer: owner,
    absentSigners: new Set(),
    minOut: 1n,
  });

  it('is refused where a signature is not to be had, an account is missing, or the request sizes an input', async (t) => {
    const { tokens } = await row(3);
    const [a, b, c] = tokens as [Token, Token, Token];
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const [owner, stranger] = [newAddress(), newAddress()];
    const near = quoted(await aggregator.quote(exactIn(a, b, 1_000n, { owner }), signal()));
    const far = quoted(await aggregator.quote(exactIn(a, c, 1_000n, { owner }), signal()));
    const lent = { ...parties(owner), rentPayer: stranger, absentSigners: new Set([stranger]) };
    assert.equal(isRefused(await near.build(lent)), false, 'nothing is lent for one step');
    refused(await far.build(lent), 'unsupported-request', /signature/);
    refused(
      await near.build({ ...parties(owner), absentSigners: new Set([owner]) }),
      'unsupported-request',
      /signature/,
    );
    const { source: _, ...native } = parties(owner);
    refused(await near.build(native), 'unsupported-request', /wrapped SOL/);
    const exactOut = { ...exactIn(a, b, 1_000n, { owner }), mode: 'exact-out' as const };
    refused(
      await quoted(await aggregator.quote(exactOut, signal())).build(parties(owner)),
      'unsupported-request',
      /exact/,
    );
    const withFee = exactIn(a, b, 1_000n, { owner, fee: { bps: 50, side: 'output' } });
    refused(
      await quoted(await aggregator.quote(withFee, signal())).build(parties(owner)),
      'unsupported-request',
      /fee/,
    );
  });

  it('attack: a stranger on the chain sends SOL to the account in between of a route over pools that stand still: the next transaction makes another', async (t) => {
    const { tokens, pools } = await row(3);
    const table = await world.lookupTable(tableOf(pools));
    const { aggregator, close } = await openAggregator(world, { lookupTables: [table] });
    t.after(close);
    const owner = await world.wallet();
    const [source, destination] = [
      await world.holding(tokens[0]!, owner.address, 1_000n),
      await world.holding(tokens[2]!, owner.address),
    ];
    const asked = { ...parties(owner.address), source, destination };
    const request = exactIn(tokens[0]!, tokens[2]!, 1_000n, { owner: owner.address });
    const build = async (): Promise<Built> => {
      const built = await quoted(await aggregator.quote(request, signal())).build(asked);
      return isRefused(built) ? assert.fail(built.reason) : built;
    };
    const known = await build();
    const [made] = known.instructions.flatMap((each) => parseSystemCreateAccountWithSeed(each) ?? []);
    await world.rpc.call('requestAirdrop', [made!.newAccount, Number(rentExemptLamports(0))]);
    assert.notEqual(await world.run([owner], known.instructions, known.lookupTables), null);
    const next = await build();
    assert.equal(await world.run([owner], next.instructions, next.lookupTables), null);
  });

  it('keeps to routes that fit into a transaction, and takes longer ones with a lookup table', async (t) => {
    const { tokens, pools } = await row(4);
    const [a, , , d] = tokens as [Token, Token, Token, Token];
    const bare = await openAggregator(world);
    t.after(bare.close);
    refused(await bare.aggregator.quote(exactIn(a, d, 1_000_000n), signal()), 'too-large', /lookup table/);
    const table = await world.lookupTable(tableOf(pools));
    const { aggregator, close } = await openAggregator(world, { lookupTables: [table] });
    t.after(close);
    const owner = newAddress();
    const built = await quoted(await aggregator.quote(exactIn(a, d, 1_000_000n, { owner }), signal())).build(
      parties(owner),
    );
    assert.ok(!isRefused(built));
    assert.deepEqual(
      built.lookupTables.map(({ address }) => address),
      [table],
    );
  });

  it('offers a simpler route over fewer pools, until there is none', async (t) => {
    const [a, b] = [await world.token(), await world.token()];
    for (const depth of [DEEP, 2n * DEEP]) await world.pool(a, b, [depth, depth]);
    const { aggregator, close } = await openAggregator(world);
    t.after(close);
    const split = quoted(await aggregator.quote(exactIn(a, b, DEEP / 2n), signal()));
    assert.equal(split.hops.length, 2);
    const simpler = quoted(await split.simpler!(signal()));
    assert.equal(simpler.hops.length, 1);
    assert.ok(simpler.outAmount < split.outAmount);
    assert.equal(simpler.simpler, undefined);
  });
});
