import { type Address, base58Encode } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import type { KeyManagement, SeedText } from '../key-management.js';
import { SignerRefused } from '../policies/index.js';
import { WALLET_ROLES, type WalletRole } from '../wallet-keys.js';
import { sourceOf } from './credential-sources.js';
import { Credentials } from './credentials.js';
import { createExchange, type Exchange } from './exchange.js';
import { KmsClient } from './kms-client.js';
import { KmsError } from './kms-error.js';
import { bytesOf, type FirstAddresses, KMS_FILE, openSeedInKms, sealSeedInKms, seedKeyOf } from './kms-seed.js';

/**
 * As the settings of the signer name them; keys by their id, ARN or alias. The key after that of an alias `alias/slipway-gas` has
 * the alias `alias/slipway-gas-2`.
 */
export interface KmsSettings {
  readonly region: string;
  /** Instead of the usual one of the region. */
  readonly endpoint?: string | undefined;
  readonly keys: Readonly<Record<WalletRole | 'seed', string>>;
}

interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  /** How requests are sent, and by what their seconds are counted; for tests. */
  exchange?: Exchange;
  steadyNow?: () => number;
}

/** Each trial is paid for, and whoever asks whether the service is ready needs no key. */
const TRIAL_MS = 10_000;
/** What AWS KMS signs without a digest before. */
const MOST_MESSAGE_BYTES = 4_096;
/**
 * Of one wallet, more than that at a time are refused: a connection of a caller has room for others, too. Clients have the tracker
 * and the gas wallet sign as often as they post, and the keeper's fills must not wait behind them.
 */
const MOST_WAITING = 200;
const ED25519 = { spec: 'ECC_NIST_EDWARDS25519', algorithm: 'ED25519_SHA_512', messageType: 'RAW' } as const;
/** As the settings may name one, with its region and account or without. */
const ALIAS = /^(?:arn:[^/]*:)?alias\//;
/** How the DER of an Ed25519 public key begins, as a SubjectPublicKeyInfo; 32 bytes follow. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys in AWS KMS. Asks it for nothing yet. @throws KmsError when there are no credentials to try. */
export function openKmsKeys(settings: KmsSettings, surroundings: Surroundings): KeyManagement {
  const { region } = settings;
  const { env, clock, exchange = createExchange(), steadyNow } = surroundings;
  const credentials = new Credentials(sourceOf(env, exchange), clock);
  const endpoint = new URL(settings.endpoint ?? usualEndpoint(region));
  return new KmsKeys(new KmsClient({ endpoint, region, credentials, exchange, clock, steadyNow }), settings.keys);
}

