import type { FastifyInstance } from 'fastify';

/**
 * Fails the request of a client that has gone before its body is read: while its key is looked for, or its call is counted.
 * Fastify would wait for that body for good, which can come no more, and what the request has of rooms that are shared is given
 * back with its answer.
 */
export function failGoneClients(app: FastifyInstance): void {
  app.addHook('preParsing', ({ raw }, _reply, _payload, done) => done(raw.destroyed ? gone() : null));
}

/** As Node says it of a body that breaks off. */
const gone = (): Error => Object.assign(new Error('the client has gone'), { code: 'ECONNRESET' });
