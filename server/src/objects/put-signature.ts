import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PutLength } from './object-store.js';

/** What a presigned PUT of the local store permits. */
export interface PutGrant {
  readonly key: string;
  readonly contentType: string;
  readonly length: PutLength;
  readonly expiresUnixSeconds: number;
  /** A name for whose it is. */
  readonly uploader: string;
}

/** The query of a URL that permits a PUT. */
export function signPut(secret: string, grant: PutGrant): URLSearchParams {
  const [name, bytes] = lengthOf(grant.length);
  return new URLSearchParams({
    type: grant.contentType,
    [name]: String(bytes),
    expires: String(grant.expiresUnixSeconds),
    for: grant.uploader,
    signature: signature(secret, grant).toString('hex'),
  });
}

/** What a query permits for a key; undefined if `signPut` did not make it with this secret. */
export function verifyPut(secret: string, key: string, query: URLSearchParams): PutGrant | undefined {
  const type = query.get('type');
  const [name, bytes] = query.has('length') ? ['length', query.get('length')] : ['max', query.get('max')];
  const expires = query.get('expires');
  const uploader = query.get('for');
  const given = query.get('signature');
  if (query.size !== 5 || type === null || uploader === null || !isCount(bytes) || !isCount(expires)) return undefined;
  if (given === null || !/^[0-9a-f]{64}$/.test(given)) return undefined;
  const grant: PutGrant = {
    key,
    contentType: type,
    length: name === 'length' ? { exact: Number(bytes) } : { max: Number(bytes) },
    expiresUnixSeconds: Number(expires),
    uploader,
  };
  return timingSafeEqual(Buffer.from(given, 'hex'), signature(secret, grant)) ? grant : undefined;
}

/** One part per line: none of them has a line break. */
function signature(secret: string, { key, contentType, length, expiresUnixSeconds, uploader }: PutGrant): Buffer {
  const [name, bytes] = lengthOf(length);
  const text = ['slipway-put-2', key, contentType, `${name} ${bytes}`, expiresUnixSeconds, uploader].join('\n');
  return createHmac('sha256', secret).update(text).digest();
}

function lengthOf(length: PutLength): ['length' | 'max', number] {
  return 'exact' in length ? ['length', length.exact] : ['max', length.max];
}

/** Whether it is a number, written as `signPut` writes it. */
function isCount(text: string | null | undefined): text is string {
  return text != null && /^(?:0|[1-9][0-9]{0,14})$/.test(text);
}
