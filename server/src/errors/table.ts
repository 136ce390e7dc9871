export interface ErrorKind {
  /** The HTTP status, except where `statusIn` says otherwise for an area. */
  readonly status: number;
  /** What the client reads when the thrower says nothing more precise. */
  readonly message: string;
  /** The code on the wire, where it is not the name of the entry. */
  readonly wireCode?: string;
}

/** Every error that a client can meet. Nothing else decides a status or a standard text. */
export const errorTable = {
  INVALID_REQUEST: { status: 400, message: 'Invalid request' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  FORBIDDEN: { status: 403, message: 'Forbidden' },
  KEY_HAS_NO_ACCESS: { status: 403, message: 'API key does not have access to this endpoint' },
  SIGNER_REFUSED: { status: 403, message: 'The signer of the service does not sign this: nothing was sent' },
  FOREIGN_CALLER: { status: 403, message: 'Pages of this origin may not call' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
  CONFLICT: { status: 409, message: 'Conflict' },
  GONE: { status: 410, message: 'No longer kept' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The content type is not supported; send application/json' },
  RATE_LIMITED: { status: 429, message: '[API Gateway] Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large' },
  INTERNAL: { status: 500, message: 'Internal error' },
  CHAIN_UNAVAILABLE: { status: 503, message: 'The chain cannot be reached at the moment' },
  STORAGE_UNAVAILABLE: { status: 503, message: 'The storage of files cannot be reached at the moment' },
  SIGNER_UNAVAILABLE: { status: 503, message: 'What signs for the service cannot be reached at the moment' },
  SIGNER_HOLDS: {
    status: 503,
    message: 'The signer of the service does not sign this at the moment: nothing was sent',
  },
  STORE_UNAVAILABLE: { status: 503, message: 'The database cannot be reached at the moment' },
  OVERLOADED: { status: 503, message: 'Too many requests are waiting for their answers; try again in a moment' },
  STOPPED: { status: 503, message: 'Stopped by the operator' },
  QUOTES_UNAVAILABLE: { status: 503, message: 'No router can quote at the moment' },

  TRANSACTION_EXPIRED: { status: 400, message: 'Transaction expired' },
  TOO_MANY_OF_KEY: {
    status: 429,
    message: 'Too many transactions of this key are under way; try again when some have ended',
  },
  TOO_MANY_IN_ALL: { status: 503, message: 'Too many transactions are under way; try again in a moment' },
  ORDER_UNDER_WAY: { status: 400, message: 'Order is not yet marked ready to cancel; retry shortly' },
  INVALID_PAYLOAD: { status: 400, message: 'The transaction is not the one that was crafted' },
  INVALID_TOKEN_ID: { status: 400, message: 'tokenId must be the address of a mint' },
  EXPRESS_UNAUTHORIZED: {
    status: 403,
    message: 'The transaction is not signed by the sender',
    wireCode: 'UNAUTHORIZED',
  },
  ELIGIBILITY_CONFLICT: { status: 409, message: 'The token is not eligible' },
  PAID_FOR_ANOTHER: { status: 409, message: 'This payment has landed, and is recorded for another request' },
  LAST_BLOCKS: { status: 503, message: 'Not sent: it expires within seconds. Post it again in ten seconds' },
  CRAFT_FAILED: { status: 500, message: 'Failed to craft the transaction' },
  EXECUTION_FAILED: { status: 500, message: 'Failed to execute the transaction' },
  NO_ROUTE: { status: 500, message: 'No route is available' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorTable;
