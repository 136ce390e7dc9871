import { steadyNow } from '../../lib/clock.js';
import { createFailureLog, type FailureLog } from '../../lib/failure-log.js';
import { plainJson } from '../../lib/plain-json.js';
import type { Note } from '../socket/server.js';

/** As in the log of the service: pino's number for `info`, and for `warn`. */
const LEVELS = { info: 30, warn: 40 };
const ORDINARY = new Set(['connected', 'disconnected', 'closing']);

/** What nobody who connects can have happen as often as he likes: each is a line. Everything else is limited. */
const OWN = new Set([
  'closing',
  'it is stopped, until "slipway signer resume"',
  'a wallet comes near its limit',
  'the token is away: its keys sign nothing',
  'the token is back',
]);

/**
 * Writes one line of JSON for each note, in the form of the service's own log; of what one caller has happen, or all strangers
 * together, one of each kind a second, and how many more there were.
 */
export function createSignerLog(write: (text: string) => void): Note {
  const line = (event: string, facts: object, msg = event) => {
    const level = ORDINARY.has(event) ? LEVELS.info : LEVELS.warn;
    const said = { level, time: Math.round(steadyNow()), pid: process.pid, part: 'signer', ...facts, msg };
    write(`${plainJson(JSON.stringify(said))}\n`);
  };
  const limited = new Map<string, FailureLog>();
  const limitedOf = (event: string): FailureLog => {
    const known = limited.get(event) ?? createFailureLog((facts, message) => line(event, facts, message), event);
    limited.set(event, known);
    return known;
  };
  return (event, facts) => {
    if (OWN.has(event)) line(event, facts);
    else limitedOf(event).report(`${facts.caller} ${facts.method} ${facts.code}`, () => facts);
  };
}
