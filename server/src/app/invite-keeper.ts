import { INVITE_PROGRAM } from '@slipway/programs';
import type { Logger } from 'pino';
import type { Chain } from '../chain/index.js';
import type { Config } from '../config/index.js';
import type { Metrics } from '../http/index.js';
import type { InviteIndex } from '../indexes/invites/index.js';
import type { KeeperLoop } from '../keeper/index.js';
import { startInviteKeeper } from '../keeper/invites/index.js';
import type { Landing } from '../landing/index.js';
import { type AdjustableClock, steadyNow } from '../lib/clock.js';
import type { Backends } from './backends.js';

export interface InviteKeeperParts {
  config: Config;
  log: Logger;
  parts: Backends;
  chain: Chain;
  clock: AdjustableClock;
  landing: Landing;
  metrics: Metrics;
  index: InviteIndex;
}

/**
 * Starts what sends expired invites back, where that is ours to do: not where the program is the hosted one of the public
 * clusters, which has its own keeper.
 */
export function openInviteKeeper(given: InviteKeeperParts): KeeperLoop[] {
  const { config, log, parts, chain, clock, landing, metrics, index } = given;
  const program = config.programs.invite;
  if (!config.sandbox && program === INVITE_PROGRAM) return [];
  const { store, signer } = parts;
  const common = { store, landing, chain, clock, steadyNow, log, registry: metrics.registry, index, program };
  return [startInviteKeeper({ ...common, keeper: signer.address('keeper') })];
}
