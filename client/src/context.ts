import {
  type Api,
  type ApiOptions,
  type CallOptions,
  createApi,
  createOpenStream,
  type OpenStream,
  sleep,
} from './call.js';
import { SlipwayError } from './errors.js';
import { addressOf, type Signer } from './signer.js';

/** The programs that a transaction may call besides those of Solana and of the known venues. */
export interface Programs {
  router: string;
  orderEngine: string;
  tokenSwap: string;
  limitOrder: string;
  inviteEscrow: string;
}

export interface ClientOptions extends ApiOptions {
  /** Signs for the wallet that the flows act for; a flow can be given another one. */
  signer?: Signer | undefined;
  /**
   * A node of the chain, for what the bytes do not say. Needed where transactions use lookup tables, or pass on what a market maker
   * pays of a token of Token-2022.
   */
  rpcUrl?: string | undefined;
  /**
   * Where programs are, as you know it, and never as the service says. All but the router are at their public addresses by
   * default.
   */
  programs?: Partial<Programs> | undefined;
  /**
   * Where the files of a launch may go by plain http, besides the service itself: hosts, with their ports, such as that of an
   * object store of your own. Any host with https may be named by the service.
   */
  uploadHosts?: readonly string[] | undefined;
  /** The service is a sandbox: its router is trusted. Never set this for another chain. */
  sandbox?: boolean | undefined;
  /**
   * What the text of a login begins with, up to the wallet, where the operator has chosen it or serves the API under
   * another name than `url`. By default it must name the host of `url`.
   */
  challengePrefix?: string | undefined;
}

/** Anybody can have the secret key of this address, and put a program there on another chain. */
const SANDBOX_PROGRAMS = { router: '22eVBT7LjAcL9RvjvLeHr4xWBbY9VnCceAE1BmCMKdEV' };

/** What every flow works with; `connect` makes it. */
export interface Connection {
  readonly url: string;
  readonly challengePrefix: string | undefined;
  readonly api: Api;
  readonly openStream: OpenStream;
  /** How often a call that may be repeated is made at most. */
  readonly attempts: number;
  readonly signer: Signer | undefined;
  readonly rpcUrl: string | undefined;
  readonly fetch: typeof fetch | undefined;
  readonly maxAnswerBytes: number | undefined;
  readonly programs: Partial<Programs>;
  readonly uploadHosts: readonly string[] | undefined;
}

/** @throws SlipwayError invalid_request */
export function connect(options: ClientOptions): Connection {
  for (const host of options.uploadHosts ?? []) requireHost(host);
  return {
    url: options.url,
    challengePrefix: options.challengePrefix,
    api: createApi(options),
    openStream: createOpenStream(options),
    attempts: options.attempts ?? 4,
    signer: options.signer,
    rpcUrl: options.rpcUrl,
    fetch: options.fetch,
    maxAnswerBytes: options.maxAnswerBytes,
    uploadHosts: options.uploadHosts,
    programs: { ...(options.sandbox && SANDBOX_PROGRAMS), ...options.programs },
  };
}

function requireHost(host: string): void {
  if (!/[/?#@\\]/.test(host) && URL.canParse(`http://${host}`)) return;
  const message = `uploadHosts: expected hosts, with their ports, such as "minio:9000", and not "${host}"`;
  throw new SlipwayError('invalid_request', message, { field: 'uploadHosts' });
}

/** Where a flow is. `signature` is there once it is known. */
export interface Progress {
  step: 'crafted' | 'checked' | 'signed' | 'sent' | 'landed' | 'waiting';
  signature?: string | undefined;
}

/** What every flow can be given besides what it does. */
export interface FlowOptions extends CallOptions {
  signer?: Signer | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The signer of a flow, and its address. */
export function signerOf({ signer }: Connection, options: FlowOptions): { signer: Signer; wallet: string } {
  const chosen = options.signer ?? signer;
  if (chosen === undefined) throw new SlipwayError('signer', 'this needs a signer: give one to createClient or here');
  return { signer: chosen, wallet: addressOf(chosen) };
}

// Then ever more seldom: a key of the smallest tier may ask once a second.
const EAGER_ASKS = 10;
const SLOWER_BY = 1.25;
const SLOWEST_MS = 2_000;

/** Asks until there is an answer, also where it may not ask for a while. @throws SlipwayError timeout */
export async function poll<T>(
  ask: () => Promise<T | undefined>,
  {
    everyMs,
    timeoutMs,
    what,
    signal,
  }: { everyMs: number; timeoutMs: number; what: string; signal?: AbortSignal | undefined },
): Promise<T> {
  const end = performance.now() + timeoutMs;
  let pauseMs = everyMs;
  for (let asked = 1; ; asked++) {
    let refusedForMs = 0;
    const answer = await ask().catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.code !== 'rate_limited') throw error;
      refusedForMs = error.retryAfterMs ?? SLOWEST_MS;
      if (performance.now() + refusedForMs > end) throw error;
      return undefined;
    });
    if (answer !== undefined) return answer;
    if (performance.now() > end)
      throw new SlipwayError('timeout', `${what} within ${timeoutMs} ms`, { retryable: true });
    if (asked >= EAGER_ASKS) pauseMs = Math.min(pauseMs * SLOWER_BY, Math.max(SLOWEST_MS, everyMs));
    await sleep(Math.max(pauseMs, refusedForMs), signal);
  }
}
