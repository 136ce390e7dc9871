import { Rents } from './rents.js';
import { naming, readToSign } from './transaction.js';

/**
 * What the policies count beyond the fee for who pays it, in lamports, in a transaction that we have crafted: its trades are by
 * known programs.
 * @throws NotAllowed for what no policy allows either
 */
export function countedRents(message: Uint8Array): bigint {
  const transaction = readToSign(message);
  const payer = transaction.signers[0]!;
  const rents = new Rents(payer, transaction, () => true);
  for (const each of naming(transaction, payer)) rents.read(each, () => true, { ownsSome: true });
  return rents.lamports;
}
