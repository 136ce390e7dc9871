import type { CallReader, ParsedCall } from './call-reader.js';
import { integer } from './json.js';

type Parser = (call: CallReader) => ParsedCall;

const lamportsOf = ({ data }: CallReader) => integer(data.u64());

/** By the instruction's number in the system program; the order of the reads is that of the fields on the wire. */
const PARSERS: Record<number, Parser> = {
  0: (call) => ({
    type: 'createAccount',
    info: {
      source: call.account(0),
      newAccount: call.account(1),
      lamports: lamportsOf(call),
      space: integer(call.data.u64()),
      owner: call.data.address(),
    },
  }),
  1: ({ account, data }) => ({ type: 'assign', info: { account: account(0), owner: data.address() } }),
  2: (call) => ({
    type: 'transfer',
    info: { source: call.account(0), destination: call.account(1), lamports: lamportsOf(call) },
  }),
  3: (call) => ({
    type: 'createAccountWithSeed',
    info: {
      source: call.account(0),
      newAccount: call.account(1),
      base: call.data.address(),
      seed: call.data.text(8),
      lamports: lamportsOf(call),
      space: integer(call.data.u64()),
      owner: call.data.address(),
    },
  }),
  4: ({ account }) => ({
    type: 'advanceNonce',
    info: { nonceAccount: account(0), recentBlockhashesSysvar: account(1), nonceAuthority: account(2) },
  }),
  5: (call) => ({
    type: 'withdrawFromNonce',
    info: {
      nonceAccount: call.account(0),
      destination: call.account(1),
      recentBlockhashesSysvar: call.account(2),
      rentSysvar: call.account(3),
      nonceAuthority: call.account(4),
      lamports: lamportsOf(call),
    },
  }),
  6: ({ account, data }) => ({
    type: 'initializeNonce',
    info: {
      nonceAccount: account(0),
      recentBlockhashesSysvar: account(1),
      rentSysvar: account(2),
      nonceAuthority: data.address(),
    },
  }),
  7: ({ account, data }) => ({
    type: 'authorizeNonce',
    info: { nonceAccount: account(0), nonceAuthority: account(1), newAuthorized: data.address() },
  }),
  8: ({ account, data }) => ({ type: 'allocate', info: { account: account(0), space: integer(data.u64()) } }),
  9: ({ account, data }) => ({
    type: 'allocateWithSeed',
    info: {
      account: account(0),
      base: data.address(),
      seed: data.text(8),
      space: integer(data.u64()),
      owner: data.address(),
    },
  }),
  10: ({ account, data }) => ({
    type: 'assignWithSeed',
    info: { account: account(0), base: data.address(), seed: data.text(8), owner: data.address() },
  }),
  11: (call) => ({
    type: 'transferWithSeed',
    info: {
      source: call.account(0),
      sourceBase: call.account(1),
      destination: call.account(2),
      lamports: lamportsOf(call),
      sourceSeed: call.data.text(8),
      sourceOwner: call.data.address(),
    },
  }),
  12: ({ account }) => ({ type: 'upgradeNonce', info: { nonceAccount: account(0) } }),
};

/** An instruction of the system program; undefined where its number is not known. */
export function parseSystemInstruction(call: CallReader): ParsedCall | undefined {
  return PARSERS[call.data.u32()]?.(call);
}
