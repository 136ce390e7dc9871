import { bondingCurveTarget, tokenMetadataTarget } from './fuzz-bonding-curve.js';
import { dammV2Target } from './fuzz-damm-v2.js';
import type { FuzzTarget } from './fuzz-engine.js';
import { inviteEscrowTarget } from './fuzz-invite-escrow.js';
import { limitOrderTarget } from './fuzz-limit-order.js';
import { lockerTarget } from './fuzz-locker.js';
import { orderEngineTarget } from './fuzz-order-engine.js';
import { poolTarget } from './fuzz-pool.js';
import { hostileVenueTarget, routerTarget } from './fuzz-router.js';
import type { ProgramName } from './program-files.js';
import { withPuppet } from './router-puppet.js';

/** The worlds in which each program is attacked. The hostile venue has to be compiled. */
export const FUZZ_TARGETS: Record<ProgramName, ((seed: number) => FuzzTarget)[]> = {
  'bonding-curve': [bondingCurveTarget],
  'damm-v2': [dammV2Target],
  'invite-escrow': [inviteEscrowTarget],
  'limit-order': [limitOrderTarget],
  locker: [lockerTarget],
  'order-engine': [orderEngineTarget],
  pool: [poolTarget],
  'token-metadata': [tokenMetadataTarget],
  router: withPuppet.skip ? [routerTarget] : [routerTarget, hostileVenueTarget],
};
