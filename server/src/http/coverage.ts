import type { FastifyInstance } from 'fastify';
import { plainError } from '../errors/index.js';
import { hostedOperations } from './hosted-routes.js';
import { COVERAGE, type KnownPaths } from './known-paths.js';

/** `/coverage.txt`: every operation that the hosted API documents, and whether this service serves it. */
export function registerCoverage(app: FastifyInstance, paths: KnownPaths): void {
  let text: string | undefined;
  app.get(COVERAGE, {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: (_request, reply) => {
      text ??= textOf(paths);
      return reply.header('content-type', 'text/plain; charset=utf-8').send(text);
    },
  });
}

function textOf(paths: KnownPaths): string {
  const lines = hostedOperations.map(({ method, path, instead }) => {
    const isServed = paths.serves(method, path);
    return `${isServed ? 'served' : '      '}  ${method.padEnd(6)} ${path}${isServed ? '' : `  (${instead})`}`;
  });
  const served = lines.filter((line) => line.startsWith('served')).length;
  return `${served} of the ${lines.length} operations of the hosted API are served.\n\n${lines.join('\n')}\n`;
}
