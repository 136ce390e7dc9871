import { type Budget, feeOf, type ReadTransaction, readTransaction } from '@slipway/checks';
import { parseFill } from '@slipway/programs/formats';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  associatedTokenAddress,
  decodeLookupTable,
  decodeTransaction,
  type LookupTable,
  parseCloseAccount,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseTransferChecked,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  token2022Extensions,
} from '@slipway/wire/formats';
import { fromBase64, toBase64 } from './base64.js';
import { readText, sleep } from './call.js';
import type { Connection } from './context.js';
import { SlipwayError } from './errors.js';
import type { SigningOptions } from './flow.js';
import { expect, refusing } from './refuse.js';
import { signatureOf, signTransaction } from './sign.js';

/** Extension of a mint of Token-2022, and where in it the basis points of its two fees are. */
const TRANSFER_FEE_CONFIG = 1;
const OLDER_FEE_AT = 88;
const NEWER_FEE_AT = 106;
const NOT_SEEN =
  'the transaction passes on what a market maker pays of a token of Token-2022, whose transfers may keep a part: give createClient an rpcUrl to see whether they do, or leave market makers out with excludeRouters';

/** Checks what the service has crafted, and signs it. */
export async function checkAndSignBytes(
  connection: Connection,
  base64: string,
  check: (transaction: ReadTransaction) => void,
  { signer, signal, onProgress, beforeSigning }: SigningOptions,
): Promise<{ signed: string; signature: string | undefined }> {
  const { wire, read } = await receive(connection, base64, signal);
  refusing(() => check(read));
  await requireMadeHere(connection, read, signal);
  await requirePaidInFull(connection, read, signal);
  await beforeSigning?.();
  onProgress?.({ step: 'checked' });
  const signed = await signTransaction(signer, wire, signal);
  const signature = signatureOf(signed);
  onProgress?.({ step: 'signed', signature });
  return { signed: toBase64(signed), signature };
}

/** A transaction that the service has crafted, and what its bytes say. */
interface Received {
  wire: Uint8Array;
  read: ReadTransaction;
}

async function receive(connection: Connection, base64: string, signal: AbortSignal | undefined): Promise<Received> {
  const { wire, tables } = refusing(() => {
    const bytes = fromBase64(base64);
    return { wire: bytes, tables: decodeTransaction(bytes).decoded.lookups.map(({ table }) => table) };
  });
  const known = tables.length === 0 ? [] : await fetchTables(connection, tables, signal);
  return { wire, read: refusing(() => readTransaction(wire, known)) };
}

/**
 * An account of the wallet that is made where there is none, and closed for whoever pays its rent, may have been there before: then
 * its rent is the wallet's. Only the node that the client was given knows.
 */
async function requireMadeHere(
  connection: Connection,
  { instructions }: ReadTransaction,
  signal: AbortSignal | undefined,
): Promise<void> {
  const closed = instructions.map(parseCloseAccount);
  const isLent = ({ account, owner }: { account: Address; owner: Address }) =>
    closed.some((each) => each?.account === account && each.destination !== owner);
  const lent = instructions.flatMap((each) => parseCreateAssociatedTokenIdempotent(each) ?? []).filter(isLent);
  const { rpcUrl } = connection;
  if (lent.length === 0 || rpcUrl === undefined) return;
  const addresses = lent.map(({ account }) => account);
  const there = await fetchAccounts({ ...connection, rpcUrl }, addresses, signal);
  for (const [i, address] of addresses.entries()) {
    const account = there[i];
    // Anybody may have sent SOL to where there is none yet.
    const isNew = account === null || account?.owner === SYSTEM_PROGRAM;
    expect(isNew, `it closes ${address}, which was there before, for somebody else`);
  }
}

/**
 * What a market maker's fill pays is counted as what arrives, and what is passed on of it leaves its account in any case: of a token
 * whose transfers keep a part, the wallet would pay the rest out of what it has held before.
 */
async function requirePaidInFull(
  connection: Connection,
  { instructions }: ReadTransaction,
  signal: AbortSignal | undefined,
): Promise<void> {
  const fills = instructions.flatMap((each) => parseFill(each, each.program) ?? []);
  const passedOn = instructions
    .flatMap((each) => parseTransferChecked(each) ?? [])
    .filter(({ tokenProgram }) => tokenProgram === TOKEN_2022_PROGRAM)
    .filter(({ source }) => fills.some((fill) => fill.takerOutputAccount === source));
  const paid = fills.filter(({ outputTokenProgram }) => outputTokenProgram === TOKEN_2022_PROGRAM);
  const mints = [...new Set([...paid.map(({ outputMint }) => outputMint), ...passedOn.map(({ mint }) => mint)])];
  if (mints.length === 0) return;
  const { rpcUrl } = connection;
  if (rpcUrl === undefined) {
    // Where all of it stays, less may arrive than was promised, and nothing else is lost.
    if (passedOn.length > 0) throw new SlipwayError('refused_to_sign', NOT_SEEN);
    return;
  }
  const found = await fetchAccounts({ ...connection, rpcUrl }, mints, signal);
  refusing(() => {
    for (const [i, mint] of mints.entries()) {
      const account = found[i];
      const isWhole = account?.owner === TOKEN_2022_PROGRAM && !takesFee(fromBase64(account.data[0]));
      expect(isWhole, `of ${mint}, transfers may keep a part: less than the market maker pays would arrive`);
    }
  });
}

