import { steadyNow } from '../../lib/clock.js';
import { createFailureLog } from '../../lib/failure-log.js';
import type { Note } from '../socket/server.js';

/** As in the log of the service: pino's number for `info`, and for `warn`. */
const LEVELS = { info: 30, warn: 40 };
const ORDINARY = new Set(['connected', 'disconnected', 'closing']);

/** What a caller that was broken into can have happen as often as it likes. */
const BY_CALLERS = [
  'not done',
  'connected',
  'disconnected',
  'a connection was ended',
  'the record cannot be written: nothing is signed',
  'a refusal is not in the record',
];

/**
 * Writes one line of JSON for each note, in the form of the service's own log; of what one caller has happen, one of each kind
 * a second.
 */
export function createSignerLog(write: (text: string) => void): Note {
  const line = (event: string, facts: object, msg = event) => {
    const level = ORDINARY.has(event) ? LEVELS.info : LEVELS.warn;
    write(
      `${JSON.stringify({ level, time: Math.round(steadyNow()), pid: process.pid, part: 'signer', ...facts, msg })}\n`,
    );
  };
  const limited = new Map(
    BY_CALLERS.map((event) => [event, createFailureLog((facts, message) => line(event, facts, message), event)]),
  );
  return (event, facts) => {
    const log = limited.get(event);
    if (log) log.report(`${facts.caller} ${facts.method} ${facts.code}`, () => facts);
    else line(event, facts);
  };
}
