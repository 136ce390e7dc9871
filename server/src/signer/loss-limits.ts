import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.js';
import { RecentNames } from '../lib/recent-names.js';
import { coalesced } from '../lib/single-flight.js';
import { NotNow } from './policies/index.js';
import { createPrivateFile, PrivateFileError, readPrivateFile, replacePrivateFile } from './private-file.js';
import { dictionary, list, Misshapen, record, whole } from './socket/shapes.js';

/** The wallets that pay fees and rents. */
export const PAYERS = ['gas', 'keeper'] as const;
export type Payer = (typeof PAYERS)[number];

/**
 * What is summed up: all that each payer signs for, and of the keeper's what fills no trigger order. Strangers on the chain have it
 * sign that, and may not use up by it what stop-losses need.
 */
const SUMS = [...PAYERS, 'others'] as const;
type Sum = (typeof SUMS)[number];
type Signed = Readonly<Record<Sum, Map<number, bigint>>>;
/** The part of the keeper's limit that these others may use. */
const OF_OTHERS = 2n;

/** The most that a wallet may lose by what it signs, in lamports. */
export interface LossLimit {
  hour: bigint;
  day: bigint;
}

/** What a transaction may cost a payer. */
export interface Loss {
  payer: Payer;
  lamports: bigint;
  /** Whether it fills a trigger order, by the order's seal. */
  fillsOrder?: boolean;
}

interface LossLimitsOptions {
  /** Where it is written down what has been signed for. Without it each start begins anew, and the clock must be a steady one. */
  file?: string | undefined;
  limits: Readonly<Record<Payer, LossLimit>>;
  clock: Clock;
  /** Told once in an hour of a payer that comes near its limit. */
  nearing: (payer: Payer, why: string) => void;
  /** Told at the start and once in an hour that the limits go by a time which is not now. */
  ahead?: ((why: string) => void) | undefined;
}

const SPAN_MS = 5 * 60_000;
const SPANS = { hour: 12, day: 288 };
/** Clocks that are put right by less than that shut no limit for long. */
const SPARE_SPANS = 2;
const TELL_AHEAD_MS = 3_600_000;
/** Of the limit of an hour is put down ahead, so that few signatures wait for the disk. A start counts it as signed for. */
const AHEAD = 50n;
const NEAR = { of: 5n, part: 4n };
/** Messages whose signatures are known: the same bytes lose nothing twice. */
const LEAST_KNOWN = 25_000;

const File = record({
  version: whole(1, 1),
  /** From the number of a span to lamports. */
  signed: dictionary(
    /^(?:gas|keeper|others)$/,
    list(record({ span: whole(0, 1e9), lamports: whole(0, Number.MAX_SAFE_INTEGER) }), 400),
  ),
});

/**
 * Keeps what the gas wallet and the keeper can lose by what they sign within bounds, whoever asks. What has been signed for
 * is on the disk before the signature is given out, so that it is not forgotten when the process dies.
 */
export class LossLimits {
  readonly #options: LossLimitsOptions;
  /** By span. */
  readonly #signed: Signed;
  readonly #written: Signed;
  readonly #known = new RecentNames(LEAST_KNOWN);
  readonly #told = new Map<Sum, number>();
  #span: number;
  #toldAheadAt = Number.NEGATIVE_INFINITY;
  readonly #putDown = coalesced(() => this.#write());

  private constructor(options: LossLimitsOptions, signed: Signed) {
    this.#options = options;
    this.#signed = signed;
    this.#written = ofEach((sum) => new Map(signed[sum]));
    this.#span = Math.max(0, ...signed.gas.keys(), ...signed.keeper.keys());
  }

  /** @throws PrivateFileError when the file is damaged or open to others */
  static async open(options: LossLimitsOptions): Promise<LossLimits> {
    const limits = new LossLimits(options, await writtenIn(options.file));
    limits.#tellAhead();
    return limits;
  }

