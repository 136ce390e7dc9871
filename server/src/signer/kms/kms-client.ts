import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, steadyNow } from '../../lib/clock.js';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { ANSWER_MS } from '../socket/connection.js';
import { type AwsCredentials, signedHeaders } from './aws-signature.js';
import type { Credentials } from './credentials.js';
import { type Exchange, type Incoming, NoAnswer } from './exchange.js';
import { KmsError } from './kms-error.js';

/** What a call says: a key, and whatever else its operation takes. */
interface Input {
  KeyId: string;
  [name: string]: unknown;
}

type Operation = 'Sign' | 'GetPublicKey' | 'Encrypt' | 'Decrypt' | 'DescribeKey';

interface ClientOptions {
  endpoint: URL;
  region: string;
  credentials: Credentials;
  exchange: Exchange;
  clock: Clock;
  /** By what the seconds for an answer are counted. */
  steadyNow?: (() => number) | undefined;
}

/**
 * For an answer, with all attempts: whoever asks the signer over its socket would give the whole connection up later, and with
 * it what waits for other keys.
 */
const TOTAL_MS = ANSWER_MS - 1_500;
const ATTEMPT_MS = 1_500;
/** Before the next attempt, doubled each time; of each pause a random half may be left out, so that not all come at once. */
const PAUSE = { firstMs: 100, longestMs: 1_000 };

/** Errors of AWS after which the same may work a little later. */
const PASSING = new Set([
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'KMSInternalException',
  'DependencyTimeoutException',
  'KeyUnavailableException',
  'InternalFailure',
  'InternalServerError',
  'ServiceUnavailable',
  'ServiceUnavailableException',
]);
/** What others than these credentials may be permitted. */
const STALE = new Set(['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException', 'InvalidClientTokenId']);
const NEXT = new Map([
  ['AccessDeniedException', 'see the permissions in docs/signer.md'],
  ['InvalidSignatureException', 'check AWS_SECRET_ACCESS_KEY, kms.region, and the clock of this machine'],
  ['NotFoundException', 'there is no such key in this region and account'],
  ['DisabledException', 'enable the key'],
  ['KMSInvalidStateException', 'the key is disabled, or waits for its deletion'],
]);

/** Calls of AWS KMS, each signed, bounded in time, and made again where that may help. */
export class KmsClient {
  readonly #options: ClientOptions;
  readonly #now: () => number;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#now = options.steadyNow ?? steadyNow;
  }

  /** Where it is. */
  get host(): string {
    return this.#options.endpoint.host;
  }

  get credentials(): string {
    return this.#options.credentials.source;
  }

  /** The answer, an object of whatever. @throws KmsError */
  async call(operation: Operation, input: Input): Promise<Record<string, unknown>> {
    const endAt = this.#now() + TOTAL_MS;
    let hasRenewed = false;
    for (let pauseMs = PAUSE.firstMs; ; pauseMs = Math.min(2 * pauseMs, PAUSE.longestMs)) {
      const outcome = await this.#attempt(operation, input, endAt);
      if (!(outcome instanceof Failure)) return outcome;
      const { error, isPassing, refused } = outcome;
      if (refused !== undefined && !hasRenewed) {
        hasRenewed = true;
        this.#options.credentials.refuse(refused);
      } else if (!isPassing) throw error;
      const wait = (pauseMs * (1 + Math.random())) / 2;
      if (this.#now() + wait >= endAt) throw error;
      await sleep(wait);
    }
  }

  async #attempt(operation: Operation, input: Input, endAt: number): Promise<Record<string, unknown> | Failure> {
    const { endpoint, region, credentials, exchange, clock } = this.#options;
    const body = JSON.stringify(input);
    const used = await inTime(credentials, endAt - this.#now());
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${operation}`,
    };
    const unsigned = { method: 'POST', host: endpoint.host, headers, body } as const;
    const signed = signedHeaders(unsigned, used, { region, service: 'kms', now: clock.now() });
    const timeoutMs = Math.max(1, Math.min(ATTEMPT_MS, endAt - this.#now()));
    const about = `kms:${operation} with ${input.KeyId}`;
    try {
      const answer = await exchange({ url: endpoint, headers: signed, body, timeoutMs });
      return readAnswer(answer, about, used);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return new Failure(new KmsError(`AWS KMS does not answer ${about} (${error.message})`, 'NoAnswer'), true);
    }
  }
}

/** A source of credentials that does not answer must not take longer than AWS KMS itself may. @throws KmsError */
async function inTime(credentials: Credentials, leftMs: number): Promise<AwsCredentials> {
  let found: AwsCredentials | undefined;
  const getting = credentials.get().then((got) => {
    found = got;
  });
  await waitAtMost(Math.max(0, leftMs), getting);
  if (found === undefined) throw new KmsError(`${credentials.source} gives no credentials in time`);
  return found;
}

/** Why an attempt failed, and what may help. */
class Failure {
  readonly error: KmsError;
  /** Whether the same may work a little later. */
  readonly isPassing: boolean;
  /** Set where other credentials may help. */
  readonly refused: AwsCredentials | undefined;

  constructor(error: KmsError, isPassing: boolean, refused?: AwsCredentials) {
    this.error = error;
    this.isPassing = isPassing;
    this.refused = refused;
  }
}

function readAnswer(
  { status, headers, body }: Incoming,
  about: string,
  used: AwsCredentials,
): Record<string, unknown> | Failure {
  const value = objectOf(body);
  if (status === 200 && value !== undefined) return value;
  const code = codeOf(value?.__type) ?? codeOf(headers.get('x-amzn-errortype')) ?? `status ${status}`;
  const id = codeOf(headers.get('x-amzn-requestid'));
  const request = id === undefined ? '' : `, request ${id}`;
  if (status === 200) return new Failure(new KmsError(`AWS KMS answers ${about} with something else than JSON`), true);
  const isPassing = PASSING.has(code) || status === 429 || status >= 500;
  const next = NEXT.get(code);
  const error = new KmsError(`AWS KMS does not do ${about} (${code}${request})${next ? `: ${next}` : ''}`, code);
  return new Failure(error, isPassing, STALE.has(code) ? used : undefined);
}

function objectOf(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A name of AWS, without the namespace before it or the address after it; nothing else goes into a message. */
function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /^(?:[\w.]{1,64}#)?([A-Za-z0-9-]{1,64})(?::.*)?$/.exec(value)?.[1];
}
