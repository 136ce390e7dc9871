/** Codes of `POST /ultra/v1/execute` for RFQ orders, by the market maker's answer or lack of one. */
export const RFQ = {
  failedToLand: { code: -2000, message: 'Failed to land' },
  unknown: { code: -2001, message: 'Unknown error' },
  invalidPayload: { code: -2002, message: 'Invalid payload' },
  quoteExpired: { code: -2003, message: 'Quote expired' },
  rejected: { code: -2004, message: 'Swap rejected' },
  internal: { code: -2005, message: 'Internal error' },
} as const;
