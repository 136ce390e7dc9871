import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  BPF_LOADER_UPGRADEABLE,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { parsed } from './byte-reader.js';
import { type CallReader, callReader, type InstructionCall, type ParsedCall } from './call-reader.js';
import { integer } from './json.js';
import { parseSystemInstruction } from './parse-system-instruction.js';
import { parseTokenInstruction } from './parse-token-instruction.js';

const PARSERS: Record<string, { program: string; parse: (call: CallReader) => ParsedCall | string | undefined }> = {
  [SYSTEM_PROGRAM]: { program: 'system', parse: parseSystemInstruction },
  [TOKEN_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  [TOKEN_2022_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  [ASSOCIATED_TOKEN_PROGRAM]: { program: 'spl-associated-token-account', parse: parseAssociatedToken },
  [MEMO_PROGRAM]: { program: 'spl-memo', parse: parseMemoText },
  [MEMO_V1_PROGRAM]: { program: 'spl-memo', parse: parseMemoText },
  [ADDRESS_LOOKUP_TABLE_PROGRAM]: { program: 'address-lookup-table', parse: parseLookupTableInstruction },
  [BPF_LOADER_UPGRADEABLE]: { program: 'bpf-upgradeable-loader', parse: parseLoaderInstruction },
};

/**
 * The instruction in a validator's `jsonParsed` form; undefined where the program or the instruction is not known: a
 * validator then shows its accounts and data.
 */
export function parseInstruction(call: InstructionCall): { program: string; parsed: ParsedCall | string } | undefined {
  const parser = PARSERS[call.program];
  if (!parser) return undefined;
  const content = parsed(() => parser.parse(callReader(call)));
  return content === undefined ? undefined : { program: parser.program, parsed: content };
}

function parseMemoText({ data }: CallReader): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data.bytes(data.remaining));
  } catch {
    return undefined;
  }
}

function parseAssociatedToken({ account, data }: CallReader): ParsedCall | undefined {
  const kind = data.remaining === 0 ? 0 : data.u8();
  if (kind === 0 || kind === 1) {
    return {
      type: kind === 0 ? 'create' : 'createIdempotent',
      info: {
        source: account(0),
        account: account(1),
        wallet: account(2),
        mint: account(3),
        systemProgram: account(4),
        tokenProgram: account(5),
      },
    };
  }
  if (kind !== 2) return undefined;
  return {
    type: 'recoverNested',
    info: {
      nestedSource: account(0),
      nestedMint: account(1),
      destination: account(2),
      nestedOwner: account(3),
      ownerMint: account(4),
      wallet: account(5),
      tokenProgram: account(6),
    },
  };
}

function parseLookupTableInstruction({ account, accounts, data }: CallReader): ParsedCall | undefined {
  const kind = data.u32();
  const table = { lookupTableAccount: account(0), lookupTableAuthority: account(1) };
  switch (kind) {
    case 0:
      return {
        type: 'createLookupTable',
        info: {
          ...table,
          payerAccount: account(2),
          systemProgram: account(3),
          recentSlot: integer(data.u64()),
          bumpSeed: data.u8(),
        },
      };
    case 1:
      return { type: 'freezeLookupTable', info: table };
    case 2: {
      const newAddresses: Address[] = [];
      for (let left = data.u64(); left > 0n; left--) newAddresses.push(data.address());
      const payer = accounts.length >= 4 ? { payerAccount: account(2), systemProgram: account(3) } : {};
      return { type: 'extendLookupTable', info: { ...table, newAddresses, ...payer } };
    }
    case 3:
      return { type: 'deactivateLookupTable', info: table };
    case 4:
      return { type: 'closeLookupTable', info: { ...table, recipient: account(2) } };
    default:
      return undefined;
  }
}

function parseLoaderInstruction({ account, accounts, data }: CallReader): ParsedCall | undefined {
  switch (data.u32()) {
    case 0:
      return { type: 'initializeBuffer', info: { account: account(0), authority: accounts[1] } };
    case 1: {
      const info = { offset: data.u32(), bytes: Buffer.from(data.bytes(Number(data.u64()))).toString('base64') };
      return { type: 'write', info: { ...info, account: account(0), authority: account(1) } };
    }
    case 2:
      return {
        type: 'deployWithMaxDataLen',
        info: {
          maxDataLen: integer(data.u64()),
          payerAccount: account(0),
          programDataAccount: account(1),
          programAccount: account(2),
          bufferAccount: account(3),
          rentSysvar: account(4),
          clockSysvar: account(5),
          systemProgram: account(6),
          authority: account(7),
        },
      };
    case 3:
      return {
        type: 'upgrade',
        info: {
          programDataAccount: account(0),
          programAccount: account(1),
          bufferAccount: account(2),
          spillAccount: account(3),
          rentSysvar: account(4),
          clockSysvar: account(5),
          authority: account(6),
        },
      };
    case 4:
      return {
        type: 'setAuthority',
        info: { account: account(0), authority: account(1), newAuthority: accounts[2] ?? null },
      };
    case 5:
      return { type: 'close', info: { account: account(0), recipient: account(1), authority: account(2) } };
    case 7:
      return {
        type: 'setAuthorityChecked',
        info: { account: account(0), authority: account(1), newAuthority: account(2) },
      };
    default:
      return undefined;
  }
}
