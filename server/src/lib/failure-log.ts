const WINDOW_MS = 1000;
/** A kind is as long as the message of what was thrown; so many can be in one second only by chance. */
const MAX_KINDS = 1000;
/** What is beyond them. */
const ALL_OTHERS = '';

export interface FailureLog {
  /** Writes the line, or counts it if one of the same kind was written less than a second ago. */
  report(kind: string, line: () => object): void;
}

/**
 * Lines that say the same of many failures: one for each kind and second, so that an outage under load does not fill the disk with the
 * same stack. The others are counted, and a second later a line says how many they were.
 */
export function createFailureLog(write: (line: object, message: string) => void, message: string): FailureLog {
  const repeats = new Map<string, { count: number; last: () => object }>();

  function open(kind: string, line: () => object): void {
    repeats.set(kind, { count: 0, last: line });
    setTimeout(close, WINDOW_MS, kind).unref();
  }

  function close(kind: string): void {
    const repeat = repeats.get(kind);
    repeats.delete(kind);
    if (repeat === undefined || repeat.count === 0) return;
    write({ ...repeat.last(), repeated: repeat.count }, `${message}, as others in the last second`);
    open(kind, repeat.last);
  }

  return {
    report(wanted, line) {
      const kind = repeats.has(wanted) || repeats.size < MAX_KINDS ? wanted : ALL_OTHERS;
      const repeat = repeats.get(kind);
      if (repeat !== undefined) {
        repeat.count += 1;
        repeat.last = line;
        return;
      }
      write(line(), message);
      open(kind, line);
    },
  };
}
