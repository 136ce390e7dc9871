import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isAlreadyProcessed, type Rpc, RpcError, Throttled } from '../chain/index.js';

/**
 * JSON-RPC and validator errors that mean the transaction was not accepted: the request is malformed or unknown,
 * preflight failed, or a signature is wrong. After any other error (an internal one, say) it may have been sent.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32600, -32601, -32602, -32002, -32003]);

/** So many times in a row every RPC must refuse the same bytes, before nobody has taken them. */
const REFUSALS_IN_A_ROW = 3;
const AGAIN_MS = 300;

/** Every configured RPC refused the transaction or could not be reached. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  constructor(
    message: string,
    /** True if every RPC refused it, so it was not sent. Otherwise it may have been. */
    readonly definite: boolean,
    /** True if an RPC would have taken it, but had taken too many. */
    readonly throttled = false,
  ) {
    super(message);
  }
}

/**
 * Sends the bytes to every RPC at once and resolves as soon as one has accepted them. The nodes neither simulate nor
 * retry, because preflight and rebroadcasts happen here.
 * @throws NotAccepted
 */
export async function broadcast(sendRpcs: readonly Rpc[], wire: Uint8Array, log: Logger): Promise<void> {
  const encoded = Buffer.from(wire).toString('base64');
  const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
  const attempts = sendRpcs.map(async (rpc) => {
    try {
      await rpc.call('sendTransaction', [encoded, options]);
    } catch (error) {
      if (isAlreadyProcessed(error)) return;
      log.debug({ rpc: rpc.name, reason: (error as Error).message }, 'an RPC did not accept the transaction');
      throw error;
    }
  });
  try {
    await Promise.any(attempts);
  } catch (error) {
    const errors = (error as AggregateError).errors as Error[];
    const reasons = new Set(errors.map((each) => each.message));
    throw new NotAccepted(
      [...reasons].join('; '),
      errors.every((each) => each instanceof RpcError && REFUSALS.has(each.code)),
      errors.some((each) => each instanceof Throttled),
    );
  }
}

/**
 * `broadcast` for the first time, of what is forgotten where it is refused. One of several nodes behind an address may refuse what it
 * has taken, or what another has, so it is sent again: only what is refused each time was not sent.
 * @throws NotAccepted
 */
export async function broadcastFirst(
  sendRpcs: readonly Rpc[],
  wire: Uint8Array,
  log: Logger,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<void> {
  for (let refusals = 1; ; refusals++) {
    try {
      return await broadcast(sendRpcs, wire, log);
    } catch (error) {
      const isRefused = error instanceof NotAccepted && error.definite;
      if (!isRefused || refusals === REFUSALS_IN_A_ROW) throw error;
    }
    await pause(AGAIN_MS);
  }
}
