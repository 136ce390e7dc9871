import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { QuoteRequest, Surroundings } from '../router.js';
import { type BuildInput, buildPlan } from './build.js';
import type { Found, Room } from './found.js';
import { tablesFor } from './lookup-tables.js';
import type { Outcome, Part, Plan } from './plan.js';
import type { PoolState } from './venue.js';

const MAX_CACHED = 20_000;
const SIGNATURE_SIZE = 64;
/** As long as a request id, which such an account gets as its seed. */
const SEED = 'slipway-sol-0000slipway-sol-0000';
const NO_BLOCKHASH = '11111111111111111111111111111111';
/** The accounts that a transaction may name, lookup tables or not. */
const MAX_ACCOUNTS = 64;
const BUDGET = [setComputeUnitLimit(1), setComputeUnitPrice(1n)];

/** Bytes of a transaction with these instructions. */
export function transactionSize(
  feePayer: Address,
  instructions: readonly Instruction[],
  lookupTables: readonly LookupTable[],
  inFull: readonly Address[],
): number {
  const own = { feePayer, instructions: [...instructions], lookupTables: [...lookupTables] };
  const parts = { ...own, blockhash: NO_BLOCKHASH, inFull };
  const signers = new Set([feePayer]);
  for (const { accounts } of instructions) for (const meta of accounts) if (meta.signer) signers.add(meta.address);
  return 1 + SIGNATURE_SIZE * signers.size + compileMessage({ version: 0, ...parts }).length;
}

interface SizingDeps {
  router: Address | undefined;
  lookupTables(): readonly LookupTable[];
  tokenOf: BuildInput['tokenOf'];
}

/**
 * The room of a request's transaction, measured by building plans into it. Plans of one shape in surroundings of one shape
 * are measured once.
 */
export function createSizing({ router, lookupTables, tokenOf }: SizingDeps): (request: QuoteRequest) => Room {
  const known = new LRUCache<string, number>({ max: MAX_CACHED });
  let tables = lookupTables();
  let listed = namesIn(tables);

  return (request) => {
    if (lookupTables() !== tables) {
      known.clear();
      tables = lookupTables();
      listed = namesIn(tables);
    }
    const surroundings = request.surroundings ?? usualSurroundings(request);
    const around = surroundingsKey(surroundings, request, listed);
    const parties = { ...STAND_INS, ...surroundings, absentSigners: NOBODY, minOut: 1n };
    let present: Set<Address> | undefined;
    return {
      slack: SLACK + TABLE_SIZE * tables.length,
      excess({ plan, outcome }) {
        const key = `${around} ${planKey(plan, outcome, listed)}`;
        let size = known.get(key);
        if (size === undefined) {
          size = measure({ plan, outcome, request, router, tokenOf, parties }, surroundings, tables);
          known.set(key, size);
        }
        return size - MAX_TRANSACTION_SIZE;
      },
      named: (part) => shapeOf(part, listed).named,
      weigh(parts, shared) {
        present ??= presentIn(surroundings);
        const isPresent = (address: Address) => present!.has(address) || shared.has(address);
        return weightOf(parts, listed, isPresent, router === undefined ? 0 : 1);
      },
    };
  };
}

function measure(
  input: BuildInput,
  { feePayer, instructions, inFull }: Surroundings,
  tables: readonly LookupTable[],
): number {
  const trade = instructionsOf(input);
  if (!trade) return Number.POSITIVE_INFINITY;
  const all = [...BUDGET, ...instructions, ...trade];
  const named = new Set(all.flatMap(({ program, accounts }) => [program, ...accounts.map(({ address }) => address)]));
  return named.size > MAX_ACCOUNTS
    ? Number.POSITIVE_INFINITY
    : transactionSize(feePayer, all, tablesFor(trade, tables), inFull);
}

