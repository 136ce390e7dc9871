import {
  type Address,
  base58Encode,
  type DecodedMessage,
  decodeTransaction,
  isSigner,
  isWritable,
} from '@slipway/wire';
import type {
  InnerInstructionGroup,
  LoadedAddresses,
  ReturnData,
  StoredTransaction,
  TokenBalance,
  TransactionErrorJson,
} from '../types.js';
import { RPC_CODE, RpcError } from './errors.js';
import { integer } from './json.js';
import { parseInstruction } from './parse-instruction.js';
import { uiTokenAmount } from './token-amount.js';

export const TRANSACTION_ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58'] as const;
type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number];

/**
 * The answer of `getTransaction`. Without `maxVersion` the caller knows legacy transactions only and one of version 0
 * is error -32015, as a validator does.
 */
export function renderTransaction(
  transaction: StoredTransaction,
  encoding: TransactionEncoding,
  maxVersion: number | undefined,
): unknown {
  const { signatures, decoded } = decodeTransaction(transaction.wire);
  if (decoded.version !== 'legacy' && maxVersion === undefined) throw unsupportedVersion(decoded.version);
  const versioned = maxVersion !== undefined;
  return {
    slot: integer(transaction.slot),
    blockTime: integer(transaction.blockTime),
    transaction: renderBody(transaction, encoding, signatures.map(base58Encode), decoded),
    meta: renderMeta(transaction, encoding, decoded, versioned),
    version: versioned ? decoded.version : undefined,
  };
}

/** `{Ok: null}` or `{Err: …}`: the old form of `err`, which clients still read. */
export function renderStatus(err: TransactionErrorJson | null): unknown {
  return err === null ? { Ok: null } : { Err: err };
}

/** Return data as `{programId, data: [base64, 'base64']}`. */
export function renderReturnData(returnData: ReturnData | null): unknown {
  if (!returnData) return null;
  return { programId: returnData.programId, data: [Buffer.from(returnData.data).toString('base64'), 'base64'] };
}

/** All keys of a message, in the order that its indexes mean: static, looked up writable, looked up readonly. */
export function allAccounts(decoded: DecodedMessage, loaded: LoadedAddresses): Address[] {
  return [...decoded.accounts, ...loaded.writable, ...loaded.readonly];
}

/** Inner instructions; parsed where that is asked for and possible. */
export function renderInnerInstructions(
  groups: InnerInstructionGroup[],
  accounts: Address[],
  parse: boolean,
): unknown[] {
  return groups.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((instruction) => renderInstruction(instruction, accounts, parse)),
  }));
}

function renderBody(
  { wire, loadedAddresses }: StoredTransaction,
  encoding: TransactionEncoding,
  signatures: string[],
  decoded: DecodedMessage,
): unknown {
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58Encode(wire), 'base58'];
  const parse = encoding === 'jsonParsed';
  const accounts = allAccounts(decoded, loadedAddresses);
  const lookups = decoded.lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: writable,
    readonlyIndexes: readonly,
  }));
  return {
    signatures,
    message: {
      header: parse ? undefined : renderHeader(decoded),
      accountKeys: parse ? accounts.map((pubkey, index) => renderKey(decoded, pubkey, index)) : decoded.accounts,
      recentBlockhash: decoded.blockhash,
      instructions: decoded.instructions.map(({ programIndex, accountIndexes, data }) =>
        renderInstruction(
          { programIdIndex: programIndex, accounts: accountIndexes, data, stackHeight: 1 },
          accounts,
          parse,
        ),
      ),
      addressTableLookups: decoded.version === 'legacy' ? undefined : lookups,
    },
  };
}

function renderHeader({ header }: DecodedMessage): unknown {
  return {
    numRequiredSignatures: header.requiredSignatures,
    numReadonlySignedAccounts: header.readonlySigned,
    numReadonlyUnsignedAccounts: header.readonlyUnsigned,
  };
}

function renderKey(decoded: DecodedMessage, pubkey: Address, index: number): unknown {
  return {
    pubkey,
    writable: isWritable(decoded, index),
    signer: isSigner(decoded, index),
    source: index < decoded.accounts.length ? 'transaction' : 'lookupTable',
  };
}

function renderInstruction(
  instruction: InnerInstructionGroup['instructions'][number],
  accounts: Address[],
  parse: boolean,
): unknown {
  const { programIdIndex, data, stackHeight } = instruction;
  const programId = accounts[programIdIndex];
  if (!parse || programId === undefined) {
    return { programIdIndex, accounts: instruction.accounts, data: base58Encode(data), stackHeight };
  }
  const named = instruction.accounts.flatMap((index) => accounts[index] ?? []);
  const parsed = parseInstruction({ program: programId, accounts: named, data });
  if (!parsed) return { programId, accounts: named, data: base58Encode(data), stackHeight };
  return { program: parsed.program, programId, parsed: parsed.parsed, stackHeight };
}

function renderMeta(
  transaction: StoredTransaction,
  encoding: TransactionEncoding,
  decoded: DecodedMessage,
  versioned: boolean,
): unknown {
  const { err, innerInstructions, loadedAddresses } = transaction;
  const accounts = allAccounts(decoded, loadedAddresses);
  return {
    err,
    status: renderStatus(err),
    fee: integer(transaction.fee),
    preBalances: transaction.preBalances.map(integer),
    postBalances: transaction.postBalances.map(integer),
    innerInstructions: renderInnerInstructions(innerInstructions, accounts, encoding === 'jsonParsed'),
    logMessages: transaction.logs,
    preTokenBalances: transaction.preTokenBalances.map(renderTokenBalance),
    postTokenBalances: transaction.postTokenBalances.map(renderTokenBalance),
    rewards: [],
    loadedAddresses: versioned ? loadedAddresses : undefined,
    returnData: renderReturnData(transaction.returnData) ?? undefined,
    computeUnitsConsumed: integer(transaction.unitsConsumed),
  };
}

function renderTokenBalance({ accountIndex, mint, owner, programId, amount, decimals }: TokenBalance): unknown {
  return { accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(amount, decimals) };
}

function unsupportedVersion(version: number): RpcError {
  return new RpcError(
    RPC_CODE.unsupportedTransactionVersion,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
      `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}
