import type { Chain } from '../../chain/index.js';
import { plainError } from '../../errors/index.js';
import type { Prices } from '../../prices/index.js';
import type { TokenList } from './token-list.js';

export interface TokensDeps {
  chain: Chain;
  prices: Prices;
  /** Made by createTokenList. */
  tokens: TokenList;
}

/** Config of every route in this area. */
export const tokensRoute = { errorShape: plainError, auth: 'key' } as const;
export const tags = ['Tokens'];
