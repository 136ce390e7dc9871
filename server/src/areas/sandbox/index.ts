import { plainError } from '../../errors/index.js';
import { simulatedEvents } from '../../scores/index.js';
import type { Area } from '../area.js';
import { registerAirdrop } from './airdrop.js';
import { type SandboxDeps, tags } from './deps.js';
import { registerInfo } from './info.js';
import { registerListPools } from './list-pools.js';
import { registerMoveClock } from './move-clock.js';
import { registerSetPrice } from './set-price.js';
import { registerWalletScript } from './wallet-script.js';

/** Routes that only a sandbox has: elsewhere they are not registered and answer 404. */
export const sandboxArea: Area = {
  name: 'sandbox',
  tag: tags[0],
  about: 'Money, prices and time of a sandbox',
  errorShape: plainError,
  register(server, { config, store, clock, chain, node, prices, pools, tokenList, sandbox, runDue }) {
    if (!sandbox) return;
    const deps: SandboxDeps = {
      chain,
      store,
      clock,
      prices,
      stored: sandbox.stored,
      movePrice: sandbox.movePrice,
      pools,
      tokenList,
      rpcUrl: node.rpcUrl,
      wsUrl: node.wsUrl ?? '',
      apiKey: sandbox.apiKey,
      platformToken: config.tokens.platform.mint,
      platformStable: config.tokens.stable.mint,
      gameEventIds: simulatedEvents,
      runDue,
    };
    registerInfo(server, deps);
    registerAirdrop(server, deps);
    registerSetPrice(server, deps);
    registerMoveClock(server, deps);
    registerListPools(server, deps);
    registerWalletScript(server);
  },
};
