import { steadyNow } from '../../lib/clock.js';
import type { Note } from '../socket/server.js';

/** As in the log of the service: pino's number for `info`, and for `warn`. */
const LEVELS = { info: 30, warn: 40 };
const ORDINARY = new Set(['connected', 'disconnected', 'closing']);

/** Writes one line of JSON for each note, in the form of the service's own log. */
export function createSignerLog(write: (text: string) => void): Note {
  return (event, facts) => {
    const level = ORDINARY.has(event) ? LEVELS.info : LEVELS.warn;
    write(
      `${JSON.stringify({ level, time: Math.round(steadyNow()), pid: process.pid, part: 'signer', ...facts, msg: event })}\n`,
    );
  };
}
