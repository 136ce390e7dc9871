import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  holdsSol,
  type Instruction,
  readonlySigner,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_ACCOUNT_SPACE,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSyncNative,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from '../../crafting/transaction.js';
import { orderAccount, orderSeed } from '../../signer/index.js';

/** A token that a vault can hold. */
export interface VaultToken {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
}

/** All three sign, so that nothing moves without its owner, its vault and the service's knowledge. */
interface Signers {
  wallet: Address;
  vault: Address;
  tracker: Address;
}

export interface Deposit extends Signers {
  requestId: string;
  input: VaultToken;
  output: VaultToken;
  /** In the smallest unit of the input. */
  amount: bigint;
  /** Whether the vault gets an account for the output, too. */
  keepsOutput: boolean;
}

/** Creating two accounts, a transfer and an associated account of Token-2022 take about 60,000. */
const COMPUTE_UNITS = 120_000;

/** Moves the amount from the wallet into a new token account of the vault. The wallet pays fee and rents. */
export function craftDeposit(deposit: Deposit, blockhash: string, computeUnitPrice: bigint): Crafted {
  const { requestId, wallet, vault, input, output, keepsOutput } = deposit;
  const account = orderAccount(vault, requestId, 'in', input.tokenProgram);
  const instructions = [
    ...createOrderAccount(deposit, 'in', input),
    ...transferIn(deposit, account),
    ...(keepsOutput ? createOrderAccount(deposit, 'out', output) : []),
    // Receives the output of fills; SOL goes to the wallet itself.
    ...(output.mint === WRAPPED_SOL_MINT ? [] : [createAccountOf(wallet, output)]),
  ];
  return craft(deposit, instructions, blockhash, computeUnitPrice);
}

/** One account of an order, with all that it holds. */
export interface OrderHolding {
  account: Address;
  token: VaultToken;
  amount: bigint;
  /** It is left open: then what comes there before the transaction lands makes nothing fail. */
  staysOpen?: boolean;
}

/** Returns what an order's accounts hold to the wallet, and closes them, but for those that stay open; their rent goes to the wallet, too. */
export function craftWithdrawal(
  signers: Signers,
  holdings: readonly OrderHolding[],
  blockhash: string,
  computeUnitPrice: bigint,
): Crafted {
  const instructions = holdings.flatMap((holding) => withdraw(signers, holding));
  return craft(signers, instructions, blockhash, computeUnitPrice);
}

function craft(signers: Signers, instructions: Instruction[], blockhash: string, price: bigint): Crafted {
  const budget: Budget = { computeUnitLimit: COMPUTE_UNITS, computeUnitPrice: price };
  const { wallet, vault, tracker } = signers;
  const crafted = craftTransaction({ feePayer: wallet, instructions, blockhash, budget });
  const expected = new Set([wallet, vault, tracker]);
  if (crafted.signers.length !== expected.size || !crafted.signers.every((signer) => expected.has(signer))) {
    throw new CraftCheckFailed('crafted vault transaction: wrong signers');
  }
  return crafted;
}

function createOrderAccount(
  { wallet, vault, requestId }: Deposit,
  side: 'in' | 'out',
  { mint, tokenProgram }: VaultToken,
): Instruction[] {
  const account = orderAccount(vault, requestId, side, tokenProgram);
  return [
    systemCreateAccountWithSeed({
      payer: wallet,
      newAccount: account,
      base: vault,
      seed: orderSeed(requestId, side),
      lamports: rentExemptLamports(TOKEN_ACCOUNT_SPACE),
      space: TOKEN_ACCOUNT_SPACE,
      owner: tokenProgram,
    }),
    tokenInitializeAccount3({ account, mint, owner: vault, tokenProgram }),
  ];
}

function transferIn({ wallet, tracker, input, amount }: Deposit, account: Address): Instruction[] {
  if (input.mint === WRAPPED_SOL_MINT) {
    const transfer = systemTransfer({ from: wallet, to: account, lamports: amount });
    return [signedBy(transfer, tracker), tokenSyncNative({ account })];
  }
  const { mint, decimals, tokenProgram } = input;
  const source = associatedTokenAddress(wallet, mint, tokenProgram);
  const transfer = { source, mint, destination: account, authority: wallet, amount, decimals, tokenProgram };
  return [signedBy(tokenTransferChecked(transfer), tracker)];
}

function withdraw(
  { wallet, vault, tracker }: Signers,
  { account, token, amount, staysOpen = false }: OrderHolding,
): Instruction[] {
  const { mint, decimals, tokenProgram } = token;
  const close = signedBy(tokenCloseAccount({ account, destination: wallet, authority: vault, tokenProgram }), tracker);
  // Closing an account of SOL pays out all its lamports. Of Token-2022, too: somebody else may close that of the wallet, with all in it.
  if (holdsSol(mint)) return [close];
  if (amount === 0n) return staysOpen ? [] : [close];
  const destination = associatedTokenAddress(wallet, mint, tokenProgram);
  const transfer = { source: account, mint, destination, authority: vault, amount, decimals, tokenProgram };
  const moved = [createAccountOf(wallet, token), signedBy(tokenTransferChecked(transfer), tracker)];
  return staysOpen ? moved : [...moved, close];
}

function createAccountOf(wallet: Address, { mint, tokenProgram }: VaultToken): Instruction {
  return createAssociatedTokenIdempotent({ payer: wallet, owner: wallet, mint, tokenProgram });
}

/** The programs ignore accounts that they do not know, so an extra signer can be appended. */
function signedBy(instruction: Instruction, signer: Address): Instruction {
  return { ...instruction, accounts: [...instruction.accounts, readonlySigner(signer)] };
}
