import { type TObject, type TProperties, Type } from 'typebox';
import type { ErrorShape } from './render.js';

const text = Type.String();
const optionalText = Type.Optional(Type.String());
const details = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

const schemas: Record<ErrorShape, { name: string; schema: TObject }> = {
  express: named('ExpressError', { status: Type.Integer(), message: text, error: text, code: optionalText }),
  'trigger-v1': named('TriggerV1Error', {
    error: text,
    cause: optionalText,
    signature: optionalText,
    status: Type.Optional(Type.Literal('Failed')),
    code: Type.Integer(),
  }),
  'trigger-v2': named('TriggerV2Error', { error: text, details }),
  studio: named('StudioError', {
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    error: text,
    details: optionalText,
  }),
  plain: named('PlainError', { error: text, code: Type.Optional(Type.Integer()) }),
  prediction: named('PredictionError', {
    type: text,
    message: text,
    code: optionalText,
    param: optionalText,
    request_id: text,
  }),
  gateway: named('GatewayError', { code: Type.Integer(), message: text }),
};

function named(name: string, properties: TProperties): { name: string; schema: TObject } {
  return { name, schema: Type.Object(properties, { $id: name }) };
}

/** The JSON schemas of the error bodies, for the OpenAPI document. */
export const errorSchemas: readonly object[] = Object.values(schemas).map(({ schema }) => schema);

/** The name under which the schema of a shape stands in the OpenAPI document. */
export function errorSchemaName(shape: ErrorShape): string {
  return schemas[shape].name;
}
