import type { Address } from '@slipway/wire';
import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Area } from '../area.js';
import { registerBalances } from './balances.js';
import { type TokensDeps, tags } from './deps.js';
import { registerHoldings, registerNativeHoldings } from './holdings.js';
import { registerSearch } from './search.js';
import { registerShield } from './shield.js';

export type { TokensDeps } from './deps.js';

export const tokensArea: Area = {
  name: 'tokens',
  tag: tags[0],
  about: 'What wallets hold, and what is known of tokens',
  calls: 'reads',
  errorShape: plainError,
  register(server, { tokenList, chain, store, prices, poolUsd }) {
    const shownUsd = (mint: Address) => prices.usd(mint) ?? poolUsd(mint);
    registerTokens(server, { chain, store, shownUsd, tokens: tokenList });
  },
};

/** What clients ask before and after a swap: balances, warnings and tokens. */
export function registerTokens(server: TypedServer, deps: TokensDeps): void {
  registerShield(server, deps);
  registerSearch(server, deps);
  registerHoldings(server, deps);
  registerNativeHoldings(server, deps);
  registerBalances(server, deps);
}
