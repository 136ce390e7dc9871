import { GrowingCache } from '../../lib/growing-cache.js';

/** Of so many orders it is remembered how often their accounts were not there. */
const MOST_ABSENCES = 10_000;

/** How often in a row no account of an order was there, by its id. */
export type Absences = GrowingCache<string, number>;
export const newAbsences = (): Absences => new GrowingCache(MOST_ABSENCES);
