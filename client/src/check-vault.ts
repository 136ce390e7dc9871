import { checkDeposit, checkWithdrawal, type ReadTransaction } from '@slipway/checks';
import { address as toAddress } from '@slipway/wire/formats';
import { MAX_FEE_LAMPORTS } from './flow.js';
import { budgetOf, checkFee } from './transaction.js';

/** Checks that a transaction makes this deposit and does nothing else. @throws CraftCheckFailed */
export function checkAskedDeposit(
  asked: { wallet: string; vault: string; inputMint: string; outputMint: string; amount: bigint; account: string },
  read: ReadTransaction,
): void {
  const { wallet, vault, inputMint, outputMint, amount, account } = asked;
  const budget = budgetOf(read);
  checkFee(read, budget, wallet, MAX_FEE_LAMPORTS);
  const parties = { wallet: toAddress(wallet), vault: toAddress(vault), account: toAddress(account) };
  checkDeposit(
    read,
    { ...parties, inputMint: toAddress(inputMint), outputMint: toAddress(outputMint), amount },
    budget,
  );
}

/** Checks that a transaction brings all that it moves to the wallet. @throws CraftCheckFailed */
export function checkAskedWithdrawal(
  { wallet, vault, mints }: { wallet: string; vault: string; mints?: readonly string[] | undefined },
  read: ReadTransaction,
): void {
  const budget = budgetOf(read);
  checkFee(read, budget, wallet, MAX_FEE_LAMPORTS);
  const parties = { wallet: toAddress(wallet), vault: toAddress(vault) };
  checkWithdrawal(read, { ...parties, mints: mints?.map(toAddress) }, budget);
}
