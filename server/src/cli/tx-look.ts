import { PROGRAM_NAMES, type ToldTransaction, tellTransaction } from '@slipway/checks';
import {
  type Address,
  decodeLookupTable,
  decodeMint,
  decodeTokenAccount,
  decodeTransaction,
  decodeVersion1,
  decompileInstructions,
  isVersion1,
  type LookupTable,
  missingSigners,
  requiredSigners,
  type TableLookup,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WireError,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { bytesIn, createHttpRpc, type Rpc } from '../chain/index.js';
import { explain } from '../landing/index.js';
import { decimalString } from '../lib/decimal.js';
import { CommandError, type Result, UsageError } from './context.js';
import type { SandboxInfo } from './sandbox.js';

interface Token {
  symbol: string;
  decimals: number;
}

/** Names of the chain's addresses, where they have any; those of token accounts are added when they are read. */
export interface Names {
  wallets: Map<string, string>;
  tokens: Map<string, Token>;
  /** Undefined where none is known: then no call of one is told. */
  router: Address | undefined;
}

export function namesOf(sandbox: SandboxInfo | undefined, router: Address | undefined): Names {
  const programs = sandbox?.programs ?? [];
  const named = [...(sandbox?.wallets ?? []), ...programs].map(({ name, address }) => [address, name] as const);
  const tokens = (sandbox?.mints ?? []).map(({ mint, symbol, decimals }) => [mint, { symbol, decimals }] as const);
  const sol = [WRAPPED_SOL_MINT, { symbol: 'SOL', decimals: 9 }] as const;
  const known = [...Object.entries(PROGRAM_NAMES), ...(router ? [[router, 'Slipway Router'] as const] : [])];
  return { wallets: new Map([...named, ...known]), tokens: new Map([...tokens, sol]), router };
}

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);

type Decoded = ReturnType<typeof decodeTransaction>;

/** What is to be looked at. */
type Asked = { signature: string } | { wire: Buffer; transaction: Decoded };

const VERSION_1 = 'TRANSACTION is of version 1: only one that was sent is told, by its signature';

/** @throws UsageError */
export function readAsked(text: string): Asked {
  if (SIGNATURE.test(text)) return { signature: text };
  const wire = Buffer.from(text, 'base64');
  if (isVersion1(wire)) throw new UsageError(VERSION_1);
  try {
    return { wire, transaction: decodeTransaction(wire) };
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): never {
  if (!(error instanceof WireError)) throw error;
  throw new UsageError(`TRANSACTION must be a signature, or a transaction in base64: ${error.message}`);
}

/** Reads a transaction from the chain by its signature, or tries one out that nobody has sent yet. */
export function lookAt(url: string, asked: Asked, names: Names): Promise<Result> {
  const rpc = createHttpRpc({ url });
  if ('signature' in asked) return lookBack(rpc, asked.signature, names);
  // Its lookup tables may hold less than it names.
  return lookAhead(rpc, asked.wire, asked.transaction, names).catch(unreadable);
}

// ---- on the chain ------------------------------------------------------------------------------------------------------

interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner?: string;
  uiTokenAmount: { amount: string; decimals: number };
}

interface Landed {
  slot: number;
  blockTime: number | null;
  transaction: [string, 'base64'];
  meta: {
    err: unknown;
    fee: number;
    loadedAddresses?: { writable: string[]; readonly: string[] };
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: TokenBalance[] | null;
    postTokenBalances: TokenBalance[] | null;
  };
}

