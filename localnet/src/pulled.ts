import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, isAddress } from '@slipway/wire';
import { ChainError } from './chain-error.js';
import { parseAddressedAccount } from './fork.js';
import type { Account, AddressedAccount } from './types.js';
import { isRecord } from './upstream-rpc.js';

const MANIFEST = 'manifest.json';
const ACCOUNTS = 'accounts';
const VERSION = 1;

/** A file of a programs folder that came from another chain. */
export interface PulledFile {
  address: Address;
  kind: 'program' | 'account';
  /** Of the other chain, when it was read there. */
  slot: bigint;
  /** Of the file's bytes, in hex. */
  sha256: string;
  /** Host of the other chain's RPC. */
  source: string;
}

/** A program that is copied from another chain, as it was there at that slot. */
export interface PulledProgram {
  address: Address;
  slot: bigint;
  /** ELF. */
  code: Uint8Array;
}

/** An account that is copied from another chain, as it was there at that slot. */
export interface PulledAccount extends AddressedAccount {
  slot: bigint;
}

/** The accounts of a programs folder. */
export interface PulledAccounts {
  accounts: AddressedAccount[];
  /** The highest slot at which one of them was read. */
  slot: bigint;
  /** Tells one set of accounts from another. */
  hash: string;
}

/** Where a programs folder has a file, from the folder. */
export function pulledPath({ address, kind }: Pick<PulledFile, 'address' | 'kind'>): string {
  return kind === 'program' ? `${address}.so` : join(ACCOUNTS, `${address}.json`);
}

/** What the manifest of a programs folder lists; nothing where there is none. Throws a ChainError that names the file. */
export function readManifest(folder: string): PulledFile[] {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) return [];
  const manifest = parseFile(file, readFileSync(file));
  const entries = isRecord(manifest) && manifest.version === VERSION ? manifest.files : undefined;
  const files = Array.isArray(entries) ? entries.map(parseEntry) : [undefined];
  if (!files.every((entry) => entry !== undefined))
    throw new ChainError('data', `${file}: not a manifest of version ${VERSION}; pull again into an empty folder`);
  return files;
}

function parseEntry(entry: unknown): PulledFile | undefined {
  const { address, kind, slot, sha256, source } = isRecord(entry) ? entry : {};
  if (typeof address !== 'string' || !isAddress(address) || (kind !== 'program' && kind !== 'account'))
    return undefined;
  if (typeof slot !== 'string' || !/^\d{1,20}$/.test(slot)) return undefined;
  if (typeof sha256 !== 'string' || typeof source !== 'string') return undefined;
  return { address, kind, slot: BigInt(slot), sha256, source };
}

/** The bytes of a listed file, which must be those that were pulled. Throws a ChainError that names it. */
export function readPulledFile(folder: string, listed: PulledFile): Buffer {
  const file = join(folder, pulledPath(listed));
  const remedy = `pull it again, or take it out of ${MANIFEST}`;
  if (!existsSync(file)) throw new ChainError('data', `${file}: missing, though ${MANIFEST} lists it; ${remedy}`);
  const bytes = readFileSync(file);
  if (hash('sha256', bytes, 'hex') !== listed.sha256)
    throw new ChainError('data', `${file}: not the file that was pulled (its SHA-256 is another one); ${remedy}`);
  return bytes;
}

/**
 * The accounts that the manifest of a programs folder lists; undefined where it lists none. Throws a ChainError that
 * names the file when one is missing, or has other bytes than were pulled.
 */
export function readPulledAccounts(folder: string): PulledAccounts | undefined {
  const listed = readManifest(folder).filter(({ kind }) => kind === 'account');
  if (listed.length === 0) return undefined;
  const accounts = listed.map((entry) => {
    const file = join(folder, pulledPath(entry));
    const row = parseAddressedAccount(parseFile(file, readPulledFile(folder, entry)));
    if (row?.address !== entry.address || row.account.executable)
      throw new ChainError('data', `${file}: not the account ${entry.address} as a pull writes it; pull it again`);
    return row;
  });
  return {
    accounts,
    slot: listed.reduce((latest, { slot }) => (BigInt(slot) > latest ? BigInt(slot) : latest), 0n),
    hash: hash('sha256', listed.map(({ address, sha256 }) => `${address} ${sha256}\n`).join(''), 'hex'),
  };
}

function parseFile(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new ChainError('data', `${file}: not JSON; pull it again`);
  }
}

/**
 * Puts programs and accounts into a programs folder, which is made where there is none, with a manifest that lists them
 * beside those of earlier pulls. `source` is shown in it: a host, never a URL. Throws a ChainError, before anything is
 * written, when the folder has a program of its own that a pulled one would replace.
 */
export function writePulled(
  folder: string,
  source: string,
  pulled: readonly (PulledProgram | PulledAccount)[],
): PulledFile[] {
  const known = new Map(readManifest(folder).map((entry) => [pulledPath(entry), entry]));
  const files = pulled.map((one) => {
    const kind = 'code' in one ? ('program' as const) : ('account' as const);
    const bytes = 'code' in one ? one.code : encodeAccount(one.address, one.account);
    const entry = { address: one.address, kind, slot: one.slot, sha256: hash('sha256', bytes, 'hex'), source };
    return { entry, bytes };
  });
  for (const { entry, bytes } of files) {
    const path = pulledPath(entry);
    const file = join(folder, path);
    if (known.has(path) || !existsSync(file) || readFileSync(file).equals(bytes)) continue;
    throw new ChainError(
      'data',
      `${file}: another version of your own is there; move it away, or pull into another folder`,
    );
  }
  mkdirSync(join(folder, ACCOUNTS), { recursive: true });
  for (const { entry, bytes } of files) {
    known.set(pulledPath(entry), entry);
    replaceFile(join(folder, pulledPath(entry)), bytes);
  }
  const listed = [...known.values()].map((entry) => ({ ...entry, slot: entry.slot.toString() }));
  replaceFile(
    join(folder, MANIFEST),
    Buffer.from(`${JSON.stringify({ version: VERSION, files: listed }, undefined, 2)}\n`),
  );
  return files.map(({ entry }) => entry);
}

/** As `solana account --output json` writes it. */
function encodeAccount(address: Address, { lamports, owner, executable, data }: Account): Buffer {
  const amount = Number.isSafeInteger(Number(lamports)) ? Number(lamports) : lamports.toString();
  const account = { lamports: amount, data: [Buffer.from(data).toString('base64'), 'base64'], owner, executable };
  return Buffer.from(`${JSON.stringify({ pubkey: address, account }, undefined, 2)}\n`);
}

/** No reader ever finds half of it. */
function replaceFile(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}
