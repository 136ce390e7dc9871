import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerCraftNative } from './craft-native.js';
import { registerCraftReclaim } from './craft-reclaim.js';
import { registerCraftToken } from './craft-token.js';
import { type TransfersDeps, tags } from './deps.js';
import { registerExecute } from './execute.js';

export type { TransfersDeps } from './deps.js';

export const transfersArea: Area = {
  name: 'transfers',
  tag: tags[0],
  about: 'Transfers of SOL and tokens, and the closing of empty token accounts',
  errorShape: plainError,
  register(server, { clock, chain, prices, landing, ledger }) {
    registerTransfers(server, { clock, chain, prices, landing, ...ledger });
  },
};

/** Transfers of SOL and tokens, and the rent of empty token accounts. */
export function registerTransfers(server: TypedServer, deps: TransfersDeps): void {
  registerCraftNative(server, deps);
  registerCraftToken(server, deps);
  registerCraftReclaim(server, deps);
  registerExecute(server, deps);
}
