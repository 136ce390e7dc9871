import type { Address } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { TokenList } from '../../config/index.js';
import { plainError } from '../../errors/index.js';
import type { Store } from '../../store/sql.js';

export interface TokensDeps {
  chain: Chain;
  /** USD for one whole token, to be shown: by the prices, else by the pools. */
  shownUsd: (mint: Address) => number | undefined;
  /** Has the launches and the approved verifications. */
  store: Store;
  /** Made by createTokenList. */
  tokens: TokenList;
}

/** Config of every route in this area. */
export const tokensRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Tokens'];
