import { type Address, writeAddress } from '../address.js';
import { readU64, requireU8, writeU64 } from '../integers.js';
import { type Instruction, readonlyAccount, readonlySigner, writableAccount } from '../message.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';

const MINT_TO = 7;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const SYNC_NATIVE = 17;
const INITIALIZE_ACCOUNT_3 = 18;
const INITIALIZE_MINT_2 = 20;

const TRANSFER_CHECKED_LENGTH = 10;

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

/** What a checked transfer of either token program moves; undefined when it is another instruction. */
export function parseTransferChecked({ program, accounts, data }: Instruction): TransferChecked | undefined {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return undefined;
  if (data.length !== TRANSFER_CHECKED_LENGTH || data[0] !== TRANSFER_CHECKED) return undefined;
  // More accounts may follow: the signers of a multisig authority, or what a transfer hook needs.
  const [source, mint, destination, authority] = accounts;
  if (source === undefined || mint === undefined || destination === undefined || authority === undefined) {
    return undefined;
  }
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

/** Closes an empty token account, or a native one with what it holds; its lamports go to `destination`. */
export function tokenCloseAccount(
  input: WithTokenProgram<{ account: Address; destination: Address; authority: Address }>,
): Instruction {
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), writableAccount(input.destination), readonlySigner(input.authority)],
    data: Uint8Array.of(CLOSE_ACCOUNT),
  };
}

/** Makes the amount of a native token account equal to its lamports above the rent. */
export function tokenSyncNative({ account }: { account: Address }): Instruction {
  return { program: TOKEN_PROGRAM, accounts: [writableAccount(account)], data: Uint8Array.of(SYNC_NATIVE) };
}

/** Turns a new account of 165 bytes, owned by the token program, into a token account. */
export function tokenInitializeAccount3(
  input: WithTokenProgram<{ account: Address; mint: Address; owner: Address }>,
): Instruction {
  const data = new Uint8Array(33);
  data[0] = INITIALIZE_ACCOUNT_3;
  writeAddress(input.owner, data, 1);
  return {
    program: input.tokenProgram ?? TOKEN_PROGRAM,
    accounts: [writableAccount(input.account), readonlyAccount(input.mint)],
    data,
  };
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
