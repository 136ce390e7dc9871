import { type Chain, ChainUnavailable } from '../../chain/index.js';
import { AppError } from '../../errors/index.js';
import { type Token, tokenOf } from '../../routing/router.js';
import type { ConfiguredToken } from './deps.js';

/**
 * A token as it is on the chain. How many decimals it has decides what a payment costs, and nothing on the chain compares those
 * of what a swap gives: where the node says something else than the operator, no payment is made.
 * @throws ChainUnavailable
 */
export async function readToken(chain: Chain, { mint, symbol, decimals }: ConfiguredToken): Promise<Token> {
  const facts = await chain.mint(mint);
  if (!facts) throw new AppError('CRAFT_FAILED', { message: `The mint of ${symbol} is not on this chain` });
  if (facts.decimals !== decimals) {
    const message = `the node says that ${symbol} (${mint}) has ${facts.decimals} decimals, the configuration ${decimals}`;
    throw new ChainUnavailable(
      message,
      `The node says other decimals of ${symbol} than are known; try again in a minute`,
    );
  }
  return tokenOf(mint, facts);
}
