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

type Accounts = Pick<Chain, 'account'>;

/**
 * The token accounts that fees go to; undefined if no account can receive them. Answers are kept for 2 s. Each caller reads what is
 * not known in its own turn.
 */
export interface FeeAccounts {
  /** The operator's: the associated account of the fee receiver. */
  ofOperator(chain: Accounts, token: FeeToken): Promise<Address | undefined>;
  /** An integrator's: the referral program's account if that program is on the chain, else the associated one. */
  ofReferral(chain: Accounts, referral: Address, token: FeeToken): Promise<Address | undefined>;
}

export function createFeeAccounts({
  steadyNow,
  receiver,
}: {
  steadyNow: () => number;
  receiver: () => Address;
}): FeeAccounts {
  const kept = new GrowingCache<string, { answer: Address | undefined; until: number }>(10_000);

  /** A missing account is not cached where the integrator may be about to create it; nor is a failure, nor what another caller waits for. */
  async function keep(key: string, find: () => Promise<Address | undefined>, keepsNone = true) {
    const known = kept.get(key);
    if (known && known.until > steadyNow()) return known.answer;
    const answer = await find();
    if (answer || keepsNone) kept.set(key, { answer, until: steadyNow() + KEPT_MS });
    return answer;
  }

  async function usable(chain: Accounts, account: Address, token: FeeToken): Promise<Address | undefined> {
    return canReceive(await chain.account(account), token) ? account : undefined;
  }

  return {
    ofOperator(chain, token) {
      const account = associatedTokenAddress(receiver(), token.mint, token.tokenProgram);
      return keep(account, () => usable(chain, account, token));
    },
    ofReferral(chain, referral, token) {
      const find = async () => {
        const program = await keep(REFERRAL_PROGRAM, async () =>
          (await chain.account(REFERRAL_PROGRAM))?.executable ? REFERRAL_PROGRAM : undefined,
        );
        if (!program) return usable(chain, associatedTokenAddress(referral, token.mint, token.tokenProgram), token);
        const seeds = [REFERRAL_SEED, addressToBytes(referral), addressToBytes(token.mint)];
        return usable(chain, findProgramAddress(seeds, program).address, token);
      };
      return keep(`${referral} ${token.mint}`, find, false);
    },
  };
}

function canReceive(account: ChainAccount | undefined, { mint, tokenProgram }: FeeToken): boolean {
  if (account?.owner !== tokenProgram) return false;
  const held = decodeTokenAccount(account.data);
  return held?.mint === mint && held.state === 'initialized' && !requiresMemo(account.data);
}
