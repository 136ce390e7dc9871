import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateKeypair, systemTransfer } from '@slipway/wire';
import { balances, newWallet, openFeeAccount, openSwapWorld, richWallet, SOL, signed, swap, USDC } from './testing.js';

const SOL_1 = 1_000_000_000n;

describe('a swap order without the router program', () => {
  it('trades with the pool itself, fee on the input included, and 6001 is its slippage', async () => {
    const world = await openSwapWorld({ withoutRouterProgram: true });
    try {
      const [taker, payer] = [await richWallet(world), await newWallet(world, SOL_1)];
      const referral = generateKeypair().address;
      await openFeeAccount(world, referral, SOL);
      const old = await balances(world, taker.address);
      const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000000', taker: taker.address };
      const route = { ...query, excludeRouters: 'jupiterz', payer: payer.address };
      const { order } = await swap(world, { ...route, referralAccount: referral, referralFee: 50 }, taker, payer);
      const now = await balances(world, taker.address);
      assert.equal(now.usdc - old.usdc, BigInt(order.outAmount));
      assert.equal(old.sol - now.sol, BigInt(order.inAmount));
      assert.equal((await balances(world, referral)).wrapped, 1n + 5_000_000n);
      assert.equal(now.wrapped, old.wrapped);

      const { body: late } = await world.order({ ...route, slippageBps: 1 });
      const whale = await newWallet(world, 3_000n * SOL_1);
      const push = { ...query, amount: `${2_000n * SOL_1}`, excludeRouters: 'jupiterz', slippageBps: 10_000 };
      await swap(world, { ...push, taker: whale.address }, whale);
      const signedTransaction = signed(late.transaction!, taker, payer);
      const { body } = await world.execute({ requestId: late.requestId, signedTransaction });
      assert.deepEqual([body.code, body.error], [6001, 'Slippage tolerance exceeded']);
    } finally {
      await world.close();
    }
  });
});

describe('a router that builds what nobody asked for', () => {
  it('costs only its own quote, and the next best one is taken', async () => {
    const thief = generateKeypair().address;
    const world = await openSwapWorld({
      wrapRouter: (router) =>
        router.id !== 'jupiterz'
          ? router
          : {
              ...router,
              quote: async (request, signal) => {
                const quote = await router.quote(request, signal);
                if ('refused' in quote) return quote;
                const build: typeof quote.build = async (parties) => {
                  const built = await quote.build(parties);
                  if ('refused' in built) return built;
                  const steal = systemTransfer({ from: parties.owner, to: thief, lamports: 1_000_000n });
                  return { ...built, instructions: [...built.instructions, steal] };
                };
                return { ...quote, build };
              },
            },
    });
    try {
      const taker = await richWallet(world);
      const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000000' };
      assert.equal((await world.order(query)).body.router, 'jupiterz', 'it quotes more');
      const { order } = await swap(world, { ...query, taker: taker.address }, taker);
      assert.equal(order.router, 'metis');
      assert.equal((await balances(world, thief)).sol, 0n);
    } finally {
      await world.close();
    }
  });
});
