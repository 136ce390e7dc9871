import type { FastifyInstance } from 'fastify';
import type { Chain } from '../../chain/index.js';
import type { Prices } from '../../prices/index.js';
import type { Router } from '../../routing/router.js';
import { balances } from './balances.js';
import { holdings, nativeHoldings } from './holdings.js';
import {
  BalancesAnswer,
  HoldingsAnswer,
  NativeAnswer,
  RoutersAnswer,
  SearchAnswer,
  SearchQuery,
  ShieldAnswer,
  ShieldQuery,
  WalletParams,
} from './reads-schema.js';
import { search } from './search.js';
import { shield } from './shield.js';
import type { TokenList } from './token-list.js';

export interface SwapReadsDeps {
  chain: Chain;
  prices: Prices;
  /** Made by createTokenList. */
  tokenList: TokenList;
  /** Those that are in use. */
  routers: readonly Pick<Router, 'id' | 'name'>[];
}

const PREFIX = '/ultra/v1';
const config = { shape: 'plain', auth: 'key' } as const;

/** What clients of the swap area ask beside orders: routers, balances, warnings and tokens. */
export function registerSwapReads(app: FastifyInstance, deps: SwapReadsDeps): void {
  const { chain, routers } = deps;
  const named = routers.map(({ id, name }) => ({ id, name }));
  app.get(
    `${PREFIX}/order/routers`,
    { config, schema: { tags: ['Swap'], summary: 'The routers that are asked', response: { 200: RoutersAnswer } } },
    async (): Promise<RoutersAnswer> => named,
  );
  registerWallet(app, chain);
  const about = { ...deps, tokens: deps.tokenList };
  app.get<{ Querystring: ShieldQuery }>(
    `${PREFIX}/shield`,
    {
      config,
      schema: {
        tags: ['Swap'],
        summary: 'What a buyer of these mints should know',
        querystring: ShieldQuery,
        response: { 200: ShieldAnswer },
      },
    },
    (request) => shield(about, request.query),
  );
  for (const [path, tag] of [
    [`${PREFIX}/search`, 'Swap'],
    ['/tokens/v2/search', 'Tokens'],
  ] as const) {
    const summary = 'Tokens by symbol, name or mint';
    app.get<{ Querystring: SearchQuery }>(
      path,
      { config, schema: { tags: [tag], summary, querystring: SearchQuery, response: { 200: SearchAnswer } } },
      (request) => search(about, request.query),
    );
  }
}

function registerWallet(app: FastifyInstance, chain: Chain): void {
  const params = WalletParams;
  const tags = ['Swap'];
  app.get<{ Params: WalletParams }>(
    `${PREFIX}/holdings/:address`,
    { config, schema: { tags, summary: 'What a wallet holds', params, response: { 200: HoldingsAnswer } } },
    (request) => holdings(chain, request.params),
  );
  app.get<{ Params: WalletParams }>(
    `${PREFIX}/holdings/:address/native`,
    { config, schema: { tags, summary: 'The SOL of a wallet', params, response: { 200: NativeAnswer } } },
    (request) => nativeHoldings(chain, request.params),
  );
  app.get<{ Params: WalletParams }>(
    `${PREFIX}/balances/:address`,
    {
      config,
      schema: {
        tags,
        deprecated: true,
        summary: 'What a wallet holds, by mint; superseded by holdings',
        params,
        response: { 200: BalancesAnswer },
      },
    },
    (request) => balances(chain, request.params),
  );
}
