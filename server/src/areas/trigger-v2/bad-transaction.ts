import { type BadTransaction, explainBadTransaction } from '../../landing/index.js';

/** What is wrong with a signed transaction, in this area's words. */
export function whatIsWrong(bad: BadTransaction): string {
  if (bad.reason === 'undecodable') return `Invalid transaction format (${bad.detail})`;
  return explainBadTransaction(bad, 'it is not the transaction that was crafted; sign it as it was given');
}
