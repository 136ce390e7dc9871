import { verify } from '@slipway/wire';
import { steadyNow } from '../lib/clock.js';
import { cached } from '../lib/single-flight.js';
import {
  type KeyManagement,
  KeyManagementError,
  MANAGED_ROLES,
  type ManagedAddresses,
  type ManagedRole,
  type OnChange,
} from './key-management.js';

/** A key that fails now and then is not told of with each use. */
const QUIET_MS = 1_000;

/** The keys in key management, whose every signature is checked before anybody has it. */
export interface ManagedKeys {
  readonly addresses: ManagedAddresses;
  /** @throws KeyManagementError */
  sign(role: ManagedRole, message: Uint8Array): Promise<Uint8Array>;
  /** Has each key sign something, unless they have done so just before. @throws KeyManagementError */
  tryAll(): Promise<void>;
}

/** @throws KeyManagementError when a key is missing */
export async function openManagedKeys(keys: KeyManagement, onChange?: OnChange): Promise<ManagedKeys> {
  const addresses = await keys.addresses();
  const health = new Health(keys.trialMs, onChange);

  async function sign(role: ManagedRole, message: Uint8Array): Promise<Uint8Array> {
    try {
      const signature = await keys.sign(role, message);
      if (!verify(addresses[role], message, signature)) {
        throw new KeyManagementError(
          `what ${keys.name} signs for ${role} does not fit the key's address: it is not used`,
        );
      }
      health.works(role);
      return signature;
    } catch (error) {
      if (error instanceof KeyManagementError) health.fails(role, error.message);
      throw error;
    }
  }

  const tryNow = async () => {
    await Promise.all(MANAGED_ROLES.map((role) => sign(role, trialOf(role))));
    health.allWork();
  };
  // At the same time, whoever asks shares one trial.
  const tryAll = cached(tryNow, 0, steadyNow);
  return { addresses, sign, tryAll: async () => (health.isKnown() ? undefined : tryAll()) };
}

/** No transaction begins like this. */
export const trialOf = (role: string): Uint8Array => Buffer.from(`slipway tries the key ${role}\n`);

/** What the last uses say about whether keys can be used. */
class Health {
  readonly #trialMs: number;
  readonly #onChange: OnChange | undefined;
  readonly #failing = new Set<ManagedRole>();
  #lastFailure = Number.NEGATIVE_INFINITY;
  #goodUntil = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(trialMs: number, onChange: OnChange | undefined) {
    this.#trialMs = trialMs;
    this.#onChange = onChange;
  }

  /** Whether a trial would find nothing new. */
  isKnown(): boolean {
    return steadyNow() < this.#goodUntil;
  }

  fails(role: ManagedRole, why: string): void {
    this.#failing.add(role);
    this.#lastFailure = steadyNow();
    this.#goodUntil = Number.NEGATIVE_INFINITY;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#onChange?.({ away: why });
  }

  works(role: ManagedRole): void {
    this.#failing.delete(role);
    if (this.#failing.size === 0 && steadyNow() - this.#lastFailure >= QUIET_MS) this.#tellBack();
  }

  allWork(): void {
    if (this.#failing.size > 0) return;
    this.#goodUntil = steadyNow() + this.#trialMs;
    this.#tellBack();
  }

  #tellBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#onChange?.({ back: true });
  }
}
