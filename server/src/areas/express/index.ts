import { createUnitMeter } from '../../chain/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerCheckEligibility } from './check-eligibility.js';
import { registerCraftTxn } from './craft-txn.js';
import { AREA, type ExpressDeps, tags } from './deps.js';
import { expressError } from './error-shape.js';
import { registerExecute } from './execute.js';
import { expressSettlement } from './settlement.js';

export type { ExpressDeps } from './deps.js';

export const expressArea: Area = {
  name: AREA,
  tag: tags[0],
  about: 'Paid verification of tokens',
  errorShape: expressError,
  settlement: (_, log) => ({ [AREA]: expressSettlement(log) }),
  register(server, services) {
    const { config, store, clock, chain, prices, landing, ledger, signer, routing } = services;
    registerExpress(server, {
      store,
      clock,
      chain,
      prices,
      landing,
      routing,
      unitsOf: createUnitMeter(services),
      programs: config.programs,
      get gasWallet() {
        return signer.address('gas');
      },
      tokens: services.tokenList,
      ...config.tokens,
      ...ledger,
      ...config.express,
    });
  },
};

export function registerExpress(server: TypedServer, deps: ExpressDeps): void {
  registerCraftTxn(server, deps);
  registerCheckEligibility(server, deps);
  registerExecute(server, deps);
}
