import { type Address, type Instruction, parseSystemTransfer } from '@slipway/wire/formats';
import { allow } from './refusal.js';
import { Rents } from './rents.js';
import { naming, standsOnlyAt, type ToSign } from './transaction.js';

/** One that stays, and the taker's own on the way to that of another receiver. */
const MOST_MADE = 2;

/**
 * The gas wallet pays the fee, makes one token account for somebody at most, and lends the rent of accounts that are
 * closed to it again. Somebody else signs, too. It is never a party: it sends, trades, owns and approves nothing.
 *
 * @returns the lamports that it may lose
 */
export function checkGas(gas: Address, transaction: ToSign): bigint {
  const { signers, feeLamports } = transaction;
  allow(signers.length > 1, 'nobody else signs');
  const rents = new Rents(gas, transaction);
  const isOther = (base: Address) => base !== gas && signers.includes(base);
  for (const instruction of naming(transaction, gas)) {
    const understood = rents.read(instruction, isOther) || isPaid(instruction, gas);
    allow(understood, `it would be a party to an instruction of ${instruction.program}`);
  }
  allow(rents.isPaidBack, 'a rent that is lent does not come back');
  allow(rents.given <= 1, 'it would make more than one token account');
  allow(rents.everGiven <= MOST_MADE, 'it would make more token accounts than a swap needs');
  return (signers[0] === gas ? feeLamports : 0n) + rents.lamports;
}

/** SOL that somebody sends it. */
function isPaid(instruction: Instruction, gas: Address): boolean {
  return parseSystemTransfer(instruction) !== undefined && standsOnlyAt(instruction, gas, [1]);
}