function usualEndpoint(region: string): string {
  return `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

interface KnownKey {
  arn: string;
  address: Address;
}

/** What AWS KMS says of a key that was given up. */
const GONE = ['NotFoundException', 'DisabledException', 'KMSInvalidStateException'];

class KmsKeys implements KeyManagement {
  readonly fileVersion = KMS_FILE;
  readonly trialMs = TRIAL_MS;
  readonly #kms: KmsClient;
  readonly #names: KmsSettings['keys'];
  /** By their roles and numbers. */
  readonly #known = new Map<string, KnownKey>();
  readonly #waiting: Record<WalletRole, number> = { gas: 0, keeper: 0, tracker: 0 };

  constructor(kms: KmsClient, names: KmsSettings['keys']) {
    this.#kms = kms;
    this.#names = names;
  }

  get name(): string {
    return `AWS KMS (${this.#kms.host}, with credentials of ${this.#kms.credentials})`;
  }

  async address(role: WalletRole, number: number, isNeeded: boolean): Promise<Address | undefined> {
    const found = await this.#key(role, number).catch((error: Error) => {
      if (isNeeded || !(error instanceof KmsError) || !GONE.includes(error.code)) throw error;
      return undefined;
    });
    return found?.address;
  }

  async sign(role: WalletRole, number: number, message: Uint8Array): Promise<Uint8Array> {
    if (message.length > MOST_MESSAGE_BYTES) {
      throw new SignerRefused(role, `AWS KMS signs at most ${MOST_MESSAGE_BYTES} bytes`);
    }
    if (this.#waiting[role] >= MOST_WAITING) throw new KmsError(`${MOST_WAITING} signatures wait for AWS KMS`);
    this.#waiting[role] += 1;
    try {
      const { arn } = await this.#key(role, number);
      const { Signature } = await this.#kms.call('Sign', {
        KeyId: arn,
        Message: Buffer.from(message).toString('base64'),
        MessageType: ED25519.messageType,
        SigningAlgorithm: ED25519.algorithm,
      });
      const signature = bytesOf(Signature);
      if (signature?.length === 64) return new Uint8Array(signature);
      throw new KmsError(`what AWS KMS signs with ${this.#nameOf(role, number)} is no signature: it is not used`);
    } finally {
      this.#waiting[role] -= 1;
    }
  }

  /** Keys are made by who runs AWS KMS. @throws KmsError that says which one to make */
  async make(role: WalletRole, number: number): Promise<void> {
    const name = this.#nameOf(role, number);
    if (!ALIAS.test(this.#names[role])) {
      throw new KmsError(`kms.keys.${role} must be an alias, so that the next key can have its name and a number`);
    }
    await this.#key(role, number).catch((error: Error) => {
      if (!(error instanceof KmsError) || error.code !== 'NotFoundException') throw error;
      const what = `a key of the spec ${ED25519.spec} with this alias, and permit the signer to use it`;
      throw new KmsError(`AWS KMS has no key ${name}, the next one of the ${role} wallet: make ${what}`, error.code);
    });
  }

  async prepare(): Promise<void> {
    await this.#firstAddresses();
    await this.#seedKey(this.#names.seed);
  }

  async sealSeed(seed: Uint8Array, key = this.#names.seed): Promise<string> {
    return sealSeedInKms(seed, { kms: this.#kms, key, addresses: await this.#firstAddresses() });
  }

  async openSeed(file: SeedText, key = this.#names.seed): Promise<Uint8Array> {
    return openSeedInKms(file, { kms: this.#kms, key, addresses: await this.#firstAddresses() });
  }

  seedKeyOf = seedKeyOf;

  keyAfter(_old: string, wanted: string | undefined): Promise<string> {
    return this.#seedKey(wanted ?? this.#names.seed);
  }

  /** They stay in the signer file, also when another key is used. */
  async #firstAddresses(): Promise<FirstAddresses> {
    const [gas, keeper, tracker] = await Promise.all(WALLET_ROLES.map((role) => this.#key(role, 0)));
    return { gas: gas!.address, keeper: keeper!.address, tracker: tracker!.address };
  }

  #nameOf(role: WalletRole, number: number): string {
    return `${this.#names[role]}${number === 0 ? '' : `-${number + 1}`}`;
  }

  /** Those that were there at first: an alias that is moved to another key changes nothing until the next start. */
  async #key(role: WalletRole, number: number): Promise<KnownKey> {
    const which = `${role} ${number}`;
    const known = this.#known.get(which);
    if (known !== undefined) return known;
    const found = await this.#publicKey(this.#nameOf(role, number));
    const twin = [...this.#known].find(([other, { address }]) => other !== which && address === found.address);
    if (twin !== undefined) {
      throw new KmsError(
        `kms.keys must be another key for each of gas, keeper and tracker: ${twin[0]} and ${which} are one`,
      );
    }
    const first = this.#known.get(which) ?? found;
    this.#known.set(which, first);
    return first;
  }

  async #publicKey(name: string): Promise<KnownKey> {
    const { KeyId, KeySpec, KeyUsage, PublicKey } = await this.#kms.call('GetPublicKey', { KeyId: name });
    if (KeySpec !== ED25519.spec || KeyUsage !== 'SIGN_VERIFY') {
      throw new KmsError(
        `the key ${name} must have the spec ${ED25519.spec} and the usage SIGN_VERIFY: make another one`,
      );
    }
    const der = bytesOf(PublicKey);
    const isOne = der?.length === SPKI_PREFIX.length + 32 && der.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX);
    if (!isOne || typeof KeyId !== 'string') throw new KmsError(`what AWS KMS gives for ${name} is no Ed25519 key`);
    return { arn: KeyId, address: base58Encode(der.subarray(SPKI_PREFIX.length)) as Address };
  }

  /** The ARN of a key that can encrypt the seed. */
  async #seedKey(name: string): Promise<string> {
    const { KeyMetadata } = await this.#kms.call('DescribeKey', { KeyId: name });
    const { Arn, KeySpec, KeyUsage, Enabled } = (KeyMetadata ?? {}) as Record<string, unknown>;
    if (
      typeof Arn !== 'string' ||
      KeySpec !== 'SYMMETRIC_DEFAULT' ||
      KeyUsage !== 'ENCRYPT_DECRYPT' ||
      Enabled !== true
    ) {
      throw new KmsError(`the key ${name} must be enabled, and have the spec SYMMETRIC_DEFAULT: name another one`);
    }
    return Arn;
  }
}
