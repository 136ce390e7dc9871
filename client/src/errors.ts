/** What went wrong, in a word that a program can use. Codes of the service are passed on in lower case. */
export type ErrorCode =
  /** The check before signing found something that was not asked for; nothing was signed. */
  | 'refused_to_sign'
  /** The service has made no transaction: the message says what is missing. */
  | 'nothing_to_sign'
  /** The wallet did not sign, or has changed what it signed. */
  | 'signer'
  /** It landed and failed, or the service says that it failed. Nothing but the network fee is gone. */
  | 'failed'
  /** It has not landed and never will: ask again for a new one. Where it is not `retryable`, it may yet: see the message. */
  | 'expired'
  /** No answer came. After a POST it is not known whether it was heard: where it is not `retryable`, look for `signature` first. */
  | 'network'
  /** The answer is not the service's: look at the URL. */
  | 'not_slipway'
  /** It took longer than was allowed. */
  | 'timeout'
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** Of `events`: those after that number are no longer kept. Read the state of what you follow, and begin anew. */
  | 'gone'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'
  | (string & {});

export interface ErrorFacts {
  /** The field of the request that is wrong. */
  field?: string | undefined;
  /** Names the request in the service's log. */
  requestId?: string | undefined;
  /** The same call may succeed later. */
  retryable?: boolean | undefined;
  /** The HTTP status, where there was an answer. */
  status?: number | undefined;
  /** How long the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** Of the transaction that failed. */
  signature?: string | undefined;
  /** The answer, or what was refused. */
  details?: unknown;
  cause?: unknown;
}

/** Every error of the client but an abort, which rejects with the signal's reason until what was signed is posted. */
export class SlipwayError extends Error {
  override readonly name = 'SlipwayError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly signature: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.field = facts.field;
    this.requestId = facts.requestId;
    this.retryable = facts.retryable ?? false;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.signature = facts.signature;
    this.details = facts.details;
  }
}

/**
 * What a flow throws after it has posted what was signed: where no answer tells what has become of that, it is not
 * `retryable`, because to begin anew would sign another one, which may land as well. So it is where the caller has ended
 * the wait, and where a try is refused after one whose answer was lost.
 */
export function afterSigning(error: unknown, signature: string | undefined): unknown {
  const told = `${signature ?? 'what was signed'} may have landed, or may yet: look for it before you sign another`;
  if (!(error instanceof SlipwayError)) {
    const message = error instanceof Error ? error.message : String(error);
    return new SlipwayError('network', `${message}; ${told}`, { signature, cause: error });
  }
  const open = [error, error.cause].find(isOpen);
  if (!open) return error;
  const { code, field, requestId, status, retryAfterMs, details } = open;
  const cause = open === error ? error.cause : error;
  const facts = { field, requestId, status, retryAfterMs, details, signature, cause };
  return new SlipwayError(code, `${error.message}; ${told}`, facts);
}

function isOpen(error: unknown): error is SlipwayError {
  if (!(error instanceof SlipwayError)) return false;
  const { code, status = 0 } = error;
  return status >= 500 || code === 'network' || code === 'not_slipway' || code === 'timeout';
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  429: 'rate_limited',
  503: 'unavailable',
};

/** Some areas have no 503: they say 500, or 400 of what is under way, with a time after which to ask again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The error that an answer tells, whatever the shape of its area. */
export function errorOf(response: Response, body: unknown): SlipwayError {
  const { status, headers } = response;
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const message = [said.cause, said.message, said.error].find((each) => typeof each === 'string');
  const retryAfterMs = retryAfterOf(headers.get('retry-after'));
  return new SlipwayError(codeOf(status, said), message ?? `the service answered ${status}`, {
    status,
    field: fieldOf(said, message),
    requestId: headers.get('x-api-gateway-request-id') ?? undefined,
    retryable: RETRYABLE.has(status) || ([400, 500].includes(status) && retryAfterMs !== undefined),
    retryAfterMs,
    details: body,
  });
}

function codeOf(status: number, { code }: Record<string, unknown>): ErrorCode {
  if (typeof code === 'string') return code.toLowerCase();
  return CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal');
}

function fieldOf({ param, details, errors }: Record<string, unknown>, message: string | undefined) {
  if (typeof param === 'string') return param;
  for (const fields of [details, errors]) {
    const [first] = typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
    if (first !== undefined) return first;
  }
  return /^([\w.[\]]+): /.exec(message ?? '')?.[1];
}

function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
