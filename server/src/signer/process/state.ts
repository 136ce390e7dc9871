import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '@slipway/localnet/lock';
import type { Clock } from '../../lib/clock.js';
import { CallerStops } from '../caller-stops.js';
import { LossLimits } from '../loss-limits.js';
import { PrivateFileError } from '../private-file.js';
import { SignerRecord } from '../record.js';
import type { Note } from '../socket/server.js';
import { type StopNow, watchStops } from '../stop-file.js';
import type { SignerSettings } from './settings.js';

/** What a signer process keeps in its folder. */
export interface SignerState {
  limits: LossLimits;
  record: SignerRecord;
  /** What the operator of the signer has stopped, first, and then what callers have. */
  stops: () => Promise<StopNow[]>;
  callerStops: CallerStops;
  close(): void;
}

type StateFolder = Pick<SignerSettings, 'state'>;
export const stopFileOf = ({ state }: StateFolder): string => join(state, 'stopped.json');
export const callerStopsFileOf = ({ state }: StateFolder): string => join(state, 'stopped-by-callers.json');

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
    const record = await SignerRecord.open(state, (reason) =>
      note('the record is not on the disk: nothing is signed', { reason }),
    );
    const own = await watchStops(stopFileOf(settings));
    const callerStops = await CallerStops.open(callerStopsFileOf(settings));
    return {
      limits: await LossLimits.open({
        file: join(state, 'signed-for.json'),
        limits,
        clock,
        nearing: (payer, why) => note('a wallet comes near its limit', { key: payer, reason: why }),
        ahead: (reason) => note('the limits go by a time that is not now', { reason }),
      }),
      record,
      stops: async () => [...(await own()), ...(await callerStops.list())],
      callerStops,
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
