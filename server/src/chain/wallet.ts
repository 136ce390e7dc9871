import {
  type Address,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  token2022Extensions,
} from '@slipway/wire';
import { bytesIn, wholeIn } from './node-values.js';
import { ask, type Rpc } from './rpc.js';
import { closerOf } from './token-account-guards.js';

export interface HeldTokenAccount extends TokenAccount {
  address: Address;
  tokenProgram: Address;
  /** Its rent, and more if somebody has sent it more; for wrapped SOL also what it holds. */
  lamports: bigint;
  /** Holds something besides its amount: withheld transfer fees, or confidential balances. */
  withholds: boolean;
}

export interface Wallet {
  lamports: bigint;
  /** Of both token programs. */
  tokenAccounts: HeldTokenAccount[];
  /** The oldest slot of the answers that this was made from. */
  slot: number;
}

/** So many token accounts cost as much as an ordinary call: their mints are two calls of the node, and all is some 10 ms of a copy. */
const ACCOUNTS_A_CALL = 200;

/** The node has sent at least as many accounts of a wallet whose list is longer than is read. */
const ACCOUNTS_CUT_OFF = 70_000;

/**
 * What a call that reads a wallet weighs besides itself: the node sends all of its token accounts, each time. Of one with more
 * than are read, nothing is known.
 */
export function walletWeight(wallet: Pick<Wallet, 'tokenAccounts'> | undefined): number {
  const { length } = wallet?.tokenAccounts ?? { length: ACCOUNTS_CUT_OFF };
  return Math.max(0, Math.ceil(length / ACCOUNTS_A_CALL) - 1);
}

interface Contextual<T> {
  context: { slot: number };
  value: T;
}

type KeyedAccounts = Contextual<{ pubkey: string; account: { lamports: number | bigint; data: [string, 'base64'] } }[]>;

/** All that a wallet holds; nothing for one that the chain does not know. Never older than the call. */
export async function readWallet(rpc: Rpc, owner: Address): Promise<Wallet> {
  const balance = ask(
    rpc,
    'getBalance',
    [owner, { commitment: 'confirmed' }],
    ({ context, value }: Contextual<number | bigint>) => ({ lamports: wholeIn(value), slot: slotOf(context) }),
  );
  const programs = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => tokenAccountsOf(rpc, owner, program));
  const [{ lamports, slot }, ...held] = await Promise.all([balance, ...programs]);
  return {
    lamports,
    tokenAccounts: held.flatMap(({ accounts }) => accounts),
    slot: Math.min(slot, ...held.map((part) => part.slot)),
  };
}

function tokenAccountsOf(rpc: Rpc, owner: Address, tokenProgram: Address) {
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const params = [owner, { programId: tokenProgram }, options];
  return ask(rpc, 'getTokenAccountsByOwner', params, ({ context, value }: KeyedAccounts) => ({
    slot: slotOf(context),
    accounts: value.map(({ pubkey, account }): HeldTokenAccount => {
      const data = bytesIn(account.data[0]);
      const state = decodeTokenAccount(data);
      if (state?.owner !== owner) throw new TypeError("not a token account of the wallet's");
      const lamports = wholeIn(account.lamports);
      return { ...state, address: pubkey as Address, tokenProgram, lamports, withholds: withholds(data) };
    }),
  }));
}

/** As `ExtensionType` of the Token-2022 program numbers them. */
const TRANSFER_FEE_AMOUNT = 2;
const CONFIDENTIAL_TRANSFER_ACCOUNT = 5;
const CONFIDENTIAL_TRANSFER_FEE_AMOUNT = 17;

/** Confidential balances cannot be read, so an account that has them may hold something. */
function withholds(data: Uint8Array): boolean {
  return token2022Extensions(data).some(({ type, data: content }) => {
    if (type === TRANSFER_FEE_AMOUNT) return content.some((byte) => byte !== 0);
    return type === CONFIDENTIAL_TRANSFER_ACCOUNT || type === CONFIDENTIAL_TRANSFER_FEE_AMOUNT;
  });
}

/** Why the owner cannot close a token account without loss; undefined if it can, for its lamports. */
export function obstacleToClosing(account: HeldTokenAccount) {
  const { amount, state, withholds } = account;
  if (amount > 0n) return 'nonempty';
  if (state === 'frozen') return 'frozen';
  if (closerOf(account) !== undefined) return 'closeAuthority';
  return withholds ? 'withheld' : undefined;
}

function slotOf({ slot }: { slot: number }): number {
  if (!Number.isSafeInteger(slot)) throw new TypeError('no slot');
  return slot;
}
