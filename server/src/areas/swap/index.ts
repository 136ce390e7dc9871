import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { AREA, type SwapDeps, tags } from './deps.js';
import { registerExecute } from './execute.js';
import { registerListRouters } from './list-routers.js';
import { registerOrder } from './order.js';
import { swapSettlement } from './settlement.js';

export type { SwapDeps } from './deps.js';

export const swapArea: Area = {
  name: AREA,
  tag: tags[0],
  about: 'Swap orders: quotes with a transaction to sign, and their execution',
  errorShape: plainError,
  settlement: () => ({ [AREA]: swapSettlement }),
  register(server, services) {
    const { config, log, clock, steadyNow, store, ledger, chain, prices, landing, routing, makers, signer } = services;
    const { platform } = config.tokens;
    const { swap, programs, submit } = config;
    registerSwap(server, {
      log,
      clock,
      steadyNow,
      store,
      chain,
      prices,
      shownUsd: (mint) => prices.usd(mint) ?? services.poolUsd(mint),
      landing,
      routing,
      programs,
      get gasWallet() {
        return signer.address('gas');
      },
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      deliver: makers.deliver,
      fees: {
        table: swap.feeBps,
        get receiver() {
          return swap.feeReceiver ?? signer.address('gas');
        },
        platform: platform.mint,
        stables: services.stables,
        lsts: new Set(swap.lsts),
        blueChips: new Set(swap.blueChips),
      },
      gasless: swap.gasless,
      tipAccounts: submit.tipAccounts,
    });
  },
};

export function registerSwap(server: TypedServer, deps: SwapDeps): void {
  registerOrder(server, deps);
  registerExecute(server, deps);
  registerListRouters(server, deps.routing.routers);
}
