import type { LogsPage } from '../areas/admin/index.js';
import { plain } from './plain.js';

type Line = LogsPage['lines'][number];

/** A line of the log on a line of a terminal. Where an error was thrown, only `--json` tells. */
export function logText({ time, level, message, requestId, facts }: Line): string {
  const { cut, ...others } = facts;
  // A request's own line ends with what happened, and its id is needed to look for more.
  const said = Object.entries({ ...others, ...(requestId !== null && { requestId }) });
  const words = said.map(([name, value]) => `${name}=${valueText(value)}`);
  if (typeof cut === 'string') words.push(message === '' ? cut : 'cut: too long to be kept whole');
  return plain([time, level.padEnd(5), message, ...words].filter((word) => word !== '').join('  '));
}

function valueText(value: unknown): string {
  if (isError(value)) return errorText(value);
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  return JSON.stringify(value);
}

interface LoggedError {
  type: string;
  message: string;
  cause?: unknown;
}

function isError(value: unknown): value is LoggedError {
  const { type, message } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof type === 'string' && typeof message === 'string';
}

function errorText({ type, message, cause }: LoggedError): string {
  const text = `${type}: ${message.split('\n')[0]}`;
  return isError(cause) ? `${text}, because of ${errorText(cause)}` : text;
}
