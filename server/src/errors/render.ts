import type { AppError } from './app-error.js';

/** The body shapes of the areas; `gateway` is what stands before them, `plain` serves swap, submit, send and our own. */
export type ErrorShape = 'express' | 'trigger-v1' | 'trigger-v2' | 'studio' | 'plain' | 'prediction' | 'gateway';

type Renderer = (error: AppError, requestId: string) => object;

const renderers: Record<ErrorShape, Renderer> = {
  express: (error) => ({
    status: statusIn('express', error),
    message: error.message,
    error: error.message,
    code: error.wireCode,
  }),
  'trigger-v1': (error) => ({
    error: error.message,
    ...pick(error, 'cause', 'signature', 'status'),
    code: statusIn('trigger-v1', error),
  }),
  'trigger-v2': (error) => ({
    error: isFieldError(error) ? 'Request validation failed' : error.message,
    ...(error.details && { details: error.details }),
  }),
  studio: (error) =>
    error.code === 'INVALID_REQUEST' && error.details
      ? { errors: messagesByField(error.details), error: error.message }
      : { error: error.message, ...pick(error, 'details') },
  plain: (error) => ({ error: error.message, ...pick(error, 'code') }),
  prediction: (error, requestId) => ({
    type: predictionType(error.status),
    message: error.message,
    code: error.wireCode.toLowerCase(),
    ...(error.code === 'INVALID_REQUEST' && error.details && { param: Object.keys(error.details)[0] }),
    request_id: requestId,
  }),
  gateway: (error) => ({ code: error.status, message: error.message }),
};

/**
 * The body of an error answer. Of `details`, trigger-v2 shows all, studio a `{field: message}` map of an
 * INVALID_REQUEST as `errors` (else its member `details`), trigger-v1 `cause`, `signature` and `status`, plain `code`,
 * prediction the field of an INVALID_REQUEST as `param`; express and gateway show none.
 */
export function renderError(shape: ErrorShape, error: AppError, requestId: string): object {
  return renderers[shape](error, requestId);
}

// The contracts of these areas know no 503.
const WITHOUT_503: ReadonlySet<ErrorShape> = new Set(['express', 'trigger-v1', 'trigger-v2', 'studio']);

/** The HTTP status of an error in an area: that of the table, with 500 in place of a 503 that the area does not know. */
export function statusIn(shape: ErrorShape, error: AppError): number {
  return error.status === 503 && WITHOUT_503.has(shape) ? 500 : error.status;
}

function pick(error: AppError, ...names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = error.details?.[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** Whether the message says no more than the details do: a field, and what was expected of it. */
function isFieldError({ code, message, details = {} }: AppError): boolean {
  const [entry] = Object.entries(details);
  return code === 'INVALID_REQUEST' && entry !== undefined && message === `${entry[0]}: ${entry[1]}`;
}

function messagesByField(details: Record<string, unknown>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(details).map(([field, message]) => [field, [message]]));
}

function predictionType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 409) return 'idempotency_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}
