import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { BONDING_CURVE_PROGRAM, DAMM_V2_PROGRAM } from './bonding-curve-addresses.js';
import { LOCKER_PROGRAM } from './locker.js';

export type ProgramName =
  | 'bonding-curve'
  | 'damm-v2'
  | 'invite-escrow'
  | 'limit-order'
  | 'locker'
  | 'order-engine'
  | 'pool'
  | 'router'
  | 'token-metadata';

/** Our versions of other companies' programs, by the address of the real ones. */
export const STAND_INS: Readonly<Record<Address, ProgramName>> = {
  [BONDING_CURVE_PROGRAM]: 'bonding-curve',
  [DAMM_V2_PROGRAM]: 'damm-v2',
  [LOCKER_PROGRAM]: 'locker',
  [METADATA_PROGRAM]: 'token-metadata',
};

const PROGRAMS_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Path of a program's ELF file, as it is loaded into a chain. */
export function programFile(name: ProgramName): string {
  return join(PROGRAMS_FOLDER, name, `${name}.so`);
}

/** The bytes of a program's ELF file. Throws the error of the file system when it is not there. */
export function readProgram(name: ProgramName): Buffer {
  return readFileSync(programFile(name));
}
