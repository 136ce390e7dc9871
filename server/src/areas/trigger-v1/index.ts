import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerCancelOrder, registerCancelOrders } from './cancel-order.js';
import { registerCreateOrder } from './create-order.js';
import { AREA, type TriggerV1Deps, tags } from './deps.js';
import { triggerV1Error } from './error-shape.js';
import { registerExecute } from './execute.js';
import { registerGetTriggerOrders } from './get-trigger-orders.js';

export type { TriggerV1Deps } from './deps.js';

export const triggerV1Area: Area = {
  name: AREA,
  tag: tags[0],
  about: 'Limit orders that are held on the chain',
  errorShape: triggerV1Error,
  register(server, services) {
    const { stables, log, clock, store, ledger, chain, prices, landing, signer, limitOrders } = services;
    registerTriggerV1(server, {
      log,
      clock,
      store,
      chain,
      prices,
      landing,
      ...limitOrders,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      stables,
      get gasWallet() {
        return signer.address('gas');
      },
    });
  },
};

export function registerTriggerV1(server: TypedServer, deps: TriggerV1Deps): void {
  registerCreateOrder(server, deps);
  registerCancelOrder(server, deps);
  registerCancelOrders(server, deps);
  registerExecute(server, deps);
  registerGetTriggerOrders(server, deps);
}
