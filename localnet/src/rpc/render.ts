import {
  type Address,
  base58Encode,
  decodeMint,
  decodeTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Chain } from '../chain.js';
import type { Account, AddressedAccount } from '../types.js';
import { RPC_CODE, RpcError } from './errors.js';
import { integer } from './json.js';
import { type Config, readChoice, readObject, readSize } from './params.js';
import { type DecimalsOf, parseAccountData } from './parse-account.js';
import { zstdStored } from './zstd.js';

/** A validator's limit: base58 takes time that grows with the square of the length. */
const MAX_BASE58_BYTES = 128;
const RENT_EPOCH_EXEMPT = (1n << 64n) - 1n;
/** Bytes of all accounts of an answer: a hundred of ten megabytes would be more than a text, or the thread, can hold. */
const MAX_BYTES = 64 << 20;

/** `binary` is what a validator answers without an encoding: base58 as a bare string. */
const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const;

export interface AccountView {
  encoding: (typeof ENCODINGS)[number];
  slice?: { offset: number; length: number };
}

/** How a caller wants accounts: `encoding` and `dataSlice` of its configuration. */
export function readAccountView(config: Config): AccountView {
  const encoding = readChoice(config.encoding, 'encoding', ENCODINGS);
  if (config.dataSlice === undefined || config.dataSlice === null) return { encoding };
  const slice = readObject(config.dataSlice, 'dataSlice');
  return {
    encoding,
    slice: { offset: readSize(slice.offset, 'dataSlice.offset'), length: readSize(slice.length, 'dataSlice.length') },
  };
}

/** Whether the account belongs to one of the two token programs. */
export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** The accounts in the caller's form, in their order; null where there is none. */
export async function renderAccounts(
  chain: Chain,
  accounts: { address: Address; account: Account | undefined }[],
  view: AccountView,
): Promise<unknown[]> {
  const present = accounts.flatMap(({ account }) => (account ? [account] : []));
  if (present.reduce((sum, { data }) => sum + viewed(data, view).length, 0) > MAX_BYTES) {
    throw new RpcError(
      RPC_CODE.internal,
      'The accounts are too large for one answer; ask for fewer, or for slices of them',
    );
  }
  const decimalsOf = view.encoding === 'jsonParsed' ? await decimalsOfMints(chain, present) : () => undefined;
  return accounts.map(({ address, account }) => (account ? renderAccount(address, account, view, decimalsOf) : null));
}

/** Accounts with their addresses, as scans and program notifications give them. */
export async function renderKeyedAccounts(
  chain: Chain,
  accounts: AddressedAccount[],
  view: AccountView,
): Promise<{ pubkey: Address; account: unknown }[]> {
  const rendered = await renderAccounts(chain, accounts, view);
  return accounts.map(({ address }, index) => ({ pubkey: address, account: rendered[index] }));
}

/** The decimals of the mints that the token accounts among these belong to. */
export async function decimalsOfMints(chain: Chain, accounts: Account[]): Promise<DecimalsOf> {
  const mints = new Set<Address>();
  for (const { owner, data } of accounts) {
    const mint = isTokenProgram(owner) ? decodeTokenAccount(data)?.mint : undefined;
    if (mint) mints.add(mint);
  }
  const list = [...mints];
  const found = list.length === 0 ? [] : await chain.accounts(list);
  const decimals = new Map<Address, number>();
  for (const [index, mint] of list.entries()) {
    const account = found[index];
    const state = account && isTokenProgram(account.owner) ? decodeMint(account.data) : undefined;
    if (state) decimals.set(mint, state.decimals);
  }
  return (mint) => decimals.get(mint);
}

function renderAccount(address: Address, account: Account, view: AccountView, decimalsOf: DecimalsOf): unknown {
  return {
    lamports: integer(account.lamports),
    data: renderData(address, account, view, decimalsOf),
    owner: account.owner,
    executable: account.executable,
    rentEpoch: RENT_EPOCH_EXEMPT,
    space: account.data.length,
  };
}

export function viewed(data: Uint8Array, { slice }: AccountView): Uint8Array {
  return slice ? data.subarray(slice.offset, slice.offset + slice.length) : data;
}

function renderData(address: Address, account: Account, view: AccountView, decimalsOf: DecimalsOf) {
  const data = viewed(account.data, view);
  switch (view.encoding) {
    case 'binary':
      return base58OfData(data);
    case 'base58':
      return [base58OfData(data), 'base58'];
    case 'base64+zstd':
      return [zstdStored(data).toString('base64'), 'base64+zstd'];
    case 'jsonParsed':
      return parseAccountData(address, account, decimalsOf) ?? base64OfData(data);
    case 'base64':
      return base64OfData(data);
  }
}

function base64OfData(data: Uint8Array): [string, string] {
  return [Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64'), 'base64'];
}

function base58OfData(data: Uint8Array): string {
  if (data.length <= MAX_BASE58_BYTES) return base58Encode(data);
  throw new RpcError(
    RPC_CODE.invalidRequest,
    'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
  );
}
