import { Ajv, type ErrorObject } from 'ajv';
import { formats, keywords } from './settings/kinds.js';
import type { Schema } from './settings/schema.js';

/**
 * Fills in the defaults and returns every violation. Only what is given is compiled and checked, because that is little
 * and each command waits for it; that the schema and its defaults are right, a test says.
 */
export function validate(schema: Schema, value: Record<string, unknown>): readonly ErrorObject[] {
  const properties = Object.entries(schema.properties ?? {}).map(([name, inner]) => [
    name,
    value[name] === undefined ? {} : inner,
  ]);
  const asked = { ...schema, properties: Object.fromEntries(properties) as Record<string, Schema> };
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    if (value[name] === undefined) fill(value, name, inner);
  return compiled(asked, value);
}

/** The default, and those of its own fields. */
function fill(object: Record<string, unknown>, name: string, { default: value, properties }: Schema): void {
  if (object[name] === undefined && value !== undefined) object[name] = structuredClone(value);
  const inner = object[name];
  if (properties === undefined || typeof inner !== 'object' || inner === null) return;
  for (const [field, schema] of Object.entries(properties)) fill(inner as Record<string, unknown>, field, schema);
}

function compiled(schema: Schema, value: unknown): readonly ErrorObject[] {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    verbose: true,
    allErrors: true,
    useDefaults: true,
    validateSchema: false,
    // It runs once.
    code: { optimize: false },
  });
  ajv.addVocabulary([...keywords]);
  for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check);
  return ajv.validate(schema, value) ? [] : (ajv.errors ?? []);
}
