import { Places } from '../lib/places.js';
import type { LandingDeps } from './deps.js';
import { Following, type FollowingDeps } from './following.js';
import { leisurely } from './pace.js';
import { Submissions } from './submissions.js';
import { createTracker } from './tracker.js';

/** Lands what others created and signed, apart from what we have: nothing of ours waits for it. */
export interface Strangers {
  submissions: Submissions;
  following: Following;
  close(): void;
}

const ANY_NUMBER = { underWayPerKey: Number.POSITIVE_INFINITY, underWay: Number.POSITIVE_INFINITY };

export function openStrangers(
  { store, clock, steadyNow, observe, log, ...deps }: LandingDeps,
  shared: Pick<FollowingDeps, 'delegated' | 'settle'>,
): Strangers {
  const { chain, sendRpcs, underWayPerKey, underWay } = deps.strangers ?? { ...ANY_NUMBER, ...deps };
  const tracker = createTracker({ chain, sendRpcs, log, steadyNow, pace: leisurely(chain) });
  const following = new Following({ store, clock, steadyNow, observe, log, tracker, ...shared });
  const submissions = new Submissions({
    store,
    clock,
    steadyNow,
    chain,
    sendRpcs,
    log,
    following,
    places: new Places({ ofKey: underWayPerKey, all: underWay }),
  });
  return {
    submissions,
    following,
    close() {
      following.close();
      tracker.close();
    },
  };
}
