import type { ErrorObject } from 'ajv';
import { nearest } from '../lib/nearest.js';

export interface Violation {
  /** `params.makingAmount`, or `body` and the like for the whole. */
  readonly field: string;
  /** Follows the field and a colon; never holds the given value. */
  readonly expected: string;
}

interface Schema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/**
 * Says in words what is wrong: the first fault that was found, or every field that is missing, where `violations` are
 * those of an Ajv with `verbose`.
 */
export function describeViolations(violations: readonly ErrorObject[], part: string): Violation[] {
  const last = violations.at(-1);
  if (last?.keyword !== 'required' || last.parentSchema === undefined) return [describeViolation(violations, part)];
  const path = fieldOf(last.instancePath);
  return missingIn(last.parentSchema as Schema, last.data, path === '' ? '' : `${path}.`);
}

function missingIn({ required = [], properties = {} }: Schema, data: unknown, path: string): Violation[] {
  const given = data as Record<string, unknown>;
  const missing = required.filter((name) => given[name] === undefined);
  const deeper = Object.entries(properties).flatMap(([name, schema]) => {
    const member = given[name];
    return typeof member === 'object' && member !== null ? missingIn(schema, member, `${path}${name}.`) : [];
  });
  return [...missing.map((name) => ({ field: path + name, expected: 'required' })), ...deeper];
}

/** Says in words what is wrong. `violations` are Ajv's, with `verbose`. */
export function describeViolation(violations: readonly ErrorObject[], part: string): Violation {
  const last = violations.at(-1);
  if (last === undefined) return { field: nameOfPart(part), expected: 'not valid' };
  const path = fieldOf(last.instancePath);
  if (last.keyword === 'required') {
    const missing = String(last.params.missingProperty);
    return { field: path === '' ? missing : `${path}.${missing}`, expected: 'required' };
  }
  if (last.keyword === 'additionalProperties') {
    const name = String(last.params.additionalProperty);
    const guess = nearest(name, Object.keys((last.parentSchema as Schema | undefined)?.properties ?? {}));
    return {
      field: path === '' ? name : `${path}.${name}`,
      expected: guess ? `unknown; did you mean ${guess}?` : 'unknown',
    };
  }
  return { field: path || nameOfPart(part), expected: expectation(last, violations, part) };
}

function nameOfPart(part: string): string {
  return part === 'querystring' ? 'query' : part;
}

function fieldOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

const formatNames: Record<string, string> = {
  address: 'a public key in base58 (32 bytes)',
  'date-time': 'a date and time in ISO 8601',
  uri: 'a URL',
  uuid: 'a UUID',
  byte: 'base64',
};

function expectation(error: ErrorObject, all: readonly ErrorObject[], part: string): string {
  const limit = error.params.limit;
  switch (error.keyword) {
    case 'type': {
      if (part === 'querystring' && Array.isArray(error.data)) return 'expected to be given only once';
      if (error.params.type === 'string' && typeof error.data === 'number') return quoted(error);
      const types = [error.params.type].flat().map((type) => typeNames[String(type)] ?? String(type));
      return `expected ${types.join(' or ')}`;
    }
    case 'enum':
      return `expected one of ${(error.params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `expected ${String(error.params.allowedValue)}`;
    case 'anyOf':
    case 'oneOf':
      return alternatives(error, all);
    case 'minimum':
      return `expected at least ${limit}`;
    case 'maximum':
      return `expected at most ${limit}`;
    case 'exclusiveMinimum':
      return `expected more than ${limit}`;
    case 'exclusiveMaximum':
      return `expected less than ${limit}`;
    case 'minLength':
      return limit === 1 ? 'expected not to be empty' : `expected at least ${limit} characters`;
    case 'maxLength':
      return `expected at most ${limit} characters`;
    case 'minItems':
      return `expected at least ${limit} items`;
    case 'maxItems':
      return `expected at most ${limit} items`;
    case 'format':
      return `expected ${formatNames[String(error.params.format)] ?? `a ${error.params.format}`}`;
    case 'pattern':
      return describedForm(error);
    default:
      return error.message ?? 'not valid';
  }
}

/** A union of literals reads as a list. Of other unions, Ajv's errors about the members say little. */
function alternatives(error: ErrorObject, all: readonly ErrorObject[]): string {
  const members = all.filter((other) => other !== error && other.instancePath === error.instancePath);
  const literals = members.filter((member) => member.keyword === 'const');
  if (literals.length > 0 && literals.length === members.length) {
    return `expected one of ${literals.map((literal) => String(literal.params.allowedValue)).join(', ')}`;
  }
  return `expected one of these forms: ${(error.schema as Schema[]).map(formOf).join(', ')}`;
}

/** A member of a union: an object by the fields that it must have, anything else by its type. */
function formOf({ type, const: value, $ref, required, properties = {} }: Schema): string {
  if (value !== undefined) return String(value);
  if ($ref !== undefined) return $ref.replace(/#$/, '');
  if (type === 'object') return `{${(required ?? Object.keys(properties)).join(', ')}}`;
  return typeNames[String(type)] ?? String(type);
}

/** A number where a string is expected: amounts are strings, because a JSON number does not hold all of them. */
function quoted({ instancePath }: ErrorObject): string {
  const isAmount = /amount$/i.test(instancePath);
  return isAmount ? 'expected the amount as a decimal string, such as "1000000000"' : 'expected a string, in quotes';
}

function describedForm(error: ErrorObject): string {
  const description = error.parentSchema?.description;
  return typeof description === 'string' ? `expected ${description}` : 'not of the expected form';
}