  /** What is wrong with them, and what to do: they go by a time that is not now, because the clock was once ahead. */
  get warning(): string | undefined {
    if (this.#span - this.#spanNow() <= SPARE_SPANS) return undefined;
    const until = new Date(this.#span * SPAN_MS).toISOString();
    return `its clock was once ahead: until ${until} no limit opens again. Put the clock right, end the signer, and move ${this.#options.file} away`;
  }

  /**
   * Counts what the signatures under a message may cost; nothing for a message that was counted before.
   * @throws NotNow when a limit does not allow it, or it cannot be written down
   */
  async take(message: Uint8Array, losses: readonly Loss[]): Promise<void> {
    // By payer, because each key may be asked for by itself.
    const payers = losses.map(({ payer }) => payer).join();
    const name = `${payers} ${createHash('sha256').update(message).digest('base64')}`;
    if (losses.length === 0 || this.#known.has(name)) return;
    // A clock that goes back opens no hour that was used up.
    this.#span = Math.max(this.#span, this.#spanNow());
    this.#tellAhead();
    const now = this.#span;
    const counted = losses.flatMap((loss) => sumsOf(loss).map((sum) => ({ sum, lamports: loss.lamports })));
    for (const { sum, lamports } of counted) this.#check(sum, lamports);
    for (const { sum, lamports } of counted) {
      const spans = this.#signed[sum];
      spans.set(now, (spans.get(now) ?? 0n) + lamports);
    }
    try {
      const sums = counted.map(({ sum }) => sum);
      if (this.#options.file !== undefined) await this.#writeDown(sums, now);
    } catch (error) {
      // Nothing is signed: or else a disk that is full for some minutes would use up the hour.
      for (const { sum, lamports } of counted) {
        const spans = this.#signed[sum];
        spans.set(now, (spans.get(now) ?? lamports) - lamports);
      }
      throw error;
    }
    this.#known.add(name);
  }

  async #writeDown(sums: readonly Sum[], now: number): Promise<void> {
    try {
      while (sums.some((sum) => (this.#signed[sum].get(now) ?? 0n) > (this.#written[sum].get(now) ?? 0n)))
        await this.#putDown();
    } catch (error) {
      throw new NotNow(`what it signs for cannot be written down (${(error as Error).message})`);
    }
  }

  #check(of: Sum, lamports: bigint): void {
    const payer = payerOf(of);
    for (const window of ['hour', 'day'] as const) {
      const [most, sum] = [this.#limitOf(of)[window], this.#sumOf(of, SPANS[window])];
      const but = of === 'others' ? ', trigger orders aside' : '';
      const why = `it has signed for ${solOf(sum)} SOL within the ${window}${but}, and may for ${solOf(most)}`;
      if (sum + lamports > most) {
        const error = new NotNow([why, this.warning].filter((each) => each !== undefined).join('; '));
        error.key = payer;
        throw error;
      }
      if (sum * NEAR.of >= most * NEAR.part) this.#tell(of, why);
    }
  }

  #limitOf(sum: Sum): LossLimit {
    const { hour, day } = this.#options.limits[payerOf(sum)];
    return sum === 'others' ? { hour: hour / OF_OTHERS, day: day / OF_OTHERS } : { hour, day };
  }

  #spanNow(): number {
    return Math.floor(this.#options.clock.now() / SPAN_MS);
  }

  #tellAhead(): void {
    const { warning } = this;
    if (warning === undefined || performance.now() - this.#toldAheadAt < TELL_AHEAD_MS) return;
    this.#toldAheadAt = performance.now();
    this.#options.ahead?.(warning);
  }

  #tell(of: Sum, why: string): void {
    if (this.#span - (this.#told.get(of) ?? -SPANS.hour) < SPANS.hour) return;
    this.#told.set(of, this.#span);
    this.#options.nearing(payerOf(of), why);
  }

  /** Of the span now, and as many before it as the window has. */
  #sumOf(of: Sum, spans: number): bigint {
    let sum = 0n;
    for (const [span, lamports] of this.#signed[of]) {
      if (span < this.#span - SPANS.day) this.#signed[of].delete(span);
      else if (span >= this.#span - spans) sum += lamports;
    }
    return sum;
  }

  async #write(): Promise<void> {
    const { file } = this.#options;
    if (file === undefined) return;
    const next = ofEach((sum) => {
      const ahead = this.#limitOf(sum).hour / AHEAD;
      // Never less than before of the span now: meanwhile others are signed for who go by what is written.
      const least = this.#written[sum].get(this.#span) ?? 0n;
      const putDown = (lamports: bigint) => (lamports + ahead > least ? lamports + ahead : least);
      const spans = [...this.#signed[sum]];
      return new Map(spans.map(([span, lamports]) => [span, span === this.#span ? putDown(lamports) : lamports]));
    });
    const content = contentOf(next);
    await replacePrivateFile(file, content, async (written) => {
      if (written !== content) throw new PrivateFileError(`${file} is not what was written to it`);
    });
    for (const sum of SUMS) {
      this.#written[sum].clear();
      for (const [span, lamports] of next[sum]) this.#written[sum].set(span, lamports);
    }
  }
}

const ofEach = <T>(make: (sum: Sum) => T): Record<Sum, T> => ({
  gas: make('gas'),
  keeper: make('keeper'),
  others: make('others'),
});
const nothing = (): Signed => ofEach(() => new Map());
const payerOf = (sum: Sum): Payer => (sum === 'others' ? 'keeper' : sum);
const sumsOf = ({ payer, fillsOrder }: Loss): Sum[] =>
  payer === 'keeper' && !fillsOrder ? ['keeper', 'others'] : [payer];

async function writtenIn(file: string | undefined): Promise<Signed> {
  if (file === undefined) return nothing();
  const content = await readPrivateFile(file);
  if (content !== undefined) return readContent(content.toString('utf8'), file);
  await createPrivateFile(file, contentOf(nothing()));
  return nothing();
}

function contentOf(signed: Signed): string {
  const spansOf = (sum: Sum) => [...signed[sum]].map(([span, lamports]) => ({ span, lamports: Number(lamports) }));
  return `${JSON.stringify({ version: 1, signed: ofEach(spansOf) })}\n`;
}

function readContent(content: string, file: string): Signed {
  try {
    const { signed } = File.read(JSON.parse(content), '');
    return ofEach((sum) => {
      // A version before has not told these apart.
      const spans = signed[sum] ?? [];
      return new Map(spans.map(({ span, lamports }) => [span, BigInt(lamports)] as const));
    });
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof Misshapen)) throw error;
    throw new PrivateFileError(`${file} is damaged: move it away, and the limits begin anew`, { cause: error });
  }
}

function solOf(lamports: bigint): string {
  return (Number(lamports) / 1e9).toString();
}
