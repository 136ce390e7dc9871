import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  BPF_LOADER_UPGRADEABLE,
  CLOCK_SYSVAR,
  decodeLookupTable,
  decodeMint,
  decodeTokenAccount,
  encodeKey,
  RENT_SYSVAR,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Account } from '../types.js';
import { ByteReader, parsed } from './byte-reader.js';
import { integer } from './json.js';
import { parseTokenExtensions } from './parse-token-extensions.js';
import { uiTokenAmount } from './token-amount.js';

const MULTISIG_SIZE = 355;
const NONCE_SIZE = 80;
const LOOKUP_TABLE_META_SIZE = 56;

interface ParsedData {
  program: string;
  space: number;
  parsed: unknown;
}

export type DecimalsOf = (mint: Address) => number | undefined;

/**
 * An account's data in a validator's `jsonParsed` form; undefined where that program or layout is not known, and for a
 * token account whose mint is not: a validator answers such data in base64.
 */
export function parseAccountData(address: Address, account: Account, decimalsOf: DecimalsOf): ParsedData | undefined {
  const parser = PARSERS[account.owner];
  const content = parser && parsed(() => parser.parse(account.data, { address, decimalsOf }));
  return parser && content && { program: parser.program, space: account.data.length, parsed: content };
}

interface ParserInput {
  address: Address;
  decimalsOf: DecimalsOf;
}

interface Parser {
  program: string;
  parse: (data: Uint8Array, input: ParserInput) => { type: string; info?: unknown } | undefined;
}

const PARSERS: Record<string, Parser> = {
  [TOKEN_PROGRAM]: { program: 'spl-token', parse: parseToken },
  [TOKEN_2022_PROGRAM]: { program: 'spl-token-2022', parse: parseToken },
  [SYSTEM_PROGRAM]: { program: 'nonce', parse: parseNonce },
  [ADDRESS_LOOKUP_TABLE_PROGRAM]: { program: 'address-lookup-table', parse: parseLookupTable },
  [BPF_LOADER_UPGRADEABLE]: { program: 'bpf-upgradeable-loader', parse: parseUpgradeable },
  [SYSVAR_OWNER]: { program: 'sysvar', parse: parseSysvar },
};

function parseToken(data: Uint8Array, { decimalsOf }: ParserInput) {
  if (data.length === MULTISIG_SIZE) return parseMultisig(data);
  const account = decodeTokenAccount(data);
  if (account) return parseTokenAccount(data, account, decimalsOf);
  const mint = decodeMint(data);
  if (!mint?.initialized) return undefined;
  return {
    type: 'mint',
    info: {
      mintAuthority: mint.mintAuthority ?? null,
      supply: mint.supply.toString(),
      decimals: mint.decimals,
      isInitialized: mint.initialized,
      freezeAuthority: mint.freezeAuthority ?? null,
      ...extensionsOf(data),
    },
  };
}

function parseTokenAccount(
  data: Uint8Array,
  account: NonNullable<ReturnType<typeof decodeTokenAccount>>,
  decimalsOf: DecimalsOf,
) {
  const decimals = decimalsOf(account.mint);
  if (account.state === 'uninitialized' || decimals === undefined) return undefined;
  const amount = (value: bigint) => uiTokenAmount(value, decimals);
  return {
    type: 'account',
    info: {
      mint: account.mint,
      owner: account.owner,
      tokenAmount: amount(account.amount),
      delegate: account.delegate,
      state: account.state,
      isNative: account.isNative,
      rentExemptReserve: account.rentExemptReserve === undefined ? undefined : amount(account.rentExemptReserve),
      delegatedAmount: account.delegate && amount(account.delegatedAmount),
      closeAuthority: account.closeAuthority,
      ...extensionsOf(data),
    },
  };
}

function parseMultisig(data: Uint8Array) {
  const reader = new ByteReader(data);
  const numRequiredSigners = reader.u8();
  const numValidSigners = reader.u8();
  if (reader.u8() !== 1) return undefined;
  const signers = Array.from({ length: Math.min(numValidSigners, 11) }, () => reader.address());
  return { type: 'multisig', info: { numRequiredSigners, numValidSigners, isInitialized: true, signers } };
}

function extensionsOf(data: Uint8Array): { extensions?: unknown[] } {
  const extensions = parseTokenExtensions(data);
  return extensions.length === 0 ? {} : { extensions };
}

function parseNonce(data: Uint8Array) {
  if (data.length !== NONCE_SIZE) return undefined;
  const reader = new ByteReader(data, 4);
  if (reader.u32() === 0) return { type: 'uninitialized' };
  return {
    type: 'initialized',
    info: {
      authority: reader.address(),
      blockhash: encodeKey(reader.bytes(32)),
      feeCalculator: { lamportsPerSignature: reader.u64().toString() },
    },
  };
}

function parseLookupTable(data: Uint8Array) {
  const table = decodeLookupTable(data);
  if (!table) return new ByteReader(data).u32() === 0 ? { type: 'uninitialized' } : undefined;
  return {
    type: 'lookupTable',
    info: {
      deactivationSlot: table.deactivationSlot.toString(),
      lastExtendedSlot: table.lastExtendedSlot.toString(),
      lastExtendedSlotStartIndex: data.length >= LOOKUP_TABLE_META_SIZE ? data[20] : 0,
      authority: table.authority,
      addresses: table.addresses,
    },
  };
}

function parseUpgradeable(data: Uint8Array) {
  const reader = new ByteReader(data);
  const optionalAddress = () => {
    const present = reader.u8() === 1;
    const bytes = reader.bytes(32);
    return present ? encodeKey(bytes) : null;
  };
  const rest = () => [Buffer.from(reader.bytes(reader.remaining)).toString('base64'), 'base64'];
  switch (reader.u32()) {
    case 0:
      return { type: 'uninitialized' };
    case 1:
      return { type: 'buffer', info: { authority: optionalAddress(), data: rest() } };
    case 2:
      return { type: 'program', info: { programData: reader.address() } };
    case 3:
      return {
        type: 'programData',
        info: { slot: integer(reader.u64()), authority: optionalAddress(), data: rest() },
      };
    default:
      return undefined;
  }
}

function parseSysvar(data: Uint8Array, { address }: ParserInput) {
  const reader = new ByteReader(data);
  if (address === CLOCK_SYSVAR) {
    const [slot, epochStartTimestamp, epoch] = [reader.u64(), reader.i64(), reader.u64()];
    return {
      type: 'clock',
      info: {
        slot: integer(slot),
        epoch: integer(epoch),
        epochStartTimestamp: integer(epochStartTimestamp),
        leaderScheduleEpoch: integer(reader.u64()),
        unixTimestamp: integer(reader.i64()),
      },
    };
  }
  if (address === RENT_SYSVAR) {
    const info = { lamportsPerByteYear: reader.u64().toString(), exemptionThreshold: reader.f64() };
    return { type: 'rent', info: { ...info, burnPercent: reader.u8() } };
  }
  return undefined;
}