async function lookBack(rpc: Rpc, signature: string, names: Names): Promise<Result> {
  const config = { encoding: 'base64', maxSupportedTransactionVersion: 1, commitment: 'confirmed' };
  const landed = await rpc.call<Landed | null>('getTransaction', [signature, config]);
  if (!landed) throw new CommandError(`the node at ${rpc.name} knows no transaction ${signature}: it may have expired`);
  const { slot, blockTime, meta } = landed;
  const wire = bytesIn(landed.transaction[0]);
  const decoded = decodeVersion1(wire) ?? decodeTransaction(wire).decoded;
  const loaded = meta.loadedAddresses ?? { writable: [], readonly: [] };
  const keys = [...decoded.accounts, ...loaded.writable, ...loaded.readonly];
  const accounts = new Map<string, string>();
  for (const { accountIndex, mint, owner, uiTokenAmount } of [
    ...(meta.preTokenBalances ?? []),
    ...(meta.postTokenBalances ?? []),
  ]) {
    accounts.set(keys[accountIndex]!, mint);
    if (!names.tokens.has(mint)) names.tokens.set(mint, { symbol: mint, decimals: uiTokenAmount.decimals });
    if (owner !== undefined) nameAccount(names, keys[accountIndex]!, { mint, owner });
  }
  const told = tell(decoded, tablesOf(decoded.lookups, loaded), names, accounts);
  const changes = changesOf(keys, meta);
  const error = meta.err === null ? undefined : explain(meta.err);
  const time = blockTime === null ? undefined : new Date(blockTime * 1_000).toISOString();
  const state = error ? `Failed in slot ${slot}: ${error.message} (${error.code})` : `Landed in slot ${slot}`;
  const { name, amount } = wordsFor(names);
  const lines = [
    `${state}${time ? ` at ${time}` : ''}. ${name(told.feePayer)} paid ${amount(BigInt(meta.fee), WRAPPED_SOL_MINT)} to the network.`,
    ...linesOf(told, name),
    ...changes.map(
      (change) =>
        `  ${name(change.owner)}: ${change.amount > 0n ? '+' : '-'}${amount(change.amount < 0n ? -change.amount : change.amount, change.mint)}`,
    ),
  ];
  return {
    json: {
      signature,
      state: error ? 'failed' : 'landed',
      ...(error && { error }),
      slot,
      ...(time && { time }),
      feeLamports: String(meta.fee),
      feePayer: told.feePayer,
      instructions: told.instructions,
      changes: changes.map((change) => ({ ...change, amount: change.amount.toString() })),
    },
    text: lines.join('\n'),
  };
}

/** The tables as far as the node has looked into them; they may be gone by now. */
function tablesOf(lookups: readonly TableLookup[], loaded: { writable: string[]; readonly: string[] }): LookupTable[] {
  let [writable, readonly] = [0, 0];
  return lookups.map((lookup) => {
    const addresses: Address[] = [];
    for (const index of lookup.writable) addresses[index] = loaded.writable[writable++] as Address;
    for (const index of lookup.readonly) addresses[index] = loaded.readonly[readonly++] as Address;
    return { address: lookup.table, addresses };
  });
}

interface Change {
  owner: string;
  mint: string;
  amount: bigint;
}

/** What each owner has more or less of; rent and fees are in the change of SOL. */
function changesOf(keys: readonly string[], meta: Landed['meta']): Change[] {
  const changes = new Map<string, Change>();
  const add = (owner: string, mint: string, amount: bigint) => {
    const key = `${owner} ${mint}`;
    changes.set(key, { owner, mint, amount: amount + (changes.get(key)?.amount ?? 0n) });
  };
  for (const { owner = 'unknown', mint, uiTokenAmount } of meta.preTokenBalances ?? [])
    add(owner, mint, -BigInt(uiTokenAmount.amount));
  for (const { owner = 'unknown', mint, uiTokenAmount } of meta.postTokenBalances ?? [])
    add(owner, mint, BigInt(uiTokenAmount.amount));
  for (const [index, key] of keys.entries())
    add(key, WRAPPED_SOL_MINT, BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0));
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

// ---- not sent yet ------------------------------------------------------------------------------------------------------

async function lookAhead(rpc: Rpc, wire: Buffer, transaction: Decoded, names: Names): Promise<Result> {
  const { decoded } = transaction;
  const tables = await readTables(
    rpc,
    decoded.lookups.map(({ table }) => table),
  );
  const named = decompileInstructions(decoded, tables).flatMap((each) => each.accounts.map(({ address }) => address));
  const accounts = await mintsOf(rpc, [...new Set(named)], names);
  const told = tell(decoded, tables, names, accounts);
  const config = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, commitment: 'confirmed' };
  const trial = await rpc.call<{ value: { err: unknown; unitsConsumed?: number } }>('simulateTransaction', [
    wire.toString('base64'),
    config,
  ]);
  const { err, unitsConsumed } = trial.value;
  const error = err === null ? undefined : explain(err);
  const { name, amount } = wordsFor(names);
  const missing = missingSigners(transaction);
  const fate = error
    ? `fail: ${error.message} (${error.code})`
    : `succeed, with ${unitsConsumed ?? 'unknown'} compute units`;
  return {
    json: {
      state: 'unsent',
      ...(error && { error }),
      unitsConsumed,
      missing,
      ...told,
      feeLamports: String(told.feeLamports),
    },
    text: [
      `Not on the chain as far as this says. Tried out now, it would ${fate}. ${name(told.feePayer)} pays ${amount(told.feeLamports, WRAPPED_SOL_MINT)} to the network.`,
      ...linesOf(told, name),
      missing.length > 0
        ? `It still needs the signature of ${missing.map(name).join(' and ')}.`
        : 'It has all signatures.',
    ].join('\n'),
  };
}

