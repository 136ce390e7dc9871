import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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
  service: string;
  now: number;
}

/**
 * Verifies AWS Signature Version 4, in the query or in the header, as AWS documents it: undefined when it is right, else
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
  if (region !== by.region || service !== by.service || last !== 'aws4_request' || rest.length > 0)
    return 'AccessDenied';
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
  // The other services hash the body by themselves.
  const said = by.service === 's3' ? String(request.headers['x-amz-content-sha256']) : hash;
  const payload = inQuery ? 'UNSIGNED-PAYLOAD' : said;
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

function encoded(text: string): string {
  const mark = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(decodeURIComponent(text)).replace(/[!'()*]/g, mark);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
