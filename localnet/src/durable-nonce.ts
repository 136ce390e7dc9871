import { hash } from 'node:crypto';
import { addressFromBytes, type DecodedMessage, isSigner, SYSTEM_PROGRAM } from '@slipway/wire';
import { asBuffer } from './bytes.js';
import type { Account } from './types.js';

const NONCE_LENGTH = 80;
const STATE_OFFSET = 4;
const AUTHORITY_OFFSET = 8;
const VALUE_OFFSET = 40;
const CURRENT_VERSION = 1;
const INITIALIZED = 1;

/** Whether the message may run by this nonce account: it holds the message's blockhash and its authority signs. */
export function isNonceUsable(message: DecodedMessage, account: Account | undefined): boolean {
  if (!account || account.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_LENGTH) return false;
  const data = asBuffer(account.data);
  if (data.readUInt32LE(0) !== CURRENT_VERSION || data.readUInt32LE(STATE_OFFSET) !== INITIALIZED) return false;
  if (addressFromBytes(data, VALUE_OFFSET) !== message.blockhash) return false;
  const authority = addressFromBytes(data, AUTHORITY_OFFSET);
  return message.instructions[0]!.accountIndexes.some(
    (index) => isSigner(message, index) && message.accounts[index] === authority,
  );
}

/**
 * The nonce account after its value was used up. Validators derive the next value from the last blockhash, the virtual
 * machine from the transaction's own, which is the value before: either way it is a new one. So a nonce can be used
 * more than once in a slot here, where a transaction is confirmed at once.
 */
export function advancedNonce(account: Account): Account {
  const data = Buffer.from(account.data);
  const used = data.subarray(VALUE_OFFSET, VALUE_OFFSET + 32);
  const next = hash('sha256', Buffer.concat([Buffer.from('DURABLE_NONCE'), used]), 'buffer');
  next.copy(data, VALUE_OFFSET);
  return { ...account, data };
}
