/** The fewest characters of a secret that guards production. */
export const LEAST_SECRET = 20;
