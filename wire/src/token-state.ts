import { type Address, addressFromBytes, writeAddress } from './address.js';
import { readU16, readU32, readU64, requireU8, writeU32, writeU64 } from './integers.js';
import { TOKEN_ACCOUNT_SPACE } from './rent.js';
import { WireError } from './wire-error.js';

const MINT_LENGTH = 82;
const MULTISIG_LENGTH = 355;

// Token-2022 pads every account that has extensions to the length of a token account; then comes the type.
const ACCOUNT_TYPE_OFFSET = TOKEN_ACCOUNT_SPACE;
const ACCOUNT_TYPE_MINT = 1;
const ACCOUNT_TYPE_TOKEN_ACCOUNT = 2;
const EXTENSIONS_OFFSET = ACCOUNT_TYPE_OFFSET + 1;
const EXTENSION_NONE = 0;
/** The program knows some thirty, and gives an account each of them once. */
const MAX_EXTENSIONS = 100;

const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

export interface Mint {
  decimals: number;
  /** In the smallest unit. */
  supply: bigint;
  mintAuthority?: Address;
  freezeAuthority?: Address;
  initialized: boolean;
}

export interface TokenAccount {
  mint: Address;
  owner: Address;
  /** In the mint's smallest unit. */
  amount: bigint;
  state: (typeof STATES)[number];
  delegate?: Address;
  delegatedAmount: bigint;
  /** Whether it holds wrapped SOL; if so, `rentExemptReserve` is the lamports that do not count as tokens. */
  isNative: boolean;
  rentExemptReserve?: bigint;
  closeAuthority?: Address;
}

/** The mint in an account's data, of SPL Token or Token-2022; undefined when it is none. The owner is not known here. */
export function decodeMint(data: Uint8Array): Mint | undefined {
  if (data.length !== MINT_LENGTH && accountType(data) !== ACCOUNT_TYPE_MINT) return undefined;
  const mintAuthority = readOptionalAddress(data, 0);
  const freezeAuthority = readOptionalAddress(data, 46);
  const initialized = data[45]!;
  if (mintAuthority === 'malformed' || freezeAuthority === 'malformed' || initialized > 1) return undefined;
  return {
    decimals: data[44]!,
    supply: readU64(data, 36),
    ...(mintAuthority && { mintAuthority }),
    ...(freezeAuthority && { freezeAuthority }),
    initialized: initialized === 1,
  };
}

/** The token account in an account's data, of SPL Token or Token-2022; undefined when it is none. */
export function decodeTokenAccount(data: Uint8Array): TokenAccount | undefined {
  if (data.length !== TOKEN_ACCOUNT_SPACE && accountType(data) !== ACCOUNT_TYPE_TOKEN_ACCOUNT) return undefined;
  const delegate = readOptionalAddress(data, 72);
  const state = STATES[data[108]!];
  const nativeTag = readU32(data, 109);
  const closeAuthority = readOptionalAddress(data, 129);
  if (delegate === 'malformed' || closeAuthority === 'malformed' || state === undefined || nativeTag > 1) {
    return undefined;
  }
  return {
    mint: addressFromBytes(data, 0),
    owner: addressFromBytes(data, 32),
    amount: readU64(data, 64),
    state,
    ...(delegate && { delegate }),
    delegatedAmount: readU64(data, 121),
    isNative: nativeTag === 1,
    ...(nativeTag === 1 && { rentExemptReserve: readU64(data, 113) }),
    ...(closeAuthority && { closeAuthority }),
  };
}

/** The 82 bytes of a mint without extensions. Throws RangeError when a number is out of range. */
export function encodeMint(mint: Mint): Uint8Array {
  const data = new Uint8Array(MINT_LENGTH);
  writeOptionalAddress(mint.mintAuthority, data, 0);
  writeU64(mint.supply, 'supply', data, 36);
  data[44] = requireU8(mint.decimals, 'decimals');
  data[45] = mint.initialized ? 1 : 0;
  writeOptionalAddress(mint.freezeAuthority, data, 46);
  return data;
}

/** The 165 bytes of a token account without extensions. Throws RangeError when a number is out of range. */
export function encodeTokenAccount(account: TokenAccount): Uint8Array {
  const data = new Uint8Array(TOKEN_ACCOUNT_SPACE);
  writeAddress(account.mint, data, 0);
  writeAddress(account.owner, data, 32);
  writeU64(account.amount, 'amount', data, 64);
  writeOptionalAddress(account.delegate, data, 72);
  data[108] = STATES.indexOf(account.state);
  if (account.isNative) {
    writeU32(1, 'the option', data, 109);
    writeU64(account.rentExemptReserve ?? 0n, 'rentExemptReserve', data, 113);
  }
  writeU64(account.delegatedAmount, 'delegatedAmount', data, 121);
  writeOptionalAddress(account.closeAuthority, data, 129);
  return data;
}

/**
 * The extensions of a Token-2022 mint or token account, by their number in the program's `ExtensionType`, in the order
 * of the data; none for an account without them. Throws WireError when an extension is cut off, and for more than 100.
 */
export function token2022Extensions(data: Uint8Array): { type: number; data: Uint8Array }[] {
  const extensions: { type: number; data: Uint8Array }[] = [];
  const type = accountType(data);
  if (type !== ACCOUNT_TYPE_MINT && type !== ACCOUNT_TYPE_TOKEN_ACCOUNT) return extensions;
  // The program, too, takes less than a type's two bytes at the end as padding.
  for (let position = EXTENSIONS_OFFSET; position + 2 <= data.length; ) {
    const extension = readU16(data, position);
    if (extension === EXTENSION_NONE) break;
    if (extensions.length === MAX_EXTENSIONS) throw new WireError(`more than ${MAX_EXTENSIONS} token extensions`);
    if (position + 4 > data.length) throw new WireError('a token extension is cut off');
    const start = position + 4;
    const end = start + readU16(data, position + 2);
    if (end > data.length) throw new WireError('a token extension is cut off');
    extensions.push({ type: extension, data: new Uint8Array(data.subarray(start, end)) });
    position = end;
  }
  return extensions;
}

function accountType(data: Uint8Array): number | undefined {
  // A multisig has no type, whatever stands at that place.
  return data.length > ACCOUNT_TYPE_OFFSET && data.length !== MULTISIG_LENGTH ? data[ACCOUNT_TYPE_OFFSET] : undefined;
}

function readOptionalAddress(data: Uint8Array, offset: number): Address | undefined | 'malformed' {
  const tag = readU32(data, offset);
  if (tag > 1) return 'malformed';
  return tag === 1 ? addressFromBytes(data, offset + 4) : undefined;
}

function writeOptionalAddress(value: Address | undefined, data: Uint8Array, offset: number): void {
  if (value === undefined) return;
  writeU32(1, 'the option', data, offset);
  writeAddress(value, data, offset + 4);
}
