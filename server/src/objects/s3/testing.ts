import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import { verifyV4 } from '../../lib/aws-signature-testing.js';

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
  const inTurn = turns();
  const front = createServer((request, response) => {
    void answer(request, response, { port, ahead, readable, inTurn }).catch(() => response.destroy());
  });
  // A connection that is closed for its idleness just when it is used again is a failed request.
  front.keepAliveTimeout = 0;
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
  inTurn: ReturnType<typeof turns>;
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
    const wrong = verifyV4({ method, url, headers, body }, { ...credentials, region: REGION, service: 's3', now });
    if (wrong) return refuse(403, wrong);
  }
  if (method === 'PUT' && headers['content-length'] === undefined) return refuse(411, 'MissingContentLength');
  const passed: Record<string, string> = {};
  for (const name of ['content-type', 'content-length', 'if-none-match']) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  const pass = async () => {
    const init = { method, headers: { ...passed, connection: 'close' }, ...(method === 'PUT' && { body }) };
    const stored = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { stored, content: Buffer.from(await stored.arrayBuffer()) };
  };
  const { stored, content } = await behind.inTurn(pass);
  response.writeHead(stored.status, Object.fromEntries(stored.headers));
  response.end(content);
}

/** One after the other: s3rver replaces an object while somebody reads it, which S3 never does. */
function turns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(action: () => Promise<T>): Promise<T> => {
    const mine = last.then(action);
    last = mine.catch(() => {});
    return mine;
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
