import type { Address } from '@slipway/wire';
import type { CallReader, ParsedCall } from './call-reader.js';
import { uiTokenAmount } from './token-amount.js';

type Parser = (call: CallReader) => ParsedCall;

const AUTHORITY_TYPES: Record<number, string> = {
  0: 'mintTokens',
  1: 'freezeAccount',
  2: 'accountOwner',
  3: 'closeAccount',
  4: 'transferFeeConfig',
  5: 'withheldWithdraw',
  6: 'closeMint',
  7: 'interestRate',
  8: 'permanentDelegate',
  9: 'confidentialTransferMint',
  10: 'transferHookProgramId',
  11: 'confidentialTransferFeeConfig',
  12: 'metadataPointer',
  13: 'groupPointer',
  14: 'groupMemberPointer',
  15: 'scaledUiAmount',
  16: 'pause',
};

/** The named accounts, in their order from the first. */
function named({ account }: CallReader, ...names: string[]): Record<string, Address> {
  return Object.fromEntries(names.map((name, index) => [name, account(index)]));
}

/** The authority at `index`; where more accounts follow it is a multisig and they are its signers. */
function authority({ account, accounts }: CallReader, index: number, name: string): Record<string, unknown> {
  const address = account(index);
  if (accounts.length === index + 1) return { [name]: address };
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: address, signers: accounts.slice(index + 1) };
}

const rawAmount = ({ data }: CallReader) => ({ amount: data.u64().toString() });
const checkedAmount = ({ data }: CallReader) => ({ tokenAmount: uiTokenAmount(data.u64(), data.u8()) });

/** A parser of: named accounts, then an authority, then an amount. */
function call(
  type: string,
  names: string[],
  authorityName?: string,
  amount?: (reader: CallReader) => Record<string, unknown>,
): Parser {
  return (reader) => ({
    type,
    info: {
      ...named(reader, ...names),
      ...(amount ? amount(reader) : {}),
      ...(authorityName ? authority(reader, names.length, authorityName) : {}),
    },
  });
}

function initializeMint(type: string, names: string[]): Parser {
  return (reader) => {
    const { data } = reader;
    const info = { ...named(reader, ...names), decimals: data.u8(), mintAuthority: data.address() };
    return { type, info: data.u8() === 1 ? { ...info, freezeAuthority: data.address() } : info };
  };
}

function initializeAccount(type: string, names: string[]): Parser {
  return (reader) => ({ type, info: { ...named(reader, ...names), owner: reader.data.address() } });
}

function initializeMultisig(type: string, names: string[]): Parser {
  return (reader) => ({
    type,
    info: { ...named(reader, ...names), signers: reader.accounts.slice(names.length), m: reader.data.u8() },
  });
}

const setAuthority: Parser = (reader) => {
  const kind = reader.data.u8();
  const newAuthority = reader.data.u8() === 1 ? reader.data.address() : null;
  return {
    type: 'setAuthority',
    info: {
      [kind === 2 || kind === 3 ? 'account' : 'mint']: reader.account(0),
      authorityType: AUTHORITY_TYPES[kind],
      newAuthority,
      ...authority(reader, 1, 'authority'),
    },
  };
};

/** By the instruction's number, for both token programs. */
const PARSERS: Record<number, Parser> = {
  0: initializeMint('initializeMint', ['mint', 'rentSysvar']),
  1: call('initializeAccount', ['account', 'mint', 'owner', 'rentSysvar']),
  2: initializeMultisig('initializeMultisig', ['multisig', 'rentSysvar']),
  3: call('transfer', ['source', 'destination'], 'authority', rawAmount),
  4: call('approve', ['source', 'delegate'], 'owner', rawAmount),
  5: call('revoke', ['source'], 'owner'),
  6: setAuthority,
  7: call('mintTo', ['mint', 'account'], 'mintAuthority', rawAmount),
  8: call('burn', ['account', 'mint'], 'authority', rawAmount),
  9: call('closeAccount', ['account', 'destination'], 'owner'),
  10: call('freezeAccount', ['account', 'mint'], 'freezeAuthority'),
  11: call('thawAccount', ['account', 'mint'], 'freezeAuthority'),
  12: call('transferChecked', ['source', 'mint', 'destination'], 'authority', checkedAmount),
  13: call('approveChecked', ['source', 'mint', 'delegate'], 'owner', checkedAmount),
  14: call('mintToChecked', ['mint', 'account'], 'mintAuthority', checkedAmount),
  15: call('burnChecked', ['account', 'mint'], 'authority', checkedAmount),
  16: initializeAccount('initializeAccount2', ['account', 'mint', 'rentSysvar']),
  17: call('syncNative', ['account']),
  18: initializeAccount('initializeAccount3', ['account', 'mint']),
  19: initializeMultisig('initializeMultisig2', ['multisig']),
  20: initializeMint('initializeMint2', ['mint']),
  21: call('getAccountDataSize', ['mint']),
  22: call('initializeImmutableOwner', ['account']),
  23: call('amountToUiAmount', ['mint'], undefined, rawAmount),
  31: call('createNativeMint', ['payer', 'nativeMint', 'systemProgram']),
  32: call('initializeNonTransferableMint', ['mint']),
  38: call('withdrawExcessLamports', ['source', 'destination'], 'authority'),
};

/** An instruction of a token program; undefined where it is not known. */
export function parseTokenInstruction(reader: CallReader): ParsedCall | undefined {
  return PARSERS[reader.data.u8()]?.(reader);
}
