import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { plainError } from '../errors/index.js';
import { withActualPort } from './openapi.js';

/** What the build of the workspace `console` has written. */
const BUILT = fileURLToPath(new URL('../../../console/dist/page/', import.meta.url));
/** Paths that show the page, besides `/`: routes of console/src/router.tsx. */
const SANDBOX_PAGES = [
  '/swap',
  '/orders',
  '/orders/limit',
  '/launch',
  '/launch/:mint',
  '/send',
  '/chain',
  '/chain/:of',
];
const OPERATOR_PAGES = ['/overview', '/operate', '/operate/:part', '/operate/:part/:id'];
/** The folder of the files whose names change with their content. */
const ASSETS = 'assets';
const FILE_NAME = /^\w[\w.-]*\.(?:js|css|svg)$/;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface ConsoleOptions {
  /** Whether a sandbox is tried out here. */
  readonly sandbox: boolean;
  /** Whether the sandbox has a key that the page does not know. Its chain is then reached through this service. */
  readonly asksKey: boolean;
  /** Whether the operator logs in here. */
  readonly operator: boolean;
  /** The chain's node, which the page reads besides this service. */
  readonly nodeUrls: readonly string[];
}
/** Answers a browser that opens `/`. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Whether the console was built. */
export const hasConsole = (): boolean => existsSync(join(BUILT, 'index.html'));

/** Serves the page of the console on its paths to browsers, and its files, whose names change with their content. */
export function registerConsole(
  app: FastifyInstance,
  publicUrl: string,
  options: ConsoleOptions,
): SendPage | undefined {
  const { sandbox, asksKey, operator, nodeUrls } = options;
  const route = { config: { errorShape: plainError, auth: 'none' }, schema: { hide: true } } as const;
  const sendPage: SendPage = async (request, reply) => {
    const own = withActualPort(publicUrl, app);
    reply.headers({
      'content-security-policy': contentSecurityPolicy([own, ...(asksKey ? [own.replace(/^http/, 'ws')] : nodeUrls)]),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    return send(request, reply, 'index.html');
  };
  for (const url of [...(sandbox ? SANDBOX_PAGES : []), ...(operator ? OPERATOR_PAGES : [])]) {
    app.get(url, {
      ...route,
      handler: (request, reply) => {
        if (request.headers.accept?.includes('text/html')) return sendPage(request, reply);
        return notFound(reply);
      },
    });
  }
  app.get('/console.json', { ...route, handler: () => ({ sandbox, asksKey, operator }) });
  app.get<{ Params: { name: string } }>('/assets/:name', {
    ...route,
    handler: async (request, reply) => {
      const { name } = request.params;
      if (!FILE_NAME.test(name)) return notFound(reply);
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return send(request, reply, join(ASSETS, name));
    },
  });
  return sandbox ? sendPage : undefined;
}

/** What was read of files whose names change with their content: many clients that read slowly wait for the same bytes. */
const kept = new Map<string, Buffer>();

async function read(path: string): Promise<Buffer> {
  const known = kept.get(path);
  if (known) return known;
  const content = await readFile(join(BUILT, path));
  if (dirname(path) === ASSETS) kept.set(path, content);
  return content;
}

async function send(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const [encoding, suffix = ''] = ENCODINGS.find(([name]) => new RegExp(`\\b${name}\\b(?!;q=0)`).test(accepted)) ?? [];
  let content: Buffer;
  try {
    content = await read(`${path}${suffix}`);
  } catch {
    // Another build has taken its place, whose page names other files.
    reply.removeHeader('cache-control');
    return notFound(reply);
  }
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  reply.headers({ 'content-type': TYPES[extname(path)], 'x-content-type-options': 'nosniff' });
  return reply.header('vary', 'accept-encoding, origin').send(content);
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound();
  return reply;
}

function contentSecurityPolicy(connects: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${connects[0]}`,
    `connect-src 'self' ${connects.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
