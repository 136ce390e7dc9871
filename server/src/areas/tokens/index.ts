import type { FastifyInstance } from 'fastify';
import type { Chain } from '../../chain/index.js';
import { plainError } from '../../errors/index.js';
import type { Prices } from '../../prices/index.js';
import type { Area } from '../area.js';
import { balances } from './balances.js';
import { holdings, nativeHoldings } from './holdings.js';
import {
  BalancesAnswer,
  HoldingsAnswer,
  NativeAnswer,
  SearchAnswer,
  SearchQuery,
  ShieldAnswer,
  ShieldQuery,
  WalletParams,
} from './schema.js';
import { search } from './search.js';
import { shield } from './shield.js';
import { createTokenList, type TokenList } from './token-list.js';

export interface TokensDeps {
  chain: Chain;
  prices: Prices;
  /** Made by createTokenList. */
  tokenList: TokenList;
}

export const tokensArea: Area = {
  name: 'tokens',
  tag: 'Tokens',
  errorShape: plainError,
  register(server, { config, chain, prices }) {
    registerTokens(server, { chain, prices, tokenList: createTokenList(config) });
  },
};

const PREFIX = '/ultra/v1';
const config = { errorShape: plainError, auth: 'key' } as const;

/** What clients ask before and after a swap: balances, warnings and tokens. */
export function registerTokens(app: FastifyInstance, deps: TokensDeps): void {
  const { chain } = deps;
  registerWallet(app, chain);
  const about = { ...deps, tokens: deps.tokenList };
  app.get<{ Querystring: ShieldQuery }>(
    `${PREFIX}/shield`,
    {
      config,
      schema: {
        tags: ['Tokens'],
        summary: 'What a buyer of these mints should know',
        querystring: ShieldQuery,
        response: { 200: ShieldAnswer },
      },
    },
    (request) => shield(about, request.query),
  );
  for (const path of [`${PREFIX}/search`, '/tokens/v2/search']) {
    const summary = 'Tokens by symbol, name or mint';
    app.get<{ Querystring: SearchQuery }>(
      path,
      { config, schema: { tags: ['Tokens'], summary, querystring: SearchQuery, response: { 200: SearchAnswer } } },
      (request) => search(about, request.query),
    );
  }
}

function registerWallet(app: FastifyInstance, chain: Chain): void {
  const params = WalletParams;
  const tags = ['Tokens'];
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
