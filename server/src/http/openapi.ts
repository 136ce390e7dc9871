import { readFile } from 'node:fs/promises';
import swagger, { type SwaggerTransform } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { type ErrorShape, gatewayError, plainError } from '../errors/index.js';

const securityOf = {
  key: [{ apiKey: [] }],
  wallet: [{ apiKey: [], walletToken: [] }],
  admin: [{ adminToken: [] }],
  none: [],
} as const;

/** A route's `config` becomes the security and the error answers of its operation. */
const transform: SwaggerTransform = ({ schema, url, route }) => {
  const { auth = 'none', errorShape = gatewayError } = route.config ?? {};
  const own = (schema ?? {}) as FastifySchema & { response?: Record<string, unknown> };
  const response: Record<string, unknown> = {};
  for (const [status, body] of Object.entries(own.response ?? { 200: { type: 'null' } })) {
    // Without one, every answer would read "Default Response".
    response[status] = { description: status === '200' ? 'Done' : 'Not done', ...(body as object) };
  }
  if (auth === 'key' || auth === 'wallet') {
    response['403'] ??= {
      description: 'The key does not have access, or the area refuses',
      anyOf: [...new Set([gatewayError, errorShape])].map(refTo),
    };
    response['429'] ??= { ...refTo(gatewayError), description: 'Too many requests' };
  }
  response['4xx'] ??= { ...refTo(errorShape), description: 'The request cannot be served' };
  response['5xx'] ??= { ...refTo(errorShape), description: 'The service failed' };
  const operationId = operationIdOf(String(route.method), url);
  return { schema: { ...own, operationId, response, security: securityOf[auth] } as FastifySchema, url };
};

/** Registers the schema of a route's errors under its name. */
export function shareErrorSchema(app: FastifyInstance, { config }: RouteOptions): void {
  for (const { schema } of [gatewayError, config?.errorShape ?? gatewayError]) {
    if (app.getSchema(schemaName(schema)) === undefined) app.addSchema(schema);
  }
}

const refTo = ({ schema }: ErrorShape) => ({ $ref: `${schemaName(schema)}#` });
const schemaName = (schema: object) => (schema as { $id: string }).$id;

/** `GET /tx/v1/status/:signature` -> `getTxV1StatusSignature`, which client generators use as the function's name. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => word[0]!.toUpperCase() + word.slice(1))].join('');
}

const TOP_BAR_STYLE =
  '.swagger-ui .topbar { background: none; padding: 0 } .topbar .link, .topbar .download-url-wrapper { display: none !important }';

interface OpenapiOptions {
  publicUrl: string;
  /** Named in the description, if set. */
  sandboxKey: string | undefined;
  /** In the order of the document. */
  tags: readonly string[];
}

/**
 * Prepares `/openapi.json` and the page at `/docs`. Call it before the first route, because earlier routes would be
 * missing. The page loads everything from this service.
 */
export async function registerOpenapi(
  app: FastifyInstance,
  { publicUrl, sandboxKey, tags }: OpenapiOptions,
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
          ...(sandboxKey === undefined ? [] : [`In this sandbox the x-api-key is \`${sandboxKey}\`.`]),
        ].join(' '),
        version,
      },
      tags: tags.map((name) => ({ name })),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          walletToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          adminToken: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    transform,
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is not OpenAPI 3');
      return { ...document.openapiObject, servers: [{ url: withActualPort(publicUrl, app) }] };
    },
  });
  await app.register(async (docs) => {
    const headers = {
      'content-security-policy': contentSecurityPolicy(publicUrl),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    docs.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers);
      done();
    });
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // The bar at the top keeps only the switch between light and dark.
      theme: { title: 'Slipway API', css: [{ filename: 'slipway.css', content: TOP_BAR_STYLE }] },
      // Its validator badge would send the document to a third party.
      uiConfig: { validatorUrl: null },
    });
  });
}

/** Serves the document, which is built at the first request, when every route is known. */
export function registerOpenapiRoute(app: FastifyInstance): void {
  let document: string | undefined;
  app.get('/openapi.json', {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: (_request, reply) => {
      document ??= JSON.stringify(app.swagger());
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

function contentSecurityPolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
