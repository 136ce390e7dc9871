import { AppError } from '../../errors/index.js';
import { MINTS_READY } from '../../launches/index.js';
import { boundsOf, type Guest } from '../../lib/places.js';
import { countLaunchesUnderWay } from '../../store/launches.js';
import type { StudioDeps } from './deps.js';

/** How many launches one API key may have under way where mint addresses come from a stock: a quarter of it. */
export const LAUNCHES_PER_KEY = MINTS_READY / 4;

/** The same where addresses are made as they are needed: each launch may upload as much as an image may have. */
export const LAUNCHES_WITHOUT_STOCK = 200;

/** Whose launches are counted. */
export interface Launcher extends Guest {
  readonly tier: string;
}

/**
 * Lets a caller have so many launches crafted that have neither landed nor expired. Those that are being crafted count
 * in this process only: another one may let as many through at the same moment. Where there is no stock, a key without
 * limits has as many as it likes. @throws AppError TOO_MANY_OF_KEY
 */
export function boundLaunches({ store, mintSuffix }: Pick<StudioDeps, 'store' | 'mintSuffix'>) {
  const crafting = new Map<string, number>();
  const add = (name: string, change: 1 | -1) => {
    const count = (crafting.get(name) ?? 0) + change;
    if (count > 0) crafting.set(name, count);
    else crafting.delete(name);
  };
  const mostOfKey = mintSuffix === '' ? LAUNCHES_WITHOUT_STOCK : LAUNCHES_PER_KEY;
  return async <T>(caller: Launcher, craft: () => Promise<T>): Promise<T> => {
    if (mintSuffix === '' && caller.tier === 'unlimited') return craft();
    const bounds = boundsOf(caller, mostOfKey).map(([name, most]) => {
      return { name, most, others: crafting.get(name) ?? 0 };
    });
    if (bounds.some(({ most, others }) => others >= most)) throw tooMany();
    for (const { name } of bounds) add(name, 1);
    try {
      for (const { name, most, others } of bounds) {
        if ((await countLaunchesUnderWay(store, name)) + others >= most) throw tooMany();
      }
      return await craft();
    } finally {
      for (const { name } of bounds) add(name, -1);
    }
  };
}

function tooMany(): AppError {
  return new AppError('TOO_MANY_OF_KEY', {
    message:
      'Too many launches of this key are under way; try again when some have landed, or have expired with their upload URLs',
  });
}
