import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Address } from '@slipway/wire';
import { PrivateFileError } from './private-file.js';

/** The wallets of the service whose keys can be exchanged for the next ones. */
export const WALLET_ROLES = ['gas', 'keeper', 'tracker'] as const;
export type WalletRole = (typeof WALLET_ROLES)[number];

/**
 * Which keys a wallet has, by their numbers. `current` is the wallet. Those from `oldest` on sign what was crafted with them;
 * those before are retired. `newest` is one more than `current` while the next wallet is made ready.
 */
export interface KeyNumbers {
  readonly oldest: number;
  readonly current: number;
  readonly newest: number;
}

/** The keys of a wallet. `addresses`: by number; null for a retired one that a token has no longer. */
export interface WalletKeys extends KeyNumbers {
  readonly addresses: readonly (Address | null)[];
}

/** Has the keys of the wallets, by their numbers. */
export interface WalletKeySource {
  /**
   * Those that were there at first: keys that come in their place are not used. Undefined where there is none.
   *
   * @throws KeyManagementError where there is none that `isNeeded`
   */
  address(role: WalletRole, number: number, isNeeded: boolean): Promise<Address | undefined>;
  /** The ed25519 signature (64 bytes) of a message. */
  sign(role: WalletRole, number: number, message: Uint8Array): Promise<Uint8Array>;
  /** Makes it where it can, unless there is one. */
  make(role: WalletRole, number: number): Promise<void>;
}

export type OwnWallets = Readonly<Record<WalletRole, WalletKeys>>;
/** What a signer file says of the keys of a wallet. Files from before have no addresses. */
export interface NotedKeys extends KeyNumbers {
  /** By number: a key that comes in the place of one that was there is not used. */
  readonly addresses?: readonly (Address | null)[];
}
export type NotedWallets = Readonly<Record<WalletRole, NotedKeys>>;

/** A step of an exchange, in this order. Each can be asked for again once it is done. */
export type RotationStep = 'make' | 'use' | 'retire';
export const ROTATION_STEPS: readonly RotationStep[] = ['make', 'use', 'retire'];

const FIRST: KeyNumbers = { oldest: 0, current: 0, newest: 0 };
const MOST_KEYS = 1_000;

export const isWalletRole = (name: string): name is WalletRole => (WALLET_ROLES as readonly string[]).includes(name);

/** The addresses of a wallet whose keys sign by their policies, the current one first. */
export function usableAddresses({ oldest, current, newest, addresses }: WalletKeys): Address[] {
  const others = addresses.slice(oldest, newest + 1).filter((_, i) => oldest + i !== current);
  return [addresses[current]!, ...others].filter((each) => each !== null);
}

/** All that a wallet is and was, the present address first: they tell the signer file from any other, and from a copy of before. */
export function addressesOf({ wallets }: { wallets(): OwnWallets }, role: WalletRole): Address[] {
  const { addresses, current } = wallets()[role];
  const before = addresses.slice(0, current).filter((address) => address !== null);
  return [addresses[current]!, ...before];
}

export const gasWallets = (signer: { wallets(): OwnWallets }): Address[] => addressesOf(signer, 'gas');

/** Wallets of which no key was ever exchanged. */
export function firstWallets(addressOf: (role: WalletRole) => Address): OwnWallets {
  const wallets = WALLET_ROLES.map((role) => [role, { ...FIRST, addresses: [addressOf(role)] }]);
  return Object.fromEntries(wallets) as OwnWallets;
}

/** What a step makes of the numbers; the same ones where it is done already. @throws Error where another must come first */
export function numbersAfter(numbers: KeyNumbers, step: RotationStep): KeyNumbers {
  const { oldest, current, newest } = numbers;
  if (step === 'retire') return { ...numbers, oldest: current };
  if (step === 'use') return { ...numbers, current: newest };
  if (newest > current) return numbers;
  if (oldest < current) throw new Error('the exchange before this one has not ended yet');
  if (newest + 1 >= MOST_KEYS) throw new Error(`a wallet has at most ${MOST_KEYS} keys`);
  return { ...numbers, newest: newest + 1 };
}

/** A signer file: what has the seed, and which keys its wallets have where one was ever exchanged. */
interface Parts {
  seed: string;
  wallets: unknown;
}

/** Takes a signer file apart, whatever encrypts its seed. */
export function partsOf(text: string): Parts {
  const whole = { seed: text, wallets: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return whole;
  }
  if (typeof value !== 'object' || value === null || !('wallets' in value)) return whole;
  const { wallets, ...rest } = value;
  const seed = `${JSON.stringify(rest, undefined, 2)}\n`;
  // Written otherwise it is damaged, which the seed's part will say.
  return joined({ seed, wallets }) === text ? { seed, wallets } : whole;
}

/** The file with another seed part, or with what `withNumbers` has made. */
export function joined({ seed, wallets }: Parts): string {
  if (wallets === undefined) return seed;
  return `${JSON.stringify({ ...(JSON.parse(seed) as object), wallets }, undefined, 2)}\n`;
}

/** The part of a signer file that says which keys there are; only who has the seed can write it. */
export function sealNoted(wallets: OwnWallets, key: Uint8Array): unknown {
  const listed = WALLET_ROLES.map((role) => {
    const { oldest, current, newest, addresses } = wallets[role];
    return [role, { oldest, current, newest, addresses }];
  });
  const written = Object.fromEntries(listed) as NotedWallets;
  return { ...written, mac: macOf(written, key).toString('hex') };
}

/** @throws PrivateFileError where it was not written with this key. `path`: for the message. */
export function openNoted(wallets: unknown, key: Uint8Array, path: string): NotedWallets {
  if (wallets === undefined) return { gas: FIRST, keeper: FIRST, tracker: FIRST };
  const damaged = new PrivateFileError(`${path} is damaged (its wallets): restore it from a backup`);
  if (typeof wallets !== 'object' || wallets === null) throw damaged;
  const { mac, ...noted } = wallets as NotedWallets & { mac?: unknown };
  if (!WALLET_ROLES.every((role) => isNoted(noted[role]))) throw damaged;
  const given = Buffer.from(typeof mac === 'string' ? mac : '', 'hex');
  const expected = macOf(noted, key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw damaged;
  return noted;
}

function isNoted(value: unknown): value is NotedKeys {
  if (typeof value !== 'object' || value === null) return false;
  const { oldest, current, newest, addresses } = value as Partial<NotedKeys>;
  const isCount = [oldest, current, newest].every((each) => Number.isSafeInteger(each) && each! >= 0);
  const isOrdered = isCount && oldest! <= current! && current! <= newest! && newest! - current! <= 1;
  const isWhole = addresses === undefined || (Array.isArray(addresses) && addresses.length === newest! + 1);
  return isOrdered && newest! < MOST_KEYS && isWhole;
}

function macOf(noted: NotedWallets, key: Uint8Array): Buffer {
  const listed = WALLET_ROLES.map((role) => {
    const { oldest, current, newest, addresses } = noted[role];
    return [role, oldest, current, newest, ...(addresses === undefined ? [] : [addresses])];
  });
  return createHmac('sha256', key)
    .update(`slipway wallet keys 1\n${JSON.stringify(listed)}`)
    .digest();
}
