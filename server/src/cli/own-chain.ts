import { encodeTransaction, type Transaction, transactionSignature } from '@slipway/wire';
import { pino } from 'pino';
import { type Chain, ChainUnavailable, createChain, createHttpRpc } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { broadcastFirst, createTracker, lifetimeByHeight, NotAccepted } from '../landing/index.js';
import { steadyNow } from '../lib/clock.js';
import { type Signer, SignerRefused, type WalletRotation } from '../signer/index.js';
import { CommandError } from './context.js';
import { openKeys } from './open-keys.js';
import { patientRpc } from './patient-rpc.js';

/** What moves money without the service: its keys, and a way to the chain. */
export interface OwnChain {
  chain: Chain;
  signer: Signer & WalletRotation;
  /** Sends a signed transaction until its outcome is known. */
  land(transaction: Transaction, lastValidBlockHeight: bigint): Promise<{ event: 'landed' | 'failed' | 'expired' }>;
}

/** Runs `work` with the signer file and an RPC only, so it works even if the service is gone and its database is lost. */
export async function withOwnChain<T>(config: Config, work: (own: OwnChain) => Promise<T>): Promise<T> {
  const signer = await openKeys(config);
  try {
    return await withChain(config, (own) => work({ ...own, signer }));
  } finally {
    signer.close();
  }
}

/** Runs `work` with a way to the chain. */
export async function withChain<T>(config: Config, work: (own: Omit<OwnChain, 'signer'>) => Promise<T>): Promise<T> {
  const sendRpcs = [rpcUrl(config), ...(config.chain.kind === 'outside' ? config.chain.sendUrls : [])].map((url) =>
    patientRpc(createHttpRpc({ url })),
  );
  const fees = { percentile: config.fees.percentile, maxMicroLamports: BigInt(config.fees.maxMicroLamports) };
  const chain = createChain({ rpc: sendRpcs[0]!, steadyNow, fees });
  const log = pino({ level: 'silent' });
  const tracker = createTracker({ chain, sendRpcs, log, steadyNow });
  try {
    return await work({
      chain,
      async land(transaction, lastValidBlockHeight) {
        const [signature, wire] = [transactionSignature(transaction), encodeTransaction(transaction)];
        const refused = await broadcastFirst(sendRpcs, wire, log).catch((error: NotAccepted) => error);
        if (refused instanceof NotAccepted && refused.definite) return { event: 'failed' };
        return tracker.track({ signature, wire, lifetime: lifetimeByHeight(wire, lastValidBlockHeight) });
      },
    });
  } catch (error) {
    if (error instanceof ChainUnavailable && config.chain.kind === 'embedded') throw unanswered(config, error);
    throw asOperator(error);
  } finally {
    tracker.close();
  }
}

function unanswered(config: Config, { message }: ChainUnavailable): CommandError {
  return new CommandError(
    `${message}: start the service, whose chain is asked at ${rpcUrl(config)}, or set SLIPWAY_RPC_PORT to the port of the RPC that it has printed`,
  );
}

/** What this asks for is allowed to one role only; the signer does not say which. */
function asOperator(error: unknown): unknown {
  if (!(error instanceof SignerRefused) || !error.reason.endsWith('may not ask for this')) return error;
  return new CommandError(
    `the signer refuses: ${error.reason}. Set SLIPWAY_SIGNER_URL to the socket of a caller with the role operator`,
  );
}

function rpcUrl({ chain }: Config): string {
  if (chain.kind === 'outside') return chain.rpcUrl;
  if (chain.rpcPort > 0) return `http://127.0.0.1:${chain.rpcPort}`;
  throw new CommandError('SLIPWAY_RPC_PORT is 0: set it to the port that the embedded chain listens on');
}
