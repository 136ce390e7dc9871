import { type Address, verify } from '@slipway/wire';
import { steadyNow } from '../lib/clock.js';
import { cached } from '../lib/single-flight.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { type KeyManagement, KeyManagementError, type OnChange } from './key-management.js';
import { WALLET_ROLES, type WalletKeySource, type WalletRole } from './wallet-keys.js';

/** A key that fails now and then is not told of with each use. */
const QUIET_MS = 1_000;

/** A trial before a signature takes no longer, so that both are done before the caller of the signer gives up. */
const READY_MS = 1_000;

/** The keys in key management, whose every signature is checked before anybody has it. */
export interface ManagedKeys extends WalletKeySource {
  /** Tries a wallet's key that has failed at its last use. @throws KeyManagementError while it still does */
  ready(role: WalletRole): Promise<void>;
  /** Has each wallet's key sign something, unless they have done so just before. @throws KeyManagementError */
  tryAll(): Promise<void>;
}

/** `numberOf`: which key of a wallet is used now. */
export function openManagedKeys(
  keys: KeyManagement,
  numberOf: (role: WalletRole) => number,
  onChange?: OnChange,
): ManagedKeys {
  const addresses = new Map<string, Address>();
  const health = new Health(keys.trialMs, onChange);

  async function address(role: WalletRole, number: number, isNeeded: boolean): Promise<Address | undefined> {
    const name = `${role} ${number}`;
    const found = addresses.get(name) ?? (await keys.address(role, number, isNeeded));
    if (found !== undefined) addresses.set(name, found);
    return found;
  }

  /** @throws KeyManagementError where it is no signature of the key that was there at first */
  async function checked(role: WalletRole, number: number, message: Uint8Array): Promise<Uint8Array> {
    const expected = await address(role, number, true);
    const signature = await keys.sign(role, number, message);
    if (verify(expected!, message, signature)) return signature;
    throw new KeyManagementError(`what ${keys.name} signs for ${role} does not fit the key's address: it is not used`);
  }

  async function sign(role: WalletRole, number: number, message: Uint8Array): Promise<Uint8Array> {
    try {
      const signature = await checked(role, number, message);
      health.works(role);
      return signature;
    } catch (error) {
      if (error instanceof KeyManagementError) health.fails(role, error.message);
      throw error;
    }
  }

  // At the same time, whoever asks shares one trial.
  const shared = (tryNow: () => Promise<unknown>) => cached(tryNow, 0, steadyNow);
  const trial = (role: WalletRole) => shared(() => sign(role, numberOf(role), trialOf(role)));
  const trials = { gas: trial('gas'), keeper: trial('keeper'), tracker: trial('tracker') };
  const tryAll = shared(async () => {
    // To the end of each, so that none goes on that a later one would share.
    const tried = await Promise.allSettled(WALLET_ROLES.map((role) => trials[role]()));
    for (const each of tried) if (each.status === 'rejected') throw each.reason;
    health.allWork();
  });
  async function ready(role: WalletRole): Promise<void> {
    if (!health.isFailing(role)) return;
    const isTried = await waitAtMost(
      READY_MS,
      trials[role]().then(() => {}),
    );
    if (!isTried)
      throw new KeyManagementError(`${keys.name} has not signed for ${role} a moment ago, and is tried again`);
  }

  return {
    address,
    sign,
    async make(role, number) {
      await keys.make(role, number);
      // A key that may be read and not used would only be found when the wallet is this one.
      await checked(role, number, trialOf(role));
    },
    ready,
    tryAll: async () => void (health.isKnown() || (await tryAll())),
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

  isFailing(role: WalletRole): boolean {
    return this.#failing.has(role);
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
