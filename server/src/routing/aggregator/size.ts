import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { GrowingCache } from '../../lib/growing-cache.js';
import type { QuoteRequest, Surroundings } from '../router.js';
import { type BuildInput, buildPlan } from './build.js';
import type { Found, Room } from './found.js';
import { indexOf, tablesFor } from './lookup-tables.js';
import type { Part, Plan } from './plan.js';
import { NO_PARTIES, NOWHERE, planKey, presentIn, shapeOf, surroundingsKey, weightOf } from './shape.js';

const MAX_CACHED = 20_000;
const SIGNATURE_SIZE = 64;
/** As long as a request id, which such an account gets as its seed. */
const SEED = 'slipway-sol-0000slipway-sol-0000';
const NO_BLOCKHASH = '11111111111111111111111111111111';
/** The accounts that a transaction may name, lookup tables or not. */
const MAX_ACCOUNTS = 64;
const BUDGET = [setComputeUnitLimit(1), setComputeUnitPrice(1n)];
/** Bytes of a lookup table that is used. */
const TABLE_SIZE = 34;
/**
 * Lengths of lists may take another byte. Between three steps there are two accounts whose dust is given to a pool, by 16 bytes
 * each, unless the pool leaves none.
 */
const SLACK = 4 + 2 * 16;

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

interface Measured {
  size: number;
  named: readonly Address[];
}

/** What a shape measured, which tables held what it names then, and when that was last seen to be so. */
interface Known extends Measured {
  places: string;
  generation: number;
}

/**
 * The room of a request's transaction, measured by building plans into it. Plans of one shape in surroundings of one shape
 * are measured once, and again when lookup tables have come to hold what they name, or hold it no more.
 */
export function createSizing({ router, lookupTables, tokenOf }: SizingDeps): (request: QuoteRequest) => Room {
  const known = new GrowingCache<string, Known>(MAX_CACHED);
  const bases = new GrowingCache<string, number>(MAX_CACHED);
  let generation = 0;
  let tables = lookupTables();
  let listed = namesIn(tables);

  return (request) => {
    if (lookupTables() !== tables) {
      tables = lookupTables();
      listed = namesIn(tables);
      generation += 1;
      bases.clear();
    }
    const surroundings = request.surroundings ?? usualSurroundings(request);
    const around = surroundingsKey(surroundings, request, listed);
    const parties = { ...STAND_INS, ...surroundings, absentSigners: NOBODY, minOut: 1n };
    let present: Set<Address> | undefined;
    return {
      slack: SLACK + TABLE_SIZE * tables.length,
      excess({ plan, outcome }) {
        const key = `${around} ${planKey(plan, outcome, listed)}`;
        let last = known.get(key);
        if (last?.generation !== generation) {
          if (!last || placesIn(tables, last.named) !== last.places) {
            const measured = measure({ plan, outcome, request, router, tokenOf, parties }, surroundings, tables);
            last = { ...measured, places: placesIn(tables, measured.named), generation };
            known.set(key, last);
          }
          last.generation = generation;
        }
        return last.size - MAX_TRANSACTION_SIZE;
      },
      base(mints, measured) {
        const key = `${around} ${mints.join(' ')}`;
        const bytes = bases.get(key) ?? measured();
        // Too many accounts are so of those pools only.
        if (Number.isFinite(bytes)) bases.set(key, bytes);
        return bytes;
      },
      named: (leg) => shapeOf(leg, listed).named,
      kindOf: (leg) => shapeOf(leg, listed).kind,
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
): Measured {
  const trade = instructionsOf(input);
  if (!trade) return { size: Number.POSITIVE_INFINITY, named: [] };
  const all = [...BUDGET, ...instructions, ...trade];
  const named = [
    ...new Set(all.flatMap(({ program, accounts }) => [program, ...accounts.map((meta) => meta.address)])),
  ];
  const size =
    named.length > MAX_ACCOUNTS
      ? Number.POSITIVE_INFINITY
      : transactionSize(feePayer, all, tablesFor(trade, tables), inFull);
  return { size, named };
}

/** Which tables hold which of these accounts. */
function placesIn(tables: readonly LookupTable[], named: readonly Address[]): string {
  const index = indexOf(tables);
  let places = '';
  for (const [i, address] of named.entries()) {
    const holders = index.get(address);
    if (holders) places += ` ${i}:${holders.map((table) => tables[table]!.address).join(',')}`;
  }
  return places;
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
  return measure({ ...deps, plan, outcome, request, parties }, surroundings, tables).size - MAX_TRANSACTION_SIZE;
}

const standIn = (n: number) => addressFromBytes(new Uint8Array(32).fill(200 + n));
/** For what a request does not name. */
const STAND_INS = { source: standIn(1), destination: standIn(2), feeAccount: standIn(3) };
const NOBODY: ReadonlySet<Address> = new Set();

function namesIn(tables: readonly LookupTable[]): ReadonlySet<Address> {
  return new Set(tables.flatMap(({ addresses }) => addresses));
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
