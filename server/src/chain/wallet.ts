import { type Address, decodeTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, type TokenAccount } from '@slipway/wire';
import { ask, type Rpc } from './rpc.js';

export interface HeldTokenAccount extends TokenAccount {
  address: Address;
  tokenProgram: Address;
}

export interface Wallet {
  lamports: bigint;
  /** Of both token programs. */
  tokenAccounts: HeldTokenAccount[];
  /** The oldest slot of the answers that this was made from. */
  slot: number;
}

interface Contextual<T> {
  context: { slot: number };
  value: T;
}

type KeyedAccounts = Contextual<{ pubkey: string; account: { data: [string, 'base64'] } }[]>;

/** All that a wallet holds; nothing for one that the chain does not know. Never older than the call. */
export async function readWallet(rpc: Rpc, owner: Address): Promise<Wallet> {
  const balance = ask(
    rpc,
    'getBalance',
    [owner, { commitment: 'confirmed' }],
    ({ context, value }: Contextual<number | bigint>) => ({ lamports: BigInt(value), slot: slotOf(context) }),
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
  // Only the base of a token account is needed; extensions follow it.
  const options = { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 165 } };
  const params = [owner, { programId: tokenProgram }, options];
  return ask(rpc, 'getTokenAccountsByOwner', params, ({ context, value }: KeyedAccounts) => ({
    slot: slotOf(context),
    accounts: value.map(({ pubkey, account }): HeldTokenAccount => {
      const state = decodeTokenAccount(Buffer.from(account.data[0], 'base64'));
      if (state?.owner !== owner) throw new TypeError("not a token account of the wallet's");
      return { ...state, address: pubkey as Address, tokenProgram };
    }),
  }));
}

function slotOf({ slot }: { slot: number }): number {
  if (!Number.isSafeInteger(slot)) throw new TypeError('no slot');
  return slot;
}
