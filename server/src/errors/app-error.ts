import { type ErrorCode, type ErrorKind, errorTable } from './table.js';

export interface AppErrorOptions {
  /** What the client reads instead of the table's text: the field and what was expected, never a secret. */
  message?: string | undefined;
  /** More for the client; the area's shape decides what is shown (see `renderError`). */
  details?: Record<string, unknown>;
  /** What led to it. Logged with a 5xx, never shown. */
  cause?: unknown;
}

/** An error that a client is meant to see. Everything else that is thrown is answered as INTERNAL. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The code on the wire. */
  readonly wireCode: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const kind: ErrorKind = errorTable[code];
    super(options.message ?? kind.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = kind.status;
    this.wireCode = kind.wireCode ?? code;
    this.details = options.details;
  }
}

export interface OutageOptions extends ErrorOptions {
  /** What the client reads instead of the table's text for the code: what has failed, and never a path or a host. */
  told?: string | undefined;
}

/** Something that the service depends on gave no usable answer. Its message is for the log. */
export class Outage extends Error {
  readonly code: ErrorCode;
  readonly told: string | undefined;

  constructor(code: ErrorCode, message: string, { told, ...options }: OutageOptions = {}) {
    super(message, options);
    this.code = code;
    this.told = told;
  }
}
