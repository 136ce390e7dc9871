/** The tier of the calls without a key; no key has it. */
export const KEYLESS_TIER = 'keyless';

/** The tiers that a key may have. */
export function keyTiers(tiers: Readonly<Record<string, unknown>>): string[] {
  return ['unlimited', ...Object.keys(tiers).filter((tier) => tier !== KEYLESS_TIER)];
}
