import { type Address, address } from '@slipway/wire';
import { GrowingCache } from '../lib/growing-cache.js';
import { KeptValues } from '../lib/kept-values.js';
import type { Guest } from '../lib/places.js';
import { cached } from '../lib/single-flight.js';
import { type AccountReading, type ChainAccount, createReadings } from './accounts.js';
import type { CallBudget } from './budget.js';
import { type MintInfo, mintFacts } from './mints.js';
import { wholeIn } from './node-values.js';
import { PURPOSES, type Purpose } from './purposes.js';
import { ask, type Contextual, type Rpc } from './rpc.js';
import { type SimulationOutcome, simulate } from './simulation.js';
import { createSlotSense } from './slot-sense.js';
import { type Statuses, statusesOf } from './statuses.js';
import { type Bid, type Fees, UnitPrices } from './unit-price.js';
import { WalletReads } from './wallet-reads.js';

/** A blockhash lives this many blocks (MAX_PROCESSING_AGE of the validator). */
export const BLOCKHASH_LIFE = 150n;
/** Milliseconds a block takes on average; only used to tell a client roughly when a transaction expires. */
const BLOCK_MS = 400;
/** How many mints are remembered, some 450 bytes each: clients name as many as they like. */
export const MAX_MINTS = 20_000;
/** Milliseconds that a fresh blockhash lives, roughly. */
export const BLOCKHASH_LIFE_MS = Number(BLOCKHASH_LIFE) * BLOCK_MS;

export interface Blockhash {
  blockhash: string;
  lastValidBlockHeight: bigint;
  /** Of the node that answered, when it answered. */
  slot: bigint;
}

export interface Validity {
  valid: boolean;
  /** Of the node that answered. */
  slot: bigint;
}

/** For so long the newest slot counts that a node has told: then those that answer may all be behind it. */
const TOLD_MS = 30_000;
/** Transactions that wait for the same blockhash ask once for all. */
const VALIDITY_MS = 1_000;
/** More than live at a time; the others were made up. */
const MAX_VALIDITIES = 1_000;

/** Callers whose chains are remembered. */
const MOST_CALLERS = 1_000;

/** Reads the chain, always at commitment `confirmed`. */
export interface Chain {
  /** The same for a caller, whose calls take turns with those of others where they wait; without one, for the service itself. */
  by(caller: Guest | undefined): Chain;
  readonly rpc: Rpc;
  /** Never older than the call. */
  readonly walletReads: WalletReads;
  /** At most half a second old. */
  latestBlockhash(): Promise<Blockhash>;
  /** At most half a second old. */
  blockHeight(): Promise<bigint>;
  /** The newest slot that was told with a blockhash of late: what a node says of an earlier one may be over. */
  newestSlot(): Promise<bigint>;
  /** Never older than the call. */
  account(address: Address): Promise<ChainAccount | undefined>;
  /** `account`, with the slot at which it was so. */
  accountReading(address: Address): Promise<AccountReading>;
  /** Undefined if the address is not a token mint. At most a minute old. */
  mint(address: Address): Promise<MintInfo | undefined>;
  /**
   * Micro-lamports per compute unit that this percentile of recent transactions paid, by default the configured one;
   * more by its `bid`, and never more than the configured maximum. At most 2 s old.
   */
  computeUnitPrice(percent?: number, bid?: Bid): Promise<bigint>;
  simulate(wire: Uint8Array, options: { sigVerify: boolean; accounts?: Address[] }): Promise<SimulationOutcome>;
  /** At most 256 signatures. `history` also looks beyond the node's recent ones, which costs it more. */
  statuses(signatures: string[], options: { history: boolean }): Promise<Statuses>;
  /** Identifies the cluster. */
  genesisHash(): Promise<string>;
  /** Whether a transaction with it may land. At most a second old; where it may not, not kept: a node that is behind knows it later. */
  isBlockhashValid(blockhash: string): Promise<Validity>;
  /** Drops everything that is cached; for a sandbox whose clock jumped. */
  forget(): void;
}

interface ReadDeps {
  steadyNow: () => number;
  fees: Fees;
}

/** One chain for a process that does one thing. */
export function createChain({ rpc, ...deps }: ReadDeps & { rpc: Rpc }): Chain {
  return {
    ...chainOver(rpc, createSharedReads(rpc, deps), deps),
    by() {
      return this;
    },
  };
}

