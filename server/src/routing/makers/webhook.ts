import type { Clock } from '../../lib/clock.js';
import { CallFailure, callJson, type JsonAnswer } from '../../lib/json-call.js';

export { CallFailure as WebhookFailure } from '../../lib/json-call.js';

/** A market maker's webhook, as it is registered. */
export interface MakerEndpoint {
  id: string;
  name: string;
  /** http or https; a password in it is the maker's API key. */
  url: string;
}

/** Bytes of an answer: some ten times those of one that says all that it may, and a list of twenty thousand tokens, which is read seldom. */
const MOST = { '/quote': 8 << 10, '/swap': 8 << 10, '/tokens': 1 << 20 } as const;

interface WebhookCall {
  path: keyof typeof MOST;
  /** Posted as JSON; without it, the path is read with GET. */
  body?: object;
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * One call of the public RFQ webhook protocol.
 * @throws CallFailure
 */
export async function callWebhook({ url }: MakerEndpoint, call: WebhookCall, clock: Clock): Promise<JsonAnswer> {
  const { path, ...options } = call;
  const { target, headers } = readTarget(url, path);
  headers['x-request-start'] = String(clock.now());
  headers['x-request-timeout'] = String(call.timeoutMs);
  return callJson(target, { headers, most: MOST[path], ...options });
}

function readTarget(url: string, path: string): { target: URL; headers: Record<string, string> } {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
    throw new CallFailure('unreachable', 'the URL of the market maker is not http or https');
  }
  const headers: Record<string, string> = {};
  // fetch refuses credentials inside of a URL.
  if (target.password !== '') headers['x-api-key'] = decodeURIComponent(target.password);
  target.username = '';
  target.password = '';
  target.pathname = target.pathname.replace(/\/$/, '') + path;
  return { target, headers };
}
