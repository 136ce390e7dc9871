import { randomBytes } from 'node:crypto';
import { type Address, addressToBytes, type Keypair, keypairFromSeed, sign, verify } from '@slipway/wire';
import { type Clock, createClock } from '../lib/clock.js';
import { GrowingCache } from '../lib/growing-cache.js';
import type { BareKeys, KeyName } from './bare-keys.js';
import { SANDBOX_PROGRAMS } from './cosign.js';
import { type GuardedKeys, guardKeys, type ServiceWords } from './guarded-keys.js';
import type { KeyManagement, OnChange } from './key-management.js';
import type { LossLimits } from './loss-limits.js';
import { managedBy, requireManaged } from './managed-file.js';
import { openManagedKeys, trialOf } from './managed-keys.js';
import { numberedPath, searchMint } from './mint-search.js';
import { type KnownPrograms, SignerRefused } from './policies/index.js';
import { createPrivateFile, PrivateFileError, readPrivateFile } from './private-file.js';
import { type Role, roleKeypair, rolePath, roles } from './roles.js';
import { createSecretBox, type SecretBox } from './secret-box.js';
import { openSeed, sealSeed } from './seed-file.js';
import { deriveEd25519Seed, deriveNode, type KeyNode, rootNode, wipe } from './slip10.js';
import type { StopNow, StoppedHere } from './stop-file.js';
import {
  isWalletRole,
  type OwnWallets,
  partsOf,
  type RotationStep,
  WALLET_ROLES,
  type WalletRole,
} from './wallet-keys.js';
import { derivedWallets, WalletRing } from './wallet-ring.js';

/** Numbered like the roles, but no key of the chain: other people's secrets are encrypted with what comes of it. */
const SECRETS_NUMBER = 9;

/** Like that one: authenticates what the signer file says about the wallets. */
const WALLETS_NUMBER = 10;

/** Roots of many keys, numbered like the roles. */
const familyNumbers = {
  /** One key per wallet, at <root>/<the wallet's 32 bytes as sixteen big-endian numbers>. */
  vault: 4,
  /** One key per period, at <root>/<number>': they sign the tokens of logged-in wallets. */
  login: 5,
  /** One key per launched token, at <root>/<number / 2^31>'/<number mod 2^31>': its address is the mint's. */
  mint: 6,
  /** One key per launched token, numbered like its mint's: its address is that of the pool's configuration. */
  launch: 7,
} as const;

/** How many public keys are remembered, some 200 bytes each: to derive a vault's takes sixteen hashes of 64 bytes. */
const MAX_ADDRESSES = 10_000;

export type { Role };

/** Signs with the keys of the service. The keys cannot be reached through it. */
export interface Signer extends GuardedKeys, Required<Pick<BareKeys, 'publicKey' | 'sign' | 'wallets'>> {
  /** The public key of a role; of a wallet, its address as last known. */
  address(role: Role): Address;
}

/** Finds keys by their addresses. */
export interface MintFinder {
  /**
   * The number of a mint key whose address ends in `suffix`, searched for in its own thread: each further character
   * takes 58 times as long. @throws Error when `signal` aborts.
   */
  findMint(suffix: string, signal: AbortSignal): Promise<number>;
}

/** Exchanges the keys of the service's wallets. */
export interface WalletRotation {
  /** Takes a step towards the next key of a wallet, and writes it down. Can be asked for again. */
  rotate(role: WalletRole, step: RotationStep): Promise<OwnWallets>;
  /** Learns what others have exchanged. */
  reload(): Promise<void>;
}

/** Encrypts with a key of the seed. */
export interface SecretKeeper {
  readonly secrets: SecretBox;
}

/** Says where keys are. */
export interface KeySource {
  /** Where the keys are, in words, once each wallet of the service has been tried with a signature. @throws Error */
  describe(): Promise<string>;
}

/** How a signer is, besides that it signs. */
export interface SignerHealth {
  /** Why it signs nothing until its operator has done something. */
  fault?: string | undefined;
  /** What its operator should do something about. */
  warnings: readonly string[];
  stopped: readonly StopNow[];
}

/** What the copies and the operator of a signer hear of each other. */
export interface Operated {
  /** How it is, once each wallet of the service has been tried. @throws Error */
  state(): Promise<SignerHealth>;
  /** Says what is stopped in the copies, as far as the caller knows; returns what counts for it. */
  hearStops(stopped: StoppedHere): Promise<StoppedHere>;
}

