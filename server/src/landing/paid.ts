import { type Rpc, readTransaction } from '../chain/index.js';
import type { Due } from '../crafting/payment.js';
import { decimalString } from '../lib/decimal.js';
import { whyNotFinal } from './finality.js';

/**
 * Why a transaction that has landed is not a payment to be relied on for good; undefined where it is one. It must be final, and
 * must have brought what is due: so the first node must show it, and no other one that answers may show less.
 * @throws ChainUnavailable if the first node does not answer
 */
export async function whyNotPaid(
  rpcs: readonly Rpc[],
  signature: string,
  due: Due | undefined,
): Promise<string | undefined> {
  return (await whyNotFinal(rpcs, signature)) ?? (due && (await whyTooLittle(rpcs, signature, due)));
}

async function whyTooLittle(
  [first, ...others]: readonly Rpc[],
  signature: string,
  due: Due,
): Promise<string | undefined> {
  const opinions = others.map((rpc) => broughtBy(rpc, signature, due).catch(() => undefined));
  const own = await broughtBy(first!, signature, due);
  if (own === undefined) return `${first!.name} does not show what its payment has brought`;
  for (const [i, brought] of [own, ...(await Promise.all(opinions))].entries()) {
    if (brought === undefined || brought >= due.amount) continue;
    const [got, price] = [brought, due.amount].map((each) => decimalString(each, due.decimals));
    return `its payment has brought ${due.receiver} ${got} of ${price} tokens, says ${[first!, ...others][i]!.name}`;
  }
  return undefined;
}

/** Undefined where the node does not have it, or records no balances of tokens, of which each such payment has some. */
async function broughtBy(rpc: Rpc, signature: string, { accounts }: Due): Promise<bigint | undefined> {
  const { tokens } = (await readTransaction(rpc, signature)) ?? {};
  if (!tokens?.size) return undefined;
  return accounts.reduce((sum, account) => {
    const { before, after } = tokens.get(account) ?? { before: 0n, after: 0n };
    return sum + after - before;
  }, 0n);
}
