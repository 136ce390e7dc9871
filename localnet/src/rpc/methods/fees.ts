import { base58Decode, type DecodedMessage, decodeMessage, WireError } from '@slipway/wire';
import { transactionFee } from '../../chain.js';
import { invalidParam, RPC_CODE, RpcError } from '../errors.js';
import { integer } from '../json.js';
import { decodeBase64, readAddresses, readConfig, readString } from '../params.js';
import { renderBlockhash } from '../render-simulation.js';
import { type Methods, withContext } from './method.js';

const MAX_FEE_ACCOUNTS = 128;

/** Blockhashes and what a transaction costs. */
export const feeMethods: Methods = {
  getLatestBlockhash: (chain, params) => {
    readConfig(params[0], chain.slot);
    return withContext(chain, renderBlockhash(chain.latestBlockhash()));
  },

  isBlockhashValid: (chain, params) => {
    const blockhash = readString(params[0], 'blockhash');
    readConfig(params[1], chain.slot);
    if (blockhash.length > 44 || base58Decode(blockhash)?.length !== 32) {
      throw invalidParam('blockhash', 'expected base58 of 32 bytes');
    }
    return withContext(chain, chain.isBlockhashValid(blockhash));
  },

  getFeeForMessage: (chain, params) => {
    const message = readMessage(params[0]);
    readConfig(params[1], chain.slot);
    return withContext(chain, chain.isBlockhashValid(message.blockhash) ? integer(transactionFee(message)) : null);
  },

  getRecentPrioritizationFees: (chain, params) => {
    const accounts = readAddresses(params[0] ?? [], 'accounts', MAX_FEE_ACCOUNTS);
    return chain
      .recentFees(accounts)
      .map(({ slot, fee }) => ({ slot: integer(slot), prioritizationFee: integer(fee) }));
  },
};

function readMessage(value: unknown): DecodedMessage {
  const bytes = decodeBase64(readString(value, 'message'));
  if (!bytes) throw invalidParam('message', 'Invalid base64');
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new RpcError(
      RPC_CODE.invalidParams,
      `failed to deserialize solana_message::versioned::VersionedMessage: ${error.message}`,
    );
  }
}
