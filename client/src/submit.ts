import { toBase64 } from './base64.js';
import type { Answer } from './call.js';
import { type Connection, type FlowOptions, poll } from './context.js';
import { SlipwayError } from './errors.js';
import { amountOf } from './flow.js';

export type TransactionStatus = Answer<'get', '/tx/v1/status/{signature}'>;

export interface WaitOptions extends FlowOptions {
  /** How long to wait for the chain's word; 90 s by default, longer than a blockhash lives. */
  timeoutMs?: number | undefined;
}

export interface Landed {
  signature: string;
  slot: bigint;
}

/**
 * Gives a signed transaction of any kind to the service, which sends it until it lands, and waits for that.
 * @throws SlipwayError failed, expired or timeout
 */
export async function submit(
  connection: Connection,
  transaction: Uint8Array | string,
  options: WaitOptions = {},
): Promise<Landed> {
  const wire = typeof transaction === 'string' ? transaction : toBase64(transaction);
  const body = { signedTransaction: wire };
  const { signature } = await connection.api.post('/tx/v1/submit', { body, signal: options.signal, repeatable: true });
  options.onProgress?.({ step: 'sent', signature });
  return waitFor(connection, signature, options).catch((error: unknown) => {
    if (!(error instanceof SlipwayError) || error.code !== 'rate_limited') throw error;
    // That it may not be asked for any more says nothing of what was posted.
    const { message, retryAfterMs } = error;
    throw new SlipwayError('timeout', `${signature} was sent, and its end is not told: ${message}`, {
      signature,
      retryable: true,
      retryAfterMs,
      cause: error,
    });
  });
}

/** Waits for the chain's word on a transaction that was submitted. @throws SlipwayError failed, expired or timeout */
export async function waitFor(connection: Connection, signature: string, options: WaitOptions = {}): Promise<Landed> {
  const { signal, timeoutMs = 90_000 } = options;
  const ask = async () => {
    const status = await connection.api.get('/tx/v1/status/{signature}', { path: { signature }, signal });
    return status.status === 'pending' ? undefined : status;
  };
  const status = await poll(ask, { everyMs: 400, timeoutMs, what: `${signature} has not landed`, signal });
  const facts = { signature, details: status };
  if (status.status === 'failed') throw new SlipwayError('failed', status.error ?? 'it landed and failed', facts);
  if (status.status === 'expired') {
    const { error = 'it has not landed and never will' } = status;
    throw new SlipwayError('expired', error, { ...facts, retryable: status.error === undefined });
  }
  options.onProgress?.({ step: 'landed', signature });
  return { signature, slot: amountOf(status.slot ?? 0) };
}
