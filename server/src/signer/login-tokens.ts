import type { Address } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import { type LoginKey, readLogin } from './login-claims.js';
import type { LoginProof } from './policies/index.js';
import type { Signer } from './signer.js';

/** Issues and reads the tokens of wallets that have logged in. */
export interface LoginTokens {
  /**
   * A token for a wallet that proves its identity; begun after what was revoked, also within one second.
   * @throws SignerRefused for what is no proof.
   */
  issue(wallet: Address, proof: LoginProof): Promise<string>;
  /** The wallet that a token stands for; undefined if it is expired, altered, revoked or not ours. */
  walletOf(token: string): Promise<Address | undefined>;
  /** When the logins of its wallet end so that a token's is among them: now or, of a copy whose clock is ahead, when it was begun. */
  endOf(token: string): Promise<Date>;
}

interface LoginTokensDeps {
  signer: Pick<Signer, 'publicKey' | 'issueLogin'>;
  clock: Clock;
  /** When the logins of a wallet were ended last, as of a moment ago or of now; undefined: never. */
  revokedAt: (wallet: Address, options?: { isFresh: boolean }) => Promise<Date | undefined>;
}

export function createLoginTokens({ signer, clock, revokedAt }: LoginTokensDeps): LoginTokens {
  /** The first second in which a login of the wallet may have begun. */
  const validFrom = async (wallet: Address, isFresh = false) => {
    const revoked = await revokedAt(wallet, { isFresh });
    return revoked === undefined ? 0 : Math.floor(revoked.getTime() / 1_000) + 1;
  };
  // At most a handful: only the key numbers of tokens that could still be valid are ever looked up.
  const publicKeys = new Map<LoginKey, Promise<Address>>();
  const publicKey = (key: LoginKey): Promise<Address> => {
    const known = publicKeys.get(key) ?? signer.publicKey(key);
    publicKeys.set(key, known);
    known.catch(() => publicKeys.delete(key));
    return known;
  };

  return {
    issue: async (wallet, proof) => signer.issueLogin({ wallet, proof, notBefore: await validFrom(wallet, true) }),

    async walletOf(token) {
      const login = await readLogin(token, clock.now(), publicKey);
      return login && login.begunAt >= (await validFrom(login.wallet)) ? login.wallet : undefined;
    },

    async endOf(token) {
      const login = await readLogin(token, clock.now(), publicKey);
      return new Date(Math.max(clock.now(), (login?.begunAt ?? 0) * 1_000));
    },
  };
}
