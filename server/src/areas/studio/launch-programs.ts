import { BONDING_CURVE_PROGRAM } from '@slipway/programs';
import { type Address, METADATA_PROGRAM } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { StudioDeps } from './deps.js';

const PROGRAMS: readonly { address: Address; name: string }[] = [
  { address: BONDING_CURVE_PROGRAM, name: 'the launch program (Meteora Dynamic Bonding Curve' },
  { address: METADATA_PROGRAM, name: 'the metadata program (Metaplex Token Metadata' },
];

/** The launch programs that this chain lacks. Of both, which are third-party programs, a new sandbox has stand-ins. */
export async function missingPrograms({ chain }: StudioDeps): Promise<string[]> {
  const found = await Promise.all(PROGRAMS.map(({ address }) => chain.account(address)));
  return PROGRAMS.flatMap(({ address, name }, index) => (found[index]?.executable ? [] : [`${name}, ${address})`]));
}

/** @throws AppError CONFLICT, because it is configuration and no failure, that says what is missing and how to get it. */
export async function requirePrograms(deps: StudioDeps): Promise<void> {
  const missing = await missingPrograms(deps);
  if (missing.length === 0) return;
  const are = missing.length === 1 ? 'is' : 'are';
  const message = `Not sent: ${missing.join(' and ')} ${are} not on this chain; get ${
    missing.length === 1 ? 'it' : 'them'
  } with "slipway programs pull", by a file <address>.so in the folder SLIPWAY_PROGRAMS_DIR, or by SLIPWAY_FORK_URL`;
  throw new AppError('CONFLICT', { message });
}
