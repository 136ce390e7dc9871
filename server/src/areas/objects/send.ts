import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import { isPublicKey, type OpenObject, PUBLIC_CACHE } from '../../objects/index.js';
import type { KeyParams, ObjectsDeps } from './deps.js';

/** Keeps browsers from running an object, though any page may show it. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
};

/** Sends a public object. It never changes, so browsers may cache it. @throws AppError NOT_FOUND */
export async function send(
  { store }: ObjectsDeps,
  { params, headers, method }: FastifyRequest<{ Params: KeyParams }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = `${params.folder}/${params.name}`;
  if (!isPublicKey(key)) throw notFound();
  const found = await store.open(key);
  if (!found) throw notFound();
  const etag = `"${found.hash}"`;
  reply.headers({ ...SAFE, etag, 'cache-control': PUBLIC_CACHE });
  if (isKnown(headers['if-none-match'], etag)) {
    await found.file.close();
    return reply.code(304).send();
  }
  reply.headers({ 'content-type': found.contentType, 'content-length': found.size });
  if (method === 'HEAD') {
    await found.file.close();
    return reply.send();
  }
  return reply.send(streamOf(found));
}

/** Closes the file at its end, and when the client disconnects. */
function streamOf({ file, start }: OpenObject) {
  return file.createReadStream({ start });
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags !== undefined && (tags.includes(etag) || tags.includes('*'));
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', { message: 'There is no such object' });
}
