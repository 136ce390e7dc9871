import type { TypedServer } from '../../lib/typed-server.js';
import { challengePrefixOf } from '../../signer/index.js';
import { tickOf } from '../../trigger-orders/tick.js';
import type { Area } from '../area.js';
import { registerCancelOrder, registerConfirmCancel } from './cancel-order.js';
import { registerChallenge } from './challenge.js';
import { registerCraftDeposit } from './craft-deposit.js';
import { registerCreateOrder } from './create-order.js';
import { DEPOSIT_AREA, type TriggerV2Deps, tags, WITHDRAWAL_AREA } from './deps.js';
import { registerEditOrder } from './edit-order.js';
import { triggerV2Error } from './error-shape.js';
import { registerExplainOrder } from './explain-order.js';
import { registerListOrders, registerShowOrder } from './history.js';
import { registerLogout } from './logout.js';
import { depositSettlement, withdrawalSettlement } from './settlement.js';
import { registerRegisterVault, registerShowVault } from './vault.js';
import { registerVerify } from './verify.js';

export type { TriggerV2Deps } from './deps.js';

export const triggerV2Area: Area = {
  name: 'trigger-v2',
  tag: tags[0],
  about: 'Orders that fire at USD prices, funded by a deposit into a vault',
  errorShape: triggerV2Error,
  settlement: () => ({ [DEPOSIT_AREA]: depositSettlement, [WITHDRAWAL_AREA]: withdrawalSettlement }),
  register(server, services) {
    const { config, stables, clock, store, ledger, signer, logins, chain, prices, landing, publicUrl } = services;
    const { stops, keeperWallet } = services;
    registerTriggerV2(server, {
      clock,
      store,
      signer,
      logins,
      chain,
      prices,
      landing,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      stables,
      tick: (mint) => tickOf({ prices, clock }, mint, undefined),
      whyNothingFills: async () => {
        const stop = (await stops.list()).find(({ what }) => what !== 'crafts');
        if (stop) return `the operator has stopped fills: ${stop.why}`;
        // What the keeper wallet holds is the operator's business.
        return keeperWallet.shortage && 'the service cannot pay for transactions';
      },
      host: () => new URL(publicUrl()).host,
      maxUnsignedSlippageBps: config.triggerOrders.maxUnsignedSlippageBps,
      challengePrefix: () => config.challengePrefix ?? challengePrefixOf(publicUrl()),
    });
  },
};

export function registerTriggerV2(server: TypedServer, deps: TriggerV2Deps): void {
  registerChallenge(server, deps);
  registerVerify(server, deps);
  registerLogout(server, deps);
  registerShowVault(server, deps);
  registerRegisterVault(server, deps);
  registerCraftDeposit(server, deps);
  registerCreateOrder(server, deps);
  registerEditOrder(server, deps);
  registerCancelOrder(server, deps);
  registerConfirmCancel(server, deps);
  registerListOrders(server, deps);
  registerShowOrder(server, deps);
  registerExplainOrder(server, deps);
}
