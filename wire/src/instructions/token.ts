import { type Address, addressFromBytes, writeAddress } from '../address.js';
import { readU64, requireU8, writeU64 } from '../integers.js';
import { type Instruction, readonlyAccount, readonlySigner, writableAccount } from '../message.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';

const REVOKE = 5;
const SET_AUTHORITY = 6;
const MINT_TO = 7;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const SYNC_NATIVE = 17;
const INITIALIZE_ACCOUNT_3 = 18;
const INITIALIZE_MINT_2 = 20;
const WITHDRAW_EXCESS_LAMPORTS = 38;
const UNWRAP_LAMPORTS = 45;

const CLOSE_AUTHORITY = 3;

const TRANSFER_CHECKED_LENGTH = 10;
const INITIALIZE_ACCOUNT_3_LENGTH = 33;
const SET_AUTHORITY_LENGTH = 35;

export interface TransferChecked {
  source: Address;
  mint: Address;
  destination: Address;
  authority: Address;
  /** In the mint's smallest unit. */
  amount: bigint;
  decimals: number;
  tokenProgram: Address;
}

/** The token program is SPL Token unless given. */
type WithTokenProgram<T> = T & { tokenProgram?: Address };

/** Moves tokens between token accounts. Throws RangeError when `amount` is no u64 or `decimals` no u8. */
export function tokenTransferChecked(input: WithTokenProgram<Omit<TransferChecked, 'tokenProgram'>>): Instruction {
  const data = new Uint8Array(TRANSFER_CHECKED_LENGTH);
  data[0] = TRANSFER_CHECKED;
  writeU64(input.amount, 'amount', data, 1);
  data[9] = requireU8(input.decimals, 'decimals');
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [
      writableAccount(input.source),
      readonlyAccount(input.mint),
      writableAccount(input.destination),
      readonlySigner(input.authority),
    ],
    data,
  };
}

/**
 * What a checked transfer of either token program moves; undefined when it is another instruction, also for one that could hand a
 * signature to the hook of the mint, which is code of whoever made that.
 */
export function parseTransferChecked({ program, accounts, data }: Instruction): TransferChecked | undefined {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return undefined;
  if (data.length !== TRANSFER_CHECKED_LENGTH || data[0] !== TRANSFER_CHECKED) return undefined;
  // More accounts may follow: the signers of a multisig authority, or what a transfer hook needs.
  const [source, mint, destination, authority, ...others] = accounts;
  if (source === undefined || mint === undefined || destination === undefined || authority === undefined) {
    return undefined;
  }
  // A version of Token-2022 before the tenth takes the authority's signature away from a hook, and no other. It is
  // handed what a list of its own names, an account that cannot sign: where all sign, as those of a multisig do, there is none.
  const isHanded = others.some(({ signer }) => signer) && others.some(({ signer }) => !signer);
  if (program === TOKEN_2022_PROGRAM && isHanded) return undefined;
  return {
    source: source.address,
    mint: mint.address,
    destination: destination.address,
    authority: authority.address,
    amount: readU64(data, 1),
    decimals: data[9]!,
    tokenProgram: program,
  };
}

/** Mints tokens into a token account; `amount` is in the mint's smallest unit. Throws RangeError when it is no u64. */
export function tokenMintTo(
  input: WithTokenProgram<{ mint: Address; destination: Address; authority: Address; amount: bigint }>,
): Instruction {
  const data = new Uint8Array(9);
  data[0] = MINT_TO;
  writeU64(input.amount, 'amount', data, 1);
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.mint), writableAccount(input.destination), readonlySigner(input.authority)],
    data,
  };
}

export interface CloseAccount {
  account: Address;
  destination: Address;
  authority: Address;
  tokenProgram: Address;
}

/** Closes an empty token account, or a native one with what it holds; its lamports go to `destination`. */
export function tokenCloseAccount(input: WithTokenProgram<Omit<CloseAccount, 'tokenProgram'>>): Instruction {
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), writableAccount(input.destination), readonlySigner(input.authority)],
    data: Uint8Array.of(CLOSE_ACCOUNT),
  };
}

/** The account that is closed; undefined when it is another instruction. */
export function parseCloseAccount({ program, accounts, data }: Instruction): CloseAccount | undefined {
  if (!isTokenProgram(program) || data.length !== 1 || data[0] !== CLOSE_ACCOUNT) return undefined;
  const [account, destination, authority] = accounts.map((meta) => meta.address);
  if (!account || !destination || !authority) return undefined;
  return { account, destination, authority, tokenProgram: program };
}

/**
 * Gives what a token account has of SOL above its rent to any account. Not that of a native one, whose SOL are its tokens: the
 * program refuses these. Of SPL Token, p-token knows it; older versions do not.
 */
export function tokenWithdrawExcessLamports({
  source,
  destination,
  authority,
  tokenProgram = TOKEN_PROGRAM,
}: WithTokenProgram<UnwrapLamports>): Instruction {
  return {
    program: tokenProgram,
    accounts: [writableAccount(source), writableAccount(destination), readonlySigner(authority)],
    data: Uint8Array.of(WITHDRAW_EXCESS_LAMPORTS),
  };
}

export interface UnwrapLamports {
  /** A native token account. */
  source: Address;
  destination: Address;
  authority: Address;
}

/**
 * Gives all that a native token account holds above its rent to any account, as SOL. An instruction of p-token, which
 * has taken SPL Token's place; older versions of the program do not know it.
 */
