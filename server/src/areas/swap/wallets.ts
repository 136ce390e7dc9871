import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type ChainAccount, CPI_GUARDED, hasCpiGuard, NO_MEMO, requiresMemo } from '../../chain/index.js';
import type { AppError } from '../../errors/index.js';
import type { Token } from '../../routing/router.js';
import type { SwapDeps } from './deps.js';
import { type OrderRequest, refuse } from './order-request.js';

/** The on-chain state of an order's parties, read in one go. Lamports, and amounts in the smallest unit. */
export interface Wallets {
  taker: Address;
  receiver: Address;
  payer: Address | undefined;
  lamports: { taker: bigint; receiver: bigint; payer: bigint; gasWallet: bigint };
  /** The taker's account of the input; undefined for SOL. */
  source: { account: Address; amount: bigint } | undefined;
  /** The receiver's account of the output; undefined for SOL. */
  destination: { account: Address; exists: boolean; requiresMemo: boolean; hasCpiGuard: boolean } | undefined;
}

const WRAPPED_SOL = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM };

/** @throws AppError INVALID_REQUEST if a party is not a wallet, or cannot give the input or receive the output. */
export async function readWallets(
  { chain, gasWallet }: SwapDeps,
  asked: OrderRequest & { taker: Address },
  input: Token,
  output: Token,
): Promise<Wallets> {
  const { taker, receiver = taker, payer } = asked;
  if (receiver !== taker) requireNoTokenAccount(receiver, taker, [input, output, WRAPPED_SOL]);
  const source = tokenAccountOf(taker, input);
  const destination = tokenAccountOf(receiver, output);
  const read = async (address: Address | undefined) => address && chain.account(address);
  const [takerFound, receiverFound, payerFound, gasFound, sourceFound, destinationFound] = await Promise.all(
    [taker, receiver, payer, gasWallet, source, destination].map(read),
  );
  requireWallet('taker', takerFound);
  requireWallet('receiver', receiverFound);
  requireWallet('payer', payerFound);
  return {
    taker,
    receiver,
    payer,
    lamports: {
      taker: takerFound?.lamports ?? 0n,
      receiver: receiverFound?.lamports ?? 0n,
      payer: payerFound?.lamports ?? 0n,
      gasWallet: gasFound?.lamports ?? 0n,
    },
    source: source && { account: source, amount: spendable(sourceFound, taker, input) },
    destination: destination && {
      account: destination,
      exists: isDestination(destinationFound, receiver, output),
      requiresMemo: destinationFound !== undefined && requiresMemo(destinationFound.data),
      hasCpiGuard: destinationFound !== undefined && hasCpiGuard(destinationFound.data),
    },
  };
}

/**
 * Whether the receiver's account is why no swap can be made, by the errors of the simulations: some venues add the memo that it
 * requires, and not every router takes a fee out of it.
 */
export function obstacleOfDestination(
  { destination }: Wallets,
  errors: ReadonlySet<number | undefined>,
): AppError | undefined {
  const its = 'its token account for the output';
  if (destination?.requiresMemo && errors.has(NO_MEMO))
    return refuse(
      'receiver',
      `${its} requires a memo with each transfer, which the swaps found do not add: turn that off first`,
    );
  if (destination?.hasCpiGuard && errors.has(CPI_GUARDED))
    return refuse('receiver', `${its} has CPI Guard on, which lets no swap take its fee there: turn that off first`);
  return undefined;
}

function tokenAccountOf(wallet: Address, { mint, tokenProgram }: Token): Address | undefined {
  return mint === WRAPPED_SOL_MINT ? undefined : associatedTokenAddress(wallet, mint, tokenProgram);
}

/** An address without an account may become a wallet; an account that a program owns never does. */
function requireWallet(field: string, account: ChainAccount | undefined): void {
  if (account && account.owner !== SYSTEM_PROGRAM) {
    throw refuse(field, 'expected a wallet; this is an account of a program, such as a token account or a mint');
  }
}

/** A token account that does not exist yet looks like a new wallet, but nobody could ever sign for what it receives. */
function requireNoTokenAccount(
  receiver: Address,
  taker: Address,
  tokens: readonly Pick<Token, 'mint' | 'tokenProgram'>[],
): void {
  if (tokens.some(({ mint, tokenProgram }) => associatedTokenAddress(taker, mint, tokenProgram) === receiver)) {
    throw refuse('receiver', "expected a wallet; this is the address of the taker's token account");
  }
}

function spendable(account: ChainAccount | undefined, owner: Address, token: Token): bigint {
  const held = readTokenAccount(account, token);
  if (!account || held?.owner !== owner || held.state !== 'initialized') return 0n;
  if (!hasCpiGuard(account.data)) return held.amount;
  throw refuse(
    'taker',
    'its token account for the input has CPI Guard on, which lets no swap take from it: turn that off first',
  );
}

function isDestination(account: ChainAccount | undefined, owner: Address, token: Token): boolean {
  // The address may hold lamports before the account is created.
  if (!account || account.owner === SYSTEM_PROGRAM) return false;
  const held = readTokenAccount(account, token);
  if (held?.owner === owner && held.state === 'initialized') return true;
  throw refuse('receiver', 'its associated token account for the output belongs to somebody else or is frozen');
}

function readTokenAccount(account: ChainAccount | undefined, { mint, tokenProgram }: Token) {
  if (account?.owner !== tokenProgram) return undefined;
  const held = decodeTokenAccount(account.data);
  return held?.mint === mint ? held : undefined;
}
