import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerClaimFees } from './claim-fees.js';
import { registerCreatePool } from './create-pool.js';
import { AREA, type StudioDeps, tags } from './deps.js';
import { studioError } from './error-shape.js';
import { registerShowFees } from './fees.js';
import { studioSettlement } from './settlement.js';
import { registerShowAddresses } from './show-addresses.js';
import { registerSubmitPool } from './submit-pool.js';
import { requireUriRoom } from './uri-room.js';

export type { StudioDeps } from './deps.js';

export const studioArea: Area = {
  name: AREA,
  tag: tags[0],
  about: 'Tokens launched on a bonding curve, and the fees of their creators',
  errorShape: studioError,
  settlement: () => ({ [AREA]: studioSettlement }),
  register(server, { config, clock, store, ledger, chain, landing, learnPool, objects, signer }) {
    const { platform, usdc } = config.tokens;
    registerStudio(server, {
      clock,
      store,
      chain,
      landing,
      learnPool,
      objects,
      signer,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      uploadMs: config.objects.urlSeconds * 1_000,
      get operator() {
        return config.studio.feeClaimer ?? signer.address('gas');
      },
      mintSuffix: config.studio.mintSuffix,
      quotes: [{ symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 }, usdc, platform],
    });
  },
  check: ({ objects }) => requireUriRoom(objects),
};

function registerStudio(server: TypedServer, deps: StudioDeps): void {
  registerCreatePool(server, deps);
  registerShowAddresses(server, deps);
  registerSubmitPool(server, deps);
  registerShowFees(server, deps);
  registerClaimFees(server, deps);
}
