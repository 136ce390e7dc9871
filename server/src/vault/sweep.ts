import {
  type Address,
  createAssociatedTokenIdempotent,
  type Instruction,
  systemTransfer,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { closeToWallet, moveToWallet } from './empty-account.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';
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
 * is empty. The gas wallet pays the fees and the rent of token accounts that the wallet does not have yet. What cannot
 * be sent (a frozen account, say) does not stop the rest. Running it again sends what is left.
 */
export async function sweepVault(deps: SweepDeps, wallet: Address): Promise<SweepReport> {
  const vault = await deps.signer.publicKey(`vault:${wallet}`);
  const report: SweepReport = { wallet, vault, sent: [], left: [] };
  const { lamports, accounts } = await vaultHoldings(deps.chain, vault);
  for (const held of accounts) {
    const { mint, amount } = held.tokens;
    await send(deps, report, { account: held.account, mint, amount }, await waysToEmpty(deps, held, report));
  }
  if (lamports > 0n) {
    const transfer = systemTransfer({ from: vault, to: wallet, lamports });
    await send(deps, report, { account: vault, mint: WRAPPED_SOL_MINT, amount: lamports }, [[transfer]]);
  }
  return report;
}

/** Alternative instructions that empty a token account, the best first. */
async function waysToEmpty(
  { chain, signer }: SweepDeps,
  held: VaultTokens,
  { wallet }: SweepReport,
): Promise<Instruction[][]> {
  const close = closeToWallet(held, wallet);
  const { tokenProgram, tokens } = held;
  // Closing a native account pays out all its lamports.
  if (tokens.isNative || tokens.amount === 0n) return [[close]];
  const { mint } = tokens;
  const decimals = (await chain.mint(mint))?.decimals;
  if (decimals === undefined) return [];
  const move = [
    createAssociatedTokenIdempotent({ payer: signer.address('gas'), owner: wallet, mint, tokenProgram }),
    moveToWallet(held, wallet, decimals),
  ];
  // An account that cannot be closed (for example, one with withheld fees) can still be emptied.
  return [[...move, close], move];
}

async function send(deps: SweepDeps, report: SweepReport, swept: Swept, ways: Instruction[][]): Promise<void> {
  const payer = { name: 'gas', address: deps.signer.address('gas') };
  const sent = await sendFirst(deps, ways, { payer, keys: ['gas', `vault:${report.wallet}`] });
  if ('reason' in sent) report.left.push({ ...swept, reason: sent.reason });
  else report.sent.push({ ...swept, signature: sent.signature });
}
