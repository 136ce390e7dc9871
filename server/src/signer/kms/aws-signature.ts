import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

interface Scope {
  region: string;
  service: string;
  /** Unix milliseconds. */
  now: number;
}

interface Unsigned {
  method: string;
  /** With its port, where that is not the usual one. */
  host: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The headers of a request to `/` with a signature of AWS Signature Version 4 over all of them.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedHeaders(
  { method, host, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: Scope,
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const all: Record<string, string> = {
    ...headers,
    host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    '/',
    '',
    ...names.map((name) => `${name}:${all[name]!.trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const text = [ALGORITHM, time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  const authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...all, authorization };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
