import {
  type Address,
  createAssociatedTokenIdempotent,
  decodeTransaction,
  type Instruction,
  systemTransfer,
  type Transaction,
  transactionSignature,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../crafting/budget.js';
import { type Budget, craftTransaction } from '../crafting/transaction.js';
import type { KeyName, Signer } from '../signer/index.js';
import { closeToWallet, moveToWallet } from './empty-account.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';

export interface SweepDeps {
  chain: Chain;
  signer: Signer;
  /** Sends a signed transaction until its outcome is known. */
  land(transaction: Transaction, lastValidBlockHeight: bigint): Promise<{ event: 'landed' | 'failed' | 'expired' }>;
  /** Explains a chain error in words. */
  explain(error: unknown): string;
}

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
  let reason = 'its mint is not on the chain';
  for (const instructions of ways) {
    const crafted = await craftTried(deps, instructions);
    if ('refused' in crafted) {
      reason = crafted.refused;
      continue;
    }
    const signed = await signAll(deps.signer, crafted.wire, ['gas', `vault:${report.wallet}`]);
    const { event } = await deps.land(signed, crafted.lastValidBlockHeight);
    if (event === 'landed') {
      report.sent.push({ ...swept, signature: transactionSignature(signed) });
      return;
    }
    reason = event === 'failed' ? 'the chain refused it' : 'it did not land in time: run this again';
    break;
  }
  report.left.push({ ...swept, reason });
}

/** Crafts the transaction and simulates it; `refused`: why it would fail. */
async function craftTried(
  { chain, signer, explain }: SweepDeps,
  instructions: Instruction[],
): Promise<{ wire: Uint8Array; lastValidBlockHeight: bigint } | { refused: string }> {
  const feePayer = signer.address('gas');
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
  ]);
  const craft = (budget: Budget) => craftTransaction({ feePayer, instructions, blockhash, budget });
  const trial = craft({ computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await chain.simulate(trial.wire, { sigVerify: false });
  if (err === 'AccountNotFound' || err === 'InsufficientFundsForFee') {
    return {
      refused: `the gas wallet ${feePayer} has too little SOL to pay the fee: send it some, then run this again`,
    };
  }
  if (err !== null) return { refused: explain(err) };
  const { wire } = craft({ computeUnitLimit: unitLimitFrom(unitsConsumed), computeUnitPrice });
  return { wire, lastValidBlockHeight };
}

async function signAll(signer: Signer, wire: Uint8Array, keys: KeyName[]): Promise<Transaction> {
  const { decoded: _, ...unsigned } = decodeTransaction(wire);
  let signed: Transaction = unsigned;
  for (const key of keys) {
    signed = withSignature(signed, await signer.publicKey(key), await signer.sign(key, signed.message));
  }
  return signed;
}
