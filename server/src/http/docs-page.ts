import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const STYLE = `
.swagger-ui .topbar { background: none; padding: 0 }
.swagger-ui .topbar .link, .swagger-ui .topbar .download-url-wrapper { display: none !important }
.swagger-ui .topbar .dark-mode-toggle button svg { fill: #3b4151 }
html.dark-mode .swagger-ui .topbar .dark-mode-toggle button svg { fill: #e4e6e6 }
.swagger-ui .filter .operation-filter-input { max-width: none }
`;
const DOCUMENTS: ReadonlySet<string | undefined> = new Set(['/docs/json', '/docs/yaml']);
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/**
 * The page at `/docs`. It loads everything from this service. `key`, which everybody knows, is filled in, if set. Only there a
 * browser keeps what readers type in its place: elsewhere it may be the admin token, and whatever is served later under the
 * page's origin, which may be the end of a tunnel, could read it.
 */
export async function registerDocsPage(
  app: FastifyInstance,
  publicUrl: string,
  key: string | undefined,
): Promise<void> {
  await app.register(async (docs) => {
    const headers = {
      'content-security-policy': contentSecurityPolicy(publicUrl),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    docs.addHook('onRequest', (request, reply, done) => {
      reply.headers(headers);
      // The library would write the whole document down anew for each of these; JSON is YAML, too.
      if (DOCUMENTS.has(request.routeOptions.url)) reply.redirect('../openapi.json');
      else done();
    });
    // The page of the library is as wide on a phone as on a desk.
    docs.addHook('onSend', async (_request, _reply, payload) =>
      typeof payload === 'string' ? payload.replace('<head>', `<head>\n${VIEWPORT}`) : payload,
    );
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // The bar at the top keeps only the switch between light and dark.
      theme: { title: 'Slipway API', css: [{ filename: 'slipway.css', content: STYLE }] },
      uiConfig: {
        // Its validator badge would send the document to a third party.
        validatorUrl: null,
        persistAuthorization: key !== undefined,
        filter: true,
        tryItOutEnabled: true,
        onComplete: key === undefined ? forget() : fillIn(key),
      },
    });
  });
}

/** A function of the page, where the library puts its text: fills in the key, unless the reader has given one. */
function fillIn(key: string): () => void {
  const text = `function () {
    const kept = localStorage.getItem('authorized');
    if (kept === null || !kept.includes('"apiKey"')) ui.preauthorizeApiKey('apiKey', ${JSON.stringify(key)});
  }`;
  return inPage(text);
}

/** One that removes what an earlier version of the page has kept. */
const forget = (): (() => void) => inPage("function () { localStorage.removeItem('authorized'); }");

const inPage = (text: string): (() => void) => Object.assign(() => {}, { toString: () => text });

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
