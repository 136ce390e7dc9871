import { AppError } from '../../errors/index.js';
import { MINTS_READY } from '../../launches/index.js';
import { countLaunchesUnderWay } from '../../store/launches.js';
import type { StudioDeps } from './deps.js';

/** How many launches one API key may have under way where mint addresses come from a stock: a quarter of it. */
export const LAUNCHES_PER_KEY = MINTS_READY / 4;

/**
 * Lets a caller have so many launches crafted that have neither landed nor expired. Those that are being crafted count
 * in this process only: another one may let as many through at the same moment. @throws AppError TOO_MANY_OF_KEY
 */
export function boundLaunches({ store, mintSuffix }: Pick<StudioDeps, 'store' | 'mintSuffix'>) {
  const crafting = new Map<string, number>();
  return async <T>(caller: string, craft: () => Promise<T>): Promise<T> => {
    if (mintSuffix === '') return craft();
    const others = crafting.get(caller) ?? 0;
    if (others >= LAUNCHES_PER_KEY) throw tooMany();
    crafting.set(caller, others + 1);
    try {
      const stored = await countLaunchesUnderWay(store, caller);
      if (stored + others >= LAUNCHES_PER_KEY) throw tooMany();
      return await craft();
    } finally {
      const left = crafting.get(caller)! - 1;
      if (left > 0) crafting.set(caller, left);
      else crafting.delete(caller);
    }
  };
}

function tooMany(): AppError {
  return new AppError('TOO_MANY_OF_KEY', {
    message: `This key has ${LAUNCHES_PER_KEY} launches under way; try again when some have landed, or have expired with their upload URLs`,
  });
}
