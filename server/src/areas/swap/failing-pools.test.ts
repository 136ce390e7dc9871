import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  associatedTokenAddress,
  encodeTokenAccount,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Limiter } from '../../http/ports.js';
import { plentyLeft } from '../../http/testing.js';
import { type TestPool, worldOver } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import { openSwapWorld, type SwapWorld, swap } from './testing.js';

const DEEP = 10n ** 13n;
const AMOUNT = 1_000_000_000n;
/** Of Token-2022: whether transfers to the account must come with a memo. */
const MEMO_TRANSFER = 8;

describe('an order for which the best pools fail on the chain', { timeout: 300_000 }, () => {
  for (const withoutRouterProgram of [false, true]) {
    it(`goes on to the others${withoutRouterProgram ? ', also without the router program' : ''}`, async () => {
      await withWorld({ withoutRouterProgram }, async ({ world, tokens: [a, b], pools, holding }) => {
        const taker = await walletWith(world, holding, a);
        const [best, second, worst] = pools as [TestPool, TestPool, TestPool];
        // The program needs the mint of a pool's shares, which no quote depends on.
        for (const { poolMint } of [best, second]) await holding.remove(poolMint);
        const query = { inputMint: a.mint, outputMint: b.mint, amount: `${AMOUNT}`, taker: taker.address };
        const { order } = await swap(world, query, taker);
        assert.deepEqual(
          order.routePlan.map(({ swapInfo }) => swapInfo.ammKey),
          [worst.address],
        );
        assert.equal(order.inAmount, `${AMOUNT}`);
        const own = associatedTokenAddress(taker.address, b.mint, b.tokenProgram);
        assert.equal(await holding.amount(own), BigInt(order.outAmount));
      });
    });
  }

  it('names the pools and their errors where none is left', async () => {
    await withWorld({}, async ({ world, tokens: [a, b], pools, holding }) => {
      const taker = await walletWith(world, holding, a);
      for (const { poolMint } of pools) await holding.remove(poolMint);
      const query = { inputMint: a.mint, outputMint: b.mint, amount: `${AMOUNT}`, taker: taker.address };
      const { status, body } = await world.order(query);
      assert.equal(status, 500);
      const { error } = body as unknown as { error: string };
      for (const { address } of pools) assert.match(error, new RegExp(`Token Swap ${address}: `));
    });
  });

  it("leaves no pool out for others where the taker's own account is why", async () => {
    await withWorld({ outputProgram: TOKEN_2022_PROGRAM }, async ({ world, tokens: [a, b], pools, holding }) => {
      const [hostile, taker] = [await walletWith(world, holding, a), await walletWith(world, holding, a)];
      const query = { inputMint: a.mint, outputMint: b.mint, amount: `${AMOUNT}` };
      await demandMemos(holding, hostile, b);
      const { status, body } = await world.order({ ...query, taker: hostile.address });
      assert.equal(status, 400, JSON.stringify(body));
      const { order } = await swap(world, { ...query, taker: taker.address }, taker);
      assert.equal(order.routePlan[0]!.swapInfo.ammKey, pools[0]!.address);
    });
  });

  it('attack: a free key orders for an account for which all pools fail: further searches count as calls, and end with them', async () => {
    let left = 100;
    const limiter: Limiter = {
      take(_key, _bucket, _tier, weight = 1) {
        left -= weight;
        return { ...plentyLeft, allowed: left >= 0 };
      },
    };
    await withWorld({ outputProgram: TOKEN_2022_PROGRAM, limiter }, async ({ world, tokens, pools, holding }) => {
      const [a, b] = tokens;
      for (let out = 4n; out < 8n; out++) pools.push(await holding.pool(a, b, [DEEP, DEEP * out]));
      await world.aggregator.discover();
      const hostile = await walletWith(world, holding, a);
      await demandMemos(holding, hostile, b);
      // He makes it as the order is under way.
      const { chain } = world.deps;
      const own = associatedTokenAddress(hostile.address, b.mint, b.tokenProgram);
      world.deps.chain = {
        ...chain,
        account: async (address) => (address === own ? undefined : chain.account(address)),
      };
      const query = { inputMint: a.mint, outputMint: b.mint, amount: `${AMOUNT}`, taker: hostile.address };
      const tried = async () => {
        const { body } = await world.order(query);
        return (body as unknown as { error: string }).error.split('metis: ').length - 1;
      };
      assert.equal(await tried(), 7);
      assert.equal(left, 100 - 1 - 5, 'the call, and each search but the first and two others');
      left = 1;
      assert.equal(await tried(), 3);
    });
  });
});

type Holding = ReturnType<typeof worldOver>;

interface Scene {
  world: SwapWorld;
  tokens: [Token, Token];
  /** Best first. */
  pools: TestPool[];
  holding: Holding;
}

async function withWorld(
  {
    outputProgram = TOKEN_PROGRAM,
    ...options
  }: { withoutRouterProgram?: boolean; outputProgram?: typeof TOKEN_PROGRAM; limiter?: Limiter },
  run: (scene: Scene) => Promise<void>,
): Promise<void> {
  const world = await openSwapWorld(options);
  try {
    // However slow the machine is, no order runs out of time.
    world.deps.steadyNow = () => 0;
    const holding = worldOver(world.net);
    const tokens: [Token, Token] = [await holding.token(), await holding.token({ program: outputProgram })];
    const pools: TestPool[] = [];
    for (const out of [3n, 2n, 1n]) pools.push(await holding.pool(...tokens, [DEEP, DEEP * out]));
    await world.aggregator.discover();
    await run({ world, tokens, pools, holding });
  } finally {
    await world.close();
  }
}

async function walletWith(world: SwapWorld, holding: Holding, token: Token): Promise<Keypair> {
  const wallet = generateKeypair();
  await world.rpc.call('requestAirdrop', [wallet.address, 1_000_000_000]);
  const account = associatedTokenAddress(wallet.address, token.mint, token.tokenProgram);
  await holding.holding(token, wallet.address, AMOUNT, account);
  return wallet;
}

/** Gives the wallet an account for a token of Token-2022 to which no plain transfer goes. */
async function demandMemos(holding: Holding, { address }: Keypair, { mint, tokenProgram }: Token): Promise<void> {
  const plain = encodeTokenAccount({
    mint,
    owner: address,
    amount: 0n,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: false,
  });
  const data = Buffer.concat([plain, Buffer.from([2, MEMO_TRANSFER, 0, 1, 0, 1])]);
  const account = associatedTokenAddress(address, mint, tokenProgram);
  await holding.put(account, tokenProgram, data, rentExemptLamports(data.length));
}
