import { Type } from 'typebox';
import { type AppError, type ErrorShape, errorSchema } from '../../errors/index.js';

/** All of an error's details are shown. */
export const triggerV2Error: ErrorShape = {
  schema: errorSchema('TriggerV2Error', {
    error: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  without503: true,
  render: (error) => ({
    error: isFieldError(error) ? 'Request validation failed' : error.message,
    ...(error.details && { details: error.details }),
  }),
};

/** Whether the message only repeats the details: fields, and what was expected of each. */
function isFieldError({ code, message, details = {} }: AppError): boolean {
  const repeated = Object.entries(details).map(([field, expected]) => `${field}: ${expected}`);
  return code === 'INVALID_REQUEST' && message === repeated.join('; ');
}
