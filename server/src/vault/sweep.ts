import { type Address, type Instruction, systemTransfer, WRAPPED_SOL_MINT } from '@slipway/wire';
import { waysToWallet } from './empty-account.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';
import { accountsToLookAt, missingOf, owedIn, type VaultOrder, whyLeft } from './missing.js';
import { type SendDeps, sendFirst } from './send-first.js';

export type SweepDeps = SendDeps;

/** Something that a vault held. */
interface Swept {
  /** The token account, or the vault itself for SOL. */
  account: Address;
  /** The mint of wrapped SOL for SOL. */
  mint: Address;
  /** In the smallest unit, without the rent of a closed account, which is sent as well. */
  amount: bigint;
}

export interface SweepReport {
  wallet: Address;
  vault: Address;
  sent: (Swept & { signature: string })[];
  /** What could not be sent, and why. */
  left: (Swept & { reason: string })[];
}

/**
 * Sends everything that a wallet's vault and its order accounts hold to the wallet, and nowhere else, and closes what
 * is empty. The gas wallet pays the fees, and makes token accounts that the wallet does not have yet, each for the rent of
 * one that is closed. What cannot be sent (a frozen account, say) does not stop the rest. Running it again sends what is left.
 * Of orders that are known, what they should have and is not there is left, too.
 */
export async function sweepVault(
  deps: SweepDeps,
  wallet: Address,
  orders: readonly VaultOrder[] = [],
): Promise<SweepReport> {
  const vault = await deps.signer.publicKey(`vault:${wallet}`);
  const report: SweepReport = { wallet, vault, sent: [], left: [] };
  const { lamports, accounts } = await vaultHoldings(deps.chain, vault, accountsToLookAt(orders, vault));
  const allOwed = owedIn(orders, vault);
  for (const held of accounts) {
    const { mint, amount } = held.tokens;
    const owed = allOwed.get(held.account) ?? 0n;
    const ways = await waysHome(deps, held, wallet);
    // The chain closes what is empty only: where it does not, the row says whether that can be all.
    const possible = amount < owed ? ways.slice(0, 1) : ways;
    await send(deps, report, { account: held.account, mint, amount }, possible, owed);
  }
  if (lamports > 0n) {
    const transfer = systemTransfer({ from: vault, to: wallet, lamports });
    await send(deps, report, { account: vault, mint: WRAPPED_SOL_MINT, amount: lamports }, [[transfer]]);
  }
  const found = new Set(accounts.map(({ account }) => account));
  const missing = await missingOf(deps.chain, orders, { vault, found });
  return { ...report, left: report.left.concat(missing) };
}

async function waysHome({ chain, signer }: SweepDeps, held: VaultTokens, wallet: Address): Promise<Instruction[][]> {
  const decimals = (await chain.mint(held.tokens.mint))?.decimals;
  return waysToWallet(chain, held, { wallet, payer: signer.address('gas'), decimals });
}

async function send(
  deps: SweepDeps,
  report: SweepReport,
  swept: Swept,
  ways: Instruction[][],
  owed = 0n,
): Promise<void> {
  const payer = { name: 'gas', address: deps.signer.address('gas') };
  const sent = await sendFirst(deps, ways, { payer, keys: ['gas', `vault:${report.wallet}`] });
  if ('reason' in sent) report.left.push({ ...swept, reason: whyLeft(sent.reason, swept.amount, owed) });
  else report.sent.push({ ...swept, signature: sent.signature });
}
