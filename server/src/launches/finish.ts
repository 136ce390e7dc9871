import type { Address } from '@slipway/wire';
import { type Chain, isMade } from '../chain/index.js';
import { BackOffs, type BackOffTimes } from '../lib/back-offs.js';
import { type Clock, createClock } from '../lib/clock.js';
import { ContentRefused, type Objects } from '../objects/index.js';
import { assertClock } from '../store/clock-skew.js';
import { finishLaunch, type Launch, releaseMint, unfinishedLaunches } from '../store/launches.js';
import type { Store } from '../store/sql.js';
import { isHeaderKey, launchFiles } from './files.js';

export interface LaunchFilesDeps {
  store: Store;
  clock: Clock;
  objects: Objects;
}

const BATCH = 100;
/** By then the last upload must have ended. */
const MARGIN_MS = 60_000;

/** Whether a launch has all that it will have; of one that has not, whether a file is missing or was refused as it is now. */
type Publication = 'finished' | 'missing' | 'refused';

/** From then on no file of the launch can be replaced. */
const uploadsEnd = (launch: Launch, urlMs: number): number => launch.createdAt.getTime() + urlMs + MARGIN_MS;

/**
 * Publishes the image and the metadata of a launch that has landed; `urlMs` is how long after its creation they can be
 * replaced. A file that is refused is left out once it can no longer be replaced. `mostBytes` are those of image and metadata
 * that may be read, where they have been counted.
 */
export async function publishLaunch(
  deps: LaunchFilesDeps,
  launch: Launch,
  urlMs: number,
  mostBytes: readonly number[] = [],
): Promise<Publication> {
  const { store, clock, objects } = deps;
  const published = await Promise.all(
    Object.values(launchFiles(launch)).map(({ upload, key }, index) =>
      objects.publish(upload, key, mostBytes[index]).catch((error): 'refused' => {
        if (error instanceof ContentRefused) return 'refused';
        throw error;
      }),
    ),
  );
  if (clock.now() <= uploadsEnd(launch, urlMs)) {
    if (published.includes('refused')) return 'refused';
    if (published.includes(false)) return 'missing';
  }
  await store.single((tx) => finishLaunch(tx, launch.mint, new Date(clock.now()), { isOnChain: true }));
  return 'finished';
}

/**
 * Removes what was uploaded for a launch that has not landed. Nothing under the keys that everybody reads: what is there is of a
 * launch of this mint that has.
 */
async function removeUploads({ objects }: LaunchFilesDeps, launch: Launch): Promise<void> {
  const { mint, headerKey } = launch;
  const uploads = Object.values(launchFiles(launch)).map(({ upload }) => objects.removeUpload(upload));
  await Promise.all([...uploads, ...(headerKey && isHeaderKey(headerKey, mint) ? [objects.remove(headerKey)] : [])]);
}

type EndChain = Pick<Chain, 'accountReading' | 'blockHeight' | 'newestSlot'>;

/**
 * What the chain says of a launch whose request has not landed: a restored backup, a standby that has taken over, or a node that was
 * behind may not have known that it has. `open`: the chain may still take its transaction, or the node is too far behind to know. SOL
 * that somebody has sent to the address makes it no mint.
 */
async function endOnChain(
  chain: EndChain,
  { mint, lastValidBlockHeight }: Launch,
): Promise<'landed' | 'dead' | 'open'> {
  const [height, newest] = [await chain.blockHeight(), await chain.newestSlot()];
  // Read after the height: what was going to land has landed by now, at a node that is not behind the one that told it.
  const { account, slot } = await chain.accountReading(mint as Address);
  if (isMade(account)) return 'landed';
  return height > lastValidBlockHeight && slot >= newest ? 'dead' : 'open';
}

/** How long a launch waits whose files could not be read or removed: so many of them cannot use up all turns. */
const RESTS = { firstMs: 60_000, longestMs: 15 * 60_000 };
/** How long one waits whose files may still come. */
const WAITS = { firstMs: 2_000, longestMs: 30_000 };
/** By then a turn ends with the launch that it is at: so what has landed meanwhile does not wait for all others at a slow bucket. */
const LONGEST_TURN_MS = 10_000;
/** Then it is not about a single launch. */
const MOST_FAILURES = 3;

/**
 * The chore that publishes what a stopped instance did not, and removes the files of launches that can no longer land.
 * Their mint addresses go back into the stock, if there is one: only now, when no URL can write their files any more. A launch
 * that may still land waits. One that fails lets the others go first: a bucket may have taken what it does not give back,
 * such as a file under a key of the uploader's. One with a file that was refused is looked at once more, when none of its files can
 * be replaced any more: the same bytes are refused each time, and to look at them takes long.
 */
export function launchFilesChore(
  deps: LaunchFilesDeps & {
    steadyNow: () => number;
    chain: EndChain;
    /** The time of this machine; for tests. */
    wallNow?: () => number;
  },
  urlMs: number,
  mintSuffix = '',
): (isClosing?: () => boolean) => Promise<void> {
  const { store, clock, steadyNow, chain, wallNow = createClock().now } = deps;
  const backOffs = new BackOffs(RESTS, steadyNow);

  async function finish(launch: Launch, now: Date): Promise<Publication | 'open'> {
    const { mint, state } = launch;
    const end = state === 'landed' ? state : await endOnChain(chain, launch);
    if (end === 'landed') return publishLaunch(deps, launch, urlMs);
    if (end === 'open') return 'open';
    await removeUploads(deps, launch);
    if (mintSuffix !== '' && mint.endsWith(mintSuffix)) {
      await store.transaction((tx) => releaseMint(tx, mint, mintSuffix, now));
    } else {
      await store.single((tx) => finishLaunch(tx, mint, now));
    }
    return 'finished';
  }

  /** How long one rests that is not finished. */
  function restOf(launch: Launch, end: Publication | 'open'): BackOffTimes {
    if (end !== 'refused') return WAITS;
    const ms = uploadsEnd(launch, urlMs) + 1 - clock.now();
    return { firstMs: ms, longestMs: ms };
  }

  return async (isClosing = () => false) => {
    const turnEnd = steadyNow() + LONGEST_TURN_MS;
    // By a clock that has jumped ahead, what was crafted a moment ago would be over, and its files do not come back.
    await assertClock(store, wallNow);
    const now = new Date(clock.now());
    const before = new Date(now.getTime() - urlMs - MARGIN_MS);
    const resting = backOffs.resting();
    const launches = await unfinishedLaunches(store, { now, before, without: resting }, BATCH);
    if (launches.length < BATCH) backOffs.keepOnly(new Set([...resting, ...launches.map(({ mint }) => mint)]));
    const failures: unknown[] = [];
    for (const launch of launches) {
      if (isClosing() || steadyNow() >= turnEnd) break;
      try {
        const end = await finish(launch, now);
        if (end === 'finished') backOffs.delete(launch.mint);
        else backOffs.wait(launch.mint, restOf(launch, end));
      } catch (error) {
        backOffs.fail(launch.mint);
        failures.push(error);
        if (failures.length === MOST_FAILURES) break;
      }
    }
    if (failures.length > 0) throw failures[0];
  };
}