export interface SignerOptions {
  /** Path of the encrypted seed. */
  file: string;
  passphrase?: string | undefined;
  /** The passphrase is 256 random bits: a new file need not be slow to open. */
  isRandom?: boolean;
  /** Has the keys of the wallets, and opens the file. */
  keys?: KeyManagement | undefined;
  /** Told when those keys cannot be used any more, and when they can again. */
  onKeysChange?: OnChange;
  /** Whether to create a new seed if the file does not exist; `only`: and to refuse a file that exists. */
  create: boolean | 'only';
  /** Programs that the policies know by their addresses; those of a sandbox by default. */
  programs?: KnownPrograms;
  /** Without it, no wallet can log in or have an order edited. */
  service?: ServiceWords | undefined;
  /** The service's, or that of the machine. */
  clock?: Clock | undefined;
  /** For how long it has been there, in milliseconds by a steady clock: login challenges of before are not taken. */
  age?: (() => number) | undefined;
  /** What the wallets may lose by what they sign. */
  limits?: Pick<LossLimits, 'take' | 'warning'> | undefined;
  /** What is stopped. */
  stops?: (() => Promise<readonly StopNow[]>) | undefined;
  /** Hears of each signature that is not made. */
  refused?: (refusal: SignerRefused) => void;
}

/**
 * Opens or creates the encrypted seed file, and derives the key of every role that key management does not have.
 *
 * @throws PrivateFileError when the file is missing (and `create` is false), damaged or open to other users, or when
 * the passphrase is missing or wrong. KeyManagementError when key management, or a key in it, cannot be used.
 */
export async function openSigner(options: SignerOptions): Promise<OpenedSigner> {
  return (await openWithBareKeys(options)).signer;
}

type OpenedSigner = Signer & WalletRotation & MintFinder & SecretKeeper & KeySource & Operated;

/** Also with keys that no policy guards, for what is part of this room. Throws like `openSigner`. */
export async function openWithBareKeys(options: SignerOptions): Promise<{ signer: OpenedSigner; bare: BareKeys }> {
  const seed = await loadSeed(options);
  const keypairs = new Map<string, Keypair>();
  for (const role of roles) if (!isWalletRole(role)) keypairs.set(role, roleKeypair(seed, role));
  const secretsKey = deriveEd25519Seed(seed, [44, 501, SECRETS_NUMBER]);
  const secrets = createSecretBox(secretsKey);
  secretsKey.fill(0);
  const walletsKey = deriveEd25519Seed(seed, [44, 501, WALLETS_NUMBER]);
  const root = rootNode(seed);
  const families = {
    vault: deriveNode(root, [44, 501, familyNumbers.vault]),
    login: deriveNode(root, [44, 501, familyNumbers.login]),
    mint: deriveNode(root, [44, 501, familyNumbers.mint]),
    launch: deriveNode(root, [44, 501, familyNumbers.launch]),
  };
  const managed =
    options.keys && openManagedKeys(options.keys, (role) => ring.wallets[role].current, options.onKeysChange);
  const source = managed ?? derivedWallets(walletRoots(root));
  wipe(root);
  seed.fill(0);
  const ring = await WalletRing.open({ file: options.file, source, key: walletsKey });
  const addresses = new GrowingCache<KeyName, Address>(MAX_ADDRESSES);
  // The keys live in this closure only: there is no property to print or to serialize.
  const keypair = (key: KeyName): Keypair => {
    const colon = key.indexOf(':');
    const found = colon < 0 ? keypairs.get(key) : memberKeypair(families, key.slice(0, colon), key.slice(colon + 1));
    if (found === undefined) throw new RangeError(`the signer has no key ${key}`);
    return found;
  };
  const bare = {
    async publicKey(key: KeyName) {
      const own = ownWallet(key);
      if (own) return own.address === undefined ? ring.address(own.role) : known(ring, own.role, own.address);
      const found = addresses.get(key) ?? keypair(key).address;
      addresses.set(key, found);
      return found;
    },
    async sign(key: KeyName, message: Uint8Array) {
      const own = ownWallet(key);
      return own ? ring.sign(own.role, own.address, message) : sign(keypair(key), message);
    },
    wallets: () => ring.wallets,
  };
  const ready = async (key: KeyName) => {
    const own = ownWallet(key);
    if (own) await managed?.ready(own.role);
  };
  const describe = async (): Promise<string> => {
    if (managed) await managed.tryAll();
    else for (const role of WALLET_ROLES) await tryKey(bare, role);
    return options.keys ? `${options.keys.name}, and ${options.file}, which it opens` : options.file;
  };
  if (managed) await describe();
  const { programs = SANDBOX_PROGRAMS, clock = createClock(), service, age, limits, stops, refused } = options;
  const signer: OpenedSigner = {
    ...guardKeys({ ...bare, ready }, { programs, clock, service, age, limits, stops, refused }),
    publicKey: bare.publicKey,
    sign: async (key, message) => bare.sign(unproved(key), message),
    describe,
    async state() {
      await describe();
      const warnings = limits?.warning === undefined ? [] : [limits.warning];
      try {
        return { warnings, stopped: (await stops?.()) ?? [] };
      } catch (error) {
        return { fault: `it is not known what is stopped: ${(error as Error).message}`, warnings, stopped: [] };
      }
    },
    // Whoever has the keys inside obeys by itself.
    hearStops: async (stopped) => stopped,
    address: (role) => (isWalletRole(role) ? ring.address(role) : keypair(role).address),
    wallets: bare.wallets,
    async rotate(role, step) {
      await ring.rotate(role, step);
      return ring.wallets;
    },
    reload: () => ring.reload(),
    secrets,
    findMint: (suffix, signal) => searchMint(families.mint, suffix, signal),
  };
  return { signer, bare };
}

