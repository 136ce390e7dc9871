import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '@slipway/localnet/lock';
import type { Clock } from '../../lib/clock.js';
import { LossLimits } from '../loss-limits.js';
import { PrivateFileError } from '../private-file.js';
import { SignerRecord } from '../record.js';
import type { Note } from '../socket/server.js';
import { type StoppedHere, watchStops } from '../stop-file.js';
import type { SignerSettings } from './settings.js';

/** What a signer process keeps in its folder. */
export interface SignerState {
  limits: LossLimits;
  record: SignerRecord;
  stops: () => Promise<StoppedHere>;
  close(): void;
}

export const stopFileOf = ({ state }: Pick<SignerSettings, 'state'>): string => join(state, 'stopped.json');

/** Takes the folder for this process alone. @throws PrivateFileError when another one has it, or a file is damaged */
export async function openState(settings: SignerSettings, clock: Clock, note: Note): Promise<SignerState> {
  const { state, limits } = settings;
  await mkdir(state, { recursive: true, mode: 0o700 });
  const lock = takeLock(join(state, 'lock'));
  if ('heldBy' in lock) {
    throw new PrivateFileError(
      `another signer (process ${lock.heldBy}) uses ${state}: end it, or name another "state"`,
    );
  }
  try {
    const record = await SignerRecord.open(state);
    return {
      limits: await LossLimits.open({
        file: join(state, 'signed-for.json'),
        limits,
        clock,
        nearing: (payer, why) => note('a wallet comes near its limit', { key: payer, reason: why }),
      }),
      record,
      stops: await watchStops(stopFileOf(settings)),
      close() {
        record.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
