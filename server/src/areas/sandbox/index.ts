import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { simulatedEvents } from '../../scores/index.js';
import type { Area, Services } from '../area.js';
import { registerAirdrop } from './airdrop.js';
import { registerChainDoor } from './chain-door.js';
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
  register(server, services) {
    const { config, store, clock, chain, prices, pools, tokenList, sandbox, sandboxKey, runDue } = services;
    if (!sandbox || sandboxKey === undefined) return;
    const deps: SandboxDeps = {
      chain,
      store,
      clock,
      prices,
      stored: sandbox.stored,
      movePrice: sandbox.movePrice,
      pools,
      tokenList,
      node: nodeOf(server, services, sandboxKey),
      apiKey: sandboxKey,
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

/** Where clients reach the chain: of a public sandbox nobody but this service reaches its ports. */
function nodeOf(server: TypedServer, { config, node, publicUrl }: Services, sandboxKey: string): SandboxDeps['node'] {
  const { rpcUrl, wsUrl = '' } = node;
  if (config.publicSandbox) return registerChainDoor(server, { sandboxKey, rpcUrl, wsUrl, publicUrl });
  return { rpcUrl: () => rpcUrl, wsUrl: () => wsUrl };
}
