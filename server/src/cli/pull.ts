import type { Account, AccountSource, PulledAccount, PulledProgram, Snapshot } from '@slipway/localnet';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  addressFromBytes,
  BPF_LOADER_2,
  BPF_LOADER_UPGRADEABLE,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  NATIVE_LOADER,
  SYSVAR_OWNER,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import type { Venue } from '../routing/aggregator/index.js';
import { CommandError } from './context.js';

/** How often to read a pool whose accounts change between reads because its price moves. */
const MAX_READS = 8;
/**
 * Offsets in the upgradeable loader's accounts: of the data account's address in a program, and of the code in that.
 */
const CODE_ADDRESS_AT = 4;
const CODE_AT = 4 + 8 + 1 + 32;
/** Programs that are part of the embedded chain. */
const BUILT_IN = new Set<Address>([
  ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, MEMO_V1_PROGRAM],
]);
/** Placeholders for a trader and the trader's accounts, which are not copied. */
const [OWNER, SOURCE, DESTINATION] = [1, 2, 3].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte))) as [
  Address,
  Address,
  Address,
];

export interface PulledPool {
  /** The venue's label, or `lookup table`. */
  label: string;
  /** All accounts that a trade reads or writes, as of one slot. */
  accounts: PulledAccount[];
  /** The programs that run in a trade, except those that every chain has. */
  programs: Address[];
}

/** Copies the code of a program. Throws a CommandError if there is none at the address. */
export async function pullProgram(source: AccountSource, address: Address): Promise<PulledProgram> {
  const read = await source.snapshot([address]);
  const [program] = read.accounts;
  if (!program?.executable) throw new CommandError(`${address}: no program on the chain of ${source.host}`);
  if (program.owner === BPF_LOADER_2) return { address, slot: read.slot, code: program.data };
  if (program.owner !== BPF_LOADER_UPGRADEABLE || program.data.length < CODE_ADDRESS_AT + 32)
    throw new CommandError(`${address}: a program of the loader ${program.owner}, which cannot be copied`);
  const { slot, accounts } = await source.snapshot([addressFromBytes(program.data, CODE_ADDRESS_AT)]);
  const code = accounts[0]?.data.subarray(CODE_AT);
  if (!code || code.length === 0) throw new CommandError(`${address}: the program was closed; it has no code any more`);
  return { address, slot, code };
}

/**
 * Copies a lookup table, or everything that trades with a pool need, as of one slot. Throws a CommandError if the
 * address is neither, or if nobody can trade with the pool.
 */
export async function pullPool(source: AccountSource, venues: readonly Venue[], address: Address): Promise<PulledPool> {
  const first = await source.snapshot([address]);
  const [own] = first.accounts;
  if (!own) throw new CommandError(`${address}: no account on the chain of ${source.host}`);
  if (own.owner === ADDRESS_LOOKUP_TABLE_PROGRAM)
    return { label: 'lookup table', accounts: [{ address, slot: first.slot, account: own }], programs: [] };
  const venue = venues.find(({ program }) => program === own.owner);
  if (!venue) {
    const known = [...new Set(venues.map(({ label }) => label))].join(', ');
    throw new CommandError(`${address}: belongs to ${own.owner}; expected a lookup table, or a pool of: ${known}`);
  }
  let wanted = [address];
  for (let reads = 0; reads < MAX_READS; reads++) {
    const snapshot = await source.snapshot(wanted);
    const known = new Map(wanted.map((each, index) => [each, snapshot.accounts[index]]));
    const named = namedBy(venue, address, known);
    if (typeof named === 'string') throw new CommandError(`${address} (${venue.label}): ${named}`);
    const more = named.filter((each) => !known.has(each));
    if (more.length === 0) return { label: venue.label, ...sort(wanted, snapshot) };
    wanted = [...new Set([...wanted, ...more])];
  }
  throw new CommandError(`${address} (${venue.label}): its accounts change faster than they can be read; try again`);
}

/**
 * The accounts that the known ones refer to: first those for quotes of the pool, then those of its swaps in both
 * directions.
 */
function namedBy(venue: Venue, address: Address, known: ReadonlyMap<Address, Account | undefined>): Address[] | string {
  const own = known.get(address);
  if (!own) return 'its account is gone';
  const described = venue.describe(address, own, { get: (each) => known.get(each) });
  if (typeof described === 'string') return described;
  if ('needs' in described)
    return known.has(described.needs) ? 'an account that it names is missing' : [described.needs];
  const { accounts } = described;
  if (accounts.some((each) => !known.has(each))) return [...accounts];
  const others = accounts.map((each) => known.get(each));
  const state = venue.open(address, own, others);
  if (typeof state === 'string') return state;
  const parties = { owner: OWNER, source: SOURCE, destination: DESTINATION, amountIn: 1n, minOut: 0n };
  const swaps = ([0, 1] as const).map((side) => state.swap(side, parties));
  const named = [
    ...accounts,
    ...state.tokens.flatMap(({ mint, vault }) => [mint, vault]),
    ...swaps.flatMap((swap) => [swap.program, ...swap.accounts.map((meta) => meta.address)]),
  ];
  return [...new Set(named)].filter((each) => each !== OWNER && each !== SOURCE && each !== DESTINATION);
}

function sort(addresses: readonly Address[], { slot, accounts }: Snapshot): Omit<PulledPool, 'label'> {
  const found = addresses.flatMap((address, index) => {
    const account = accounts[index];
    return account && account.owner !== SYSVAR_OWNER ? [{ address, slot, account }] : [];
  });
  const programs = found.filter(({ account }) => account.executable && account.owner !== NATIVE_LOADER);
  return {
    accounts: found.filter(({ account }) => !account.executable),
    programs: programs.map(({ address }) => address).filter((address) => !BUILT_IN.has(address)),
  };
}
