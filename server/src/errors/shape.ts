import { type TObject, type TProperties, Type } from 'typebox';
import type { AppError } from './app-error.js';

/** How the errors of an area look on the wire. Every area has one, and says so on each of its routes. */
export interface ErrorShape {
  /** The JSON schema of the body; its `$id` is its name in the OpenAPI document. */
  readonly schema: TObject;
  /** The contract of the area has no 503: it answers 500 instead. */
  readonly without503?: true;
  render(error: AppError, status: number, requestId: string): object;
}

/** The body of an error answer. */
export function renderError(shape: ErrorShape, error: AppError, requestId: string): object {
  return shape.render(error, statusIn(shape, error), requestId);
}

/** The HTTP status of an error in an area: the table's, with 500 instead of 503 if the area has no 503. */
export function statusIn(shape: ErrorShape, error: AppError): number {
  return error.status === 503 && shape.without503 ? 500 : error.status;
}

/** `{error}`, with `code` where the error has one: swap, submit, send and the service's own routes. */
export const plainError: ErrorShape = {
  schema: errorSchema('PlainError', { error: Type.String(), code: Type.Optional(Type.Integer()) }),
  render: (error) => ({ error: error.message, ...pickDetails(error, 'code') }),
};

/** `{code, message}`: errors raised before a request reaches an area, such as an unknown path or a rate limit. */
export const gatewayError: ErrorShape = {
  schema: errorSchema('GatewayError', {
    code: Type.Integer(),
    message: Type.String(),
    limit: Type.Optional(
      Type.Object(
        {
          bucket: Type.Enum(['main', 'execute'], {
            description: 'execute: paths that execute or submit. main: all others',
          }),
          requests: Type.Integer({ description: 'The most in the window' }),
          windowSeconds: Type.Integer(),
          retryAfterSeconds: Type.Integer({ description: 'When the next request can pass, as the header Retry-After' }),
        },
        { description: 'Of 429: the limit that was hit' },
      ),
    ),
  }),
  render: (error, status) => ({
    code: status,
    message: error.message,
    ...(error.code === 'RATE_LIMITED' && pickDetails(error, 'limit')),
  }),
};

export function errorSchema(name: string, properties: TProperties): TObject {
  return Type.Object(properties, { $id: name });
}

/** The named details that an error has. */
export function pickDetails(error: AppError, ...names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = error.details?.[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
