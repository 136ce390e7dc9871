import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomInt,
  randomUUID,
  sign,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Address, base58Encode } from '@slipway/wire';
import { verifyV4 } from '../../lib/aws-signature-testing.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { createExchange, type Exchange, NoAnswer } from './exchange.js';

export const REGION = 'eu-central-1';
const ACCOUNT = '111122223333';

/** Credentials that the double knows. */
export interface Known {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Refused as AWS refuses what was good once. */
  expired?: boolean;
  /** The operations that are permitted; all by default. */
  may?: readonly string[];
}

export const KEYS: Known = { accessKeyId: 'AKIDOFTHETESTS000000', secretAccessKey: 'a-secret-that-nobody-may-see+/=' };

interface Key {
  arn: string;
  spec: string;
  enabled: boolean;
  pair?: { publicKey: KeyObject; privateKey: KeyObject };
  secret?: Buffer;
}

/** A request that was signed as it should be. */
export interface Asked {
  operation: string;
  input: Record<string, unknown>;
  accessKeyId: string;
}

/** Instead of an answer, or with it: what has gone wrong. */
export type Fault =
  | { error: string; status?: number; message?: string }
  | { raw: string; status?: number }
  | { change: (output: Record<string, unknown>) => Record<string, unknown> }
  | 'hang'
  | 'reset'
  | 'half';

/** AWS KMS, as its HTTP API is published, with keys of its own. Verifies the signature of each request. */
export class KmsDouble {
  readonly keys = new Map<string, Key>();
  readonly aliases = new Map<string, string>();
  known: Known[] = [KEYS];
  readonly asked: Asked[] = [];
  /** Requests whose signature was wrong, or that were none. */
  readonly refused: string[] = [];
  /** What goes wrong with a request, the `count`-th of its operation. */
  fault: (asked: Asked, count: number) => Fault | undefined = () => undefined;
  /** Seconds by which its clock is ahead. */
  ahead = 0;
  endpoint = '';
  #port = 0;
  readonly #tls: { key: Buffer; cert: Buffer } | undefined;
  readonly #server: Server;