async function readTables(rpc: Rpc, addresses: Address[]): Promise<LookupTable[]> {
  return (await read(rpc, addresses)).map((account, i) => {
    const [address, table] = [addresses[i]!, account && decodeLookupTable(account.data)];
    if (table) return { address, addresses: table.addresses };
    throw new CommandError(`the node at ${rpc.name} has no lookup table ${address}, which the transaction uses`);
  });
}

/**
 * Which of these accounts are token accounts, and of which mints; takes down the decimals of mints that have no name. What an
 * account of another program holds may look like one of the reader's: that is no name for it.
 */
async function mintsOf(rpc: Rpc, addresses: Address[], names: Names): Promise<Map<string, string>> {
  const { tokens } = names;
  const found = new Map<string, { mint: string; owner: string }>();
  for (const [i, account] of (await read(rpc, addresses)).entries()) {
    const held = account && TOKEN_PROGRAMS.has(account.owner) ? decodeTokenAccount(account.data) : undefined;
    if (held) found.set(addresses[i]!, held);
  }
  const unnamed = [...new Set([...found.values()].map(({ mint }) => mint))].filter(
    (mint) => !tokens.has(mint),
  ) as Address[];
  for (const [i, account] of (await read(rpc, unnamed)).entries()) {
    const mint = account && decodeMint(account.data);
    if (mint) tokens.set(unnamed[i]!, { symbol: unnamed[i]!, decimals: mint.decimals });
  }
  for (const [address, account] of found) nameAccount(names, address, account);
  return new Map([...found].map(([address, { mint }]) => [address, mint]));
}

function nameAccount(
  { wallets, tokens }: Names,
  account: string,
  { mint, owner }: { mint: string; owner: string },
): void {
  wallets.set(account, `the ${tokens.get(mint)?.symbol ?? mint} account of ${wallets.get(owner) ?? owner}`);
}

interface Account {
  owner: string;
  data: [string, 'base64'];
}

async function read(rpc: Rpc, addresses: readonly Address[]): Promise<({ owner: string; data: Buffer } | undefined)[]> {
  if (addresses.length === 0) return [];
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await rpc.call<{ value: (Account | null)[] }>('getMultipleAccounts', [addresses, config]);
  return value.map((account) => (account ? { owner: account.owner, data: bytesIn(account.data[0]) } : undefined));
}

// ---- in words ----------------------------------------------------------------------------------------------------------

function wordsFor({ wallets, tokens }: Names) {
  return {
    name: (address: string) => wallets.get(address) ?? tokens.get(address)?.symbol ?? address,
    amount: (amount: bigint, mint: string | undefined) => {
      const token = mint === undefined ? undefined : tokens.get(mint);
      return token ? `${decimalString(amount, token.decimals)} ${token.symbol}` : `${amount} of a token`;
    },
  };
}

function tell(
  decoded: Decoded['decoded'],
  tables: LookupTable[],
  names: Names,
  accounts: ReadonlyMap<string, string>,
): ToldTransaction {
  const read = { signers: requiredSigners(decoded), instructions: decompileInstructions(decoded, tables) };
  return tellTransaction(read, {
    ...wordsFor(names),
    mintOf: (account) => accounts.get(account) as Address | undefined,
    router: names.router,
  });
}

const linesOf = ({ instructions }: ToldTransaction, name: (address: string) => string): string[] =>
  instructions.map(
    ({ program, does }, i) => `  ${i + 1}. ${does ?? `${name(program)} is called; what it does is not known here`}`,
  );
