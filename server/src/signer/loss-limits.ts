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

/** The most that a wallet may lose by what it signs, in lamports. */
export interface LossLimit {
  hour: bigint;
  day: bigint;
}

/** What a transaction may cost a payer. */
export interface Loss {
  payer: Payer;
  lamports: bigint;
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
  /** By payer, from the number of a span to lamports. */
  signed: dictionary(
    /^(?:gas|keeper)$/,
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
  readonly #signed: Readonly<Record<Payer, Map<number, bigint>>>;
  readonly #written: Readonly<Record<Payer, Map<number, bigint>>>;
  readonly #known = new RecentNames(LEAST_KNOWN);
  readonly #told = new Map<Payer, number>();
  #span: number;
  #toldAheadAt = Number.NEGATIVE_INFINITY;
  readonly #putDown = coalesced(() => this.#write());

  private constructor(options: LossLimitsOptions, signed: Readonly<Record<Payer, Map<number, bigint>>>) {
    this.#options = options;
    this.#signed = signed;
    this.#written = { gas: new Map(signed.gas), keeper: new Map(signed.keeper) };
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
    for (const loss of losses) this.#check(loss);
    for (const { payer, lamports } of losses) {
      const spans = this.#signed[payer];
      spans.set(now, (spans.get(now) ?? 0n) + lamports);
    }
    if (this.#options.file !== undefined) await this.#writeDown(losses, now);
    this.#known.add(name);
  }

  async #writeDown(losses: readonly Loss[], now: number): Promise<void> {
    try {
      while (losses.some(({ payer }) => (this.#signed[payer].get(now) ?? 0n) > (this.#written[payer].get(now) ?? 0n)))
        await this.#putDown();
    } catch (error) {
      throw new NotNow(`what it signs for cannot be written down (${(error as Error).message})`);
    }
  }

  #check({ payer, lamports }: Loss): void {
    for (const window of ['hour', 'day'] as const) {
      const [most, sum] = [this.#options.limits[payer][window], this.#sumOf(payer, SPANS[window])];
      const why = `it has signed for ${solOf(sum)} SOL within the ${window}, and may for ${solOf(most)}`;
      if (sum + lamports > most) {
        const error = new NotNow([why, this.warning].filter((each) => each !== undefined).join('; '));
        error.key = payer;
        throw error;
      }
      if (sum * NEAR.of >= most * NEAR.part) this.#tell(payer, why);
    }
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

  #tell(payer: Payer, why: string): void {
    if (this.#span - (this.#told.get(payer) ?? -SPANS.hour) < SPANS.hour) return;
    this.#told.set(payer, this.#span);
    this.#options.nearing(payer, why);
  }

  /** Of the span now, and as many before it as the window has. */
  #sumOf(payer: Payer, spans: number): bigint {
    let sum = 0n;
    for (const [span, lamports] of this.#signed[payer]) {
      if (span < this.#span - SPANS.day) this.#signed[payer].delete(span);
      else if (span >= this.#span - spans) sum += lamports;
    }
    return sum;
  }

  async #write(): Promise<void> {
    const { file, limits } = this.#options;
    if (file === undefined) return;
    const ahead = (payer: Payer) =>
      new Map(
        [...this.#signed[payer]].map(([span, lamports]) => [
          span,
          span === this.#span ? lamports + limits[payer].hour / AHEAD : lamports,
        ]),
      );
    const next = { gas: ahead('gas'), keeper: ahead('keeper') };
    const content = contentOf(next);
    await replacePrivateFile(file, content, async (written) => {
      if (written !== content) throw new PrivateFileError(`${file} is not what was written to it`);
    });
    for (const payer of PAYERS) {
      this.#written[payer].clear();
      for (const [span, lamports] of next[payer]) this.#written[payer].set(span, lamports);
    }
  }
}

const nothing = (): Record<Payer, Map<number, bigint>> => ({ gas: new Map(), keeper: new Map() });

async function writtenIn(file: string | undefined): Promise<Record<Payer, Map<number, bigint>>> {
  if (file === undefined) return nothing();
  const content = await readPrivateFile(file);
  if (content !== undefined) return readContent(content.toString('utf8'), file);
  await createPrivateFile(file, contentOf(nothing()));
  return nothing();
}

function contentOf(signed: Readonly<Record<Payer, ReadonlyMap<number, bigint>>>): string {
  const spansOf = (payer: Payer) =>
    [...signed[payer]].map(([span, lamports]) => ({ span, lamports: Number(lamports) }));
  return `${JSON.stringify({ version: 1, signed: { gas: spansOf('gas'), keeper: spansOf('keeper') } })}\n`;
}

function readContent(content: string, file: string): Record<Payer, Map<number, bigint>> {
  try {
    const { signed } = File.read(JSON.parse(content), '');
    const of = (payer: Payer) =>
      new Map((signed[payer] ?? []).map(({ span, lamports }) => [span, BigInt(lamports)] as const));
    return { gas: of('gas'), keeper: of('keeper') };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof Misshapen)) throw error;
    throw new PrivateFileError(`${file} is damaged: move it away, and the limits begin anew`, { cause: error });
  }
}

function solOf(lamports: bigint): string {
  return (Number(lamports) / 1e9).toString();
}
