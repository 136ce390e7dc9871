import { nearest } from '../lib/nearest.js';
import type { Faults } from './faults.js';
import type { Schema } from './settings/schema.js';
import { Variables } from './settings/table.js';
import { validate } from './validate.js';

const schemas = Variables.properties as unknown as Readonly<Record<string, Schema>>;
const names = Object.keys(schemas);

/** The variables that are set in the environment, parsed by their types. An empty variable counts as not set. */
export function parseVariables(
  env: Readonly<Record<string, string | undefined>>,
  faults: Faults,
): Record<string, unknown> {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SLIPWAY_') || names.includes(name)) continue;
    const guess = nearest(name, names);
    faults.add(name, `${name} is not a known variable${guess ? `; did you mean ${guess}?` : ''}`);
  }
  const given = names.flatMap((name) => {
    const text = env[name];
    return text ? [[name, parse(schemas[name]!, text)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** Text that does not parse as its type stays text, which the schema refuses. */
function parse({ type }: Schema, text: string): unknown {
  if (type === 'array') return text.split(',').map((item) => item.trim());
  if (type === 'boolean') return text === '1' ? true : text === '0' ? false : text;
  if (type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  return text;
}

/** Fills in the defaults, and reports every variable that does not fit. */
export function checkVariables(schema: Schema, variables: Record<string, unknown>, faults: Faults): void {
  for (const { instancePath, data, parentSchema } of validate(schema, variables)) {
    const [name = '', item] = instancePath.split('/').slice(1);
    const { expects, unquoted } = parentSchema as Schema;
    const hidden = unquoted || schemas[name]?.secret;
    const shown = hidden ? '' : ` ${item === undefined ? 'is' : 'has'} ${JSON.stringify(asGiven(data))}, but`;
    faults.add(name, `${name}${shown} must be ${expects}`);
  }
}

const asGiven = (value: unknown) => (typeof value === 'number' ? String(value) : value);
