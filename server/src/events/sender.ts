import { promises as dns, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createHttpPost, type HttpAnswer } from '../lib/http-post.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { whyNotTo } from './addresses.js';

/** What became of one attempt: the HTTP status, or why there is none. */
export type Outcome = ({ status: number; error?: string } | { status?: undefined; error: string }) & {
  milliseconds: number;
};

/** Whether the receiver has taken it. */
export const isReceived = ({ status, error }: Outcome): boolean =>
  error === undefined && status !== undefined && status >= 200 && status < 300;

export interface Message {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** With these a receiver, or what stands before it, says that it is away or has too much to do, whatever the event. */
const AWAY = [429, 502, 503, 504];
/** Whether the receiver is there: what it does not take then, it may refuse by what it is. */
export const isAnswered = ({ status }: Outcome): boolean => status !== undefined && !AWAY.includes(status);

/** Posts to a receiver that nobody vouches for. Never rejects. */
export type Sender = (message: Message) => Promise<Outcome>;

export interface SenderOptions {
  /** Whether receivers may be in private networks. */
  allowsPrivate: boolean;
  steadyNow: () => number;
  /** How long a receiver may take for its status. */
  patienceMs?: number;
  /** How long a connection stays open for what comes next; for tests. */
  idleMs?: number;
  /** The addresses of a host name. */
  resolve?: (host: string) => Promise<readonly string[]>;
}

const PATIENCE_MS = 10_000;
/** Of an answer's body nothing is used. It is read so that the connection can be used again. */
const BODY_MS = 1_000;
const MOST_BODY_BYTES = 64 * 1024;
/** Characters of why nothing has arrived, which is kept with each attempt. Of a certificate, it tells all names that it is for. */
const MOST_ERROR = 300;

/**
 * A sender that looks at the address that is connected to, after the name has been resolved, so that a name cannot stand
 * for another address than the one that was checked. Redirects are not followed.
 */
export function createSender(options: SenderOptions): Sender {
  const { allowsPrivate, steadyNow, patienceMs = PATIENCE_MS, idleMs, resolve = addressesOf } = options;
  const post = createHttpPost(guarded(resolve, allowsPrivate), { ...(idleMs !== undefined && { idleMs }) });
  return async ({ url, body, headers }) => {
    const begun = steadyNow();
    const after = () => ({ milliseconds: Math.round(steadyNow() - begun) });
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), patienceMs);
    try {
      const target = new URL(url);
      const refusal = whyNotUrl(target, allowsPrivate);
      if (refusal !== undefined) return { error: refusal, ...after() };
      const answer = await post(target, { headers, body, signal: stop.signal });
      await waitAtMost(BODY_MS, drain(answer)).catch(() => {});
      const { status } = answer;
      return status >= 300 && status < 400
        ? { status, error: 'redirects are not followed', ...after() }
        : { status, ...after() };
    } catch (error) {
      const late = stop.signal.aborted ? `no answer within ${patienceMs / 1_000} s` : undefined;
      return { error: late ?? (error as Error).message.slice(0, MOST_ERROR), ...after() };
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  };
}

/** Why nothing is sent to this URL; undefined if something may be, as far as it can be told without asking for its address. */
export function whyNotUrl(url: URL, allowsPrivate: boolean): string | undefined {
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && allowsPrivate)) {
    return allowsPrivate ? 'expected http: or https:' : 'expected https:';
  }
  if (username !== '' || password !== '') return 'expected no user name and password';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A connection to an address asks for none.
  return isIP(host) === 0 ? undefined : whyNotTo(host, allowsPrivate);
}

/** As `dns.lookup`, but it answers no address that nothing may be sent to. */
function guarded(resolve: (host: string) => Promise<readonly string[]>, allowsPrivate: boolean): LookupFunction {
  return (host, { all }, done) => {
    const answer = async () => {
      const found = await resolve(host);
      // By its name: whoever asks learns no addresses of a network that only this machine sees.
      const refusal = found
        .map((address) => whyNotTo(address, allowsPrivate)?.replace(address, host))
        .find((why) => why !== undefined);
      if (refusal !== undefined) throw new Error(refusal);
      if (found.length === 0) throw new Error(`${host} has no address`);
      return found.map((address) => ({ address, family: isIP(address) }));
    };
    answer().then(
      (found) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      (error: Error) => done(error, ''),
    );
  };
}

/** Without the threads that `dns.lookup` keeps waiting: names that never resolve would use them up for everybody. */
async function addressesOf(host: string): Promise<string[]> {
  if (host === 'localhost') return localAddresses();
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

function localAddresses(): Promise<string[]> {
  return new Promise((resolve, reject) => {
    systemLookup('localhost', { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found.map(({ address }) => address));
    });
  });
}

async function drain({ body }: HttpAnswer): Promise<void> {
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > MOST_BODY_BYTES) return;
  }
}
