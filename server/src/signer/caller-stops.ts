import { coalesced } from '../lib/single-flight.js';
import {
  createPrivateFile,
  PrivateFileError,
  readPrivateFile,
  replacePrivateFile,
  whileLocked,
} from './private-file.js';
import { dictionary, Misshapen, record } from './socket/shapes.js';
import {
  DamagedStops,
  SIGNER_STOPS,
  type SignerStop,
  STOPPED,
  type StopNow,
  type StoppedHere,
  stopsIn,
} from './stop-file.js';

type ByCaller = ReadonlyMap<string, StoppedHere>;

const File = record({ callers: dictionary(/^[a-z0-9][a-z0-9.-]{0,62}$/, STOPPED) });

/** How old what is known of the file may be: "slipway signer resume" changes it, too. */
const KEPT_MS = 250;
/** A caller takes back a stop at most once in this time, so that it cannot wear out the disk. A new one counts at once. */
const CHANGE_MS = 1_000;

/**
 * What the copies of the service say is stopped, each caller for itself: none takes back what another one has said. It counts
 * at once, and is on the disk when `hear` returns, so that it outlives the process. What is taken back counts until then.
 */
export class CallerStops {
  readonly #file: string;
  readonly #changedAt = new Map<string, number>();
  /** What has been said and is not in the file yet. */
  readonly #said = new Map<string, StoppedHere>();
  readonly #putDown = coalesced(() => this.#write());
  #known: ByCaller = new Map();
  #freshUntil = Number.NEGATIVE_INFINITY;
  #reading: Promise<ByCaller> | undefined;
  #writes = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Goes on with a file; makes it where there is none. @throws PrivateFileError */
  static async open(file: string): Promise<CallerStops> {
    await createPrivateFile(file, contentOf(new Map()));
    const stops = new CallerStops(file);
    await stops.list();
    return stops;
  }

  /** What is stopped now, and by which caller. @throws PrivateFileError: nobody knows */
  async list(): Promise<StopNow[]> {
    const known = await this.#read();
    const callers = new Set([...known.keys(), ...this.#said.keys()]);
    return [...callers].flatMap((by) => stopsIn(this.#of(by, known), by));
  }

  /**
   * A caller says all that is stopped as far as it knows. Returns what counts for it then: more, where it takes something
   * back too soon after it has said it.
   * @throws PrivateFileError when it cannot be written down; a stop counts all the same, until the process ends
   */
  async hear(caller: string, stopped: StoppedHere): Promise<{ holds: StoppedHere; isNew: boolean }> {
    const before = this.#of(caller, await this.#read());
    const isSoon = performance.now() - (this.#changedAt.get(caller) ?? Number.NEGATIVE_INFINITY) < CHANGE_MS;
    const holds = isSoon ? { ...stopped, ...before } : stopped;
    const isNew = !isSame(before, holds);
    if (isNew) this.#changedAt.set(caller, performance.now());
    // Also what could not be written before.
    if (isNew || this.#said.has(caller)) {
      this.#said.set(caller, holds);
      await this.#putDown();
    }
    return { holds, isNew };
  }

  /** A stop that is new counts, and one that is taken back still does, until the file says so. */
  #of(caller: string, known: ByCaller): StoppedHere {
    return { ...known.get(caller), ...this.#said.get(caller) };
  }

  async #read(): Promise<ByCaller> {
    while (performance.now() >= this.#freshUntil) {
      this.#reading ??= readFile(this.#file).finally(() => {
        this.#reading = undefined;
      });
      const writes = this.#writes;
      const known = await this.#reading;
      // What was written meanwhile is newer.
      if (writes === this.#writes) this.#keep(known);
    }
    return this.#known;
  }

  #keep(known: ByCaller): void {
    this.#known = known;
    this.#freshUntil = performance.now() + KEPT_MS;
  }

  async #write(): Promise<void> {
    const said = new Map(this.#said);
    const changed = await change(this.#file, (before) => new Map([...before, ...said]));
    this.#writes += 1;
    this.#reading = undefined;
    this.#keep(changed);
    for (const [caller, stopped] of said) if (this.#said.get(caller) === stopped) this.#said.delete(caller);
  }
}

/**
 * The operator goes on with what callers have stopped; returns what that was.
 * @throws PrivateFileError
 */
export async function resumeCallers(file: string, what: readonly SignerStop[]): Promise<SignerStop[]> {
  const resumed = new Set<SignerStop>();
  // A signer of before had none.
  if ((await readPrivateFile(file)) === undefined) return [];
  await change(file, (before) => {
    const rest = [...before].map(([caller, stopped]): [string, StoppedHere] => {
      const kept = Object.entries(stopped).filter(([each]) => !what.includes(each as SignerStop));
      for (const each of what) if (stopped[each] !== undefined) resumed.add(each);
      return [caller, Object.fromEntries(kept)];
    });
    return new Map(rest);
  });
  return SIGNER_STOPS.filter((each) => resumed.has(each));
}

/** The signer and the command on its machine never undo each other's change. A damaged file is written anew. */
function change(file: string, next: (before: ByCaller) => ByCaller): Promise<ByCaller> {
  return whileLocked(file, async () => {
    const before = await readFile(file).catch((error: unknown) => {
      if (error instanceof DamagedStops) return new Map<string, StoppedHere>();
      throw error;
    });
    const after = new Map([...next(before)].filter(([, stopped]) => Object.keys(stopped).length > 0));
    const content = contentOf(after);
    await replacePrivateFile(file, content, async (written) => {
      if (written !== content) throw new PrivateFileError(`${file} is not what was written to it`);
    });
    return after;
  });
}

async function readFile(file: string): Promise<ByCaller> {
  const content = await readPrivateFile(file);
  if (content === undefined) throw new PrivateFileError(`${file} does not exist: a start of the signer makes it`);
  try {
    return new Map(Object.entries(File.read(JSON.parse(content.toString('utf8')), '').callers));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof Misshapen)) throw error;
    throw new DamagedStops(`${file} is damaged: "slipway signer resume" writes it anew`);
  }
}

const contentOf = (callers: ByCaller): string => `${JSON.stringify({ callers: Object.fromEntries(callers) })}\n`;

const isSame = (one: StoppedHere, other: StoppedHere): boolean =>
  SIGNER_STOPS.every((what) => one[what] === other[what]);
