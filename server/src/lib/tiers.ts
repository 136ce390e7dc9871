/** The tier of the calls without a key; no key has it. */
export const KEYLESS_TIER = 'keyless';
/** The tier of keys that the operator bounds in no way. */
export const UNLIMITED_TIER = 'unlimited';

/** The tiers that a key may have. */
export function keyTiers(tiers: Readonly<Record<string, unknown>>): string[] {
  return [UNLIMITED_TIER, ...Object.keys(tiers).filter((tier) => tier !== KEYLESS_TIER)];
}
