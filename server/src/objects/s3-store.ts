import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/index.js';
import { Outage } from '../errors/index.js';
import { INCOMING, type ObjectStore, PUBLIC_CACHE, requireKey, requireSize } from './object-store.js';

export interface S3Store extends ObjectStore {
  readonly kind: 's3';
}

const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;

/** A bucket of S3, or of a service with its interface. */
export function createS3Store(settings: Omit<S3Config, 'kind'>): S3Store {
  const { bucket, publicUrl } = settings;
  // Loaded at first use, because loading AWS's client takes longer than most of the startup.
  let loading: ReturnType<typeof load> | undefined;
  const aws = () => {
    loading ??= load(settings);
    return loading;
  };
  const object = (key: string) => ({ Bucket: bucket, Key: requireKey(key) });

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
      await reaching('write', () => client.send(command));
    },
    async head(key) {
      const { s3, client } = await aws();
      const command = new s3.HeadObjectCommand(object(key));
      const found = await reaching('read', () => client.send(command).catch(unlessMissing));
      return found && { contentType: found.ContentType ?? '', size: found.ContentLength ?? 0 };
    },
    async get(key, maxBytes) {
      const { s3, client } = await aws();
      const command = new s3.GetObjectCommand(object(key));
      const found = await reaching('read', () => client.send(command).catch(unlessMissing));
      return found && { contentType: found.ContentType ?? '', bytes: await readBody(found, maxBytes) };
    },
    async delete(key) {
      const { s3, client } = await aws();
      const command = new s3.DeleteObjectCommand(object(key));
      await reaching('delete', () => client.send(command));
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
  return { s3, client, getSignedUrl };
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
