import type { Address, Instruction, LookupTable } from '@slipway/wire';
import type { MintInfo } from '../chain/index.js';
import type { ForeignTrade } from '../crafting/swap.js';
import type { FillReadings } from './fill-readings.js';

/** The routers of the contract, by their identifiers there; in use or not. */
export const ROUTER_IDS = ['metis', 'jupiterz', 'dflow', 'okx'] as const;
export type RouterId = (typeof ROUTER_IDS)[number];

/** Ids that older clients use. */
const FORMER_IDS: ReadonlyMap<string, RouterId> = new Map([['iris', 'metis']]);

/** The router that a client names, in use or not; undefined if the contract has no router of that name. */
export function routerIdOf(name: string): RouterId | undefined {
  return FORMER_IDS.get(name) ?? ROUTER_IDS.find((id) => id === name);
}

export interface Token {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  /** See `MintInfo`. */
  shownScaled?: true;
}

export function tokenOf(mint: Address, { tokenProgram, decimals, shownScaled }: MintInfo): Token {
  return { mint, tokenProgram, decimals, ...(shownScaled && { shownScaled }) };
}

/** Amounts are in the smallest unit. */
export interface QuoteRequest {
  /**
   * `exact-in`: `amount` is what leaves the owner, a fee on the input included. `exact-out`: `amount` is the least that
   * must arrive, after a fee on the output; it sizes an input and cannot be built.
   */
  mode: 'exact-in' | 'exact-out';
  input: Token;
  output: Token;
  amount: bigint;
  /** Signs and pays the input; without an owner, the request is for a price only. */
  owner?: Address;
  /** Owner of the output, if that is not `owner`. */
  receiver?: Address;
  /** Taken from the whole input before it is swapped, or from what came out; rounded down. */
  fee?: { bps: number; side: 'input' | 'output' };
  /** Labels of venues that must not be used, in lower case. */
  excludeVenues: ReadonlySet<string>;
  /** Pools that must not be used. */
  excludePools?: ReadonlySet<Address>;
  /** No other pools are used, where these are named. */
  onlyPools?: ReadonlySet<Address>;
  /** For an order that anybody may have made on the chain: looking for its pools takes no room from anybody else. */
  forLimitOrder?: boolean;
  /** Of the attempt to fill an order that is due: what is read from the chain for it, before what clients ask. */
  forFill?: FillReadings;
  /** The transaction that the trade becomes part of: a route is chosen that fits. Without it, a usual one is assumed. */
  surroundings?: Surroundings;
}

/** What a transaction holds beside a trade. The parties are those that `build` gets. */
export interface Surroundings extends Omit<SwapParties, 'minOut' | 'absentSigners'> {
  /** The caller's own instructions, before and after the trade; without the compute budget. */
  instructions: readonly Instruction[];
  /** Accounts that are never taken from a lookup table. */
  inFull: readonly Address[];
}

/** One trade of a route, in the order in which they run. */
export interface Hop {
  /** The venue's account, and its name in the field. */
  venue: Address;
  label: string;
  inputMint: Address;
  outputMint: Address;
  inAmount: bigint;
  outAmount: bigint;
  /** The part of `inAmount` that the venue keeps as its fee. */
  fee: bigint;
  /** Its share of what is swapped from `inputMint` at that point, in basis points. */
  bps: number;
  /** The venue's token accounts: what they gain and lose is what was traded. Missing if unknown. */
  vaultIn?: Address;
  vaultOut?: Address;
}

export interface Quote {
  router: RouterId;
  /** Leaves the owner, a fee on the input included. */
  inAmount: bigint;
  /** Arrives, after a fee on the output. */
  outAmount: bigint;
  /** Of the side that `request.fee` names; 0 without a fee. */
  feeAmount: bigint;
  hops: Hop[];
  /** Share of the output's worth that the trade loses by moving the market, fees apart: 0.004 is 0.4 %. */
  priceImpact: number;
  /** Whether that is what another company says of its own trade. */
  isImpactClaimed?: boolean;
  /** Whether what arrives is exactly `outAmount` or nothing. */
  guaranteed: boolean;
  /** The market maker behind the quote. */
  maker?: MakerQuote;
  /** Builds the instructions for these accounts; a refusal says why that is not possible. */
  build(parties: SwapParties): Promise<Built | Refusal>;
  /** A quote over fewer pools, for when this one does not fit into a transaction; missing if there cannot be one. */
  simpler?(signal: AbortSignal): Promise<Quote | Refusal>;
  /**
   * A quote without the pools of these hops, for when a simulation has failed there; missing if there cannot be one.
   * Only for this request: whether the pools fail for everybody is the router's own business to find out.
   */
  without?(hops: readonly Hop[], signal: AbortSignal): Promise<Quote | Refusal>;
}

