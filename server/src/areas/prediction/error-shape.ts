import { Type } from 'typebox';
import { type ErrorShape, errorSchema } from '../../errors/index.js';

/** An INVALID_REQUEST shows its field as `param`. */
export const predictionError: ErrorShape = {
  schema: errorSchema('PredictionError', {
    type: Type.String(),
    message: Type.String(),
    code: Type.Optional(Type.String()),
    param: Type.Optional(Type.String()),
    request_id: Type.String(),
  }),
  render: (error, status, requestId) => ({
    type: typeOf(status),
    message: error.message,
    code: error.wireCode.toLowerCase(),
    ...(error.code === 'INVALID_REQUEST' && error.details && { param: Object.keys(error.details)[0] }),
    request_id: requestId,
  }),
};

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 409) return 'idempotency_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}
