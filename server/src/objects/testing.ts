import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
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
    ...{ method, headers: passed },
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
    ...{ credential: value('Credential'), time: value('Date'), expires: value('Expires') },
    ...{ signedHeaders: value('SignedHeaders'), signature: value('Signature') },
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

/** A PNG of these chunks, with their lengths and checksums. */
export function png(...chunks: [name: string, data: Uint8Array][]): Buffer {
  const parts = chunks.map(([name, data]) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** A gray PNG, stored without compression: about as many bytes as pixels. */
export function noisePng(side: number): Buffer {
  const rows = Buffer.from(
    Array.from({ length: side * (side + 1) }, (_, at) => (at % (side + 1) ? (at * at * 31) & 255 : 0)),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  return png(['IHDR', header], ['IDAT', deflateSync(rows, { level: 0 })], ['IEND', Buffer.alloc(0)]);
}

/** Images of 8 x 6 pixels as libvips writes them. */
const written = {
  png: [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAoUlEQVQImQGWAGn/AAAHDhUcIyoxOD9GTVRbYmlwd36FjJOaoQCor7a9xMvS2eDn7vX8AwoRGB8mLTQ7QkkAUFdeZWxzeoGIj5adpKuyucDHztXc4+rxAPj/Bg0UGyIpMDc+RUxTWmFob3Z9hIuSmQCgp661vMPK0djf5u30+wIJEBceJSwzOkEASE9WXWRrcnmAh46VnKOqsbi/xs3U2+LpMT9GibPWhacAAAAASUVORK5CYII=',
  ],
  interlacedPng: [
    'image/png',
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAMAAAG+3B9fAAAAkFBMVEWPlp0iKTAVHCMABw7S2eC9xMuor7Z2fYR6gYgzOkFlbHMeJSwJEBff5u38Awrn7vX0+wJhaG9MU1o3PkXb4unGzdQ/Rk2xuL8qMTico6q5wMekq7I7QkkmLTQRGB+LkpmTmqF+hYxpcHdUW2Lj6vHO1dxQV17K0di1vMOgp64NFBuHjpVyeYD4/wZdZGtIT1YAiDYgAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAPklEQVQImQXBgwHAAADAsM62bev/75YgMXH45AObxapXC2I69piUM7tjG6iK7LltU/OcQhQGWsf33leRJfEPdyEEaT1fzHkAAAAASUVORK5CYII=',
  ],
  jpeg: [
    'image/jpeg',
    '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAGAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAcEAACAgMBAQAAAAAAAAAAAAABAgADERMhYZH/xAAVAQEBAAAAAAAAAAAAAAAAAAAAAf/EABURAQEAAAAAAAAAAAAAAAAAAAAB/9oADAMBAAIRAxEAPwC0UC4LpSs4bgK68D0qe/IiIiP/2Q==',
  ],
  progressiveJpeg: [
    'image/jpeg',
    '/9j/4QDQRXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAJiCAgAHAAAAcgAAAGmHBAABAAAAegAAAAAAAAA4YwAA6AMAADhjAADoAwAAbm9ib2R5AAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAACAAAAAOgBAABAAAABgAAAAAAAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wgARCAAGAAgDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABUBAQEAAAAAAAAAAAAAAAAAAAAB/9oADAMBAAIQAxAAAAEE/8QAFhABAQEAAAAAAAAAAAAAAAAAAQAR/9oACAEBAAEFAg2//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFxAAAwEAAAAAAAAAAAAAAAAAABEhsf/aAAgBAQAGPwKLD//EABkQAAEFAAAAAAAAAAAAAAAAAAARITFRwf/aAAgBAQABPyFumVYP/9oADAMBAAIAAwAAABD3/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFREBAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQIBAT8Qj//EABkQAQACAwAAAAAAAAAAAAAAAAERIQBhkf/aAAgBAQABPxAxJRQaDar5n//Z',
  ],
  gif: [
    'image/gif',
    'R0lGODlhCAAGAIUAAExpcaCnrrW8w8rR2HJ5gIeOlQ0UG0hPVl1ka/j/BlBXXs7V3OPq8VRbYmlwd36FjJOaoYuSmREYHyYtNDtCSaSrsrnAx5yjqioxOLG4vz9GTcbN1Nvi6Tc+RUxTWmFob/T7Aufu9fwDCt/m7QkQFx4lLGVsczM6QXqBiHZ9hKivtr3Ey9LZ4AAHDhUcIyIpMI+WnQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACH5BAUAAAAALAAAAAAIAAYAAAYswJYLo2k4HhDVihUSSSYUhQkFq1gWjITh1fF8UpGAYDACkUqnA4JQuGQ2nCAAOw==',
  ],
  animatedGif: [
    'image/gif',
    'R0lGODlhCAAGAIUAAExpcaCnrrW8w8rR2HJ5gIeOlQ0UG0hPVl1ka/j/BlBXXs7V3OPq8VRbYmlwd36FjJOaoYuSmREYHyYtNDtCSaSrsrnAx5yjqioxOLG4vz9GTcbN1Nvi6Tc+RUxTWmFob/T7Aufu9fwDCt/m7QkQFx4lLGVsczM6QXqBiHZ9hKivtr3Ey9LZ4AAHDhUcIyIpMI+WnQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFBQAAACwAAAAACAAGAAAGLMCWC6NpOB4Q1YoVEkkmFIUJBatYFoyE4dXxfFKRgGAwApFKpwOCULhkNpwgACH5BAUFAAAALAAAAAAIAAYAAAYswBCpdDogCIVLZsMJtVwYTcPxgKhWrJBIMqEoTChYxbJgiAyvjueTigQEgyAAOw==',
  ],
  lossyWebp: [
    'image/webp',
    'UklGRkAAAABXRUJQVlA4IDQAAACQAQCdASoIAAYAB0CWJYwAAppm/DAA+hDwbF4ifV4Gb/pr14ilCTZK4MPN3fYAZsxhAAAA',
  ],
  losslessWebp: ['image/webp', 'UklGRioAAABXRUJQVlA4TB4AAAAvB0ABAM1lRP8DRNo2cArmn07o0RVM/hzEBLDsuAE='],
  alphaWebp: [
    'image/webp',
    'UklGRkQBAABXRUJQVlA4WAoAAAAYAAAABwAABQAAQUxQSBkAAAABuYzof4AsG4nitvPnOpifniBiAiaA2rkBAFZQOCAuAAAA0AEAnQEqCAAGAAdAliWcAvzg9Fc7GOwAzKFXame+Mo6l3Ut87dD8g8SJw9twAEVYSUbOAAAARXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAJiCAgAHAAAAcgAAAGmHBAABAAAAegAAAAAAAAA4YwAA6AMAADhjAADoAwAAbm9ib2R5AAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAACAAAAAOgBAABAAAABgAAAAAAAAA=',
  ],
  animatedWebp: [
    'image/webp',
    'UklGRsYAAABXRUJQVlA4WAoAAAACAAAABwAABQAAQU5JTQYAAAD/////AABBTk1GSAAAAAAAAAAAAAcAAAUAADIAAAJWUDggMAAAAJABAJ0BKggABgAHQJYllAACmmb8MAD6EPBsXiJ9XgZv+mvXiKUJNkrgw83d2wgAAEFOTUZKAAAAAAAAAAAABgAABQAAMgAAAFZQOCAyAAAA1AEAnQEqBwAGAAAAliWUAAKc4/keiQAA9Az1KrbDurboeGCE5stTLR23XizjBViAAAA=',
  ],
} as const;

export const samples = Object.fromEntries(
  Object.entries(written).map(([name, [type, text]]) => [
    name,
    { contentType: type, bytes: Buffer.from(text, 'base64') },
  ]),
) as Record<keyof typeof written, { contentType: (typeof written)[keyof typeof written][0]; bytes: Buffer }>;
