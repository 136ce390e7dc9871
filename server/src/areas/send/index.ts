import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerCraftClaim } from './craft-claim.js';
import { registerCraftClawback } from './craft-clawback.js';
import { registerCraftSend } from './craft-send.js';
import { CLAIM_AREA, type SendDeps, tags } from './deps.js';
import { registerExecuteClaim } from './execute-claim.js';
import { registerListHistory, registerListPending } from './list-invites.js';

import { claimSettlement } from './settlement.js';

export type { SendDeps } from './deps.js';

export const sendArea: Area = {
  name: 'send',
  tag: tags[0],
  about: 'Invites: SOL or tokens for whoever gets the code',
  errorShape: plainError,
  settlement: (clock) => ({ [CLAIM_AREA]: claimSettlement(clock) }),
  register(server, { config, store, clock, chain, signer, keeperWallet, landing, ledger, invites }) {
    registerSend(server, {
      store,
      clock,
      chain,
      signer,
      keeperWallet,
      landing,
      ...ledger,
      index: invites,
      program: config.programs.invite,
    });
  },
};

export function registerSend(server: TypedServer, deps: SendDeps): void {
  registerCraftSend(server, deps);
  registerCraftClawback(server, deps);
  registerCraftClaim(server, deps);
  registerExecuteClaim(server, deps);
  registerListPending(server, deps);
  registerListHistory(server, deps);
}
