import { pipeline, Readable, Transform } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/index.js';
import { Outage } from '../errors/index.js';
import { INCOMING, type ObjectStore, PUBLIC_CACHE, requireKey, requireSize } from './object-store.js';

export interface S3Store extends ObjectStore {
  readonly kind: 's3';
}

const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;
/** A call from its first attempt to the last byte of its answer: the client's own limits end where the body begins. */
const WHOLE_MS = 30_000;
/** Of an answer that is not the object: an error, or a few words about a write. The client would take in all of it. */
const MAX_WORDS_BYTES = 64 * 1024;

/** A bucket of S3, or of a service with its interface. */
export function createS3Store(settings: Omit<S3Config, 'kind'>, wholeMs = WHOLE_MS): S3Store {
  const { bucket, publicUrl } = settings;
  // Loaded at first use, because loading AWS's client takes longer than most of the startup.
  let loading: ReturnType<typeof load> | undefined;
  const aws = () => {
    loading ??= load(settings);
    return loading;
  };
  const object = (key: string) => ({ Bucket: bucket, Key: requireKey(key) });
  const inTime = () => ({ abortSignal: AbortSignal.timeout(wholeMs) });

  return {
    kind: 's3',
    publicUrl: (key) => `${publicUrl}/${requireKey(key)}`,
    // By the machine's time, because the bucket uses its own.
    async presignPut({ key, contentType, length, expiresInSeconds }) {
      const { s3, client, getSignedUrl } = await aws();
      const exact = 'exact' in length ? length.exact : undefined;
      const signableHeaders = new Set(['host', 'content-type', ...(exact === undefined ? [] : ['content-length'])]);
      const command = new s3.PutObjectCommand({ ...object(key), ContentType: contentType, ContentLength: exact });
      return reaching('sign', () => getSignedUrl(client, command, { expiresIn: expiresInSeconds, signableHeaders }));
    },
    async put(key, { contentType, bytes }) {
      const { s3, client } = await aws();
      const CacheControl = key.startsWith(INCOMING) ? undefined : PUBLIC_CACHE;
      const command = new s3.PutObjectCommand({ ...object(key), ContentType: contentType, CacheControl, Body: bytes });
      await reaching('write', () => client.send(command, inTime()));
    },
    async head(key) {
      const { s3, client } = await aws();
      const command = new s3.HeadObjectCommand(object(key));
      const found = await reaching('read', () => client.send(command, inTime()).catch(unlessMissing));
      return found && { contentType: found.ContentType ?? '', size: found.ContentLength ?? 0 };
    },
    async get(key, maxBytes) {
      const { s3, client } = await aws();
      const command = new s3.GetObjectCommand(object(key));
      const found = await reaching('read', () => client.send(command, inTime()).catch(unlessMissing));
      return found && { contentType: found.ContentType ?? '', bytes: await readBody(found, maxBytes) };
    },
    async delete(key) {
      const { s3, client } = await aws();
      const command = new s3.DeleteObjectCommand(object(key));
      await reaching('delete', () => client.send(command, inTime()));
    },
    async close() {
      if (loading) (await loading).client.destroy();
    },
  };
}

async function load({ region, endpoint, credentials }: Omit<S3Config, 'kind'>) {
  const [s3, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const client = new s3.S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Otherwise a presigned URL would carry the checksum of an empty body, and S3 would refuse every other one.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
  });
  const boundedWords = { step: 'deserialize', priority: 'low', name: 'boundedWords' } as const;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      boundWords(args.request as { method: string }, result.response as Answer);
      return result;
    },
    boundedWords,
  );
  return { s3, client, getSignedUrl };
}

interface Answer {
  readonly statusCode: number;
  body?: unknown;
}

/** Cuts off what would be read without a limit: all but an object, which `readBody` reads. */
function boundWords({ method }: { method: string }, answer: Answer): void {
  if (!(answer.body instanceof Readable) || (method === 'GET' && answer.statusCode < 300)) return;
  answer.body = pipeline(answer.body, bounded(MAX_WORDS_BYTES), () => {});
}

function bounded(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length;
      if (size > maxBytes) done(new Error(`an answer of more than ${maxBytes} bytes`));
      else done(null, part);
    },
  });
}

/** Reads no further than permitted, whatever length was announced. */
async function readBody({ Body: body, ContentLength: length }: GetObjectCommandOutput, maxBytes: number) {
  const parts: Uint8Array[] = [];
  let size = length ?? 0;
  if (!(body && Symbol.asyncIterator in body)) throw new Outage('STORAGE_UNAVAILABLE', 'S3: an answer without a body');
  try {
    requireSize(size, maxBytes);
    size = 0;
    for await (const part of body as AsyncIterable<Uint8Array>) {
      size += part.length;
      requireSize(size, maxBytes);
      parts.push(part);
    }
  } catch (error) {
    (body as unknown as { destroy(): void }).destroy();
    throw error instanceof Error && error.name === 'ContentRefused' ? error : outage('read', error);
  }
  return Buffer.concat(parts);
}

/** If the service may not list the bucket, S3 answers 403 for a missing key, which therefore counts as an outage. */
function unlessMissing(error: unknown): undefined {
  const { name } = error as Error;
  if (name !== 'NoSuchKey' && name !== 'NotFound') throw error;
}

async function reaching<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw outage(what, error);
  }
}

/** Without the error as its cause: AWS's errors carry requests and what was signed. */
function outage(what: string, error: unknown): Outage {
  const { name, message } = error as Error;
  return new Outage('STORAGE_UNAVAILABLE', `S3: cannot ${what} (${name}: ${message})`);
}
