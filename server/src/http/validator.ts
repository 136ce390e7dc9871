import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { AppError, describeViolations } from '../errors/index.js';

interface FlatSchema {
  readonly properties?: Record<string, { type?: unknown; items?: { type?: unknown } }>;
}

type Coercion = (values: Record<string, unknown>) => void;

const INTEGER = /^-?(?:0|[1-9][0-9]{0,15})$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,18})?$/;

function coerceValue(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer') return INTEGER.test(value) ? Number(value) : value;
  if (type === 'number') return NUMBER.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/** Ajv's own coercion lets `Infinity`, `1e400`, `0x10` and `null` pass as numbers; this one takes plain decimals only. */
function coercionFor(schema: FlatSchema): Coercion {
  const fields = Object.entries(schema.properties ?? {})
    .map(([name, field]) => ({ name, type: field.type, itemType: field.items?.type }))
    .filter(({ type }) => type !== undefined && type !== 'string');
  return (values) => {
    for (const { name, type, itemType } of fields) {
      const value = values[name];
      if (value === undefined) continue;
      if (type === 'array') {
        values[name] = (Array.isArray(value) ? value : [value]).map((item) => coerceValue(itemType, item));
      } else {
        values[name] = coerceValue(type, value);
      }
    }
  };
}

/** No text of PostgreSQL holds this character, so nothing can be looked up by it. */
const hasNul = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(hasNul);

function nulError(field: string): AppError {
  const expected = 'expected text without the character U+0000';
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}

/**
 * The validator of every request part. Bodies are taken as they are. Query, path and header values are text, and become
 * numbers and booleans only if written plainly; a query field given twice is not a single value. Keep query schemas
 * flat; addresses and amounts are strings that the areas check.
 * `sharedSchemas` is called once, at the first route, for the schemas that others refer to.
 */
export function createValidatorCompiler(sharedSchemas: () => Record<string, unknown>): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined;
  return ({ schema, httpPart }) => {
    ajv ??= createAjv(sharedSchemas());
    const validate = ajv.compile(schema);
    const coerce = httpPart === 'body' ? undefined : coercionFor(schema as FlatSchema);
    return (data: Record<string, unknown>) => {
      // A trailing slash is another path, which does not exist.
      if (httpPart === 'params' && Object.values(data).includes('')) return { error: new AppError('NOT_FOUND') };
      const unstorable = httpPart === 'body' ? undefined : Object.keys(data).find((name) => hasNul(data[name]));
      if (unstorable !== undefined) return { error: nulError(unstorable) };
      coerce?.(data);
      return validate(data) ? { value: data } : { error: validate.errors as FastifySchemaValidationError[] };
    };
  };
}

function createAjv(sharedSchemas: Record<string, unknown>): Ajv {
  // `verbose` puts schema and data into the errors, for their wording only: no value is ever shown.
  // The API document is made of the same schemas, and a test lints it: to check them here would cost the first request 40 ms.
  const ajv = new Ajv({ useDefaults: true, strict: true, strictTypes: false, verbose: true, validateSchema: false });
  addFormats.default(ajv);
  for (const schema of Object.values(sharedSchemas)) ajv.addSchema(schema as object);
  return ajv;
}

/** A failed validation as the client reads it: `details` maps the field to what was expected of it. */
export function validationError(violations: FastifySchemaValidationError[], part: string): AppError {
  const found = describeViolations(violations as ErrorObject[], part);
  const message = found.map(({ field, expected }) => `${field}: ${expected}`).join('; ');
  const details = Object.fromEntries(found.map(({ field, expected }) => [field, expected]));
  return new AppError('INVALID_REQUEST', { message, details });
}
