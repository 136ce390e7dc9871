import { Type } from 'typebox';
import { type ErrorShape, errorSchema, pickDetails } from '../../errors/index.js';

/** Of an error's details, `cause`, `signature` and `status` are shown. */
export const triggerV1Error: ErrorShape = {
  schema: errorSchema('TriggerV1Error', {
    error: Type.String(),
    cause: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
    status: Type.Optional(Type.Literal('Failed')),
    code: Type.Integer(),
  }),
  without503: true,
  render: (error, status) => ({
    error: error.message,
    ...pickDetails(error, 'cause', 'signature', 'status'),
    code: status,
  }),
};
