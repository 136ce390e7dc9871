import {
  type Address,
  COMPUTE_BUDGET_PROGRAM,
  compileMessage,
  decodeTransaction,
  MAX_TRANSACTION_SIZE,
  MEMO_PROGRAM,
  memo,
  setComputeUnitLimit,
  unsignedTransaction,
} from '@slipway/wire';
import { CraftCheckFailed } from '../../crafting/transaction.js';
import { type LoginTransaction, readLoginTransaction } from '../../signer/index.js';

/** What a login transaction calls: a transaction cannot call what pays for it, so none of these can log in. */
export const LOGIN_PROGRAMS: ReadonlySet<Address> = new Set([COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]);
/** Enough for the longest memo, and no more than careful wallets accept for a login. */
const COMPUTE_UNITS = 200_000;

/**
 * A login transaction for wallets that sign only transactions, such as hardware wallets: legacy, paid by the wallet,
 * with the challenge as its memo. `blockhash` is random, so no chain ever accepts it.
 * @throws CraftCheckFailed if the bytes do not decode to what was asked for.
 */
export function craftLoginTransaction({ wallet, challenge, blockhash }: LoginTransaction): Uint8Array {
  const message = compileMessage({
    version: 'legacy',
    feePayer: wallet,
    instructions: [setComputeUnitLimit(COMPUTE_UNITS), memo(challenge)],
    blockhash,
  });
  const wire = unsignedTransaction(message);
  const read = wire.length > MAX_TRANSACTION_SIZE ? undefined : readLoginTransaction(decodeTransaction(wire));
  if (read?.wallet !== wallet || read.challenge !== challenge || read.blockhash !== blockhash) {
    throw new CraftCheckFailed('crafted login: not what was asked for');
  }
  return wire;
}
