import { setTimeout as wait } from 'node:timers/promises';
import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.js';
import type { SandboxPrices } from './sandbox.js';

const STEP_MS = 5_000;
/** The most that a price moves in one step, as a share of it. */
const WIDEST_STEP = 0.002;

interface DriftDeps {
  /** Whose prices drift. */
  mints: readonly Address[];
  stored: SandboxPrices;
  /** Sets a price as if somebody had asked for it. */
  move: (mint: Address, usd: number) => Promise<unknown>;
  clock: Clock;
  log: Logger;
  /** The same seed makes the same steps. */
  seed: number;
  /** For tests: waits so many milliseconds, or rejects when the signal aborts. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Drift {
  close(): Promise<void>;
}

/**
 * Moves the stored prices of a sandbox in a random walk of small steps, each up to 0.2 % and 5 seconds after the one
 * before, whichever instance made that.
 */
export function startDrift(deps: DriftDeps): Drift {
  const { mints, stored, move, clock, log, sleep = pause } = deps;
  const random = createRandom(deps.seed);
  const closing = new AbortController();

  async function step(): Promise<void> {
    for (const mint of mints) {
      const price = stored.read(mint);
      const factor = 1 + WIDEST_STEP * (2 * random() - 1);
      if (!price || clock.now() - price.publishedAt < STEP_MS || closing.signal.aborted) continue;
      await move(mint, Number((price.usd * factor).toPrecision(12)));
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      try {
        await sleep(STEP_MS, closing.signal);
      } catch {
        return;
      }
      await step().catch((error: Error) => log.warn({ reason: error.message }, 'a simulated price did not move'));
    }
  }

  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Numbers from 0 to below 1: a 32-bit generator (Weyl sequence and mixing), for play only. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false });
}
