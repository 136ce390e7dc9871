import { readFile } from 'node:fs/promises';
import swagger, { type SwaggerTransform } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { gatewayError, plainError } from '../errors/index.js';
import { MAX_NESTING, MAX_PIECES } from '../lib/json-pieces.js';
import { addCodeSamples } from './code-samples.js';
import type { Descriptions } from './descriptions.js';
import { errorAnswers, schemaName } from './error-answers.js';
import { addRecordedCalls, completeDocument, type Examples, type RecordedCalls } from './examples.js';

const securityOf = {
  key: [{ apiKey: [] }],
  'key-or-wallet': [{ apiKey: [] }, { apiKey: [], walletToken: [] }],
  wallet: [{ apiKey: [], walletToken: [] }],
  admin: [{ adminToken: [] }],
  none: [],
} as const;

/** A route's `config` becomes the security and the error answers of its operation. */
const transform: SwaggerTransform = ({ schema, url, route }) => {
  const { auth = 'none' } = route.config ?? {};
  const own = (schema ?? {}) as FastifySchema & { response?: Record<string, unknown> };
  const response: Record<string, unknown> = {};
  for (const [status, body] of Object.entries(own.response ?? { 200: { type: 'null' } })) {
    // Without one, every answer would read "Default Response".
    response[status] = { description: status === '200' ? 'Done' : 'Not done', ...(body as object) };
  }
  const answers = { ...errorAnswers(route), ...response };
  const operationId = operationIdOf(String(route.method), url);
  return { schema: { ...own, operationId, response: answers, security: securityOf[auth] } as FastifySchema, url };
};

/** What will do as well where calls without a key are served. */
const keylessSecurityOf = {
  key: [{}],
  'key-or-wallet': [{}, { walletToken: [] }],
  wallet: [{ walletToken: [] }],
  admin: [],
  none: [],
} as const;

const keylessTransform: SwaggerTransform = (operation) => {
  const { schema, url } = transform(operation);
  const { auth = 'none', keyless = true } = operation.route.config ?? {};
  const more = keyless ? keylessSecurityOf[auth] : [];
  return { schema: { ...schema, security: [...(schema.security ?? []), ...more] }, url };
};

/** Registers the schema of a route's errors under its name. */
export function shareErrorSchema(app: FastifyInstance, { config }: RouteOptions): void {
  for (const { schema } of [gatewayError, config?.errorShape ?? gatewayError]) {
    if (app.getSchema(schemaName(schema)) === undefined) app.addSchema(schema);
  }
}

/** `GET /tx/v1/status/:signature` -> `getTxV1StatusSignature`, which client generators use as the function's name. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => word[0]!.toUpperCase() + word.slice(1))].join('');
}

/** A group of operations in the document. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

interface OpenapiOptions {
  publicUrl: string;
  /** Named in the description, if set. */
  sandboxKey: string | undefined;
  /** Whether calls without a key are served. */
  keyless: boolean;
  /** In the order of the document. */
  tags: readonly Tag[];
  examples: () => Examples;
  /** Asked for when the document is: a start does not wait for them. */
  recorded: () => RecordedCalls;
  descriptions: Descriptions;
}

/**
 * Prepares `/openapi.json`. Call it before the first route, because earlier routes would be missing.
 */
export async function registerOpenapi(
  app: FastifyInstance,
  { publicUrl, sandboxKey, keyless, tags, examples, recorded, descriptions }: OpenapiOptions,
): Promise<void> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Slipway',
        description: [
          'Builds unsigned Solana transactions, takes them back signed, and lands them.',
          `A JSON body may be nested at most ${MAX_NESTING} levels deep, and have at most ${MAX_PIECES} arrays, objects and commas; how many bytes it may have stands under 413.`,
          ...(sandboxKey === undefined ? [] : [`In this sandbox the x-api-key is \`${sandboxKey}\`.`]),
        ].join(' '),
        version,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      tags: [...tags],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          walletToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          adminToken: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    transform: keyless ? keylessTransform : transform,
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is not OpenAPI 3');
      const url = withActualPort(publicUrl, app);
      const whole = { ...document.openapiObject, servers: [{ url }] };
      const completed = completeDocument(whole, examples(), descriptions);
      addCodeSamples(completed, { url, apiKey: sandboxKey });
      // Elsewhere than in a sandbox, nobody is to send what is the sandbox's.
      addRecordedCalls(completed, recorded(), { asked: sandboxKey !== undefined });
      return completed;
    },
  });
}

/** Serves the document, which is built at the first request, when every route is known. */
export function registerOpenapiRoute(app: FastifyInstance): void {
  // As bytes: for many clients that read slowly they are there once.
  let document: Buffer | undefined;
  app.get('/openapi.json', {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()));
      reply.header('content-type', 'application/json; charset=utf-8').send(document);
    },
  });
}

/** Replaces port 0, which asks for any free port, with the port that was found. */
export function withActualPort(publicUrl: string, app: FastifyInstance): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') return publicUrl;
  return publicUrl.replace(/:0$/, `:${address.port}`);
}
