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
  const crafting = new Map<string, Set<Promise<void>>>();
  const mostOfKey = mintSuffix === '' ? LAUNCHES_WITHOUT_STOCK : LAUNCHES_PER_KEY;

  /** What ends while it is counted counts twice: then it is counted again. @throws AppError */
  async function countedIn(name: string, most: number, before: readonly Promise<void>[]): Promise<void> {
    for (;;) {
      const others = before.filter((each) => crafting.get(name)?.has(each));
      const underWay = await countLaunchesUnderWay(store, name);
      if (underWay + others.length < most) return;
      if (underWay >= most || others.length === 0) throw tooMany();
      await Promise.race(others);
    }
  }

  return async <T>(caller: Launcher, craft: () => Promise<T>): Promise<T> => {
    if (mintSuffix === '' && caller.tier === 'unlimited') return craft();
    const bounds = boundsOf(caller, mostOfKey).map(([name, most]) => {
      return { name, most, before: [...(crafting.get(name) ?? [])] };
    });
    if (bounds.some(({ most, before }) => before.length >= most)) throw tooMany();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (const { name } of bounds) crafting.set(name, (crafting.get(name) ?? new Set()).add(ended));
    try {
      for (const { name, most, before } of bounds) await countedIn(name, most, before);
      return await craft();
    } finally {
      for (const { name } of bounds) {
        crafting.get(name)?.delete(ended);
        if (crafting.get(name)?.size === 0) crafting.delete(name);
      }
      end();
    }
  };
}

function tooMany(): AppError {
  return new AppError('TOO_MANY_OF_KEY', {
    message:
      'Too many launches of this key are under way; try again when some have landed, or have expired with their upload URLs',
  });
}
