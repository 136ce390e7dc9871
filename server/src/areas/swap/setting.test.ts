import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, type Instruction } from '@slipway/wire';
import { craftTransaction } from '../../crafting/transaction.js';
import { type Built, isRefused, type QuoteRequest, type Router } from '../../routing/router.js';
import { JUP, newWallet, openFeeAccount, openSwapWorld, richWallet, SOL, type SwapWorld, USDC } from './testing.js';

describe('what a router is told about the transaction around its trade', () => {
  let world: SwapWorld;
  let last: { request: QuoteRequest; built: Built } | undefined;

  const watched = (router: Router): Router => ({
    ...router,
    async quote(request, signal) {
      const quote = await router.quote(request, signal);
      if (isRefused(quote)) return quote;
      return {
        ...quote,
        async build(parties) {
          const built = await quote.build(parties);
          if (!isRefused(built)) last = { request, built };
          return built;
        },
      };
    },
  });
  before(async () => {
    world = await openSwapWorld({ wrapRouter: watched });
    for (const token of [SOL, USDC, JUP]) await openFeeAccount(world, world.gasWallet, token);
  });
  after(() => world.close());

  it('is what is sent, to the byte: wallets, accounts, tips, and who pays', async () => {
    const taker = await richWallet(world);
    const poor = await newWallet(world, 0n, [[USDC, 500_000_000n]]);
    const payer = await newWallet(world, 1_000_000_000n);
    const stranger = () => generateKeypair().address;
    const of = (input: typeof SOL, output: typeof SOL, more: Record<string, string | number> = {}) => ({
      inputMint: input.mint,
      outputMint: output.mint,
      amount: '30000000',
      taker: taker.address,
      excludeRouters: 'jupiterz',
      ...more,
    });
    const paid = { payer: payer.address, closeAuthority: payer.address };
    const orders = [
      of(SOL, USDC),
      of(SOL, JUP, { receiver: stranger() }),
      of(USDC, SOL),
      of(USDC, SOL, { receiver: payer.address }),
      of(JUP, USDC, { receiver: stranger(), jitoTipLamports: 1_000 }),
      of(SOL, USDC, { payer: payer.address }),
      of(USDC, SOL, { payer: payer.address }),
      of(USDC, JUP, { ...paid, taker: (await newWallet(world, 0n, [[USDC, 500_000_000n]])).address }),
      of(USDC, JUP, { taker: poor.address }),
      of(USDC, SOL, { taker: poor.address }),
    ];
    for (const order of orders) {
      last = undefined;
      const { status, body } = await world.order(order);
      assert.equal(status, 200, JSON.stringify(body));
      const told = last as { request: QuoteRequest; built: Built } | undefined;
      assert.ok(body.transaction && told?.request.surroundings, JSON.stringify(order));
      const { feePayer, instructions } = told.request.surroundings;
      const all: Instruction[] = [...instructions, ...told.built.instructions];
      const measured = craftTransaction({
        feePayer,
        instructions: all,
        lookupTables: told.built.lookupTables,
        blockhash: stranger(),
        budget: { computeUnitLimit: 1, computeUnitPrice: 1n },
      });
      assert.equal(measured.wire.length, Buffer.from(body.transaction, 'base64').length, JSON.stringify(order));
    }
  });
});
