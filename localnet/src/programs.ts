import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  INVITE_PROGRAM,
  LIMIT_ORDER_PROGRAM,
  ORDER_ENGINE_PROGRAM,
  type ProgramName,
  ROUTER_PROGRAM,
  readProgram,
  STAND_INS,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  findProgramAddress,
  isAddress,
  rentExemptLamports,
  writeAddress,
} from '@slipway/wire';
import { ChainError } from './chain-error.js';
import { pulledPath, readManifest, readPulledFile } from './pulled.js';
import type { Account, AddressedAccount } from './types.js';

const PROGRAM_LENGTH = 36;
const CODE_HEAD = 4 + 8 + 1 + 32;
const PROGRAM_STATE = 2;
const CODE_STATE = 3;

const OWN_PROGRAMS: Record<Address, ProgramName> = {
  [TOKEN_SWAP_PROGRAM]: 'pool',
  [ROUTER_PROGRAM]: 'router',
  [ORDER_ENGINE_PROGRAM]: 'order-engine',
  [LIMIT_ORDER_PROGRAM]: 'limit-order',
  [INVITE_PROGRAM]: 'invite-escrow',
};

const STAND_IN_MARK = 'stand-in ';

/** Whether the version of a program that a chain has is one of ours for a program of others. */
export function isStandIn(version: string | undefined): boolean {
  return version?.startsWith(STAND_IN_MARK) ?? false;
}

/** A program to load: one of the operator's folder, or one that comes along. */
interface ProgramFile {
  address: Address;
  name: string;
  /** For messages. */
  file: string;
  /** Tells one version of the code from another, and a stand-in from the program that it stands in for. */
  version: string;
  program: AddressedAccount;
  /** The account that holds the code. */
  programData: AddressedAccount;
}

/**
 * Reads the `<programId>.so` files of a folder, as programs of the upgradeable loader that `authority` may upgrade; those
 * that a manifest lists must be as it says. Other files are left alone. Throws a ChainError of the kind `data` that
 * names the folder or the file.
 */
export function readPrograms(folder: string, authority: Address): ProgramFile[] {
  const names = list(folder);
  const pulled = new Map(readManifest(folder).map((entry) => [pulledPath(entry), entry]));
  const absent = [...pulled].filter(([path, { kind }]) => kind === 'program' && !names.includes(path));
  return [...names, ...absent.map(([path]) => path)].map((name) => {
    const file = join(folder, name);
    const address = name.slice(0, -'.so'.length);
    if (!isAddress(address)) throw new ChainError('data', `${file}: the name is not <programId>.so`);
    const listed = pulled.get(name);
    const code = listed ? readPulledFile(folder, listed) : read(file);
    return programOf({ address, name: OWN_PROGRAMS[address] ?? address, file }, code, authority);
  });
}

/** Our own programs and our stand-ins, in the same way. */
export function ownPrograms(authority: Address): ProgramFile[] {
  return Object.entries({ ...OWN_PROGRAMS, ...STAND_INS }).map(([id, name]) => {
    const address = id as Address;
    const file = programOf({ address, name, file: `${name}.so` }, readProgram(name), authority);
    return STAND_INS[address] ? { ...file, version: `${STAND_IN_MARK}${file.version}` } : file;
  });
}

function programOf(
  named: { address: Address; name: string; file: string },
  code: Buffer,
  authority: Address,
): ProgramFile {
  const programData = findProgramAddress([addressToBytes(named.address)], BPF_LOADER_UPGRADEABLE).address;
  return {
    ...named,
    version: hash('sha256', code, 'hex'),
    program: { address: named.address, account: programAccount(programData) },
    programData: { address: programData, account: codeAccount(code, authority) },
  };
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.so'))
      .sort();
  } catch (error) {
    throw new ChainError('data', `the programs folder ${folder} cannot be read: ${textOf(error)}`);
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ChainError('data', `${file}: cannot be read: ${textOf(error)}`);
  }
}

function programAccount(programData: Address): Account {
  const data = Buffer.alloc(PROGRAM_LENGTH);
  data.writeUInt32LE(PROGRAM_STATE);
  writeAddress(programData, data, 4);
  return loaderAccount(data, true);
}

function codeAccount(code: Buffer, authority: Address): Account {
  const data = Buffer.alloc(CODE_HEAD + code.length);
  data.writeUInt32LE(CODE_STATE);
  data.writeUInt8(1, 12);
  writeAddress(authority, data, 13);
  data.set(code, CODE_HEAD);
  return loaderAccount(data, false);
}

function loaderAccount(data: Buffer, executable: boolean): Account {
  return { lamports: rentExemptLamports(data.length), owner: BPF_LOADER_UPGRADEABLE, executable, data };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