export function tokenUnwrapLamports({ source, destination, authority }: UnwrapLamports): Instruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [writableAccount(source), writableAccount(destination), readonlySigner(authority)],
    // The second byte stands for "no amount".
    data: Uint8Array.of(UNWRAP_LAMPORTS, 0),
  };
}

/** Who gets the lamports; undefined when it is another instruction, also for one that names an amount. */
export function parseUnwrapLamports({ program, accounts, data }: Instruction): UnwrapLamports | undefined {
  if (program !== TOKEN_PROGRAM || data.length !== 2 || data[0] !== UNWRAP_LAMPORTS || data[1] !== 0) return undefined;
  const [source, destination, authority] = accounts.map((meta) => meta.address);
  return source && destination && authority ? { source, destination, authority } : undefined;
}

export interface SetCloseAuthority {
  account: Address;
  /** Who may close the account now: its owner, where nobody was named. */
  authority: Address;
  closeAuthority: Address;
  tokenProgram: Address;
}

/** Names who may close a token account. */
export function tokenSetCloseAuthority(input: WithTokenProgram<Omit<SetCloseAuthority, 'tokenProgram'>>): Instruction {
  const data = new Uint8Array(SET_AUTHORITY_LENGTH);
  data.set([SET_AUTHORITY, CLOSE_AUTHORITY, 1]);
  writeAddress(input.closeAuthority, data, 3);
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), readonlySigner(input.authority)],
    data,
  };
}

/** Who is named; undefined when it is another instruction, also for one that sets another authority or removes it. */
export function parseSetCloseAuthority({ program, accounts, data }: Instruction): SetCloseAuthority | undefined {
  if (!isTokenProgram(program) || data.length !== SET_AUTHORITY_LENGTH) return undefined;
  if (data[0] !== SET_AUTHORITY || data[1] !== CLOSE_AUTHORITY || data[2] !== 1) return undefined;
  const [account, authority] = accounts.map((meta) => meta.address);
  if (!account || !authority) return undefined;
  return { account, authority, closeAuthority: addressFromBytes(data, 3), tokenProgram: program };
}

export interface Revoke {
  account: Address;
  authority: Address;
  tokenProgram: Address;
}

/** Ends what its owner has allowed another one to take from a token account. */
export function tokenRevoke(input: WithTokenProgram<Omit<Revoke, 'tokenProgram'>>): Instruction {
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), readonlySigner(input.authority)],
    data: Uint8Array.of(REVOKE),
  };
}

/** The account that no delegate has any more; undefined when it is another instruction. */
export function parseRevoke({ program, accounts, data }: Instruction): Revoke | undefined {
  if (!isTokenProgram(program) || data.length !== 1 || data[0] !== REVOKE) return undefined;
  const [account, authority] = accounts.map((meta) => meta.address);
  return account && authority ? { account, authority, tokenProgram: program } : undefined;
}

/** Makes the amount of a native token account equal to its lamports above the rent. */
export function tokenSyncNative({ account }: { account: Address }): Instruction {
  return { program: TOKEN_PROGRAM, accounts: [writableAccount(account)], data: Uint8Array.of(SYNC_NATIVE) };
}

/** The account whose amount is brought up to date; undefined when it is another instruction. */
export function parseSyncNative({ program, accounts, data }: Instruction): { account: Address } | undefined {
  if (program !== TOKEN_PROGRAM || data.length !== 1 || data[0] !== SYNC_NATIVE) return undefined;
  const [account] = accounts;
  return account && { account: account.address };
}

export interface InitializeAccount3 {
  account: Address;
  mint: Address;
  owner: Address;
  tokenProgram: Address;
}

/** Turns a new account of 165 bytes, owned by the token program, into a token account. */
export function tokenInitializeAccount3(
  input: WithTokenProgram<Omit<InitializeAccount3, 'tokenProgram'>>,
): Instruction {
  const data = new Uint8Array(INITIALIZE_ACCOUNT_3_LENGTH);
  data[0] = INITIALIZE_ACCOUNT_3;
  writeAddress(input.owner, data, 1);
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), readonlyAccount(input.mint)],
    data,
  };
}

/** The token account that is made; undefined when it is another instruction. */
export function parseInitializeAccount3({ program, accounts, data }: Instruction): InitializeAccount3 | undefined {
  if (!isTokenProgram(program) || data.length !== INITIALIZE_ACCOUNT_3_LENGTH || data[0] !== INITIALIZE_ACCOUNT_3) {
    return undefined;
  }
  const [account, mint] = accounts.map((meta) => meta.address);
  if (!account || !mint) return undefined;
  return { account, mint, owner: addressFromBytes(data, 1), tokenProgram: program };
}

/** Turns a new account of 82 bytes, owned by the token program, into a mint. Throws RangeError for `decimals` no u8. */
export function tokenInitializeMint2(
  input: WithTokenProgram<{ mint: Address; decimals: number; mintAuthority: Address; freezeAuthority?: Address }>,
): Instruction {
  const data = new Uint8Array(input.freezeAuthority === undefined ? 35 : 67);
  data[0] = INITIALIZE_MINT_2;
  data[1] = requireU8(input.decimals, 'decimals');
  writeAddress(input.mintAuthority, data, 2);
  if (input.freezeAuthority !== undefined) {
    data[34] = 1;
    writeAddress(input.freezeAuthority, data, 35);
  }
  return { program: input.tokenProgram ?? TOKEN_PROGRAM, accounts: [writableAccount(input.mint)], data };
}

function isTokenProgram(program: Address): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}
