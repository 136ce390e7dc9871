import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Address, associatedTokenAddress } from '@slipway/wire';
import { type Chain, type HeldTokenAccount, obstacleToClosing, readWallet } from '../../chain/index.js';
import { requireAddress } from '../../errors/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { HoldingsAnswer, NativeAnswer, WalletParams } from './schema.js';

const SOL_DECIMALS = 9;
/** Deriving this many addresses blocks other requests for about 5 ms. */
const ACCOUNTS_A_TURN = 128;

export function registerHoldings(app: TypedServer, { chain }: TokensDeps): void {
  app.get(
    '/ultra/v1/holdings/:address',
    {
      config: tokensRoute,
      schema: {
        tags,
        summary: 'What a wallet holds',
        description: 'Account by account. SOL stands beside the tokens.',
        params: WalletParams,
        response: { 200: HoldingsAnswer },
      },
    },
    ({ params }) => holdings(chain, params),
  );
}

export function registerNativeHoldings(app: TypedServer, { chain }: TokensDeps): void {
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
    ({ params }) => nativeHoldings(chain, params),
  );
}

/** What a wallet holds, account by account. */
export async function holdings(chain: Chain, { address }: WalletParams): Promise<HoldingsAnswer> {
  const owner = requireAddress('address', address);
  const { lamports, tokenAccounts } = await readWallet(chain.rpc, owner);
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
  return { ...amounts(lamports, SOL_DECIMALS), tokens };
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