/** A market maker's quote, in the maker's own terms: enough to ask for the swap later, so it is kept with the order. */
export interface MakerQuote {
  /** The id under which the maker is registered. */
  id: string;
  /** The maker's wallet. */
  address: Address;
  requestId: string;
  quoteId: string;
  /** Unix seconds. */
  expireAt: number;
}

/** No quote, or nothing to build: a reason for the log, and a short one for metrics. */
export interface Refusal {
  refused: 'no-route' | 'unsupported-token' | 'unsupported-request' | 'too-large' | 'unavailable' | 'timeout';
  reason: string;
}

/**
 * Whose accounts a swap moves, so that a wallet, a vault or a keeper can trade through the same port. A missing source
 * or destination means the owner's own SOL: only a router with `nativeSol` accepts that.
 */
export interface SwapParties {
  /** Owner of the source; signs for it. */
  owner: Address;
  source?: Address;
  /** Exists, or is created by instructions that the caller puts before these. */
  destination?: Address;
  /** Owner of the destination. */
  receiver: Address;
  feePayer: Address;
  /** Pays the rent of accounts that exist only within the transaction, and gets it back. */
  rentPayer: Address;
  /** Keys whose signature is not available: a build that needs one of them is refused. */
  absentSigners: ReadonlySet<Address>;
  /** The minimum that must arrive at the destination. */
  minOut: bigint;
  /** Token account that gets the fee of the request; required with a fee. */
  feeAccount?: Address;
  /** The source is closed afterwards: a router that can leaves no dust of the amount in it. */
  emptySource?: boolean;
  /** Gets the SOL that is left in accounts that exist only within the transaction; missing: the owner. */
  leftTo?: Address;
}

export interface Built {
  /** Create the temporary accounts that the swap needs, swap, and close them again. */
  instructions: Instruction[];
  /** Signers beside the owner, the fee payer and the rent payer. */
  extraSigners: Address[];
  /** Must pay the network fee, if the caller has no choice. */
  feePayer?: Address;
  lookupTables: LookupTable[];
  /** Lamports that the rent payer lends while the transaction runs. */
  lentLamports: bigint;
  /** Compute units that it may use beyond those of a simulation, where prices move as far as `minOut` allows. */
  moreUnits?: number;
  /** The one instruction whose terms cannot be read, and what it must not exceed. */
  foreign?: ForeignTrade;
}

/** What sets routers apart. Callers choose routers by these, never by a router's name. */
interface Capabilities {
  /** Whether it takes and gives SOL of wallets; otherwise SOL must go through a token account of wrapped SOL. */
  readonly nativeSol: boolean;
  /** Whether it answers `exact-out`. */
  readonly exactOut: boolean;
  /** Whether a wallet other than the owner may pay the network fee and the rent. */
  readonly thirdPartyPayer: boolean;
  /** Whether it pays the network fee itself, and so decides how much that is: a client can set no fee and no tip. */
  readonly paysNetworkFee: boolean;
  /** What the gas wallet may pay for the owner: all gas, or only the rent of the output's account. */
  readonly sponsorable: 'gas' | 'rent' | 'nothing';
  /** Whether the other side signs last and sends the transaction, so that we cannot land it. */
  readonly sendsByItself: boolean;
}

export interface Router extends Capabilities {
  readonly id: RouterId;
  /** As the contract shows it. */
  readonly name: string;
  /** Resolves with a refusal if there is no quote; rejects only for a bug. Gives up when `signal` aborts. */
  quote(request: QuoteRequest, signal: AbortSignal): Promise<Quote | Refusal>;
}

export function isRefused(value: object): value is Refusal {
  return 'refused' in value;
}
