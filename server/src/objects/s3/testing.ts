import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';

export const BUCKET = 'uploads';
export const REGION = 'eu-central-1';
export const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a-secret-that-nobody-may-see' };

export interface StrictS3 {
  /** Moves the time by which it judges presigned URLs. */
  advance(seconds: number): void;
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * An S3 server: s3rver stores, and in front of it stands what s3rver does not do: signatures of version 4 are verified
 * strictly, and without one only what the bucket's policy makes public can be read.
 */
export async function startStrictS3(directory: string, readable = 'images|metadata|headers'): Promise<StrictS3> {
  const configureBuckets = [{ name: BUCKET, configs: [] }];
  const storage = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await storage.run();
  let ahead = 0;
  const front = createServer((request, response) => {
    void answer(request, response, { port, ahead, readable }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    advance: (seconds) => {
      ahead += seconds * 1000;
    },
    async close() {
      front.close();
      front.closeAllConnections();
      await storage.close();
    },
  };
}

interface Behind {
  port: number;
  /** Milliseconds. */
  ahead: number;
  /** Folders, as a pattern. */
  readable: string;
}

async function answer(request: IncomingMessage, response: ServerResponse, behind: Behind): Promise<void> {
  const { port, ahead, readable } = behind;
  const { method = '', headers } = request;
  const url = request.url ?? '';
  const refuse = (status: number, code: string) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`);
  };
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const [path = ''] = url.split('?', 1);
  if (!isDecodable(url)) return refuse(400, 'InvalidURI');
  const open = method === 'GET' && new RegExp(`^/${BUCKET}/(?:${readable})/`).test(path);
  const signed = url.includes('X-Amz-') || headers.authorization !== undefined;
  if (signed || !open) {
    // Requests of our own carry the machine's time.
    const now = Date.now() + (headers.authorization === undefined ? ahead : 0);
    const wrong = verifyV4({ method, url, headers, body }, { ...credentials, region: REGION, now });
    if (wrong) return refuse(403, wrong);
  }
  if (method === 'PUT' && headers['content-length'] === undefined) return refuse(411, 'MissingContentLength');
  const passed: Record<string, string> = {};
  for (const name of ['content-type', 'content-length', 'if-none-match']) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  const stored = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: passed,
    ...(method === 'PUT' && { body }),
  });
  response.writeHead(stored.status, Object.fromEntries(stored.headers));
  response.end(Buffer.from(await stored.arrayBuffer()));
}

interface Signed {
  method: string;
  /** Path and query as they came. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

interface Verifier {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  now: number;
}

/**
 * Verifies AWS Signature Version 4, in the query or in the header, as S3 documents it: undefined when it is right, else
 * the code of S3's error.
 */
export function verifyV4(request: Signed, by: Verifier): string | undefined {
  const [path = '', search = ''] = request.url.split('?', 2);
  const query = search.split('&').filter(Boolean);
  const inQuery = query.some((each) => each.startsWith('X-Amz-'));
  const given = inQuery ? fromQuery(query) : fromHeader(request.headers);
  if (!given) return 'AccessDenied';
  const [accessKeyId, date = '', region, service, last, ...rest] = given.credential.split('/');
  if (accessKeyId !== by.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== by.region || service !== 's3' || last !== 'aws4_request' || rest.length > 0) return 'AccessDenied';
  const signedAt = timeOf(given.time);
  if (signedAt === undefined || !given.time.startsWith(date)) return 'AccessDenied';
  if (Math.abs(by.now - signedAt) > 15 * 60_000 && (!inQuery || by.now < signedAt)) return 'RequestTimeTooSkewed';
  const expires = inQuery ? Number(given.expires) : 900;
  if (!(expires >= 1 && expires <= 604_800)) return 'AuthorizationQueryParametersError';
  if (by.now >= signedAt + expires * 1000) return 'AccessDenied';

  const names = given.signedHeaders.split(';');
  const mustSign = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (mustSign.some((name) => !names.includes(name)) || names.join() !== [...names].sort().join())
    return 'AccessDenied';
  const hash = createHash('sha256').update(request.body).digest('hex');
  const payload = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']);
  if (!inQuery && payload !== hash) return 'XAmzContentSHA256Mismatch';
  const canonical = [
    ...[request.method, path.split('/').map(encoded).join('/')],
    query
      .filter((each) => !each.startsWith('X-Amz-Signature='))
      .map((each) => each.split('=', 2).map(encoded).join('='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    ...['', given.signedHeaders, payload],
  ].join('\n');
  const scope = [date, region, service, last].join('/');
  const text = ['AWS4-HMAC-SHA256', given.time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [date, region, service, last].reduce<string | Buffer>(hmac, `AWS4${by.secretAccessKey}`);
  const expected = hmac(key, text);
  if (!/^[0-9a-f]{64}$/.test(given.signature)) return 'SignatureDoesNotMatch';
  const got = Buffer.from(given.signature, 'hex');
  return timingSafeEqual(got, expected) ? undefined : 'SignatureDoesNotMatch';
}

interface Given {
  credential: string;
  time: string;
  expires: string;
  signedHeaders: string;
  signature: string;
}

function fromQuery(query: string[]): Given | undefined {
  const names = query.map((each) => each.split('=', 1)[0]);
  if (new Set(names).size !== names.length) return undefined;
  const params = new URLSearchParams(query.join('&'));
  const value = (name: string) => params.get(`X-Amz-${name}`) ?? '';
  if (value('Algorithm') !== 'AWS4-HMAC-SHA256') return undefined;
  return {
    credential: value('Credential'),
    time: value('Date'),
    expires: value('Expires'),
    signedHeaders: value('SignedHeaders'),
    signature: value('Signature'),
  };
}

function fromHeader(headers: IncomingHttpHeaders): Given | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, credential, signedHeaders, signature] = pattern.exec(headers.authorization ?? '') ?? [];
  if (!credential || !signedHeaders || !signature) return undefined;
  return { credential, signedHeaders, signature, time: String(headers['x-amz-date']), expires: '' };
}

function timeOf(text: string): number | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (parts.length === 0) return undefined;
  const [year, month, ...rest] = parts.map(Number);
  return Date.UTC(year!, month! - 1, ...rest);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function encoded(text: string): string {
  const mark = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(decodeURIComponent(text)).replace(/[!'()*]/g, mark);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
