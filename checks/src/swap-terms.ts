import type { Address, Instruction, LookupTable } from '@slipway/wire/formats';

/**
 * Where one side of a swap is held: in a token account, as a wallet's SOL, or as SOL that the transaction wraps into an
 * account that exists only while it runs.
 */
export type Place =
  | { kind: 'token'; account: Address }
  | { kind: 'sol' }
  | { kind: 'wrapped'; account: Address; seed: string };

interface SwapSide {
  mint: Address;
  tokenProgram: Address;
  place: Place;
}

/**
 * Everything that a swap's transaction consists of, and that its bytes are compared with. Amounts in the smallest unit.
 */
export interface Swap {
  taker: Address;
  /** Owns the destination, or gets the SOL. */
  receiver: Address;
  /** Pays the network fee and the tip. */
  feePayer: Address;
  /** Pays rent, and gets back that of temporary accounts. */
  rentPayer: Address;
  /** Gets the SOL that the trade leaves in accounts which are then closed; missing: the taker. */
  leftTo?: Address;
  /**
   * `amount` is the most that leaves the taker. `closeTo`: the trade empties the token account that holds the input,
   * which is then closed; its rent goes there.
   */
  input: SwapSide & { amount: bigint; closeTo?: Address };
  /** `least` must arrive. `create`: the receiver's associated token account must be created. */
  output: SwapSide & { least: bigint; create: boolean };
  /** `amount` is exact where the fee is a transfer; within a route `bps` is what counts. */
  fee?: { account: Address; side: 'input' | 'output'; bps: number; amount: bigint };
  /** Who may close the taker's destination, which this transaction makes. */
  closeAuthority?: Address;
  tip?: { account: Address; lamports: bigint };
  /** What the router built. */
  trade: {
    instructions: Instruction[];
    extraSigners: readonly Address[];
    lookupTables: LookupTable[];
    /** Accounts that are never taken from a table, besides the parties. */
    inFull?: readonly Address[];
    /** Others that are taken from one only where the transaction is too large otherwise. */
    inFullIfRoom?: readonly Address[];
    moreUnits?: number;
    foreign?: ForeignTrade;
  };
  programs: SwapPrograms;
}

/**
 * A trade by another company's program, whose instruction says its terms in its own way. The bytes can be compared with
 * what the company gave; what they do is compared with these terms in a simulation.
 */
export interface ForeignTrade {
  instruction: Instruction;
  source: Address;
  destination: Address;
  amountIn: bigint;
  least: bigint;
  /** What the taker's wallet holds when the transaction is crafted. */
  takerLamports: bigint;
}

/** The programs whose trades we can read. */
export interface SwapPrograms {
  router?: Address | undefined;
  orderEngine: Address;
  tokenSwap: Address;
}
