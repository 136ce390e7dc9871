import type { FastifyInstance, preValidationHookHandler, RouteOptions } from 'fastify';
import { AppError } from '../errors/index.js';
import { nearest } from '../lib/nearest.js';

export const WARNING_HEADER = 'x-slipway-warning';
const STRICT_HEADER = 'x-slipway-strict';
const MOST_NAMED = 5;
const LONGEST_NAME = 64;
/** Names may be shown alike, as those of a list's items are: to compare each of ten thousand with ours takes 0.3 s. */
const MOST_COMPARED = 50;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** What a schema names: fields, each with its own, or those of a list's items. Without either, anything may be there. */
interface Known {
  readonly fields?: ReadonlyMap<string, Known>;
  readonly items?: Known;
}

const ANYTHING: Known = {};

/** What to say of each field that is not known, and how many names were looked at for that. */
interface Found {
  readonly fields: Map<string, string>;
  compared: number;
}

/**
 * Tells a client of the parameters and body fields that a route does not know, with the nearest that it knows: by a
 * header on the answer, or as an error where the client or the operator wants them refused. They go no further: nothing
 * has checked them, and a handler that passes on what is left of a body would have them stored. Undefined for a route
 * that names none.
 */
export function unknownFieldsHook(
  app: FastifyInstance,
  { schema }: RouteOptions,
  strict: boolean,
): preValidationHookHandler | undefined {
  const parts = [
    { of: 'query', schema: schema?.querystring as Schema | undefined },
    { of: 'body', schema: schema?.body as Schema | undefined },
  ] as const;
  if (parts.every((part) => part.schema === undefined)) return undefined;
  let known: { of: 'query' | 'body'; names: Known }[] | undefined;
  return (request, reply, done) => {
    // At the first request, when every schema is there that others refer to.
    known ??= parts.map((part) => ({ of: part.of, names: namedIn(part.schema, app.getSchemas()) }));
    const found: Found = { fields: new Map(), compared: 0 };
    for (const { of, names } of known) takeUnknown(request[of], names, '', found);
    if (found.fields.size === 0) return done();
    const message = [...found.fields].map(([field, expected]) => `${field}: ${expected}`).join('; ');
    reply.header(WARNING_HEADER, message);
    if (!strict && request.headers[STRICT_HEADER] !== '1') return done();
    done(new AppError('INVALID_REQUEST', { message, details: Object.fromEntries(found.fields) }));
  };
}

function namedIn(schema: Schema | undefined, shared: Record<string, unknown>): Known {
  if (schema === undefined) return ANYTHING;
  if (schema.$ref !== undefined) return namedIn(shared[schema.$ref.replace(/#$/, '')] as Schema, shared);
  if (schema.items !== undefined) return { items: namedIn(schema.items, shared) };
  const fields = new Map<string, Known>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) fields.set(name, namedIn(field, shared));
  for (const member of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((members) => members ?? []))
    for (const [name, field] of namedIn(member, shared).fields ?? []) fields.set(name, field);
  return fields.size === 0 && schema.properties === undefined ? ANYTHING : { fields };
}

/**
 * Takes the fields that are not known out of `value`, and notes up to a bound what to do about each. It goes as deep as
 * the schema, however deep the value is.
 */
function takeUnknown(value: unknown, { fields, items }: Known, path: string, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (items !== undefined) for (const item of value) takeUnknown(item, items, path, found);
    return;
  }
  if (fields === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const known = fields.get(name);
    if (known !== undefined) {
      takeUnknown(member, known, `${path}${name}.`, found);
      continue;
    }
    delete (value as Record<string, unknown>)[name];
    note(found, path, name, fields);
  }
}

function note(found: Found, path: string, name: string, known: ReadonlyMap<string, Known>): void {
  if (found.fields.size === MOST_NAMED || found.compared === MOST_COMPARED) return;
  found.compared += 1;
  // What the client wrote becomes part of a header.
  const field = `${path}${name.slice(0, LONGEST_NAME).replace(/[^\w.[\]-]/g, '?')}`;
  if (found.fields.has(field)) return;
  const guess = name.length > LONGEST_NAME ? undefined : nearest(name, [...known.keys()]);
  found.fields.set(field, guess === undefined ? 'unknown' : `unknown; did you mean ${path}${guess}?`);
}
