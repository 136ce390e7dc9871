import fastJsonStringify from 'fast-json-stringify';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { createValidatorCompiler } from './validator.js';

type Serializer = ReturnType<FastifySerializerCompiler<object>>;
type Validator = ReturnType<FastifySchemaCompiler<object>>;

export interface SchemaCompilers {
  readonly validator: FastifySchemaCompiler<object>;
  readonly serializer: FastifySerializerCompiler<object>;
  /** Compiles what no request has needed so far. Throws for a schema that cannot be compiled. */
  compileAll(): void;
}

/**
 * Compiles the schema of a request part or an answer when it is first needed, because compiling all of them takes a
 * third of a start. `sharedSchemas` is asked at the first compilation for the schemas that others refer to.
 */
export function createSchemaCompilers(sharedSchemas: () => Record<string, unknown>): SchemaCompilers {
  const compileValidator = createValidatorCompiler(sharedSchemas);
  const waiting = new Set<() => void>();

  function onFirstUse<Compiled>(compile: () => Compiled): () => Compiled {
    let compiled: Compiled | undefined;
    const get = () => {
      waiting.delete(get);
      compiled ??= compile();
      return compiled;
    };
    waiting.add(get);
    return get;
  }

  return {
    validator: (route) => {
      const validator = onFirstUse<Validator>(() => compileValidator(route));
      return (data: unknown) => validator()(data);
    },
    serializer: ({ schema }) => {
      const serializer = onFirstUse<Serializer>(() => fastJsonStringify(schema, { schema: sharedSchemas() as never }));
      return (data: unknown) => serializer()(data);
    },
    compileAll() {
      for (const get of waiting) get();
    },
  };
}