  /** With TLS, it is `localhost`. */
  constructor(tls?: { key: Buffer; cert: Buffer }) {
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response).catch(() => response.destroy());
    this.#tls = tls;
    this.#server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  /** Listens, where it did before, too. */
  async start(): Promise<this> {
    while (!this.#server.listening) {
      // At first one below those that systems give to whoever asks for any: it stays free while this is away.
      this.#server.listen(this.#port || 20_000 + randomInt(12_000), '127.0.0.1');
      await once(this.#server, 'listening').catch((error: NodeJS.ErrnoException) => {
        if (this.#port !== 0 || error.code !== 'EADDRINUSE') throw error;
      });
    }
    this.#port = (this.#server.address() as AddressInfo).port;
    this.endpoint = this.#tls ? `https://localhost:${this.#port}` : `http://127.0.0.1:${this.#port}`;
    return this;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** A new key, which the alias names from now on. */
  make(alias: string, spec: 'ECC_NIST_EDWARDS25519' | 'ECC_NIST_P256' | 'SYMMETRIC_DEFAULT'): string {
    const arn = `arn:aws:kms:${REGION}:${ACCOUNT}:key/${randomUUID()}`;
    const key: Key = { arn, spec, enabled: true };
    if (spec === 'ECC_NIST_EDWARDS25519') key.pair = generateKeyPairSync('ed25519');
    else if (spec === 'ECC_NIST_P256') key.pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    else key.secret = randomBytes(32);
    this.keys.set(arn, key);
    this.aliases.set(`alias/${alias}`, arn);
    return arn;
  }

  /** The keys that a signer needs, and its settings for them. */
  makeAll(prefix = 'slipway'): {
    region: string;
    endpoint: string;
    keys: Record<'gas' | 'keeper' | 'tracker' | 'seed', string>;
  } {
    for (const role of ['gas', 'keeper', 'tracker']) this.make(`${prefix}-${role}`, 'ECC_NIST_EDWARDS25519');
    this.make(`${prefix}-seed`, 'SYMMETRIC_DEFAULT');
    const of = (role: string) => `alias/${prefix}-${role}`;
    const keys = { gas: of('gas'), keeper: of('keeper'), tracker: of('tracker'), seed: of('seed') };
    return { region: REGION, endpoint: this.endpoint, keys };
  }

  keyOf(name: string): Key {
    const short = [...this.keys.keys()].find((arn) => arn.endsWith(`:key/${name}`));
    const found = this.keys.get(this.aliases.get(name) ?? short ?? name);
    if (found === undefined) throw new KmsFault('NotFoundException');
    return found;
  }

  addressOf(name: string): Address {
    const der = this.keyOf(name).pair!.publicKey.export({ format: 'der', type: 'spki' });
    return base58Encode(der.subarray(-32)) as Address;
  }

  countOf(operation: string): number {
    return this.asked.filter((each) => each.operation === operation).length;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const answer = (status: number, text: string) => {
      response.writeHead(status, {
        'content-type': 'application/x-amz-json-1.1',
        'x-amzn-requestid': randomUUID(),
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    };
    const fail = (code: string, status = 400, message = `about ${code}`) =>
      answer(status, JSON.stringify({ __type: code, message }));
    try {
      const asked = this.#read(request, body);
      this.asked.push(asked);
      const fault = this.fault(asked, this.countOf(asked.operation));
      if (fault === 'hang') return;
      if (fault === 'reset') return void request.socket.resetAndDestroy();
      if (fault && typeof fault === 'object' && 'error' in fault) return fail(fault.error, fault.status, fault.message);
      if (fault && typeof fault === 'object' && 'raw' in fault) return answer(fault.status ?? 200, fault.raw);
      const output = this.#do(asked);
      const text = JSON.stringify(fault && typeof fault === 'object' ? fault.change(output) : output);
      if (fault !== 'half') return answer(200, text);
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.slice(0, text.length / 2), () => request.socket.resetAndDestroy());
    } catch (error) {
      if (!(error instanceof KmsFault)) throw error;
      fail(error.message, 400, error.told);
    }
  }

  /** @throws KmsFault when it is not signed as it should be */
  #read(request: IncomingMessage, body: Buffer): Asked {
    const { method = '', url = '', headers } = request;
    const refuse = (code: string, told?: string): never => {
      this.refused.push(code);
      throw new KmsFault(code, told);
    };
    const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    const by = this.known.find((each) => each.accessKeyId === accessKeyId);
    if (by === undefined) return refuse('UnrecognizedClientException');
    const token = headers['x-amz-security-token'];
    const signer = { ...by, region: REGION, service: 'kms', now: Date.now() + this.ahead * 1000 };
    const wrong = verifyV4({ method, url, headers, body }, signer);
    // AWS tells what it has expected, and so repeats what stood in the headers.
    if (wrong)
      return refuse(
        'InvalidSignatureException',
        `${wrong}: the canonical string should have been ${JSON.stringify(headers)}`,
      );
    if (token !== by.sessionToken) return refuse('UnrecognizedClientException');
    if (by.expired) return refuse('ExpiredTokenException');
    const isJson = headers['content-type'] === 'application/x-amz-json-1.1';
    if (method !== 'POST' || url !== '/' || !isJson) return refuse('UnknownOperationException');
    const [, operation = ''] = /^TrentService\.(\w+)$/.exec(String(headers['x-amz-target'])) ?? [];
    if (by.may && !by.may.includes(operation)) return refuse('AccessDeniedException');
    return { operation, input: JSON.parse(body.toString('utf8')) as Record<string, unknown>, accessKeyId };
  }

  #do({ operation, input }: Asked): Record<string, unknown> {
    const key = this.keyOf(String(input.KeyId));
    const { arn: KeyId, spec: KeySpec, enabled: Enabled } = key;
    const KeyUsage = key.pair ? 'SIGN_VERIFY' : 'ENCRYPT_DECRYPT';
    if (operation === 'DescribeKey') return { KeyMetadata: { Arn: KeyId, KeySpec, KeyUsage, Enabled } };
    if (!Enabled) throw new KmsFault('DisabledException');
    if (operation === 'GetPublicKey') {
      if (!key.pair) throw new KmsFault('UnsupportedOperationException');
      const PublicKey = key.pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
      return { KeyId, KeySpec, KeyUsage, PublicKey, SigningAlgorithms: ['ED25519_SHA_512', 'ED25519_PH_SHA_512'] };
    }
    if (operation === 'Sign') return { KeyId, ...signWith(key, input) };
    if (!key.secret) throw new KmsFault('InvalidKeyUsageException');
    const context = input.EncryptionContext as Record<string, string>;
    if (operation === 'Encrypt') return { KeyId, ...encrypt(key, input.Plaintext, context) };
    if (operation === 'Decrypt') return { KeyId, ...decrypt(key, input.CiphertextBlob, context) };
    throw new KmsFault('UnknownOperationException');
  }
}

