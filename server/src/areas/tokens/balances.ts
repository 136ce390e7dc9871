import type { Address } from '@slipway/wire';
import { type Chain, readWallet } from '../../chain/index.js';
import { requireAddress } from '../../errors/index.js';
import { decimalString } from '../../lib/decimal.js';
import { decimalsOf } from './holdings.js';
import type { BalancesAnswer, WalletParams } from './schema.js';

/** What a wallet holds by mint. Clients should ask for its holdings instead. */
export async function balances(chain: Chain, { address }: WalletParams): Promise<BalancesAnswer> {
  const { lamports, tokenAccounts, slot } = await readWallet(chain.rpc, requireAddress('address', address));
  const decimals = await decimalsOf(chain, tokenAccounts);
  const sums = new Map<Address, { amount: bigint; isFrozen: boolean }>();
  for (const { mint, amount, state } of tokenAccounts) {
    const sum = sums.get(mint) ?? { amount: 0n, isFrozen: false };
    sums.set(mint, { amount: sum.amount + amount, isFrozen: sum.isFrozen || state === 'frozen' });
  }
  const balance = (amount: bigint, places: number, isFrozen: boolean) => ({
    ...{ amount: amount.toString(), uiAmount: Number(decimalString(amount, places)) },
    ...{ slot, isFrozen },
  });
  const answer: BalancesAnswer = { SOL: balance(lamports, 9, false) };
  for (const [mint, { amount, isFrozen }] of sums) {
    const places = decimals.get(mint);
    if (places !== undefined) answer[mint] = balance(amount, places, isFrozen);
  }
  return answer;
}
