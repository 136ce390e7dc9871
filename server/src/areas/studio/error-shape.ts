import { Type } from 'typebox';
import { type ErrorShape, errorSchema, pickDetails } from '../../errors/index.js';

/** An INVALID_REQUEST shows its details as `errors`, by field; other errors show the member `details` of theirs. */
export const studioError: ErrorShape = {
  schema: errorSchema('StudioError', {
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    error: Type.String(),
    details: Type.Optional(Type.String()),
  }),
  without503: true,
  render: (error) =>
    error.code === 'INVALID_REQUEST' && error.details
      ? { errors: messagesByField(error.details), error: error.message }
      : { error: error.message, ...pickDetails(error, 'details') },
};

function messagesByField(details: Record<string, unknown>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(details).map(([field, message]) => [field, [message]]));
}
