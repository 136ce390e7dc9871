import {
  type Address,
  associatedTokenRent,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Chain, ChainAccount, SimulationOutcome } from '../chain/index.js';
import type { Swap } from '../crafting/swap.js';
import { CraftCheckFailed, type Crafted } from '../crafting/transaction.js';

type Account = ChainAccount | undefined;

/**
 * Simulates a swap whose trade cannot be read from its bytes, and compares what it does to the taker's accounts with what
 * was asked.
 * @throws CraftCheckFailed where it does more, or less
 */
export async function checkEffects(chain: Chain, swap: Swap, sample: Crafted): Promise<SimulationOutcome> {
  const written = sample.instructions.flatMap(({ accounts }) => accounts.filter(({ writable }) => writable));
  const addresses = [...new Set([...sample.signers, ...written.map(({ address }) => address)])];
  const before = await Promise.all(addresses.map((address) => chain.account(address)));
  const outcome = await chain.simulate(sample.wire, { sigVerify: false, accounts: addresses });
  if (outcome.err !== null) return outcome;
  for (const [i, address] of addresses.entries()) {
    const wrong = effectOn(swap, sample.feeLamports, address, before[i], outcome.accounts[i]);
    if (wrong) throw new CraftCheckFailed(`simulated swap: ${wrong}`);
  }
  const { place } = swap.output;
  if (place.kind === 'token' && !addresses.includes(place.account)) {
    throw new CraftCheckFailed('simulated swap: the output account is not written');
  }
  return outcome;
}

/** What is wrong with how the swap changes one account; undefined where nothing is. */
function effectOn(swap: Swap, fee: bigint, address: Address, before: Account, after: Account): string | undefined {
  const { taker, receiver, output } = swap;
  const { place } = output;
  if (place.kind !== 'sol' && address === place.account) return destinationEffect(swap, before, after);
  if (address === taker || address === receiver || address === swap.feePayer || address === swap.rentPayer) {
    const change = (after?.lamports ?? 0n) - (before?.lamports ?? 0n);
    const least = leastChange(swap, fee, address);
    if (after && before && after.owner !== before.owner) return `${address} would get another owner`;
    return change < least ? `${address} would have ${-change} lamports less, and ${-least} is the most` : undefined;
  }
  const held = tokensIn(before);
  if (held?.owner !== taker) return undefined;
  const now = tokensIn(after);
  if (!now || now.owner !== taker) return `${address} would not be the taker's any more`;
  if (now.delegate !== held.delegate || now.closeAuthority !== held.closeAuthority) {
    return `somebody else would get a right to ${address}`;
  }
  const most = swap.input.place.kind === 'token' && address === swap.input.place.account ? swap.input.amount : 0n;
  const lost = held.amount - now.amount;
  return lost > most ? `${lost} would leave ${address}, and ${most} is the most that may` : undefined;
}

function destinationEffect({ output, receiver, closeAuthority }: Swap, before: Account, after: Account) {
  const now = tokensIn(after);
  // A temporary account is gone again: what came out of it is seen in the receiver's SOL.
  if (output.place.kind !== 'token') return now ? 'the temporary account would stay' : undefined;
  const held = tokensIn(before);
  if (now?.owner !== receiver) return "the output account would not be the receiver's";
  if (now.delegate !== held?.delegate || now.closeAuthority !== (closeAuthority ?? held?.closeAuthority)) {
    return 'somebody else would get a right to the output account';
  }
  const arrives = now.amount - (held?.amount ?? 0n);
  return arrives < output.least ? `${arrives} would arrive, and ${output.least} is the least` : undefined;
}

/** Of a wallet, in lamports; below zero where it pays something. */
function leastChange({ input, output, tip, ...who }: Swap, feeLamports: bigint, wallet: Address): bigint {
  let least = 0n;
  if (wallet === who.taker && input.place.kind !== 'token') least -= input.amount;
  if (wallet === who.feePayer) least -= feeLamports + (tip?.lamports ?? 0n);
  if (wallet === who.rentPayer && output.create) least -= associatedTokenRent(output.tokenProgram);
  if (wallet === who.receiver && output.place.kind !== 'token') least += output.least;
  return least;
}

function tokensIn(account: Account) {
  const isToken = account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
  return isToken ? decodeTokenAccount(account.data) : undefined;
}