function walletRoots(root: KeyNode): Record<WalletRole, KeyNode> {
  const nodes = WALLET_ROLES.map((role) => [role, deriveNode(root, rolePath(role))]);
  return Object.fromEntries(nodes) as Record<WalletRole, KeyNode>;
}

/** What the name of a key of the service's wallets says: which one, and at which address where it says that. */
function ownWallet(key: string): { role: WalletRole; address: Address | undefined } | undefined {
  const [role = '', address] = key.split(':');
  return isWalletRole(role) ? { role, address: address as Address | undefined } : undefined;
}

function known(ring: WalletRing, role: WalletRole, address: Address): Address {
  ring.numberOf(role, address);
  return address;
}

async function tryKey({ publicKey, sign: signWith }: Pick<Signer, 'publicKey' | 'sign'>, role: Role): Promise<void> {
  const message = trialOf(role);
  if (verify(await publicKey(role), message, await signWith(role, message))) return;
  throw new Error(`what the key ${role} signs does not fit its address`);
}

/** A key that may sign what nobody has proved. @throws SignerRefused */
function unproved(key: KeyName): KeyName {
  if (key !== 'seal' && !key.startsWith('login:')) return key;
  throw new SignerRefused(key, 'it signs only what a wallet has asked for');
}

function memberKeypair(families: Record<string, KeyNode>, family: string, member: string): Keypair | undefined {
  const root = Object.hasOwn(families, family) ? families[family] : undefined;
  if (root === undefined) return undefined;
  const node = deriveNode(root, pathOf(family, member));
  const keypair = keypairFromSeed(node.key);
  wipe(node);
  return keypair;
}

function pathOf(family: string, member: string): number[] {
  if (family === 'vault') return vaultPath(member as Address);
  const number = Number(member || Number.NaN);
  return family === 'login' ? [number] : numberedPath(number);
}

/** From the wallet alone, so that a vault can be found again without a database. */
function vaultPath(wallet: Address): number[] {
  const bytes = Buffer.from(addressToBytes(wallet));
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(2 * index));
}

/** The seed in a signer file; the caller overwrites it. Throws like `openSigner`. */
export async function loadSeed({ file, passphrase, isRandom, keys, create }: SignerOptions): Promise<Uint8Array> {
  const content = await readPrivateFile(file);
  const text = content && partsOf(content.toString('utf8')).seed;
  if (text === undefined && !create) {
    throw new PrivateFileError(`there is no signer file at ${file}: restore it from a backup`);
  }
  if (keys !== undefined) {
    const found = { text: text ?? '', path: file };
    requireManaged(found, keys);
    return keys.openSeed(found);
  }
  const opener = managedBy(text ?? '');
  if (opener !== undefined) {
    throw new PrivateFileError(`${file} is for ${opener}, which the settings of "slipway signer" name`);
  }
  if (passphrase === undefined || passphrase === '') {
    throw new PrivateFileError(`${file} needs a passphrase: set SLIPWAY_SIGNER_PASSPHRASE`);
  }
  const taken = () => new PrivateFileError(`${file} exists already, and is left as it is`);
  if (text !== undefined) {
    if (create === 'only') throw taken();
    return openSeed(text, passphrase, file);
  }
  const seed = new Uint8Array(randomBytes(32));
  const created = await createPrivateFile(file, await sealSeed(seed, passphrase, isRandom));
  if (!created && create === 'only') throw taken();
  // Another process was faster: its seed is the one in the file.
  return created ? seed : loadSeed({ file, passphrase, create: false });
}
