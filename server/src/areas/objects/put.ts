import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import { ContentRefused, checkContent, INCOMING, isPublicKey } from '../../objects/index.js';
import type { KeyParams, ObjectsDeps } from './deps.js';

const FRESH = 'ask for a new one';

/**
 * Lets a PUT through if its URL is signed for this key, type and length, and has not expired, and notes whose it is.
 * @throws AppError FORBIDDEN, INVALID_REQUEST (no length), PAYLOAD_TOO_LARGE
 */
export function permit({ store }: ObjectsDeps, request: FastifyRequest): void {
  const { params, headers, raw } = request;
  const { folder, name } = params as KeyParams;
  const key = `${folder}/${name}`;
  const query = new URLSearchParams(raw.url!.split('?').slice(1).join('?'));
  const grant = isPublicKey(key) ? store.permits(INCOMING + key, query) : 'not signed by this service';
  if (typeof grant === 'string') throw forbidden(`The URL is ${grant}; ${FRESH}, and use it as it is`);
  request.uploader = grant.uploader;
  if (headers['content-type'] !== grant.contentType) {
    throw forbidden(`content-type: expected ${grant.contentType}, for which the URL is signed`);
  }
  const length = lengthOf(headers['content-length']);
  if (length === undefined) {
    const expected = 'expected the number of bytes of the body; send it whole, not in chunks';
    throw new AppError('INVALID_REQUEST', { message: `content-length: ${expected}` });
  }
  if ('exact' in grant.length) {
    if (length !== grant.length.exact) {
      throw forbidden(`content-length: expected ${grant.length.exact} bytes, for which the URL is signed`);
    }
  } else if (length > grant.length.max) {
    const message = `content-length: expected at most ${grant.length.max} bytes; upload a smaller file`;
    throw new AppError('PAYLOAD_TOO_LARGE', { message });
  }
}

/** Stores the body of a permitted PUT if it matches its content type. */
export async function take(
  { store, maxImageBytes }: ObjectsDeps,
  { params, headers, body }: FastifyRequest<{ Params: KeyParams; Body?: Buffer }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const object = { contentType: headers['content-type']!, bytes: body ?? Buffer.alloc(0) };
  try {
    checkContent(object, maxImageBytes);
  } catch (error) {
    if (!(error instanceof ContentRefused)) throw error;
    throw new AppError('INVALID_REQUEST', { message: error.message });
  }
  await store.put(`${INCOMING}${params.folder}/${params.name}`, object);
  return reply.header('etag', `"${createHash('sha256').update(object.bytes).digest('hex')}"`).send();
}

/** Undefined for a chunked body, whose length is not known in advance. */
function lengthOf(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', { message });
}
