import { LEVELS, type LogLine, levelOf, mayName, readLogLine } from '../../lib/log-line.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { OwnLog } from '../area.js';
import { type AdminDeps, adminRoute } from './deps.js';
import { type ListLogsQuery, LogsPage, LogsQuery } from './watch-schema.js';

export function registerListLogs(app: TypedServer, { log }: AdminDeps): void {
  if (log === undefined) return;
  app.get(
    '/admin/v1/logs',
    {
      // Whoever follows the log must not fill it by that.
      config: { ...adminRoute, isWatched: true },
      schema: {
        tags: ['Admin'],
        summary: 'Read the last lines of the log of this copy',
        description:
          'The oldest first. A copy keeps the last 2,000 lines, or the last megabyte of them, as long as it runs. Ask again with `after` set to `last` until that is `newest`. The numbers begin again with 1 when a copy starts: `copy` and `startedAt` say which one it is.',
        querystring: LogsQuery,
        response: { 200: LogsPage },
      },
    },
    ({ query }) => pageOf(log, query),
  );
}

function pageOf({ lines: kept, copy, startedAt, now }: OwnLog, query: ListLogsQuery): LogsPage {
  const { oldest, newest } = kept;
  const lines: (LogLine & { number: number })[] = [];
  let number = Math.min(Math.max(query.after, oldest - 1), newest);
  while (number < newest && lines.length < query.limit) {
    number += 1;
    const line = wanted(kept.at(number)!, query);
    if (line) lines.push({ number, ...line });
  }
  const at = new Date(now()).toISOString();
  return { copy, startedAt, at, oldest, newest, last: number, lines };
}

function wanted(text: string, { level, requestId }: ListLogsQuery): LogLine | undefined {
  if (level !== undefined && levelOf(text) < LEVELS[level]) return undefined;
  if (requestId !== undefined && !mayName(text, requestId)) return undefined;
  const line = readLogLine(text);
  return requestId === undefined || line.requestId === requestId ? line : undefined;
}
