import { Type } from 'typebox';
import { type ErrorShape, errorSchema } from '../../errors/index.js';

export const expressError: ErrorShape = {
  schema: errorSchema('ExpressError', {
    status: Type.Integer(),
    message: Type.String(),
    error: Type.String(),
    code: Type.Optional(Type.String()),
  }),
  without503: true,
  render: (error, status) => ({ status, message: error.message, error: error.message, code: error.wireCode }),
};
