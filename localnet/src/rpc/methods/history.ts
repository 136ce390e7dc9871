import type { StoredTransaction } from '../../types.js';
import { RPC_CODE, RpcError } from '../errors.js';
import { integer } from '../json.js';
import { readAddress, readChoice, readConfig, readFlag, readList, readSignature, readSize } from '../params.js';
import { renderStatus, renderTransaction, TRANSACTION_ENCODINGS } from '../render-transaction.js';
import type { Methods } from './method.js';
import { withContext } from './method.js';

const MAX_SIGNATURES = 256;
const MAX_HISTORY = 1000;
/** One node, no forks: what was executed stays. */
const CONFIRMATION = { confirmations: null, confirmationStatus: 'finalized' };

/** What became of transactions. */
export const historyMethods: Methods = {
  getSignatureStatuses: (chain, params) => {
    const list = readList(params[0], 'signatures', MAX_SIGNATURES);
    const signatures = list.map((value, index) => readSignature(value, `signatures[${index}]`));
    const config = readConfig(params[1], chain.slot);
    readFlag(config.searchTransactionHistory, 'searchTransactionHistory');
    const statuses = signatures.map((signature) => {
      const status = chain.status(signature);
      if (!status) return null;
      return { slot: integer(status.slot), err: status.err, status: renderStatus(status.err), ...CONFIRMATION };
    });
    return withContext(chain, statuses);
  },

  getSignaturesForAddress: (chain, params) => {
    const address = readAddress(params[0], 'address');
    const config = readConfig(params[1], chain.slot);
    const limit = config.limit === undefined || config.limit === null ? MAX_HISTORY : readSize(config.limit, 'limit');
    if (limit === 0 || limit > MAX_HISTORY) {
      throw new RpcError(RPC_CODE.invalidParams, `Invalid limit; max ${MAX_HISTORY}`);
    }
    const rows = chain.signaturesFor(address, {
      ...optionalSignature(config, 'before'),
      ...optionalSignature(config, 'until'),
      limit,
    });
    return rows.map(({ signature, slot, err, memo, blockTime }) => ({
      signature,
      slot: integer(slot),
      err,
      memo,
      blockTime: integer(blockTime),
      confirmationStatus: CONFIRMATION.confirmationStatus,
    }));
  },

  getTransaction: (chain, params) => {
    const signature = readSignature(params[0], 'signature');
    const given = typeof params[1] === 'string' ? { encoding: params[1] } : params[1];
    const config = readConfig(given, chain.slot);
    const encoding = readChoice(config.encoding, 'encoding', TRANSACTION_ENCODINGS);
    const version = config.maxSupportedTransactionVersion;
    const maxVersion =
      version === undefined || version === null ? undefined : readSize(version, 'maxSupportedTransactionVersion');
    const transaction: StoredTransaction | undefined = chain.transaction(signature);
    return transaction ? renderTransaction(transaction, encoding, maxVersion) : null;
  },
};

function optionalSignature<K extends string>(
  config: Record<string, unknown>,
  name: K,
): { [key in K]?: string } | object {
  const value = config[name];
  return value === undefined || value === null ? {} : { [name]: readSignature(value, name) };
}
