import type { FastifyInstance, FastifyRequest } from 'fastify';
import { plainError } from '../errors/index.js';
import type { SendPage } from './console.js';
import { withActualPort } from './openapi.js';

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/;
const LOCAL_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;

/** `/` shows a browser the console, or leads it to the documentation, and tells everybody else where things are. */
export function registerHome(app: FastifyInstance, publicUrl: string, sendPage: SendPage | undefined): void {
  app.get('/', {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: (request, reply) => {
      if (request.headers.accept?.includes('text/html')) return sendPage?.(request, reply) ?? reply.redirect('/docs');
      const url = withActualPort(publicUrl, app);
      const links = { documentation: `${url}/docs`, openapi: `${url}/openapi.json`, ready: `${url}/readyz` };
      return reply.send({ name: 'Slipway', ...links });
    },
  });
}

/**
 * Whether somebody on this machine has opened the address of a request in a browser: typed, or followed a link in a
 * terminal. No page can make such a request and read its answer: it is a navigation of its own tab, from no other site,
 * and under a name of this machine, which a name that was pointed here is not.
 */
export function isOpenedHere({ headers, ip }: FastifyRequest): boolean {
  return (
    LOCAL_ADDRESS.test(ip) &&
    LOCAL_HOST.test(headers.host ?? '') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    (headers['sec-fetch-site'] === 'none' || headers['sec-fetch-site'] === 'same-origin')
  );
}
