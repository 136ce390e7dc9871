import type { Address } from '@slipway/wire';
import type { Venue } from '../venue.js';
import { dammV2Venue } from './meteora-damm-v2.js';
import { dbcVenue } from './meteora-dbc.js';
import { raydiumCpmmVenue } from './raydium-cpmm.js';
import { tokenSwapVenue } from './token-swap.js';

/** Every kind of pool that the aggregator knows. */
export function allVenues(programs: { tokenSwap: Address }): Venue[] {
  return [tokenSwapVenue(programs.tokenSwap), raydiumCpmmVenue(), dammV2Venue(), dbcVenue()];
}
