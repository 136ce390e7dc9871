import {
  type Address,
  parseCloseAccount,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  tokenCloseAccount,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/** The most token accounts, of both token programs, whose closing fits into one transaction. */
export const MAX_CLOSINGS = 25;

/** Empty token accounts of a wallet, which signs, pays, and gets their rent. The token programs refuse others. */
export interface Reclaim {
  owner: Address;
  closings: readonly { account: Address; tokenProgram: Address }[];
}

/**
 * Crafts a transaction that closes the accounts and checks what its bytes say. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftReclaim(reclaim: Reclaim, blockhash: string, budget: Budget): Crafted {
  const { owner, closings } = reclaim;
  const instructions = closings.map((each) => tokenCloseAccount({ ...each, destination: owner, authority: owner }));
  const crafted = craftTransaction({ feePayer: owner, instructions, blockhash, budget });
  checkReclaim(crafted, reclaim, budget);
  return crafted;
}

/** @throws CraftCheckFailed */
export function checkReclaim(
  { signers, instructions }: Pick<Crafted, 'signers' | 'instructions'>,
  { owner, closings }: Reclaim,
  budget: Budget,
): void {
  expect(signers.length === 1 && signers[0] === owner, 'wrong signers');
  const [limit, price, ...rest] = instructions;
  expect(limit && parseComputeUnitLimit(limit) === budget.computeUnitLimit, 'wrong compute unit limit');
  expect(price && parseComputeUnitPrice(price) === budget.computeUnitPrice, 'wrong compute unit price');
  const open = new Map(closings.map(({ account, tokenProgram }) => [account, tokenProgram]));
  for (const instruction of rest) {
    const closed = parseCloseAccount(instruction);
    expect(closed, `an instruction of ${instruction.program}`);
    expect(closed.authority === owner && closed.destination === owner, 'the rent of another, or for another');
    expect(open.get(closed.account) === closed.tokenProgram, 'an account is closed that nobody asked for');
    open.delete(closed.account);
  }
  expect(open.size === 0 && rest.length > 0, 'an account is left open');
}

function expect(truth: unknown, what: string): asserts truth {
  if (!truth) throw new CraftCheckFailed(`crafted reclaim: ${what}`);
}
