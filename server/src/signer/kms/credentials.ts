import { type Clock, steadyNow } from '../../lib/clock.js';
import type { AwsCredentials } from './aws-signature.js';
import type { KmsError } from './kms-error.js';

/** Credentials, and until when they are good, in Unix milliseconds. */
export interface Loaded extends AwsCredentials {
  expiresAt?: number | undefined;
}

/** Where credentials come from. */
export interface CredentialSource {
  /** In words, without anything secret. */
  readonly name: string;
  /** @throws KmsError */
  load(): Promise<Loaded>;
}

/** Others are asked for that long before those that there are expire. */
const AHEAD_MS = 5 * 60_000;
/** A source is not asked again sooner. */
const PAUSE_MS = 1_000;

/** Credentials that are renewed before they expire; the old ones are used meanwhile, as long as they are good. */
export class Credentials {
  readonly #source: CredentialSource;
  readonly #clock: Clock;
  readonly #steadyNow: () => number;
  #current: Loaded | undefined;
  #flight: Promise<Loaded> | undefined;
  #failure: KmsError | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `now`: by what the pause is counted. */
  constructor(source: CredentialSource, clock: Clock, now = steadyNow) {
    this.#source = source;
    this.#clock = clock;
    this.#steadyNow = now;
  }

  get source(): string {
    return this.#source.name;
  }

  /** @throws KmsError when there are none. */
  async get(): Promise<AwsCredentials> {
    const left = this.#leftMs();
    if (this.#current === undefined || left <= 0) return this.#renew();
    // Whoever asks now does not wait for it, nor hears that it has failed.
    if (left < AHEAD_MS) void this.#renew().catch(() => {});
    return this.#current;
  }

  /** Has others loaded because these were refused; not where others have come in the meantime, or these came just now. */
  refuse(refused: AwsCredentials): void {
    if (this.#current === refused && this.#steadyNow() - this.#askedAt >= PAUSE_MS) this.#current = undefined;
  }

  #leftMs(): number {
    const { expiresAt = Number.POSITIVE_INFINITY } = this.#current ?? {};
    return expiresAt - this.#clock.now();
  }

  #renew(): Promise<Loaded> {
    if (this.#flight !== undefined) return this.#flight;
    if (this.#steadyNow() - this.#askedAt < PAUSE_MS) {
      if (this.#current !== undefined) return Promise.resolve(this.#current);
      if (this.#failure !== undefined) return Promise.reject(this.#failure);
    }
    this.#flight = this.#source
      .load()
      .then((loaded) => {
        this.#current = loaded;
        this.#failure = undefined;
        return loaded;
      })
      .catch((error: KmsError) => {
        this.#failure = error;
        throw error;
      })
      .finally(() => {
        this.#askedAt = this.#steadyNow();
        this.#flight = undefined;
      });
    return this.#flight;
  }
}
