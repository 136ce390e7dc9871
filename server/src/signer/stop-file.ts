import { cached } from '../lib/single-flight.js';
import { createPrivateFile, PrivateFileError, readPrivateFile, replacePrivateFile } from './private-file.js';
import { dictionary, Misshapen, record, type Shape, text } from './socket/shapes.js';

/** What the operator of a signer can stop: what the service's keys alone sign, or all transactions. */
export const SIGNER_STOPS = ['fills', 'all'] as const;
export type SignerStop = (typeof SIGNER_STOPS)[number];

/** What is stopped, and why. */
export type StoppedHere = Readonly<Partial<Record<SignerStop, string>>>;

/** Something that is stopped: by the operator of the signer, or as the copies of a caller have said. */
export interface StopNow {
  what: SignerStop;
  why: string;
  by?: string | undefined;
}

/** How old what is known of the file may be. */
const KEPT_MS = 250;

export const WHY = text(500, /\S/, 'why it is stopped, for whoever reads the log');
export const STOPPED = dictionary(/^(?:fills|all)$/, WHY) as Shape<StoppedHere>;
const File = record({ stopped: STOPPED });

/** What is stopped by a file. @throws PrivateFileError: nobody knows */
export async function readStops(file: string): Promise<StoppedHere> {
  const content = await readPrivateFile(file);
  if (content === undefined) throw new PrivateFileError(`${file} does not exist: a start of the signer makes it`);
  try {
    return File.read(JSON.parse(content.toString('utf8')), '').stopped;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof Misshapen)) throw error;
    throw new DamagedStops(`${file} is damaged: "slipway signer stop all" or "resume" writes it anew`);
  }
}

/** The file was changed by something else. */
export class DamagedStops extends PrivateFileError {}

/** Has a signer that runs, and each later one, sign less or more. @throws PrivateFileError */
export async function writeStops(file: string, stopped: StoppedHere): Promise<void> {
  const content = `${JSON.stringify({ stopped })}\n`;
  await replacePrivateFile(file, content, async (written) => {
    if (written !== content) throw new PrivateFileError(`${file} is not what was written to it`);
  });
}

/** Asks the file at most every quarter of a second; makes it where there is none. @throws PrivateFileError */
export async function watchStops(file: string): Promise<() => Promise<StopNow[]>> {
  await createPrivateFile(file, `${JSON.stringify({ stopped: {} })}\n`);
  await readStops(file);
  return cached(
    async () => stopsIn(await readStops(file)),
    KEPT_MS,
    () => performance.now(),
  );
}

/** By the operator of the signer, or by a caller. */
export function stopsIn(stopped: StoppedHere, by?: string): StopNow[] {
  return SIGNER_STOPS.flatMap((what) => (stopped[what] === undefined ? [] : [{ what, why: stopped[what], by }]));
}
