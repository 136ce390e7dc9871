import type { Address } from '@slipway/wire';

/** An account as the chain holds it. `data` is shared, never copied: treat it as immutable. */
export interface Account {
  lamports: bigint;
  owner: Address;
  executable: boolean;
  data: Uint8Array;
}

export interface AddressedAccount {
  address: Address;
  account: Account;
}

/** The error of a transaction in the JSON form of a validator, e.g. `'BlockhashNotFound'` or `{InstructionError: [0, {Custom: 1}]}`. */
export type TransactionErrorJson = string | { [kind: string]: unknown };

export interface Blockhash {
  blockhash: string;
  lastValidBlockHeight: bigint;
}

export interface InnerInstructionGroup {
  /** Index of the top-level instruction that made the calls. */
  index: number;
  instructions: { programIdIndex: number; accounts: number[]; data: Uint8Array; stackHeight: number }[];
}

export interface ReturnData {
  programId: Address;
  data: Uint8Array;
}

export interface TokenBalance {
  accountIndex: number;
  mint: Address;
  owner: Address;
  programId: Address;
  amount: bigint;
  decimals: number;
}

export interface LoadedAddresses {
  writable: Address[];
  readonly: Address[];
}

export interface SendResult {
  /** Base58 of the first signature. */
  signature: string;
}

export interface SimulationResult {
  err: TransactionErrorJson | null;
  logs: string[];
  unitsConsumed: bigint;
  /** The accounts that the transaction may write, after it; `undefined` where it leaves none. Empty when it failed. */
  postAccounts: Map<Address, Account | undefined>;
  returnData: ReturnData | null;
  innerInstructions: InnerInstructionGroup[];
  loadedAccountsDataSize: number;
  loadedAddresses: LoadedAddresses;
  /** Lamports. */
  fee: bigint;
  replacementBlockhash?: Blockhash;
}

export interface SignatureStatus {
  slot: bigint;
  err: TransactionErrorJson | null;
}

/** An executed transaction with what `getTransaction` tells about it. */
export interface StoredTransaction {
  signature: string;
  slot: bigint;
  /** Unix seconds. */
  blockTime: bigint;
  wire: Uint8Array;
  err: TransactionErrorJson | null;
  /** Lamports. */
  fee: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  logs: string[];
  innerInstructions: InnerInstructionGroup[];
  unitsConsumed: bigint;
  returnData: ReturnData | null;
  loadedAddresses: LoadedAddresses;
}

export interface SignatureRow {
  signature: string;
  slot: bigint;
  err: TransactionErrorJson | null;
  memo: string | null;
  blockTime: bigint;
}

export type ChainEvent =
  | { type: 'slot'; slot: bigint; parent: bigint; root: bigint }
  | {
      type: 'transaction';
      signature: string;
      slot: bigint;
      err: TransactionErrorJson | null;
      logs: string[];
      /** All keys of the transaction, those of lookup tables included. */
      accounts: Address[];
      /** The keys whose account is another one now. */
      changed: Address[];
    }
  /** Accounts written by `setAccount`, outside of any transaction. */
  | { type: 'accounts'; slot: bigint; changed: Address[] };

/** The chain that a fork reads through to. */
export interface Upstream {
  /** Host name for messages; never the URL, which may hold a key. */
  readonly host: string;
  start(): Promise<{
    slot: bigint;
    unixTimestamp: bigint;
    genesisHash: string;
    /** The rent that it asks for. */
    lamportsPerByte: bigint;
  }>;
  /** One answer per address, in order. Rejects when the upstream cannot be asked. */
  accounts(addresses: Address[]): Promise<(Account | undefined)[]>;
  scan(
    method: 'getProgramAccounts' | 'getTokenAccountsByOwner' | 'getTokenAccountsByDelegate' | 'getTokenLargestAccounts',
    params: unknown[],
  ): Promise<AddressedAccount[]>;
}

export interface GenesisToken {
  symbol: string;
  mint: Address;
  decimals: number;
  /** USD for one whole token at the start, which the pools begin with; default 1, of the platform token 0.42. */
  usd?: number;
}

export type PricedToken = Required<GenesisToken>;

/** What the genesis of an empty data folder is made of; every field has the default of `genesis.ts`. */
export interface GenesisOptions {
  /** USDC, the platform token, the stable, in this order, because pools are made between them; then any others. */
  tokens?: GenesisToken[];
  receiver?: Address;
  /** The token that the receiver holds an empty account of. */
  receiverMint?: Address;
}

export interface SandboxWallet {
  name: string;
  address: Address;
  /** 64 bytes: seed, then public key. Public on purpose. */
  secretKey: Uint8Array;
}

export interface GenesisInfo {
  wallets: SandboxWallet[];
  /** Without SOL. */
  mints: PricedToken[];
  receiver: Address;
  /** The pools that this chain was given at its start: not those of a fork's upstream. */
  pools: Address[];
  /** Has the accounts of those pools. */
  lookupTable: Address;
  /**
   * Those that every chain has, and those of the operator's folder, whose name is the address. A stand-in is our version of
   * another company's program.
   */
  programs: { name: string; address: Address; standIn?: boolean }[];
}

export interface ChainOptions {
  /** Folder of the chain's state; without it everything is in memory. */
  dataDir?: string;
  /** Folder of `<programId>.so` files. */
  programsDir?: string;
  upstream?: Upstream;
  genesis?: GenesisOptions;
  /** Wall time in milliseconds; default `Date.now`. */
  now?: () => number;
  log?: (line: string) => void;
  /** Milliseconds between ticks of the slot timer; default 400, 0 for none. */
  tickMs?: number;
  /** The rent that it asks for; that of the upstream in a fork, and the most that chains have asked for, by default. */
  lamportsPerByte?: bigint;
}
