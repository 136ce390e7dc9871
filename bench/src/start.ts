import type { Address } from '@slipway/wire';
import type { Rig } from './processes.js';
import { craft, startService } from './service.js';

/** Seconds from starting the process until it has given a crafted transaction. */
export interface StartFigures {
  /** In an empty folder. */
  cold: number[];
  /** In the folder of an earlier run. */
  warm: number[];
}

export async function measureStart(rig: Rig, times: number): Promise<StartFigures> {
  const figures: StartFigures = { cold: [], warm: [] };
  for (let count = 0; count < times; count++) {
    const folder = rig.folder();
    figures.cold.push(await startAndCraft(rig, folder));
    figures.warm.push(await startAndCraft(rig, folder));
  }
  return figures;
}

async function startAndCraft(rig: Rig, folder: string): Promise<number> {
  const started = performance.now();
  const service = await startService(rig, folder);
  const wallet = /alice +(\S+)/.exec(service.output)?.[1];
  if (!wallet) throw new Error('the service does not name its funded wallets');
  await craft(service, wallet as Address);
  const seconds = (performance.now() - started) / 1_000;
  await service.stop();
  return seconds;
}