function instructionsOf(input: BuildInput): Instruction[] | undefined {
  try {
    return buildPlan(input).instructions;
  } catch (error) {
    // A route names too many accounts, or one hop does.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The accounts that the trades of a plan name, but for those of the trader. */
export type AccountsOf = (plan: Plan) => Address[];

/** Those that they name whatever the price. */
export const standingAccounts: AccountsOf = (plan) =>
  accountsOf(plan, ({ state, from }) => new Set(state.movingAccounts?.(from)));

/** Those that they name now: ticks and bins are others when the price has moved far. */
export const presentAccounts: AccountsOf = (plan) => accountsOf(plan, () => new Set());

function accountsOf({ steps }: Plan, without: (part: Part) => ReadonlySet<Address>): Address[] {
  const named = new Set<Address>();
  for (const part of steps.flatMap(({ parts }) => parts)) {
    const { pool, from, state } = part;
    const { program, accounts } = state.swap(from, NO_PARTIES);
    const left = without(part);
    const tokens = state.tokens.flatMap(({ mint, tokenProgram }) => [mint, tokenProgram]);
    for (const address of [program, pool.address, ...tokens, ...accounts.map((meta) => meta.address)])
      if (address !== NOWHERE && !left.has(address)) named.add(address);
  }
  return [...named];
}

/** Bytes by which a plan's transaction would be too large if a lookup table held these accounts of it. */
export function excessWithTable(
  { plan, outcome }: Pick<Found, 'plan' | 'outcome'>,
  accounts: AccountsOf,
  request: QuoteRequest,
  deps: Omit<SizingDeps, 'lookupTables'>,
): number {
  const surroundings = request.surroundings ?? usualSurroundings(request);
  const parties = { ...STAND_INS, ...surroundings, absentSigners: NOBODY, minOut: 1n };
  const tables = [{ address: NOWHERE, addresses: accounts(plan) }];
  return measure({ ...deps, plan, outcome, request, parties }, surroundings, tables) - MAX_TRANSACTION_SIZE;
}

const standIn = (n: number) => addressFromBytes(new Uint8Array(32).fill(200 + n));
/** For what a request does not name. */
const STAND_INS = { source: standIn(1), destination: standIn(2), feeAccount: standIn(3) };
const NOBODY: ReadonlySet<Address> = new Set();

function namesIn(tables: readonly LookupTable[]): ReadonlySet<Address> {
  return new Set(tables.flatMap(({ addresses }) => addresses));
}

// ---- shapes -----------------------------------------------------------------------------------------------------------

/** Programs that surroundings and trades may share. */
const COMMON: ReadonlySet<Address> = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);

/**
 * Equal for surroundings of equal bytes: what a trade or a lookup table may name, too, is told by its address, and the
 * rest, such as wallets, by where it first stands.
 */
function surroundingsKey(
  { instructions, inFull, ...parties }: Surroundings,
  { input, output, fee }: QuoteRequest,
  listed: ReadonlySet<Address>,
): string {
  const numbers = new Map<Address, number>();
  const name = (address: Address | undefined): string => {
    if (address === undefined) return '-';
    if (COMMON.has(address) || address === input.mint || address === output.mint || listed.has(address)) return address;
    const number = numbers.get(address) ?? numbers.size;
    numbers.set(address, number);
    return String(number);
  };
  const { owner, source, destination, receiver, feePayer, rentPayer, feeAccount, emptySource } = parties;
  const named = [owner, source, destination, receiver, feePayer, rentPayer, feeAccount].map(name);
  let key = `${named.join(' ')} ${emptySource === true} ${fee?.side ?? ''} ${inFull.map(name).join(' ')}`;
  for (const { program, accounts, data } of instructions) {
    key += `/${name(program)} ${data.length}`;
    for (const { address, signer } of accounts) key += ` ${name(address)}${signer ? 's' : ''}`;
  }
  return key;
}

function planKey(plan: Plan, outcome: Outcome, listed: ReadonlySet<Address>): string {
  let key = outcome.feeAmount > 0n ? 'fee' : '';
  if (outcome.trades.some(({ step, rest }) => step === 0 && rest > 0n)) key += ' rest';
  for (const { input, output, parts } of plan.steps) {
    key += ` ${input} ${output}`;
    for (const part of parts) key += ` ${shapeOf(part, listed).key}`;
  }
  return key;
}

/** What a pool's instruction takes of a transaction. */
interface PoolShape {
  key: string;
  /** Its program and its accounts, but for those of the trader. */
  named: readonly Address[];
  /** Of the instruction itself, without the addresses. */
  bytes: number;
}

const NOWHERE = addressFromBytes(new Uint8Array(32).fill(255));
const NO_PARTIES = { owner: NOWHERE, source: NOWHERE, destination: NOWHERE, amountIn: 0n, minOut: 0n };
const SHAPES = new WeakMap<PoolState, { listed: ReadonlySet<Address>; sides: [PoolShape?, PoolShape?] }>();

/** Known for each state: a pool's instruction may name more or fewer accounts as its price moves. */
function shapeOf({ pool, from, state }: Part, listed: ReadonlySet<Address>): PoolShape {
  let known = SHAPES.get(state);
  if (known?.listed !== listed) {
    known = { listed, sides: [] };
    SHAPES.set(state, known);
  }
  known.sides[from] ??= readShape(pool.address, listed, state.swap(from, NO_PARTIES));
  return known.sides[from];
}

function readShape(pool: Address, listed: ReadonlySet<Address>, instruction: Instruction): PoolShape {
  const { program, accounts, data } = instruction;
  const named = accounts.map(({ address }) => address);
  const marks = named.map((address) => (listed.has(address) ? '1' : '0')).join('');
  return {
    key: `${pool} ${data.length} ${marks}`,
    named: [program, ...named.filter((address) => address !== NOWHERE)],
    bytes: named.length + data.length,
  };
}

// ---- weight -------------------------------------------------------------------------------------------------------------

const KEY_SIZE = 32;
/** Of a lookup table that is used. */
const TABLE_SIZE = 34;
/** Lengths of lists may take another byte. */
const SLACK = 4;

/** The accounts that a transaction has whatever its trade. */
function presentIn({ instructions, ...parties }: Surroundings): Set<Address> {
  const { owner, source, destination, receiver, feePayer, rentPayer, feeAccount } = parties;
  const present = new Set([owner, receiver, feePayer, rentPayer]);
  for (const address of [source, destination, feeAccount]) if (address) present.add(address);
  for (const { program, accounts } of instructions) {
    present.add(program);
    for (const { address } of accounts) present.add(address);
  }
  return present;
}

function weightOf(
  parts: readonly Part[],
  listed: ReadonlySet<Address>,
  isPresent: (address: Address) => boolean,
  reference: number,
): number {
  const seen = new Set<Address>();
  let bytes = 0;
  for (const part of parts) {
    const shape = shapeOf(part, listed);
    bytes += shape.bytes;
    for (const address of shape.named) {
      if (seen.has(address)) continue;
      seen.add(address);
      if (!isPresent(address)) bytes += reference + (listed.has(address) ? 1 : KEY_SIZE);
    }
  }
  return bytes;
}

// ---- the usual transaction ----------------------------------------------------------------------------------------------

/**
 * A wallet's swap where nobody has said who trades: a token account for SOL that comes or goes, or the creation of the
 * receiver's account.
 */
function usualSurroundings({ input, output, owner: wallet, receiver: other }: QuoteRequest): Surroundings {
  const { source } = STAND_INS;
  const owner = standIn(4);
  const receiver = other !== undefined && other !== wallet ? standIn(5) : owner;
  const isSol = output.mint === WRAPPED_SOL_MINT;
  const destination = isSol
    ? STAND_INS.destination
    : associatedTokenAddress(receiver, output.mint, output.tokenProgram);
  const parties = { owner, source, destination, receiver, feePayer: owner, rentPayer: owner };
  return {
    ...parties,
    inFull: [owner, source, destination, receiver],
    instructions: [
      ...(input.mint === WRAPPED_SOL_MINT ? wrapping(owner, source) : []),
      ...(isSol
        ? [
            ...wrapping(owner, destination),
            tokenCloseAccount({ account: destination, destination: receiver, authority: owner }),
          ]
        : [createAssociatedTokenIdempotent({ ...output, payer: owner, owner: receiver })]),
    ],
  };
}

/** A token account for SOL, created and closed again. */
function wrapping(owner: Address, account: Address): Instruction[] {
  const parts = {
    payer: owner,
    newAccount: account,
    lamports: 1n,
    space: TOKEN_ACCOUNT_SPACE,
    base: owner,
    seed: SEED,
  };
  return [
    systemCreateAccountWithSeed({ ...parts, owner: TOKEN_PROGRAM }),
    tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner }),
    tokenCloseAccount({ account, destination: owner, authority: owner }),
  ];
}