/** An error of AWS, by its name. */
class KmsFault extends Error {
  readonly told: string | undefined;
  constructor(code: string, told?: string) {
    super(code);
    this.told = told;
  }
}

const ALGORITHMS: Record<string, string> = {
  ECC_NIST_EDWARDS25519: 'ED25519_SHA_512',
  ECC_NIST_P256: 'ECDSA_SHA_256',
};

function signWith({ spec, pair }: Key, { Message, MessageType, SigningAlgorithm }: Record<string, unknown>) {
  if (!pair || ALGORITHMS[spec] !== SigningAlgorithm) throw new KmsFault('InvalidKeyUsageException');
  const message = Buffer.from(String(Message), 'base64');
  if (MessageType !== 'RAW' || message.length < 1 || message.length > 4_096) throw new KmsFault('ValidationException');
  return { Signature: sign(null, message, pair.privateKey).toString('base64'), SigningAlgorithm };
}

const associated = (context: Record<string, string>) => Buffer.from(JSON.stringify(Object.entries(context).sort()));

/** The key is named in a ciphertext, so that another one is told from a changed one. */
function encrypt({ arn, secret }: Key, plaintext: unknown, context: Record<string, string>) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret!, nonce).setAAD(associated(context));
  const sealed = Buffer.concat([cipher.update(Buffer.from(String(plaintext), 'base64')), cipher.final()]);
  const blob = Buffer.concat([Buffer.from(arn.slice(-36)), nonce, cipher.getAuthTag(), sealed]);
  return { CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
}

function decrypt({ arn, secret }: Key, ciphertext: unknown, context: Record<string, string>) {
  const blob = Buffer.from(String(ciphertext), 'base64');
  if (blob.length < 64 || !/^[0-9a-f-]{36}$/.test(blob.toString('latin1', 0, 36))) {
    throw new KmsFault('InvalidCiphertextException');
  }
  if (blob.toString('latin1', 0, 36) !== arn.slice(-36)) throw new KmsFault('IncorrectKeyException');
  const decipher = createDecipheriv('aes-256-gcm', secret!, blob.subarray(36, 48));
  decipher.setAAD(associated(context)).setAuthTag(blob.subarray(48, 64));
  try {
    const plain = Buffer.concat([decipher.update(blob.subarray(64)), decipher.final()]);
    return { Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw new KmsFault('InvalidCiphertextException');
  }
}

/** As requests are sent to a double in this process, whose seconds do not pass while the process stands still. */
export function createRunningExchange(): Exchange {
  const send = createExchange();
  return async ({ timeoutMs, ...outgoing }) => {
    const end = runningNow() + timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        if (runningNow() >= end) reject(new NoAnswer('no answer in time'));
      }, 20);
    });
    return Promise.race([send({ ...outgoing, timeoutMs: PATIENCE_MS }), late]).finally(() => clearInterval(timer));
  };
}
