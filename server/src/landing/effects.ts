import { leastChange } from '@slipway/checks';
import { type Address, decodeTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import type { Chain, ChainAccount, SimulationOutcome } from '../chain/index.js';
import type { Swap } from '../crafting/swap.js';
import { CraftCheckFailed, type Crafted } from '../crafting/transaction.js';

type Account = ChainAccount | undefined;

/** How often to simulate before giving up on accounts that keep changing in the meantime. */
const TRIES = 3;

/**
 * Simulates a swap whose trade cannot be read from its bytes, and compares its effect on the taker's accounts with the
 * request. It must not touch any other account of the taker.
 * @throws CraftCheckFailed if the effect differs from the request
 */
export async function checkEffects(chain: Chain, swap: Swap, sample: Crafted): Promise<SimulationOutcome> {
  const written = sample.instructions.flatMap(({ accounts }) => accounts.filter(({ writable }) => writable));
  const addresses = [...new Set([...sample.signers, ...written.map(({ address }) => address)])];
  const read = () => Promise.all(addresses.map((address) => chain.account(address)));
  const { place } = swap.output;
  if (place.kind === 'token') expect(addresses.includes(place.account), 'the output account is not written');
  let before = await read();
  for (let tries = 0; tries < TRIES; tries++) {
    for (const [i, address] of addresses.entries()) expect(isAsked(swap, address, before[i]), foreign(address));
    const outcome = await chain.simulate(sample.wire, { sigVerify: false, accounts: addresses });
    if (outcome.err !== null) return outcome;
    const now = await read();
    // Both sides of the comparison must be from one state: two equal reads enclose the simulation.
    const isSettled = addresses.every((address, i) => !isJudged(swap, address) || isEqual(before[i], now[i]));
    if (isSettled) {
      for (const [i, address] of addresses.entries()) {
        const wrong = isJudged(swap, address) && effectOn(swap, sample, address, now[i], outcome.accounts[i]);
        if (wrong) throw new CraftCheckFailed(`simulated swap: ${wrong}`);
      }
      return outcome;
    }
    before = now;
  }
  throw new CraftCheckFailed('simulated swap: the accounts of the taker change all the time');
}

function expect(truth: boolean, what: string): void {
  if (!truth) throw new CraftCheckFailed(`simulated swap: ${what}`);
}

const foreign = (address: Address) => `${address} is the taker's, and no part of the swap`;

/** A program that can detect a simulation must not get an account that it could take funds from. */
function isAsked(swap: Swap, address: Address, account: Account): boolean {
  return isJudged(swap, address) || tokensIn(account)?.owner !== swap.taker;
}

/** The wallets and token accounts of the swap itself. */
function isJudged({ taker, receiver, feePayer, rentPayer, input, output }: Swap, address: Address): boolean {
  const places = [input.place, output.place].map((place) => (place.kind === 'sol' ? undefined : place.account));
  return [taker, receiver, feePayer, rentPayer, ...places].includes(address);
}

function isEqual(a: Account, b: Account): boolean {
  if (!a || !b) return a === b;
  return a.lamports === b.lamports && a.owner === b.owner && Buffer.from(a.data).equals(b.data);
}

/** What is wrong with the swap's effect on one account, if anything. */
function effectOn(swap: Swap, { feeLamports }: Crafted, address: Address, before: Account, after: Account) {
  const { taker, input, output } = swap;
  if (output.place.kind !== 'sol' && address === output.place.account) return outputEffect(swap, before, after);
  if (input.place.kind !== 'sol' && address === input.place.account) return inputEffect(swap, before, after);
  const change = (after?.lamports ?? 0n) - (before?.lamports ?? 0n);
  const least = leastChange(swap, feeLamports, address);
  if (after && before && after.owner !== before.owner) return `${address} would get another owner`;
  const whose = address === taker ? 'the taker' : address;
  return change < least ? `${whose} would have ${-change} lamports less, and ${-least} is the most` : undefined;
}

function inputEffect({ taker, input }: Swap, before: Account, after: Account): string | undefined {
  const [held, now] = [tokensIn(before), tokensIn(after)];
  // A temporary account is created and closed in the transaction; what it held shows in the taker's SOL.
  if (input.place.kind !== 'token') return now ? 'the temporary account would stay' : undefined;
  if (!held || now?.owner !== taker) return "the input account would not be the taker's any more";
  if (now.delegate !== held.delegate || now.closeAuthority !== held.closeAuthority) {
    return 'somebody else would get a right to the input account';
  }
  const lost = held.amount - now.amount;
  return lost > input.amount ? `${lost} would leave the taker, and ${input.amount} is the most that may` : undefined;
}

function outputEffect({ output, receiver, closeAuthority }: Swap, before: Account, after: Account): string | undefined {
  const [held, now] = [tokensIn(before), tokensIn(after)];
  if (output.place.kind !== 'token') return now ? 'the temporary account would stay' : undefined;
  if (now?.owner !== receiver) return "the output account would not be the receiver's";
  if (now.delegate !== held?.delegate || now.closeAuthority !== (closeAuthority ?? held?.closeAuthority)) {
    return 'somebody else would get a right to the output account';
  }
  const arrives = now.amount - (held?.amount ?? 0n);
  return arrives < output.least ? `${arrives} would arrive, and ${output.least} is the least` : undefined;
}

function tokensIn(account: Account) {
  const isToken = account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
  return isToken ? decodeTokenAccount(account.data) : undefined;
}
