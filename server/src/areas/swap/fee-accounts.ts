import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  decodeTokenAccount,
  findProgramAddress,
  address as toAddress,
} from '@slipway/wire';
import { type Chain, type ChainAccount, requiresMemo } from '../../chain/index.js';
import { GrowingCache } from '../../lib/growing-cache.js';

/** The public referral program; its token accounts are at (`referral_ata`, referral account, mint). */
const REFERRAL_PROGRAM = toAddress('REFER4ZgmyYx9c6He5XfaTMiGfdLwRnkV4RPp9t9iF3');
const REFERRAL_SEED = new TextEncoder().encode('referral_ata');

/** How long answers are cached: fee accounts rarely change, and every quote needs them. */
const KEPT_MS = 2_000;

interface FeeToken {
  mint: Address;
  tokenProgram: Address;
}

/** The token accounts that fees go to; undefined if no account can receive them. Answers are at most 2 s old. */
export interface FeeAccounts {
  /** The operator's: the associated account of the fee receiver. */
  ofOperator(token: FeeToken): Promise<Address | undefined>;
  /** An integrator's: the referral program's account if that program is on the chain, else the associated one. */
  ofReferral(referral: Address, token: FeeToken): Promise<Address | undefined>;
}

export function createFeeAccounts(deps: {
  chain: Pick<Chain, 'account'>;
  steadyNow: () => number;
  receiver: () => Address;
}): FeeAccounts {
  const { chain, steadyNow, receiver } = deps;
  const kept = new GrowingCache<string, { answer: Promise<Address | undefined>; until: number }>(10_000);

  function keep(key: string, find: () => Promise<Address | undefined>): Promise<Address | undefined> {
    const known = kept.get(key);
    if (known && known.until > steadyNow()) return known.answer;
    const answer = find();
    kept.set(key, { answer, until: steadyNow() + KEPT_MS });
    // Do not cache a failure.
    answer.catch(() => kept.delete(key));
    return answer;
  }

  /** Does not cache a missing account: the integrator may be about to create it. */
  async function forgetNone(key: string, answer: Promise<Address | undefined>): Promise<Address | undefined> {
    const found = await answer;
    if (!found) kept.delete(key);
    return found;
  }

  async function usable(account: Address, token: FeeToken): Promise<Address | undefined> {
    return canReceive(await chain.account(account), token) ? account : undefined;
  }

  async function referralProgram(): Promise<Address | undefined> {
    return (await chain.account(REFERRAL_PROGRAM))?.executable ? REFERRAL_PROGRAM : undefined;
  }

  return {
    ofOperator(token) {
      const account = associatedTokenAddress(receiver(), token.mint, token.tokenProgram);
      return keep(account, () => usable(account, token));
    },
    ofReferral(referral, token) {
      const key = `${referral} ${token.mint}`;
      const answer = keep(key, async () => {
        const program = await keep(REFERRAL_PROGRAM, referralProgram);
        if (!program) return usable(associatedTokenAddress(referral, token.mint, token.tokenProgram), token);
        const seeds = [REFERRAL_SEED, addressToBytes(referral), addressToBytes(token.mint)];
        return usable(findProgramAddress(seeds, program).address, token);
      });
      return forgetNone(key, answer);
    },
  };
}

function canReceive(account: ChainAccount | undefined, { mint, tokenProgram }: FeeToken): boolean {
  if (account?.owner !== tokenProgram) return false;
  const held = decodeTokenAccount(account.data);
  return held?.mint === mint && held.state === 'initialized' && !requiresMemo(account.data);
}
