import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { request, type Service } from './service.js';

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  patternProperties?: Record<string, JsonSchema>;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  format?: string;
  description?: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

export interface OperationObject {
  tags?: string[];
  summary?: string;
  description?: string;
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security?: Record<string, string[]>[];
}

export interface OpenapiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
}

export interface Operation extends OperationObject {
  method: string;
  path: string;
}

export async function documentOf(service: Service): Promise<OpenapiDocument> {
  return (await request<OpenapiDocument>(`${service.url}/openapi.json`)).body;
}

export function operationsOf({ paths }: OpenapiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
}

/** The entry of the document that speaks for a status: the status itself, or its range. */
export function documentedStatus({ responses }: OperationObject, status: number): string | undefined {
  return [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((name) => responses[name] !== undefined);
}

const isNullable = ({ type, anyOf, enum: values }: JsonSchema): boolean =>
  [type].flat().includes('null') || values?.includes(null) === true || anyOf?.some(isNullable) === true;

/** The fields of the answers that may be null, as `Schema.field` or `GET /path field`, with whether they may be absent. */
export function nullFields(document: OpenapiDocument): Map<string, 'optional' | 'required'> {
  const found = new Map<string, 'optional' | 'required'>();
  const visit = (at: string, schema: JsonSchema): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const place = `${at}.${name}`;
      if (isNullable(field)) found.set(place, schema.required?.includes(name) ? 'required' : 'optional');
      visit(place, field);
    }
    const { anyOf = [], items, additionalProperties, patternProperties = {} } = schema;
    for (const member of [...anyOf, ...Object.values(patternProperties)]) visit(at, member);
    if (items) visit(`${at}[]`, items);
    if (typeof additionalProperties === 'object') visit(at, additionalProperties);
  };
  const bodies = new Set<string>();
  for (const { method, path, responses, requestBody } of operationsOf(document)) {
    const nameIn = (content?: Content) =>
      Object.values(content ?? {})[0]
        ?.schema.$ref?.split('/')
        .at(-1);
    const body = nameIn(requestBody?.content);
    if (body) bodies.add(body);
    for (const { content } of Object.values(responses)) {
      for (const { schema } of Object.values(content ?? {})) visit(`${method} ${path}`, schema);
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) if (!bodies.has(name)) visit(name, schema);
  return found;
}

/** Checks answers against the document: answers what is wrong with one, or undefined. */
function validators(document: OpenapiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `document#${pointer}` });
      compiled.set(pointer, validate);
    }
    return validate;
  };
  return (pointer: string, value: unknown): string | undefined => {
    const validate = validatorAt(pointer);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** What is wrong with a value that should be as a named schema of the document says. */
export function createSchemaCheck(document: OpenapiDocument) {
  const check = validators(document);
  return (schema: string, value: unknown) => check(`/components/schemas/${schema}`, value);
}

export function createAnswerCheck(document: OpenapiDocument) {
  const check = validators(document);
  return (operation: Operation, status: number, body: unknown): string | undefined => {
    const documented = String(status);
    if (operation.responses[documented] === undefined) return `the status ${status} is not documented`;
    const [type] = Object.keys(operation.responses[documented]?.content ?? {});
    if (type !== 'application/json') return undefined;
    const steps = ['paths', operation.path, operation.method.toLowerCase(), 'responses', documented, 'content', type];
    const pointer = [...steps, 'schema'].map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return check(encodeURI(pointer), body);
  };
}
