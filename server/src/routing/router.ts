import type { Address, Instruction, LookupTable } from '@slipway/wire';
import type { ForeignTrade } from '../crafting/swap.js';

/** The routers of the contract, by their identifiers there; in use or not. */
export const ROUTER_IDS = ['metis', 'jupiterz', 'dflow', 'okx'] as const;
export type RouterId = (typeof ROUTER_IDS)[number];

/** What older clients call a router. */
const FORMER_IDS: ReadonlyMap<string, RouterId> = new Map([['iris', 'metis']]);

/** The router that a client names, in use or not; undefined where the contract knows none of that name. */
export function routerIdOf(name: string): RouterId | undefined {
  return FORMER_IDS.get(name) ?? ROUTER_IDS.find((id) => id === name);
}

export interface Token {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
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
  /** Who will sign and pay the input; undefined asks for a price only. */
  owner?: Address;
  /** Whose the output will be, where that is not the owner. */
  receiver?: Address;
  /** Taken from the whole input before it is swapped, or from what came out; rounded down. */
  fee?: { bps: number; side: 'input' | 'output' };
  /** Labels of venues that must not be used, in lower case. */
  excludeVenues: ReadonlySet<string>;
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
  /** What of `inAmount` the venue keeps as its fee. */
  fee: bigint;
  /** Its share of what is swapped from `inputMint` at that point, in basis points. */
  bps: number;
  /** The venue's token accounts: what they gain and lose is what was traded. Missing: nobody has told them. */
  vaultIn?: Address;
  vaultOut?: Address;
}

export interface Quote {
  router: RouterId;
  /** Leaves the owner, a fee on the input included. */
  inAmount: bigint;
  /** Arrives, after a fee on the output. */
  outAmount: bigint;
  /** Of the side that `request.fee` names; 0 without one. */
  feeAmount: bigint;
  hops: Hop[];
  /** Share of the output's worth that the trade loses by moving the market, fees apart: 0.004 is 0.4 %. */
  priceImpact: number;
  /** What arrives is exactly `outAmount` or nothing. */
  guaranteed: boolean;
  /** The market maker that stands behind it. */
  maker?: MakerQuote;
  /** Makes the instructions for these accounts; a refusal says why they cannot be had. */
  build(parties: SwapParties): Promise<Built | Refusal>;
  /** A quote over fewer pools, for when a transaction has no room for this one; missing where there cannot be one. */
  simpler?(signal: AbortSignal): Promise<Quote | Refusal>;
}

/** What a market maker has quoted, by its names for it; enough to ask for the swap later, so it is kept with the order. */
export interface MakerQuote {
  /** As it is registered. */
  id: string;
  /** Its wallet. */
  address: Address;
  requestId: string;
  quoteId: string;
  /** Unix seconds. */
  expireAt: number;
}

/** No quote, or nothing to build: a reason for the log, and one of few words for metrics. */
export interface Refusal {
  refused: 'no-route' | 'unsupported-token' | 'unsupported-request' | 'too-large' | 'unavailable' | 'timeout';
  reason: string;
}

/**
 * Whose accounts a swap moves, so that a wallet, a vault or a keeper can trade through the same door. A source or
 * destination that is left out is the owner's own SOL: only a router that says `nativeSol` takes it.
 */
export interface SwapParties {
  /** Owner of the source; signs for it. */
  owner: Address;
  source?: Address;
  /** Exists, or is made by instructions that the caller puts before these. */
  destination?: Address;
  /** Owner of the destination. */
  receiver: Address;
  feePayer: Address;
  /** Pays the rent of accounts that exist only within the transaction, and gets it back. */
  rentPayer: Address;
  /** Whose signature is not to be had: a build that needs one of them is refused. */
  absentSigners: ReadonlySet<Address>;
  /** The least that must arrive at the destination. */
  minOut: bigint;
  /** Token account that gets the fee of the request; required with a fee. */
  feeAccount?: Address;
  /** The source is closed afterwards: where a router can, it leaves nothing of the amount in it. */
  emptySource?: boolean;
}

export interface Built {
  /** Make accounts that the swap needs for a moment, swap, and close them again. */
  instructions: Instruction[];
  /** Signers beside the owner, the fee payer and the rent payer. */
  extraSigners: Address[];
  /** Must pay the network fee, where it is not the caller's choice. */
  feePayer?: Address;
  lookupTables: LookupTable[];
  /** Lamports that the rent payer lends while the transaction runs. */
  lentLamports: bigint;
  /** The one among the instructions whose terms cannot be read, and what it must not exceed. */
  foreign?: ForeignTrade;
}

/** What sets routers apart. Whoever asks for quotes chooses by these and never by a router's name. */
interface Capabilities {
  /** Whether it takes and gives SOL of wallets; else SOL must come and go through a token account of wrapped SOL. */
  readonly nativeSol: boolean;
  /** Whether it answers `exact-out`. */
  readonly exactOut: boolean;
  /** Whether a wallet other than the owner may pay the network fee and the rent. */
  readonly thirdPartyPayer: boolean;
  /** Whether it pays the network fee by itself, and so decides how much that is: a client can set no fee and no tip. */
  readonly paysNetworkFee: boolean;
  /** What the gas wallet may pay in the owner's place: all gas, or only the rent of the output's account. */
  readonly sponsorable: 'gas' | 'rent' | 'nothing';
  /** Whether the other side signs last and sends the transaction, so that it cannot be landed from here. */
  readonly sendsByItself: boolean;
}

export interface Router extends Capabilities {
  readonly id: RouterId;
  /** As the contract shows it. */
  readonly name: string;
  /** Resolves with a refusal where there is no quote; rejects only for a defect. Gives up when `signal` aborts. */
  quote(request: QuoteRequest, signal: AbortSignal): Promise<Quote | Refusal>;
}

export function isRefused(value: object): value is Refusal {
  return 'refused' in value;
}
