import type { Address } from '@slipway/wire';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import type { LedgerRow } from '../store/ledger.js';

/** The payload of a ledger row does not match its area's schema, so nothing may be concluded from it. */
export class PayloadMismatch extends Error {
  override readonly name = 'PayloadMismatch';
}

/** An address in a payload. */
export const addressText = Type.Unsafe<Address>(Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }));
/** A whole number that may be larger than JSON's. */
export const digits = Type.String({ pattern: '^[0-9]{1,20}$' });

/**
 * Reads an area's payload by its schema. Unknown fields are kept. A database may hold rows of earlier versions, so a
 * new field must be optional.
 * @throws PayloadMismatch
 */
export function payloadReader<Schema extends TSchema>(
  schema: Schema,
): (row: Pick<LedgerRow, 'id' | 'area' | 'payload'>) => Static<Schema> {
  let validate: ValidateFunction | undefined;
  return ({ id, area, payload }) => {
    // Compiled on first use, which takes some milliseconds; then a check takes less than a microsecond.
    validate ??= new Ajv({ strict: false, validateSchema: false }).compile(schema);
    if (validate(payload)) return payload as Static<Schema>;
    const [violation] = validate.errors ?? [];
    const where = violation?.instancePath || 'the whole';
    throw new PayloadMismatch(
      `the payload of request ${id} (${area}) is not as expected: ${where} ${violation?.message}`,
    );
  };
}
