import { type Address, isAddress, metadataAddress, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import { type MintInfo, mintFacts, readMetadata, readMintExtensions, type TokenText } from '../../chain/index.js';
import type { ListedToken } from '../../config/index.js';
import { AppError } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString, roundedUsd } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findLaunchesNamed } from '../../store/launches.js';
import { approvedTokens } from '../../store/verifications.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { listed } from './mint-list.js';
import { type MintInformation, SearchAnswer, SearchQuery } from './schema.js';

/** The most tokens that a symbol or a name finds. */
const MAX_FOUND = 20;
/** How many names count as a call: each is looked for among all launches and all tokens of the operator. */
const NAMES_A_CALL = 10;

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
          description:
            'Tokens of the operator come first, then launched ones, which are found by the beginning of their symbol or name. A mint is found whatever it is called.',
          querystring: SearchQuery,
          response: { 200: SearchAnswer },
        },
      },
      async (request) => {
        const terms = listed('query', request.query.query, 'a symbol, a name or the address of a mint');
        await pay(request, terms.filter((term) => !isAddress(term)).length);
        return search(calledBy(deps, request), terms);
      },
    );
  }
}

/** @throws AppError RATE_LIMITED where fewer calls are left */
async function pay(request: Pick<FastifyRequest, 'charge'>, names: number): Promise<void> {
  const calls = Math.ceil(names / NAMES_A_CALL);
  if (calls < 2 || (await request.charge(calls - 1))?.allowed !== false) return;
  const message = `Too many requests: ${names} names count as ${calls} calls, and fewer are left; name fewer, or wait`;
  throw new AppError('RATE_LIMITED', { message });
}

/** Tokens by symbol, name or mint, in the order of the request, closest first. Mints that do not exist are left out. */
async function search(deps: TokensDeps, terms: readonly string[]): Promise<SearchAnswer> {
  const mints = new Set<Address>();
  let found = 0;
  for (const term of terms) {
    if (!isAddress(term) && found === MAX_FOUND) continue;
    const matches = isAddress(term) ? [term] : await matching(deps, term, MAX_FOUND - found);
    if (!isAddress(term)) found += matches.length;
    for (const mint of matches) mints.add(mint);
  }
  const approved = await approvedTokens(deps.store, [...mints]);
  const tokens = await Promise.all([...mints].map((mint) => describe(deps, mint, approved.has(mint))));
  return tokens.filter((token) => token !== undefined);
}

/**
 * The mints whose symbol or name matches: the operator's tokens before launched ones, which anybody can name as they
 * like; closest first in each. Ties are in the order of the list, or of the launches.
 */
async function matching({ tokens, store }: TokensDeps, text: string, limit: number): Promise<Address[]> {
  const query = text.toLowerCase();
  const listed = ranked(tokens.values(), query).slice(0, limit);
  if (listed.length === limit) return listed;
  const launched = await findLaunchesNamed(store, text, limit);
  return [...new Set([...listed, ...ranked(launched, query)])].slice(0, limit);
}

type Named = Pick<ListedToken, 'mint' | 'symbol' | 'name'>;

function ranked(tokens: Iterable<Named>, query: string): Address[] {
  const found = [...tokens].flatMap((token) => {
    const rank = rankOf(token, query);
    return rank === -1 ? [] : [{ mint: token.mint, rank }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ mint }) => mint);
}

function rankOf(token: Named, query: string): number {
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

async function describe(
  { chain, shownUsd, tokens }: TokensDeps,
  mint: Address,
  isApproved: boolean,
): Promise<MintInformation | undefined> {
  const token = tokens.get(mint);
  const needsText = token?.name === undefined;
  const [account, metadata] = await Promise.all([
    chain.account(mint),
    needsText ? chain.account(metadataAddress(mint)) : undefined,
  ]);
  const facts = mintFacts(account);
  if (!account || !facts) return undefined;
  const text = needsText ? (readMintExtensions(account.data)?.metadata ?? readMetadata(metadata, mint)) : undefined;
  const isVerified = token !== undefined || isApproved;
  return {
    id: mint,
    ...called(token, text),
    decimals: facts.decimals,
    tokenProgram: facts.tokenProgram,
    ...(facts.mintAuthority && { mintAuthority: facts.mintAuthority }),
    ...(facts.freezeAuthority && { freezeAuthority: facts.freezeAuthority }),
    ...worth(mint, facts, shownUsd(mint)),
    audit: {
      mintAuthorityDisabled: facts.mintAuthority === undefined,
      freezeAuthorityDisabled: facts.freezeAuthority === undefined,
    },
    isVerified,
    tags: [...new Set([...(isVerified ? ['verified'] : []), ...(token?.tags ?? [])])],
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
