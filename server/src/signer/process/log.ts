import { steadyNow } from '../../lib/clock.js';
import { createFailureLog } from '../../lib/failure-log.js';
import type { Note } from '../socket/server.js';

/** As in the log of the service: pino's number for `info`, and for `warn`. */
const LEVELS = { info: 30, warn: 40 };
const ORDINARY = new Set(['connected', 'disconnected', 'closing']);

const NOT_DONE = 'not done';

/** Writes one line of JSON for each note, in the form of the service's own log; of what is refused to a caller, one a second. */
export function createSignerLog(write: (text: string) => void): Note {
  const line: Note = (event, facts) => {
    const level = ORDINARY.has(event) ? LEVELS.info : LEVELS.warn;
    write(
      `${JSON.stringify({ level, time: Math.round(steadyNow()), pid: process.pid, part: 'signer', ...facts, msg: event })}\n`,
    );
  };
  // A caller that was broken into may ask as often as it likes.
  const refusals = createFailureLog((facts, event) => line(event, { ...facts }), NOT_DONE);
  return (event, facts) => {
    if (event === NOT_DONE) refusals.report(`${facts.caller} ${facts.method} ${facts.code}`, () => facts);
    else line(event, facts);
  };
}
