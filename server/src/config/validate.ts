import { Ajv, type ErrorObject } from 'ajv';
import { formats, keywords } from './settings/kinds.js';
import type { Schema } from './settings/schema.js';

/** Fills in the defaults and returns every violation. That the schema itself is one, a test says, not each start. */
export function validate(schema: Schema, value: unknown): readonly ErrorObject[] {
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
