const MOST_LINES = 2_000;
const MOST_BYTES = 1_000_000;
const LONGEST = 4_096;
/** Of a line that is too long, its end stays, too: there its message stands. */
const KEPT_END = 512;
/** JSON has this character nowhere, so that no line that was cut passes for a whole one. */
export const GAP = '\0';

/** The last lines of a log, numbered from 1: at most 2,000, and a megabyte of UTF-8. Of a long one, only both ends. */
export class RecentLines {
  readonly #lines: (string | undefined)[] = new Array(MOST_LINES).fill(undefined);
  readonly #sizes = new Uint32Array(MOST_LINES);
  #oldest = 1;
  #newest = 0;
  #bytes = 0;

  /** The number of the oldest line that is kept; one more than `newest` if none is. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The number of the last line; 0 if there was none. */
  get newest(): number {
    return this.#newest;
  }

  push(line: string): void {
    const kept = line.length > LONGEST ? cut(line) : line;
    const bytes = Buffer.byteLength(kept);
    if (this.#newest - this.#oldest + 1 === MOST_LINES) this.#drop();
    while (this.#bytes + bytes > MOST_BYTES) this.#drop();
    this.#newest += 1;
    const at = this.#newest % MOST_LINES;
    this.#lines[at] = kept;
    this.#sizes[at] = bytes;
    this.#bytes += bytes;
  }

  /** The line of a number that is kept. */
  at(number: number): string | undefined {
    return number >= this.#oldest && number <= this.#newest ? this.#lines[number % MOST_LINES] : undefined;
  }

  #drop(): void {
    const at = this.#oldest % MOST_LINES;
    this.#bytes -= this.#sizes[at]!;
    this.#lines[at] = undefined;
    this.#oldest += 1;
  }
}

/** A copy: a part of a string would keep the whole of it in memory. */
function cut(line: string): string {
  return Buffer.from(`${line.slice(0, LONGEST - KEPT_END - GAP.length)}${GAP}${line.slice(-KEPT_END)}`).toString();
}
