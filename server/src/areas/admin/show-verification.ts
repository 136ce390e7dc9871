import type { Verification as StoredVerification } from '../../store/verifications.js';
import type { Verification } from './schema.js';

/** A verification request as the admin API shows it. */
export function showVerification(row: StoredVerification): Verification {
  return {
    ...row,
    paymentAmount: row.paymentAmount.toString(),
    createdAt: row.createdAt.toISOString(),
    paidAt: row.paidAt?.toISOString() ?? null,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  };
}
