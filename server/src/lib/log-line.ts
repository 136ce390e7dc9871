import { GAP } from './recent-lines.js';

/** As pino numbers them. */
export const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
export type Level = keyof typeof LEVELS;
const WORDS = new Map<number, Level>(Object.entries(LEVELS).map(([word, number]) => [number, word as Level]));

/** A line of the log, as the admin API shows it. */
export interface LogLine {
  readonly time: string;
  readonly level: Level;
  readonly message: string;
  readonly requestId: string | null;
  /** What else it says. */
  readonly facts: Record<string, unknown>;
}

/** The number of the level of a line that pino has written: without parsing it, as most lines are only looked at. */
export function levelOf(line: string): number {
  return Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? LEVELS.info);
}

/** Whether the line may name the request; its `requestId` decides. */
export function mayName(line: string, requestId: string): boolean {
  return line.includes(`"requestId":${JSON.stringify(requestId)}`);
}

/** Reads a line that pino has written; of one that was cut, what is left. */
export function readLogLine(line: string): LogLine {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return readCut(line);
  }
  // Which process it is, the page says once.
  const { level, time, msg, requestId, pid: _pid, hostname: _hostname, ...facts } = parsed;
  return {
    time: new Date(Number(time)).toISOString(),
    level: wordOf(Number(level)),
    message: typeof msg === 'string' ? msg : '',
    requestId: typeof requestId === 'string' ? requestId : null,
    facts,
  };
}

function readCut(line: string): LogLine {
  const text = line.trimEnd();
  return {
    time: new Date(Number(/^\{"level":\d+,"time":(\d+)/.exec(text)?.[1] ?? 0)).toISOString(),
    level: wordOf(levelOf(text)),
    message: textOf(/"msg":("(?:[^"\\\0]|\\[^\0])*")\}$/.exec(text)?.[1]) ?? '',
    requestId: textOf(/"requestId":("[^"\\]*")/.exec(text)?.[1]) ?? null,
    facts: { cut: text.replace(GAP, ' … ') },
  };
}

function textOf(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as string;
  } catch {
    // Cut in the middle of an escape.
    return json.slice(1, -1);
  }
}

/** Of a level between two, the lower. */
function wordOf(level: number): Level {
  return WORDS.get(Math.floor(level / 10) * 10) ?? 'info';
}
