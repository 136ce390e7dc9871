import { type Descriptions, describeFields } from './descriptions.js';

/** Values for fields and parameters in the API document, by name; a path before the name goes first. Null: none works. */
export type Examples = Readonly<Record<string, unknown>>;

interface Schema {
  $ref?: string;
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

interface Operation {
  parameters?: { name: string; required?: boolean; schema?: Schema; example?: unknown }[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
  responses?: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Optional parameters that a first try wants, because the answer is about little without them. */
const WANTED = new Set(['taker', 'receiverAddress']);

/**
 * Completes a document for readers and their tools: a union of fixed values becomes an `enum`, all of whose values a
 * page offers, what does not describe itself is described, and parameters and bodies get examples that work. A body gets one only if all of its required fields do.
 */
export function completeDocument<T extends object>(document: T, examples: Examples, descriptions: Descriptions): T {
  const completed = withEnums(document) as T & Document;
  describeFields(completed, descriptions);
  for (const [path, operations] of Object.entries(completed.paths ?? {})) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      for (const parameter of parameters) {
        if (parameter.required !== true && !WANTED.has(parameter.name)) continue;
        const { schema } = parameter;
        const example = givenFor(parameter.name, path, examples) ?? schema?.examples?.[0] ?? schema?.default;
        if (example !== undefined) parameter.example = example;
      }
      const json = requestBody?.content['application/json'];
      const example = exampleOf(json?.schema, path, '', { examples, schemas: completed.components?.schemas ?? {} });
      if (json !== undefined && example !== undefined) json.example = example;
    }
  }
  return completed;
}

function withEnums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEnums);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = value as Schema;
  const fixed = anyOf?.flatMap((member) => member.enum ?? [member.const]);
  if (fixed?.every((text) => typeof text === 'string')) return { ...rest, type: 'string', enum: fixed };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withEnums(member)]));
}

/** What a sandbox was asked in one operation, and what it answered. */
export interface RecordedCall {
  parameters?: Record<string, unknown>;
  body?: unknown;
  answer: unknown;
}

/** Of each operation, as `POST /ultra/v1/execute`. */
export type RecordedCalls = Readonly<Record<string, RecordedCall>>;

/**
 * Gives each operation the answer that was recorded, in place. With `asked`, what still has no example gets what was sent
 * then: it shows the form, and does not work a second time.
 */
export function addRecordedCalls(document: object, recorded: RecordedCalls, { asked }: { asked: boolean }): void {
  for (const [path, operations] of Object.entries((document as Document).paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const call = recorded[`${method.toUpperCase()} ${path}`];
      if (call === undefined) continue;
      const { parameters = [], requestBody, responses } = operation;
      const [answer] = Object.values(responses?.[200]?.content ?? {});
      if (answer) answer.example = call.answer;
      if (!asked) continue;
      const [body] = Object.values(requestBody?.content ?? {});
      if (body) body.example ??= call.body;
      for (const parameter of parameters)
        if (parameter.required === true) parameter.example ??= call.parameters?.[parameter.name];
    }
  }
}

interface Source {
  examples: Examples;
  schemas: Record<string, Schema>;
}

function exampleOf(schema: Schema | undefined, path: string, name: string, source: Source): unknown {
  if (schema === undefined) return undefined;
  if (schema.$ref !== undefined) {
    return exampleOf(source.schemas[schema.$ref.replace('#/components/schemas/', '')], path, name, source);
  }
  const given = name === '' ? undefined : givenFor(name, path, source.examples);
  if (given !== undefined) return given;
  const own = schema.const ?? schema.enum?.[0] ?? schema.examples?.[0] ?? schema.default;
  if (own !== undefined) return own;
  if (schema.properties === undefined) return undefined;
  const fields = (schema.required ?? []).map((field) => [
    field,
    exampleOf(schema.properties?.[field], path, field, source),
  ]);
  const isWhole = fields.length > 0 && fields.every(([, value]) => value !== undefined);
  return isWhole ? Object.fromEntries(fields) : undefined;
}

function givenFor(name: string, path: string, examples: Examples): unknown {
  const own = examples[`${path} ${name}`];
  return own === null ? undefined : (own ?? examples[name]);
}
