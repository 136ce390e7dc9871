import { base58Decode, type DecodedMessage, decodeTransaction, MAX_TRANSACTION_SIZE, WireError } from '@slipway/wire';
import { invalidParam, RPC_CODE, RpcError } from './errors.js';
import { type Config, decodeBase64, readChoice, readString } from './params.js';

const TYPE = 'solana_transaction::versioned::VersionedTransaction';
/** The longest text of a transaction that fits a packet. */
const MAX_BASE58_LENGTH = 1683;
const MAX_BASE64_LENGTH = 4 * Math.ceil(MAX_TRANSACTION_SIZE / 3);

interface GivenTransaction {
  wire: Uint8Array;
  signatures: Uint8Array[];
  decoded: DecodedMessage;
}

/** The transaction of a request, in its `encoding` (base58 where that is left out), with a validator's errors. */
export function readTransaction(value: unknown, config: Config): GivenTransaction {
  const text = readString(value, 'transaction');
  const encoding = readChoice(config.encoding, 'encoding', ['base58', 'base64']);
  const maxLength = encoding === 'base58' ? MAX_BASE58_LENGTH : MAX_BASE64_LENGTH;
  const limits = `(max: encoded/raw ${maxLength}/${MAX_TRANSACTION_SIZE})`;
  if (text.length > maxLength) throw refused(`${encoding} encoded ${TYPE} too large: ${text.length} bytes ${limits}`);
  const wire = encoding === 'base58' ? base58Decode(text) : decodeBase64(text);
  if (!wire) throw invalidParam('transaction', `invalid ${encoding} encoding`);
  if (wire.length > MAX_TRANSACTION_SIZE) {
    throw refused(`decoded ${TYPE} too large: ${wire.length} bytes (max: ${MAX_TRANSACTION_SIZE} bytes)`);
  }
  try {
    const { signatures, decoded } = decodeTransaction(wire);
    return { wire, signatures, decoded };
  } catch (error) {
    if (error instanceof WireError) throw refused(`failed to deserialize ${TYPE}: ${error.message}`);
    throw error;
  }
}

function refused(message: string): RpcError {
  return new RpcError(RPC_CODE.invalidParams, message);
}
