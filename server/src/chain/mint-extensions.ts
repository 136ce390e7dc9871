import { type Address, addressFromBytes, token2022Extensions } from '@slipway/wire';
import { removeHidden } from '../lib/hidden-characters.js';

/** As `ExtensionType` of the Token-2022 program numbers them. */
const TYPE = {
  transferFee: 1,
  defaultAccountState: 6,
  nonTransferable: 9,
  permanentDelegate: 12,
  transferHook: 14,
  tokenMetadata: 19,
  pausable: 26,
} as const;

const STATE_FROZEN = 2;
/** More than any name in use; the program sets no limit. */
const MAX_TEXT = 100;

interface TransferFee {
  /** Who may change the fee. */
  authority?: Address;
  /** Basis points until the epoch `newer.epoch`, and from then on. */
  olderBps: number;
  newer: { epoch: bigint; bps: number };
}

/** What the extensions of a mint let somebody do to its holders, and what the token is called. */
export interface MintExtensions {
  transferFee?: TransferFee;
  permanentDelegate?: Address;
  /** The program that every transfer runs. */
  transferHook?: Address;
  /** Who may set that program. */
  hookAuthority?: Address;
  nonTransferable: boolean;
  /** New token accounts are frozen. */
  defaultFrozen: boolean;
  /** No transfer works at the moment. */
  paused: boolean;
  /** Who may stop every transfer. */
  pauseAuthority?: Address;
  metadata?: TokenText;
}

export interface TokenText {
  name: string;
  symbol: string;
}

/** The extensions in a mint's data (none for SPL Token); undefined if one of them is incomplete. */
export function readMintExtensions(data: Uint8Array): MintExtensions | undefined {
  try {
    const extensions: MintExtensions = { nonTransferable: false, defaultFrozen: false, paused: false };
    for (const extension of token2022Extensions(data)) Object.assign(extensions, read(extension));
    return extensions;
  } catch {
    return undefined;
  }
}

function read(extension: { type: number; data: Uint8Array }): Partial<MintExtensions> {
  const data = Buffer.from(extension.data);
  switch (extension.type) {
    case TYPE.transferFee:
      return { transferFee: readTransferFee(data) };
    case TYPE.defaultAccountState:
      return { defaultFrozen: data.readUInt8(0) === STATE_FROZEN };
    case TYPE.nonTransferable:
      return { nonTransferable: true };
    case TYPE.permanentDelegate:
      return named('permanentDelegate', optionalAddress(data, 0));
    case TYPE.transferHook:
      return {
        ...named('transferHook', optionalAddress(data, 32)),
        ...named('hookAuthority', optionalAddress(data, 0)),
      };
    case TYPE.pausable:
      return { ...named('pauseAuthority', optionalAddress(data, 0)), paused: data.readUInt8(32) === 1 };
    case TYPE.tokenMetadata:
      return { metadata: readTexts(data, 64) };
    default:
      return {};
  }
}

function readTransferFee(data: Buffer): TransferFee {
  const authority = optionalAddress(data, 0);
  return {
    ...(authority && { authority }),
    olderBps: data.readUInt16LE(88),
    newer: { epoch: data.readBigUInt64LE(90), bps: data.readUInt16LE(106) },
  };
}

/** Name and symbol, as two consecutive Borsh strings. Throws RangeError if they are cut off. */
export function readTexts(data: Buffer, offset: number): TokenText {
  const name = borshText(data, offset);
  const symbol = borshText(data, name.end);
  return { name: cleanText(name.text), symbol: cleanText(symbol.text) };
}

function borshText(data: Buffer, offset: number): { text: string; end: number } {
  const start = offset + 4;
  const end = start + data.readUInt32LE(offset);
  if (end > data.length) throw new RangeError('a text is cut off');
  return { text: data.toString('utf8', start, end), end };
}

/**
 * Removes padding, and characters by which a token's name could look like another's. Only the beginning is looked at: a name
 * may be as long as an account, and who has written it chooses what is in it.
 */
function cleanText(text: string): string {
  return [...removeHidden(text.slice(0, 10 * MAX_TEXT)).trim()].slice(0, MAX_TEXT).join('');
}

/** The program writes "nobody" as zeros. */
function optionalAddress(data: Buffer, offset: number): Address | undefined {
  if (data.length < offset + 32) throw new RangeError('an address is cut off');
  return data.subarray(offset, offset + 32).every((byte) => byte === 0) ? undefined : addressFromBytes(data, offset);
}

function named<K extends string>(name: K, address: Address | undefined): Partial<Record<K, Address>> {
  return (address === undefined ? {} : { [name]: address }) as Partial<Record<K, Address>>;
}