/** The chain for each purpose. All know what one of them has read a moment ago. */
export function createChains(rpcFor: CallBudget['rpcFor'], deps: ReadDeps): Readonly<Record<Purpose, Chain>> {
  // Landing waits for the shared reads, too, so nobody else may hold them up.
  const shared = createSharedReads(rpcFor('landing'), deps);
  const chainsFor = (purpose: Purpose): Chain => {
    const byCaller = new GrowingCache<string, Chain>(MOST_CALLERS);
    const by = (caller: Guest | undefined): Chain => {
      if (caller === undefined) return chain;
      // Kept, because what a caller reads at the same time is read with one call.
      const known = byCaller.get(caller.id) ?? { ...chainOver(rpcFor(purpose, caller), shared, deps), by };
      byCaller.set(caller.id, known);
      return known;
    };
    const chain: Chain = { ...chainOver(rpcFor(purpose), shared, deps), by };
    return chain;
  };
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, chainsFor(purpose)])) as Record<Purpose, Chain>;
}

/** What is read once for everybody, and kept for a moment. */
function createSharedReads(rpc: Rpc, { steadyNow }: ReadDeps) {
  let newest = { slot: 0n, until: Number.NEGATIVE_INFINITY };
  let [slots, heights] = [createSlotSense(steadyNow), createSlotSense(steadyNow)];
  const readBlockhash = async () => {
    type Answer = Contextual<{ blockhash: string; lastValidBlockHeight: number }>;
    const told = await ask(rpc, 'getLatestBlockhash', [{ commitment: 'confirmed' }], ({ context, value }: Answer) => ({
      blockhash: address(value.blockhash),
      lastValidBlockHeight: wholeIn(value.lastValidBlockHeight),
      slot: wholeIn(context.slot),
    }));
    const isAhead = slots.isAhead(told.slot) || heights.isAhead(told.lastValidBlockHeight);
    slots.add(told.slot);
    heights.add(told.lastValidBlockHeight);
    return { told, isAhead };
  };
  const fetchBlockhash = async (): Promise<Blockhash> => {
    const first = await readBlockhash();
    // By one false answer, all that is crafted with it would be under way until that height.
    const { told } = first.isAhead ? await readBlockhash() : first;
    const now = steadyNow();
    if (told.slot >= newest.slot || now >= newest.until || slots.isAhead(newest.slot))
      newest = { slot: told.slot, until: now + TOLD_MS };
    return told;
  };
  const shared = {
    latestBlockhash: cached(fetchBlockhash, 400, steadyNow),
    async newestSlot() {
      await shared.latestBlockhash();
      return newest.slot;
    },
    unitPrices: new UnitPrices(rpc, steadyNow),
    mints: new GrowingCache<Address, { facts: MintInfo; until: number }>(MAX_MINTS),
    walletReads: new WalletReads(),
    validity: new KeptValues<Validity>(MAX_VALIDITIES, steadyNow),
    forget() {
      newest = { slot: 0n, until: Number.NEGATIVE_INFINITY };
      [slots, heights] = [createSlotSense(steadyNow), createSlotSense(steadyNow)];
      shared.latestBlockhash = cached(fetchBlockhash, 400, steadyNow);
      shared.mints.clear();
      shared.validity.clear();
    },
  };
  return shared;
}

function chainOver(
  rpc: Rpc,
  shared: ReturnType<typeof createSharedReads>,
  { steadyNow, fees }: ReadDeps,
): Omit<Chain, 'by'> {
  const accountReading = createReadings(rpc);
  const account = async (address: Address) => (await accountReading(address)).account;
  return {
    rpc,
    walletReads: shared.walletReads,
    latestBlockhash: () => shared.latestBlockhash(),
    async blockHeight() {
      return (await shared.latestBlockhash()).lastValidBlockHeight - BLOCKHASH_LIFE;
    },
    newestSlot: () => shared.newestSlot(),
    account,
    accountReading,
    async mint(address) {
      const known = shared.mints.get(address);
      if (known && known.until > steadyNow()) return known.facts;
      const facts = mintFacts(await account(address));
      if (facts) shared.mints.set(address, { facts, until: steadyNow() + 60_000 });
      else shared.mints.delete(address);
      return facts;
    },
    computeUnitPrice: (percent = fees.percentile, bid = {}) =>
      shared.unitPrices.priceOf(rpc, { ...fees, percentile: percent }, bid),
    simulate: (wire, options) => simulate(rpc, wire, options),
    statuses: (signatures, { history }) => statusesOf(rpc, signatures, history),
    genesisHash: () => rpc.call<string>('getGenesisHash', []),
    isBlockhashValid: (blockhash) =>
      shared.validity.get(
        rpc,
        blockhash,
        () => fetchValidity(rpc, blockhash),
        ({ valid }) => (valid ? VALIDITY_MS : 0),
      ),
    forget: () => shared.forget(),
  };
}

function fetchValidity(rpc: Rpc, blockhash: string): Promise<Validity> {
  const params = [blockhash, { commitment: 'confirmed' }];
  return ask(rpc, 'isBlockhashValid', params, ({ context, value }: Contextual<boolean>) => {
    if (typeof value !== 'boolean') throw new TypeError('not a boolean');
    return { valid: value, slot: wholeIn(context.slot) };
  });
}
