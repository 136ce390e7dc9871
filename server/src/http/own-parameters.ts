import type { FastifyInstance } from 'fastify';
import { ownText } from '../lib/own-text.js';

/**
 * Takes the parameters of a request out of its URL, which is up to 16 kB long. What is kept of a request, such as the address of
 * a mint, would keep all of it.
 */
export function ownParameters(app: FastifyInstance): void {
  app.addHook('onRequest', ({ query, params }, _reply, done) => {
    for (const part of [query, params] as Record<string, unknown>[]) {
      for (const name in part) part[name] = owned(part[name]);
    }
    done();
  });
}

function owned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(owned);
  return typeof value === 'string' ? ownText(value) : value;
}
