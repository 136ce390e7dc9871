import { type Static, Type } from 'typebox';
import type { LedgerRow } from '../store/ledger.js';
import { digits, payloadReader } from './payload.js';

/** What the ledger stores for a submitted transaction besides its bytes. */
const SubmissionPayload = Type.Object({
  /** A slot at which its blockhash was known to be valid, or its nonce to be in the account; 0 if unknown. */
  aliveAt: Type.Optional(digits),
});
export type SubmissionPayload = Static<typeof SubmissionPayload>;

const read = payloadReader(SubmissionPayload);

export function aliveAtOf(row: LedgerRow): bigint {
  return BigInt(read(row).aliveAt ?? 0);
}
