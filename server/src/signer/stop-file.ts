import { cached } from '../lib/single-flight.js';
import { createPrivateFile, PrivateFileError, readPrivateFile, replacePrivateFile } from './private-file.js';
import { dictionary, Misshapen, record, text } from './socket/shapes.js';

/** What the operator of a signer can stop: what the service's keys alone sign, or all transactions. */
export const SIGNER_STOPS = ['fills', 'all'] as const;
export type SignerStop = (typeof SIGNER_STOPS)[number];

/** What is stopped, and why. */
export type StoppedHere = Readonly<Partial<Record<SignerStop, string>>>;

/** How old what is known of the file may be. */
const KEPT_MS = 250;

export const WHY = text(500, /\S/, 'why it is stopped, for whoever reads the log');
const File = record({ stopped: dictionary(/^(?:fills|all)$/, WHY) });

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
export async function watchStops(file: string): Promise<() => Promise<StoppedHere>> {
  await createPrivateFile(file, `${JSON.stringify({ stopped: {} })}\n`);
  await readStops(file);
  return cached(
    () => readStops(file),
    KEPT_MS,
    () => performance.now(),
  );
}
