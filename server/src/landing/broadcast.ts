import type { Logger } from 'pino';
import { isAlreadyProcessed, type Rpc, RpcError } from '../chain/index.js';

/**
 * Errors of JSON-RPC and of a validator that mean that it has not taken the transaction: the request is malformed or
 * unknown, preflight failed, a signature is wrong. After any other one (an internal error, say) it may have left.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32600, -32601, -32602, -32002, -32003]);

/** Every configured RPC refused the transaction or could not be reached. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  constructor(
    message: string,
    /** True when all of them refused it: then it has not left. Otherwise it may have. */
    readonly definite: boolean,
  ) {
    super(message);
  }
}

/**
 * Sends the bytes over every RPC at once and resolves as soon as one has accepted them. The nodes neither check nor retry:
 * the checks were made before, and sending again is this room's business.
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
      log.debug({ rpc: rpc.name, reason: (error as Error).message }, 'an RPC did not take the transaction');
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
    );
  }
}
