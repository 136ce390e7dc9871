import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';

/** A token that the operator vouches for. */
export interface ListedToken {
  readonly mint: Address;
  readonly symbol: string;
  /** Without one, the chain is asked. */
  readonly name?: string;
  readonly icon?: string;
  readonly tags: readonly string[];
}

/** By mint, in the order in which search prefers them. */
export type TokenList = ReadonlyMap<Address, ListedToken>;

/** SOL, the configured tokens and the operator's list, which takes precedence. */
export function createTokenList(config: {
  tokens: Record<string, { symbol: string; mint: Address }>;
  tokenList: readonly ListedToken[];
}): TokenList {
  const known: ListedToken[] = [
    { mint: WRAPPED_SOL_MINT, symbol: 'SOL', name: 'Wrapped SOL', tags: [] },
    ...Object.values(config.tokens).map(({ symbol, mint }) => ({ symbol, mint, tags: [] })),
    ...config.tokenList,
  ];
  return new Map(known.map((token) => [token.mint, token]));
}
