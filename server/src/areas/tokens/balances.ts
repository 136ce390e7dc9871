import type { Address } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import type { Chain } from '../../chain/index.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { decimalsOf, PAGE, readerOf } from './holdings.js';
import { BalancesAnswer, WalletParams } from './schema.js';

export function registerBalances(app: TypedServer, deps: TokensDeps): void {
  app.get(
    '/ultra/v1/balances/:address',
    {
      config: tokensRoute,
      schema: {
        tags,
        deprecated: true,
        summary: 'What a wallet holds, by mint; superseded by holdings',
        description:
          'All token accounts of a mint are added up. Each further 200 accounts that the wallet has count as a call.',
        params: WalletParams,
        response: { 200: BalancesAnswer },
      },
    },
    (request) => balances(calledBy(deps, request).chain, request.params, request),
  );
}

/** What a wallet holds, by mint. Clients should ask for its holdings instead. */
export async function balances(
  chain: Chain,
  { address }: WalletParams,
  request: Pick<FastifyRequest, 'payer' | 'charge'>,
): Promise<BalancesAnswer> {
  const owner = requireAddress('address', address);
  const { lamports, tokenAccounts, slot } = await chain.walletReads.read(chain.rpc, owner, readerOf(request));
  if (tokenAccounts.length > PAGE) {
    const message = `the wallet has ${tokenAccounts.length} token accounts: ask /ultra/v1/holdings, which has pages`;
    throw new AppError('INVALID_REQUEST', { message });
  }
  const decimals = await decimalsOf(chain, tokenAccounts);
  const sums = new Map<Address, { amount: bigint; isFrozen: boolean }>();
  for (const { mint, amount, state } of tokenAccounts) {
    const sum = sums.get(mint) ?? { amount: 0n, isFrozen: false };
    sums.set(mint, { amount: sum.amount + amount, isFrozen: sum.isFrozen || state === 'frozen' });
  }
  const balance = (amount: bigint, places: number, isFrozen: boolean) => ({
    amount: amount.toString(),
    uiAmount: Number(decimalString(amount, places)),
    slot,
    isFrozen,
  });
  const answer: BalancesAnswer = { SOL: balance(lamports, 9, false) };
  for (const [mint, { amount, isFrozen }] of sums) {
    const places = decimals.get(mint);
    if (places !== undefined) answer[mint] = balance(amount, places, isFrozen);
  }
  return answer;
}
