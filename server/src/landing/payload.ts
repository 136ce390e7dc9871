import type { Address } from '@slipway/wire';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import type { LedgerRow } from '../store/ledger.js';

/** A row of the ledger does not hold what its area puts there: nothing may be concluded from it. */
export class PayloadMismatch extends Error {
  override readonly name = 'PayloadMismatch';
}

/** An address in a payload. */
export const addressText = Type.Unsafe<Address>(Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }));
/** A whole number that may be larger than JSON's. */
export const digits = Type.String({ pattern: '^[0-9]{1,20}$' });

/**
 * Reads what an area has kept with its requests, as `schema` says. Fields that the schema does not name are let through.
 * A database may hold rows of earlier versions: a field that is new must be optional.
 * @throws PayloadMismatch
 */
export function payloadReader<Schema extends TSchema>(
  schema: Schema,
): (row: Pick<LedgerRow, 'id' | 'area' | 'payload'>) => Static<Schema> {
  let validate: ValidateFunction | undefined;
  return ({ id, area, payload }) => {
    // Compiled when it is needed first, which takes some milliseconds; then a check takes less than one microsecond.
    validate ??= new Ajv({ strict: false, validateSchema: false }).compile(schema);
    if (validate(payload)) return payload as Static<Schema>;
    const [violation] = validate.errors ?? [];
    const where = violation?.instancePath || 'the whole';
    throw new PayloadMismatch(
      `the payload of request ${id} (${area}) is not as expected: ${where} ${violation?.message}`,
    );
  };
}
