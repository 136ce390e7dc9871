import { type Address, decodeTokenAccount, SYSTEM_PROGRAM } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import type { Crafted } from '../../crafting/transaction.js';
import { LAMPORTS_PER_SOL, walletMinimum } from '../../crafting/wallet.js';
import { decimalString } from '../../lib/decimal.js';

/** Why there is nothing to sign, with the contract's error code. */
export interface Obstacle {
  code: number;
  error: string;
}

/** A transaction that the sender can sign. */
export interface Ready {
  crafted: Crafted;
  lastValidBlockHeight: bigint;
}

/** Checks that the sender's token account holds the amount. */
export function checkTokens(
  account: ChainAccount | undefined,
  { tokenProgram, sender, amount }: { tokenProgram: Address; sender: Address; amount: bigint },
  symbol: string,
): Obstacle | undefined {
  const tokens = account && decodeTokenAccount(account.data);
  if (!tokens || account.owner !== tokenProgram)
    return { code: 1, error: `Insufficient funds: the wallet holds no ${symbol}` };
  if (tokens.owner !== sender)
    return { code: 3000, error: `The ${symbol} account of the wallet belongs to somebody else` };
  if (tokens.state === 'frozen') return { code: 2017, error: `The ${symbol} account of the wallet is frozen` };
  if (tokens.amount < amount) {
    return { code: 1, error: `Insufficient funds: ${amount} needed, the wallet holds ${tokens.amount}` };
  }
  return undefined;
}

/** Checks that the payer has the needed lamports and a wallet's minimum. `gasless`: the payer is our gas wallet. */
export function checkLamports(
  payer: ChainAccount | undefined,
  neededLamports: bigint,
  gasless: boolean,
): Obstacle | undefined {
  // Its owner can give it data: with any but a nonce's, it pays no fee whatever it holds.
  if (payer && (payer.owner !== SYSTEM_PROGRAM || payer.data.length > 0))
    return { code: 2004, error: 'The account is not a wallet: it belongs to a program, or holds data' };
  const missing = neededLamports + walletMinimum() - (payer?.lamports ?? 0n);
  if (missing <= 0n) return undefined;
  if (gasless) return { code: 1001, error: 'The gas wallet of this server is empty' };
  return { code: 2, error: `Top up ${Number(missing) / LAMPORTS_PER_SOL} SOL for gas` };
}

/** Like `checkLamports`, for a sender who pays in SOL: the lamports are the payment itself, not only network costs. */
export function checkSolPayment(payer: ChainAccount | undefined, neededLamports: bigint): Obstacle | undefined {
  const obstacle = checkLamports(payer, neededLamports, false);
  if (obstacle?.code !== 2) return obstacle;
  const [needed, held] = [neededLamports + walletMinimum(), payer?.lamports ?? 0n].map((each) =>
    decimalString(each, 9),
  );
  return {
    code: 1,
    error: `Insufficient funds: ${needed} SOL needed for the payment, its fees and its rent, the wallet holds ${held}`,
  };
}
