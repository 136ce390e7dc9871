import type { Address } from '@slipway/wire';
import type { Venue } from '../venue.js';
import { tokenSwapVenue } from './token-swap.js';

/** Every kind of pool that the aggregator knows. */
export function allVenues(programs: { tokenSwap: Address }): Venue[] {
  return [tokenSwapVenue(programs.tokenSwap)];
}
