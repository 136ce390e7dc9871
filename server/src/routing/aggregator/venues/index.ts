export { tokenSwapVenue } from './token-swap.js';
export { openVault } from './vaults.js';

import { IMMUTABLE_WHIRLPOOL_PROGRAM, WHIRLPOOL_PROGRAM } from '@slipway/checks';
import { TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { Venue } from '../venue.js';
import { dammV2Venue } from './meteora-damm-v2.js';
import { dbcVenue } from './meteora-dbc.js';
import { dlmmVenue } from './meteora-dlmm/index.js';
import { raydiumCpmmVenue } from './raydium-cpmm.js';
import { tokenSwapVenue } from './token-swap.js';
import { whirlpoolVenue } from './whirlpool/index.js';

/** Every kind of pool that the aggregator knows. */
export function allVenues(programs: { tokenSwap: Address }): Venue[] {
  return [
    tokenSwapVenue(programs.tokenSwap),
    raydiumCpmmVenue(),
    dammV2Venue(),
    dbcVenue(),
    whirlpoolVenue(WHIRLPOOL_PROGRAM),
    whirlpoolVenue(IMMUTABLE_WHIRLPOOL_PROGRAM),
    dlmmVenue(),
  ];
}

/** The names of all kinds; several programs may share one. */
export const VENUE_LABELS: readonly string[] = [
  ...new Set(allVenues({ tokenSwap: TOKEN_SWAP_PROGRAM }).map(({ label }) => label)),
];
