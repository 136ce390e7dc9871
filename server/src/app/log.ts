import { destination, type Logger, pino } from 'pino';
import type { PrintRequest } from '../http/index.js';
import { plainJson } from '../lib/plain-json.js';
import type { RecentLines } from '../lib/recent-lines.js';

/** Bytes that wait for a standard error that takes none; what comes then is dropped. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Each line goes to standard error, and is kept. */
export function openLog(level: string, recent: RecentLines): Logger {
  const stderr = destination({ fd: 2, sync: true, maxLength: MOST_WAITING_BYTES });
  // As of a file on a full disk. Whoever has something to say would get the error, and the process end where nobody hears it.
  stderr.on('error', () => {});
  const write = (line: string) => {
    // What a node or a market maker has said is in some.
    stderr.write(plainJson(line));
    recent.push(line);
  };
  return pino({ level }, { write });
}

/** The lines of requests are for the terminal; what is kept of them looks like lines of the log. */
export function requestPrinter(recent: RecentLines): PrintRequest {
  const kept = pino({ base: null }, { write: (line) => recent.push(line) });
  return (line, requestId) => {
    process.stdout.write(`${line}\n`);
    kept.info({ requestId }, line);
  };
}
