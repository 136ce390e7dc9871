import type { Duplex } from 'node:stream';
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
import { REQUEST_ID_HEADER } from './request-id.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const MAX_ECHOED_PATH = 200;

const fastifyErrors: Record<string, { code: ErrorCode; message?: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
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
const GATEWAY_ERRORS: ReadonlySet<ErrorCode> = new Set(['RATE_LIMITED', 'KEY_HAS_NO_ACCESS']);

type FailureHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Answers what was thrown, in the shape of the route's area. Anything but an AppError and Fastify's own complaints
 * about a request is answered as INTERNAL. Every 5xx is logged with its request id and cause.
 */
export function createFailureHandler(log: Logger): FailureHandler {
  return (thrown, request, reply) => {
    const error = hasGone(thrown, request) ? new AppError('INVALID_REQUEST') : toAppError(thrown);
    const { config, url: route } = request.routeOptions;
    const shape: ErrorShape = GATEWAY_ERRORS.has(error.code) ? gatewayError : (config?.errorShape ?? gatewayError);
    const status = statusIn(shape, error);
    if (status >= 500) {
      const line = { requestId: request.id, method: request.method, route, status, code: error.code };
      log.error({ ...line, error: describeThrown(error.code === 'INTERNAL' ? thrown : error) }, 'request failed');
    }
    sendError(reply, status, renderError(shape, error, request.id));
  };
}

/**
 * Whether the client disconnected in the middle of its body: a client error, though nobody reads the answer any more.
 */
function hasGone(thrown: unknown, { raw }: FastifyRequest): boolean {
  return raw.destroyed && (thrown as { code?: unknown } | null)?.code === 'ECONNRESET';
}

/** 404 for a path or a method that no route has. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?', 1);
  // People open the address of the service in a browser.
  const pointer = path === '/' ? '. The API is documented at /docs' : '';
  const message = `Cannot ${request.method}:${path.slice(0, MAX_ECHOED_PATH)}${pointer}`;
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

// Already text: a route's response schema for the status would drop the fields of another shape.
function sendError(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof Outage) return new AppError(thrown.code, { cause: thrown });
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return new AppError('INTERNAL');
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
