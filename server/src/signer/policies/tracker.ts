import { type Address, parseCloseAccount, parseSystemTransfer, parseTransferChecked } from '@slipway/wire/formats';
import { allow } from './refusal.js';
import { naming, standsOnlyAt, type ToSign } from './transaction.js';

/**
 * The tracker signs deposits and withdrawals beside a vault, so that none lands unknown to the service. It is named after
 * all the accounts that an instruction needs, where its signature allows nothing.
 */
export function checkTracker(tracker: Address, vault: Address | undefined, transaction: ToSign): void {
  const { signers } = transaction;
  allow(vault !== undefined && signers.includes(vault), 'no vault signs');
  allow(signers[0] !== tracker, 'it would pay the fee');
  for (const instruction of naming(transaction, tracker)) {
    const needed = parseTransferChecked(instruction) ? 4 : parseCloseAccount(instruction) ? 3 : 2;
    const isKnown = needed > 2 || parseSystemTransfer(instruction) !== undefined;
    const authority = instruction.accounts[needed === 2 ? 0 : needed - 1];
    // A signature after the authority would count for one that is a multisig, which does not sign.
    const understood = isKnown && authority?.signer && standsOnlyAt(instruction, tracker, [needed]);
    allow(understood, `it would be a party to an instruction of ${instruction.program}`);
  }
}
