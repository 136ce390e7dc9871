/** The most that a fill accepts where its slippage is automatic, in basis points. */
export const MOST_AUTOMATIC_BPS = 1_000;
