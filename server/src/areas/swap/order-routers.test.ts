import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, systemTransfer } from '@slipway/wire';
import type { Refusal, Router, RouterId } from '../../routing/router.js';
import { createFeeAccounts } from './fee-accounts.js';
import { order } from './order.js';
import type { OrderQuery } from './schema.js';
import {
  balances,
  endBlockhashes,
  newWallet,
  openFeeAccount,
  openSwapWorld,
  richWallet,
  SOL,
  type SwapWorld,
  signed,
  swap,
  USDC,
  untilTaken,
} from './testing.js';

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
      const answer = world.execute({ requestId: late.requestId, signedTransaction });
      await untilTaken(world, late.requestId);
      // Until then its payer could have it land.
      await endBlockhashes(world);
      const { body } = await answer;
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

describe('an order that no router quotes', () => {
  const query = { inputMint: SOL.mint, outputMint: USDC.mint, amount: '1000000000' };
  const none: Refusal = { refused: 'no-route', reason: 'it has none' };
  const answers: [what: string, metis: Refusal | 'silence', jupiterz: Refusal | 'silence', status: number][] = [
    ['is refused where all say that they cannot', none, none, 400],
    ['is to be sent again where one has not answered in time', none, 'silence', 503],
    ['is to be sent again where one cannot answer now', { refused: 'unavailable', reason: 'cold' }, none, 503],
    ['is refused for a token that cannot be traded', { refused: 'unsupported-token', reason: 'no' }, 'silence', 400],
  ];
  for (const [what, metis, jupiterz, status] of answers) {
    it(what, async () => {
      const said = { metis, jupiterz } as Record<RouterId, Refusal | 'silence'>;
      const world = await openSwapWorld({
        quoteBudgetMs: 100,
        wrapRouter: (router) => ({
          ...router,
          quote: async () => {
            const answer = said[router.id];
            return answer === 'silence' ? new Promise<never>(() => {}) : answer;
          },
        }),
      });
      try {
        const answer = await world.order(query);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
      } finally {
        await world.close();
      }
    });
  }
});

describe('a fifth router', () => {
  const query = { inputMint: USDC.mint, outputMint: SOL.mint, amount: '50000000', excludeRouters: 'metis,jupiterz' };
  let world: SwapWorld;
  let fifth: Router;

  before(async () => {
    let aggregator!: Router;
    world = await openSwapWorld({
      wrapRouter(router) {
        if (router.id === 'metis') aggregator = router;
        return router;
      },
      moreRouters: () => {
        fifth = asFifth(aggregator);
        return [fifth];
      },
    });
    await openFeeAccount(world, world.gasWallet, SOL);
    // Not over HTTP, whose documents list the routers that exist.
    const { deps } = world;
    const sources = {
      accounts: createFeeAccounts({ ...deps, receiver: () => deps.fees.receiver }),
      isNew: async () => false,
    };
    world.order = async (asked) => ({
      status: 200,
      body: await order(deps, sources, asked as unknown as OrderQuery, async () => undefined),
    });
  });
  after(() => world.close());

  it('takes orders of every kind that it says it can take', async () => {
    const { body: quoted } = await world.order(query);
    assert.deepEqual([quoted.router, quoted.transaction], ['fifth', null]);

    const rich = await newWallet(world, SOL_1, [[USDC, 100_000_000n]]);
    const payer = await newWallet(world, SOL_1);
    const own = await swap(world, { ...query, taker: rich.address, priorityFeeLamports: 20_000 }, rich);
    assert.deepEqual([own.order.router, own.order.signatureFeePayer], ['fifth', rich.address]);
    const paid = await swap(world, { ...query, taker: rich.address, payer: payer.address }, rich, payer);
    assert.deepEqual([paid.order.router, paid.order.signatureFeePayer], ['fifth', payer.address]);

    const poor = await newWallet(world, 0n, [[USDC, 50_000_000n]]);
    const { order: sponsored } = await swap(world, { ...query, taker: poor.address }, poor);
    assert.deepEqual([sponsored.router, sponsored.signatureFeePayer], ['fifth', world.gasWallet]);
  });

  it('is asked for none that it says it cannot take', async () => {
    Object.assign(fifth, { thirdPartyPayer: false, paysNetworkFee: true, sponsorable: 'nothing' });
    const rich = await newWallet(world, SOL_1, [[USDC, 100_000_000n]]);
    const payer = await newWallet(world, SOL_1);
    const ask = (more: object) => world.order({ ...query, taker: rich.address, ...more });
    for (const refused of [{ payer: payer.address }, { priorityFeeLamports: 20_000 }, { jitoTipLamports: 20_000 }]) {
      await assert.rejects(ask(refused), /no router is left that takes such an order/);
    }
    assert.equal((await ask({})).body.router, 'fifth');
    const poor = await newWallet(world, 0n, [[USDC, 50_000_000n]]);
    const { body: unpaid } = await ask({ taker: poor.address });
    assert.deepEqual([unpaid.router, unpaid.gasless, unpaid.errorCode], ['fifth', false, 2]);
  });
});

/** A router that no area has heard of, with the quotes of another. */
function asFifth(router: Router): Router {
  const id = 'fifth' as RouterId;
  return {
    ...router,
    id,
    name: 'Fifth',
    async quote(request, signal) {
      const quote = await router.quote(request, signal);
      return 'refused' in quote ? quote : { ...quote, router: id };
    },
  };
}