/** A newer fee comes into force two epochs after it was set, and the older one holds until then. */
function takesFee(mint: Uint8Array): boolean {
  const config = token2022Extensions(mint).find(({ type }) => type === TRANSFER_FEE_CONFIG)?.data;
  if (!config) return false;
  const view = new DataView(config.buffer, config.byteOffset, config.byteLength);
  return view.getUint16(OLDER_FEE_AT, true) > 0 || view.getUint16(NEWER_FEE_AT, true) > 0;
}

/** What the tables hold, by the node that the client was given: the transaction alone does not say. */
async function fetchTables(
  connection: Connection,
  tables: Address[],
  signal: AbortSignal | undefined,
): Promise<LookupTable[]> {
  const { rpcUrl } = connection;
  if (rpcUrl === undefined)
    throw new SlipwayError(
      'refused_to_sign',
      'the transaction uses lookup tables: give createClient an rpcUrl to read them',
    );
  const found = await fetchAccounts({ ...connection, rpcUrl }, tables, signal);
  return refusing(() =>
    tables.map((address, i) => {
      const account = found[i];
      const table = account?.owner === ADDRESS_LOOKUP_TABLE_PROGRAM && decodeLookupTable(fromBase64(account.data[0]));
      expect(table, `${address} is no lookup table`);
      return { address, addresses: table.addresses };
    }),
  );
}

/** Null where there is none. @throws SlipwayError network */
async function fetchAccounts(
  { rpcUrl, fetch: given, maxAnswerBytes }: Connection & { rpcUrl: string },
  addresses: Address[],
  signal: AbortSignal | undefined,
): Promise<({ owner: string; data: [string] } | null)[]> {
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const body = { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [addresses, config] };
  const ask = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await (given ?? fetch)(rpcUrl, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const { result, error } = JSON.parse(await readText(response, maxAnswerBytes));
    // A node that is asked too often says nothing of the accounts.
    if (!Array.isArray(result?.value)) throw new Error(error?.message ?? 'an answer without accounts');
    return result.value;
  };
  return await ask()
    .catch(() => sleep(500, signal).then(ask))
    .catch((cause) => {
      signal?.throwIfAborted();
      throw new SlipwayError('network', `no answer from ${withoutKey(rpcUrl)}`, { retryable: true, cause });
    });
}

/** Whoever reads an error, an assistant for instance, is not to have the key that the URL of a node has behind its host. */
const withoutKey = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'the node');

/** The budget that a transaction begins with. */
export function budgetOf({ instructions: [limit, price] }: ReadTransaction): Budget {
  const computeUnitLimit = limit && parseComputeUnitLimit(limit);
  const computeUnitPrice = price && parseComputeUnitPrice(price);
  expect(computeUnitLimit !== undefined && computeUnitPrice !== undefined, 'no compute budget');
  return { computeUnitLimit, computeUnitPrice };
}

/** Checks that the wallet pays no more for the network than this, tip included. */
export function checkFee(
  { signers }: ReadTransaction,
  budget: Budget,
  wallet: string,
  most: bigint,
  tipLamports = 0n,
): void {
  if (signers[0] !== wallet) return;
  const fee = feeOf(signers.length, budget) + tipLamports;
  expect(fee <= most, `a fee of ${fee} lamports, and ${most} is the most that was agreed`);
}

/** A wallet's associated token accounts of a mint: which program the mint belongs to is not in the bytes. */
export function tokenAccountsOf(wallet: Address, mint: Address): { account: Address; tokenProgram: Address }[] {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((tokenProgram) => ({
    account: associatedTokenAddress(wallet, mint, tokenProgram),
    tokenProgram,
  }));
}

/** The one of a wallet's token accounts of a mint that the transaction names. */
export function namedAccount(
  { instructions }: ReadTransaction,
  wallet: Address,
  mint: Address,
): { account: Address; tokenProgram: Address } {
  const named = new Set(instructions.flatMap(({ accounts }) => accounts.map(({ address }) => address)));
  const found = tokenAccountsOf(wallet, mint).filter(({ account }) => named.has(account));
  expect(found.length === 1, `not the token account of ${wallet} for ${mint}`);
  return found[0]!;
}
