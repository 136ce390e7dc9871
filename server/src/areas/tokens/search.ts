import { type Address, isAddress, metadataAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import {
  type Chain,
  type MintInfo,
  mintFacts,
  readMetadata,
  readMintExtensions,
  type TokenText,
} from '../../chain/index.js';
import { decimalString, roundedUsd } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { Prices } from '../../prices/index.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { listed } from './mint-list.js';
import { type MintInformation, SearchAnswer, SearchQuery } from './schema.js';
import type { ListedToken, TokenList } from './token-list.js';

interface SearchDeps {
  chain: Chain;
  prices: Prices;
  tokens: TokenList;
}

/** The most tokens that a symbol or a name finds. */
const MAX_FOUND = 20;

/** Clients that only resolve symbols ask at the second path. */
export function registerSearch(app: TypedServer, deps: TokensDeps): void {
  for (const path of ['/ultra/v1/search', '/tokens/v2/search']) {
    app.get(
      path,
      {
        config: tokensRoute,
        schema: {
          tags,
          summary: 'Tokens by symbol, name or mint',
          querystring: SearchQuery,
          response: { 200: SearchAnswer },
        },
      },
      ({ query }) => search(deps, query),
    );
  }
}

/** Tokens by symbol, name or mint, in the order of the request, closest first. Mints that do not exist are left out. */
export async function search(deps: SearchDeps, { query }: SearchQuery): Promise<SearchAnswer> {
  const terms = listed('query', query, 'a symbol, a name or the address of a mint');
  const mints = new Set<Address>();
  let found = 0;
  for (const term of terms) {
    const matches = isAddress(term) ? [term] : matching(deps.tokens, term).slice(0, MAX_FOUND - found);
    if (!isAddress(term)) found += matches.length;
    for (const mint of matches) mints.add(mint);
  }
  const tokens = await Promise.all([...mints].map((mint) => describe(deps, mint)));
  return tokens.filter((token) => token !== undefined);
}

/** The mints whose symbol or name matches, closest first; ties are in the order of the list. */
function matching(tokens: TokenList, text: string): Address[] {
  const query = text.toLowerCase();
  const ranked = [...tokens.values()].flatMap((token) => {
    const rank = rankOf(token, query);
    return rank === -1 ? [] : [{ mint: token.mint, rank }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ mint }) => mint);
}

function rankOf(token: ListedToken, query: string): number {
  const symbol = token.symbol.toLowerCase();
  const name = (token.name ?? '').toLowerCase();
  return [
    symbol === query,
    name === query,
    symbol.startsWith(query),
    name.startsWith(query),
    symbol.includes(query),
    name.includes(query),
  ].indexOf(true);
}

async function describe({ chain, prices, tokens }: SearchDeps, mint: Address): Promise<MintInformation | undefined> {
  const token = tokens.get(mint);
  const needsText = token?.name === undefined;
  const [account, metadata] = await Promise.all([
    chain.account(mint),
    needsText ? chain.account(metadataAddress(mint)) : undefined,
  ]);
  const facts = mintFacts(account);
  if (!account || !facts) return undefined;
  const text = needsText ? (readMintExtensions(account.data)?.metadata ?? readMetadata(metadata, mint)) : undefined;
  return {
    id: mint,
    ...called(token, text),
    decimals: facts.decimals,
    tokenProgram: facts.tokenProgram,
    ...(facts.mintAuthority && { mintAuthority: facts.mintAuthority }),
    ...(facts.freezeAuthority && { freezeAuthority: facts.freezeAuthority }),
    ...worth(mint, facts, prices.usd(mint)),
    audit: {
      mintAuthorityDisabled: facts.mintAuthority === undefined,
      freezeAuthorityDisabled: facts.freezeAuthority === undefined,
    },
    isVerified: token !== undefined,
    tags: token ? [...new Set(['verified', ...token.tags])] : [],
  };
}

function called(token: ListedToken | undefined, text: TokenText | undefined) {
  const symbol = token?.symbol ?? text?.symbol ?? '';
  const name = token?.name ?? text?.name ?? token?.symbol ?? '';
  return { name, symbol, ...(token?.icon !== undefined && { icon: token.icon }) };
}

function worth(mint: Address, { supply, decimals }: MintInfo, usdPrice: number | undefined) {
  const price = usdPrice !== undefined && { usdPrice: roundedUsd(usdPrice) };
  // The wrapped SOL mint does not track a supply, and SOL itself has no mint.
  if (mint === WRAPPED_SOL_MINT) return { ...price };
  const totalSupply = Number(decimalString(supply, decimals));
  const worth = usdPrice === undefined ? undefined : roundedUsd(totalSupply * usdPrice);
  const value = worth !== undefined && { fdv: worth, mcap: worth };
  return { circSupply: totalSupply, totalSupply, ...price, ...value };
}
