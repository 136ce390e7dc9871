import { readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';
import { describeViolation } from '../errors/index.js';
import { nearest } from '../lib/nearest.js';
import type { Faults } from './faults.js';
import type { Schema } from './settings/schema.js';
import { validate } from './validate.js';

/** The object in the file at `path`. If `required` is false, a missing file counts as empty. */
export function parseFile(path: string, required: boolean, faults: Faults): Record<string, unknown> | undefined {
  const unusable = (text: string) => {
    faults.add('SLIPWAY_CONFIG', text);
    return undefined;
  };
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' && !required) return {};
    return unusable(`${path} cannot be read (${code ?? 'unknown error'})`);
  }
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    return unusable(`${path}: the whole: expected an object`);
  } catch {
    return unusable(`${path} is not valid JSON`);
  }
}

/** Fills in the defaults, and reports every field that is unknown or does not fit. */
export function checkFields(schema: Schema, fields: Record<string, unknown>, path: string, faults: Faults): void {
  for (const error of validate(schema, fields)) {
    const { name, text } = error.keyword === 'additionalProperties' ? unknownField(error) : misfit(error);
    faults.add(name, `${path}: ${text}`);
  }
}

function misfit(error: ErrorObject): { name: string; text: string } {
  const { field, expected } = describeViolation([error], 'the whole');
  const { expects } = (error.parentSchema ?? {}) as Schema;
  const form = ['pattern', 'format'].includes(error.keyword) && expects !== undefined;
  return { name: field, text: `${field}: ${form ? `expected ${expects}` : expected}` };
}

function unknownField({ instancePath, params, parentSchema }: ErrorObject): { name: string; text: string } {
  const path = instancePath.split('/').slice(1);
  const field = String(params.additionalProperty);
  const name = [...path, field].join('.');
  const known = Object.keys((parentSchema?.properties ?? {}) as object);
  const guess = nearest(field, known);
  const hint = guess !== undefined ? `; did you mean ${[...path, guess].join('.')}?` : listOf(known);
  return { name, text: `${name} is not a known field${hint}` };
}

const listOf = (known: readonly string[]) => (known.length > 0 ? `; known are ${known.join(', ')}` : '');
