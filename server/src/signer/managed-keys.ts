import { type Address, verify } from '@slipway/wire';
import { steadyNow } from '../lib/clock.js';
import { cached } from '../lib/single-flight.js';
import { type KeyManagement, KeyManagementError, type OnChange } from './key-management.js';
import { WALLET_ROLES, type WalletKeySource, type WalletRole } from './wallet-keys.js';

/** A key that fails now and then is not told of with each use. */
const QUIET_MS = 1_000;

/** The keys in key management, whose every signature is checked before anybody has it. */
export interface ManagedKeys extends WalletKeySource {
  /**
   * Has the key of each wallet that has this number sign something, unless they have done so just before.
   *
   * @throws KeyManagementError
   */
  tryAll(numberOf: (role: WalletRole) => number): Promise<void>;
}

export function openManagedKeys(keys: KeyManagement, onChange?: OnChange): ManagedKeys {
  const addresses = new Map<string, Address>();
  const health = new Health(keys.trialMs, onChange);

  async function address(role: WalletRole, number: number, isNeeded: boolean): Promise<Address | undefined> {
    const name = `${role} ${number}`;
    const found = addresses.get(name) ?? (await keys.address(role, number, isNeeded));
    if (found !== undefined) addresses.set(name, found);
    return found;
  }

  async function sign(role: WalletRole, number: number, message: Uint8Array): Promise<Uint8Array> {
    try {
      const expected = await address(role, number, true);
      const signature = await keys.sign(role, number, message);
      if (!verify(expected!, message, signature)) {
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

  let numberOf: (role: WalletRole) => number = () => 0;
  const tryNow = async () => {
    await Promise.all(WALLET_ROLES.map((role) => sign(role, numberOf(role), trialOf(role))));
    health.allWork();
  };
  // At the same time, whoever asks shares one trial.
  const tryAll = cached(tryNow, 0, steadyNow);
  return {
    address,
    sign,
    make: (role, number) => keys.make(role, number),
    async tryAll(numbers) {
      numberOf = numbers;
      if (!health.isKnown()) await tryAll();
    },
  };
}

/** No transaction begins like this. */
export const trialOf = (role: string): Uint8Array => Buffer.from(`slipway tries the key ${role}\n`);

/** What the last uses say about whether keys can be used. */
class Health {
  readonly #trialMs: number;
  readonly #onChange: OnChange | undefined;
  readonly #failing = new Set<WalletRole>();
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

  fails(role: WalletRole, why: string): void {
    this.#failing.add(role);
    this.#lastFailure = steadyNow();
    this.#goodUntil = Number.NEGATIVE_INFINITY;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#onChange?.({ away: why });
  }

  works(role: WalletRole): void {
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
