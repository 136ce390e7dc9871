import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { CalledFeePayer } from '@slipway/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  AppError,
  type ErrorCode,
  type ErrorShape,
  gatewayError,
  Outage,
  renderError,
  statusIn,
} from '../errors/index.js';
import { createFailureLog } from '../lib/failure-log.js';
import { explainFeePayer } from './called-fee-payer.js';
import type { KnownPaths } from './known-paths.js';
import { REQUEST_ID_HEADER } from './request-id.js';
import { explainSymbol, type MintOf } from './symbols.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const MAX_ECHOED_PATH = 200;
/** What is away for a moment is mostly back by then. */
const RETRY_AFTER_SECONDS = 1;
/** What an operator has to end, or time; and what is 400 by the description, and ends by itself. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = {
  STOPPED: 30,
  SIGNER_HOLDS: 30,
  LAST_BLOCKS: 10,
  ORDER_UNDER_WAY: 1,
};

const fastifyErrors: Record<string, { code: ErrorCode; message?: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'INVALID_REQUEST',
    message: 'The body does not have the length that its header says',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'INVALID_REQUEST', message: 'The body is not valid JSON' },
  FST_ERR_BAD_URL: { code: 'INVALID_REQUEST', message: 'The path is not a valid URL path' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'NOT_FOUND', message: 'A part of the path is too long' },
};

/** These come from the gateway, not from an area, so they have the gateway's shape in every area. */
const GATEWAY_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'KEY_HAS_NO_ACCESS',
  'OVERLOADED',
  'FOREIGN_CALLER',
]);

type FailureHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Answers what was thrown, in the shape of the route's area. Anything but an AppError and complaints about the request, of
 * Fastify and of what serves files, is answered as INTERNAL. 5xx are logged with request id and cause, each kind at most
 * once a second.
 */
export function createFailureHandler(log: Logger, mintOf: MintOf): FailureHandler {
  const failures = createFailureLog((line, message) => log.error(line, message), 'request failed');
  return (thrown, request, reply) => {
    const error = hasGone(thrown, request)
      ? new AppError('INVALID_REQUEST')
      : explainSymbol(toAppError(thrown, request), request, mintOf);
    const { config, url: route } = request.routeOptions;
    const shape: ErrorShape = GATEWAY_ERRORS.has(error.code) ? gatewayError : (config?.errorShape ?? gatewayError);
    const status = statusIn(shape, error);
    // Who posts in the last blocks has come late: nothing has failed.
    if (status >= 500 && error.code !== 'LAST_BLOCKS') {
      const cause = error.code === 'INTERNAL' ? thrown : error;
      const { id: requestId, method } = request;
      failures.report(kindOf(route, error.code, cause), () => {
        return { requestId, method, route, status, code: error.code, error: describeThrown(cause) };
      });
    }
    // A rate limit knows better, and says so afterwards.
    const isPassing = error.status === 503 || error.status === 429;
    const seconds = RETRY_SECONDS[error.code] ?? (isPassing ? RETRY_AFTER_SECONDS : undefined);
    if (seconds !== undefined) reply.header('retry-after', seconds);
    sendError(reply, status, renderError(shape, error, request.id));
  };
}

/** Failures with the same route, code and innermost error are told together. */
function kindOf(route: string | undefined, code: ErrorCode, cause: unknown): string {
  let innermost = cause;
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause !== undefined; depth += 1) {
    innermost = innermost.cause;
  }
  return `${route} ${code} ${innermost instanceof Error ? innermost.constructor.name : typeof innermost}`;
}

/** As Node says it where the client goes in the middle of its body, and Fastify where it goes before an answer that is a stream. */
const GONE: readonly unknown[] = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'];

/** Whether the client disconnected: a client error, though nobody reads the answer any more. */
function hasGone(thrown: unknown, { raw }: FastifyRequest): boolean {
  return raw.destroyed && GONE.includes((thrown as { code?: unknown } | null)?.code);
}

/** 404 for a path or a method that no route has, with what the client may have meant. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): void {
  const [path = ''] = request.url.split('?', 1);
  const methods = paths.methodsOf(path);
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  const hint = methods.length > 0 ? `This path takes ${methods.join(', ')}` : paths.hint(path);
  const message = `Cannot ${request.method}:${path.slice(0, MAX_ECHOED_PATH)}${hint === undefined ? '' : `. ${hint}`}`;
  sendError(reply, 404, renderError(gatewayError, new AppError('NOT_FOUND', { message }), request.id));
}

/** Answers bytes that are not an HTTP request, or a request that came too slowly, and closes the socket. */
export function createClientErrorHandler(
  nextRequestId: () => string,
): (error: { code?: string }, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable) socket.write(rawAnswer(rawError(error.code), nextRequestId()));
    socket.destroy();
  };
}

/**
 * Hears of what keeps a listening server from taking a connection, such as too many open files: where nobody does, the process
 * ends. Those that are open go on, and Node tries again.
 */
export function outliveRefusedConnections(server: Server, log: Logger): void {
  const failures = createFailureLog((line, message) => log.error(line, message), 'a connection could not be taken');
  server.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // That it cannot listen is told to whoever has asked for that.
    if (server.listening) failures.report(`${code}`, () => ({ reason: message }));
  });
}

// Already text: a route's response schema for the status would drop the fields of another shape.
function sendError(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof CalledFeePayer) return explainFeePayer(thrown, request);
  if (thrown instanceof Outage) return new AppError(thrown.code, { cause: thrown, message: thrown.told });
  const { code, statusCode, expose } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown; expose?: unknown };
  // What serves the files of the pages says so of a path that it does not take.
  if (expose === true && Number(statusCode) < 500) return new AppError('INVALID_REQUEST');
  if (typeof code !== 'string' || !code.startsWith('FST_')) return new AppError('INTERNAL');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The request body is too large: expected at most ${request.routeOptions.bodyLimit} bytes`;
    return new AppError('PAYLOAD_TOO_LARGE', { message });
  }
  const known = fastifyErrors[code];
  if (known !== undefined) return new AppError(known.code, { message: known.message });
  return new AppError(Number(statusCode) < 500 ? 'INVALID_REQUEST' : 'INTERNAL');
}

/** Only these members: libraries attach requests, parameters and credentials to their errors. */
function describeThrown(thrown: unknown, depth = 0): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { code } = thrown as { code?: unknown };
  return {
    type: thrown.constructor.name,
    message: thrown.message,
    stack: thrown.stack,
    ...(typeof code === 'string' && { code }),
    ...(thrown.cause !== undefined && depth < 5 && { cause: describeThrown(thrown.cause, depth + 1) }),
  };
}

function rawError(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  return new AppError('INVALID_REQUEST', { message: 'The bytes received are not an HTTP request' });
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function rawAnswer(error: AppError, requestId: string): string {
  const body = JSON.stringify(renderError(gatewayError, error, requestId));
  return [
    `HTTP/1.1 ${error.status} ${reasons[error.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
