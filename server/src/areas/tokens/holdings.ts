import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Address, associatedTokenAddress } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import { type Chain, type HeldTokenAccount, obstacleToClosing, type Reader, walletWeight } from '../../chain/index.js';
import { requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { HoldingsAnswer, NativeAnswer, PageQuery, WalletParams } from './schema.js';

const SOL_DECIMALS = 9;
/** Deriving this many addresses blocks other requests for about 5 ms. */
const ACCOUNTS_A_TURN = 128;

export function registerHoldings(app: TypedServer, deps: TokensDeps): void {
  app.get(
    '/ultra/v1/holdings/:address',
    {
      config: tokensRoute,
      schema: {
        tags,
        summary: 'What a wallet holds',
        description:
          'Account by account. SOL stands beside the tokens. A wallet of more than 2,000 token accounts comes page by page: pass `next` as `after`. Each further 200 accounts that the wallet has count as a call.',
        params: WalletParams,
        querystring: PageQuery,
        response: { 200: HoldingsAnswer },
      },
    },
    (request) => holdings(calledBy(deps, request).chain, request.params, request.query.after, request),
  );
}

export function registerNativeHoldings(app: TypedServer, deps: TokensDeps): void {
  app.get(
    '/ultra/v1/holdings/:address/native',
    {
      config: tokensRoute,
      schema: {
        tags,
        summary: 'The SOL of a wallet',
        description: 'The lamports of the wallet, without wrapped SOL.',
        params: WalletParams,
        response: { 200: NativeAnswer },
      },
    },
    (request) => nativeHoldings(calledBy(deps, request).chain, request.params),
  );
}

/** Whose calls pay for a wallet that is read. */
export function readerOf(request: Pick<FastifyRequest, 'payer' | 'charge'>): Reader {
  return { payer: request.payer, charge: (wallet) => request.charge(walletWeight(wallet)) };
}

/** Token accounts of a page. Their mints are at most 20 calls of the node. */
export const PAGE = 2_000;

/** What a wallet holds, account by account, in the order of their addresses from `after` on. */
export async function holdings(
  chain: Chain,
  { address }: WalletParams,
  after: string | undefined,
  request: Pick<FastifyRequest, 'payer' | 'charge'>,
): Promise<HoldingsAnswer> {
  const owner = requireAddress('address', address);
  const start = after === undefined ? '' : requireAddress('after', after);
  // What it has cost is known only when it is read: it is taken from the calls that follow.
  const { lamports, tokenAccounts: all } = await chain.walletReads.read(chain.rpc, owner, readerOf(request));
  const rest = all.filter((held) => held.address > start);
  if (rest.length > PAGE) rest.sort((a, b) => (a.address < b.address ? -1 : 1));
  const tokenAccounts = rest.slice(0, PAGE);
  const next = rest.length > PAGE ? tokenAccounts.at(-1)!.address : undefined;
  const decimals = await decimalsOf(chain, tokenAccounts);
  const tokens: HoldingsAnswer['tokens'] = {};
  for (const [index, held] of tokenAccounts.entries()) {
    if (index % ACCOUNTS_A_TURN === ACCOUNTS_A_TURN - 1) await nextTurn();
    const places = decimals.get(held.mint);
    if (places === undefined) continue;
    tokens[held.mint] ??= [];
    tokens[held.mint]!.push({
      account: held.address,
      ...amounts(held.amount, places),
      isFrozen: held.state === 'frozen',
      isAssociatedTokenAccount: held.address === associatedTokenAddress(owner, held.mint, held.tokenProgram),
      decimals: places,
      programId: held.tokenProgram,
      lamports: `${held.lamports}`,
      ...(obstacleToClosing(held) === undefined && { reclaimableLamports: `${held.lamports}` }),
    });
  }
  return { ...amounts(lamports, SOL_DECIMALS), tokens, ...(next !== undefined && { next }) };
}

/** The SOL of a wallet. */
export async function nativeHoldings(chain: Chain, { address }: WalletParams): Promise<NativeAnswer> {
  const account = await chain.account(requireAddress('address', address));
  return amounts(account?.lamports ?? 0n, SOL_DECIMALS);
}

/** Decimals by mint, without closed mints, whose accounts are empty. */
export async function decimalsOf(
  chain: Chain,
  accounts: readonly HeldTokenAccount[],
): Promise<ReadonlyMap<Address, number>> {
  const mints = [...new Set(accounts.map(({ mint }) => mint))];
  const facts = await Promise.all(mints.map((mint) => chain.mint(mint)));
  return new Map(mints.flatMap((mint, index) => (facts[index] ? [[mint, facts[index].decimals] as const] : [])));
}

function amounts(amount: bigint, decimals: number): NativeAnswer {
  const uiAmountString = decimalString(amount, decimals);
  return { amount: amount.toString(), uiAmount: Number(uiAmountString), uiAmountString };
}
