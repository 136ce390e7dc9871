import { type Address, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { ChainError } from './chain-error.js';
import { type ChainTransaction, parseTransaction } from './chain-transaction.js';
import type { Substitute } from './executor.js';
import { airdropTransaction, type FaucetContext, tokenAirdropTransaction, withFaucetAuthority } from './faucet.js';
import { sandboxKeypair } from './genesis.js';
import { type OpenChain, openChain } from './open-chain.js';
import type {
  Account,
  AddressedAccount,
  Blockhash,
  ChainEvent,
  ChainOptions,
  GenesisInfo,
  SendResult,
  SignatureRow,
  SignatureStatus,
  SimulationResult,
  StoredTransaction,
  Upstream,
} from './types.js';

export * from './chain-error.js';
export { transactionFee } from './fees.js';
export type * from './types.js';
export { SLOTS_PER_EPOCH } from './vm.js';

const DEFAULT_TICK_MS = 400;
/** Ten years. */
const MAX_ADVANCE_SECONDS = 315_360_000;
/** The year 3000. A time that no date can have would be kept, and nothing would run any more. */
const LATEST_UNIX_SECONDS = 32_503_680_000;

/**
 * The embedded chain. A transaction is final as soon as it was executed, and then lasts: a crash of the process at any
 * moment loses nothing that was confirmed. In a fork, everything that reads accounts rejects with a ChainError of the
 * kind `upstream` when the upstream cannot be asked.
 */
export class Chain {
  readonly faucet: Address;
  readonly genesis: GenesisInfo;
  readonly genesisHash: string;
  readonly #parts: OpenChain;
  readonly #log: (line: string) => void;
  readonly #listeners = new Set<(event: ChainEvent) => void>();
  readonly #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(parts: OpenChain, { tickMs = DEFAULT_TICK_MS, log = () => {} }: ChainOptions) {
    this.#parts = parts;
    this.#log = log;
    this.faucet = sandboxKeypair(parts.state.faucetName).address;
    this.genesis = parts.genesis;
    this.genesisHash = parts.genesisHash;
    if (tickMs > 0) this.#timer = setInterval(() => this.tick(), tickMs);
  }

  /**
   * Opens the chain of a data folder, or a new one. Throws a ChainError: of the kind `data` when the folder or a
   * program file cannot be used, `upstream` when the chain to fork cannot be asked.
   */
  static async open(options: ChainOptions): Promise<Chain> {
    return new Chain(await openChain(options), options);
  }

  /** What an account with so many bytes of data must hold. */
  rentExemptLamports(space: number): bigint {
    return BigInt(128 + space) * this.#parts.lamportsPerByte;
  }

  get slot(): bigint {
    return this.#parts.bank.slot;
  }

  /** No slot is skipped, so that blocks and slots count the same. */
  get blockHeight(): bigint {
    return this.#parts.bank.slot;
  }

  /** Unix seconds. */
  get unixTimestamp(): bigint {
    return this.#parts.bank.unixTimestamp;
  }

  get transactionCount(): bigint {
    return this.#parts.bank.transactionCount;
  }

  /** Unix seconds at which a slot began; undefined for one that is not there (yet). */
  blockTime(slot: bigint): bigint | undefined {
    return this.#parts.bank.blockTime(slot);
  }

  latestBlockhash(): Blockhash {
    this.tick();
    return this.#parts.bank.latestBlockhash;
  }

  isBlockhashValid(blockhash: string): boolean {
    this.tick();
    return this.#parts.bank.isBlockhashValid(blockhash);
  }

  /** Moves on to the slot that the clock tells. A timer calls it, and what depends on the slot does. */
  tick(): void {
    const parent = this.slot;
    if (!this.#closed && this.#parts.bank.tick()) this.#emitSlot(parent);
  }

  /**
   * Moves time on by at least this many seconds, and slots with it; returns by how many milliseconds. Throws a ChainError when it
   * is not above 0, too many, or beyond the year 3000.
   */
  advanceClock(seconds: number): number {
    if (!(seconds > 0 && seconds <= MAX_ADVANCE_SECONDS)) {
      throw new ChainError('invalid', `seconds must be above 0, and at most ${MAX_ADVANCE_SECONDS}`);
    }
    this.tick();
    if (Number(this.unixTimestamp) + seconds > LATEST_UNIX_SECONDS) {
      throw new ChainError('invalid', 'seconds must not move time beyond the year 3000; start over with --reset');
    }
    const parent = this.slot;
    const milliseconds = this.#parts.bank.advanceClock(seconds);
    this.#emitSlot(parent);
    return milliseconds;
  }

  async account(address: Address): Promise<Account | undefined> {
    return this.#with(
      () => [address],
      () => this.#parts.bank.read(address),
    );
  }

  async accounts(addresses: Address[]): Promise<(Account | undefined)[]> {
    return this.#with(
      () => addresses,
      () => addresses.map((address) => this.#parts.bank.read(address)),
    );
  }

  /** All accounts of a program. In a fork the upstream applies `filters`, in the form of its RPC; here nothing does. */
  async programAccounts(program: Address, filters: unknown[] = []): Promise<AddressedAccount[]> {
    return this.#scan([['getProgramAccounts', [program, { filters }]]], () => this.#parts.db.programAccounts(program));
  }

  /** The token accounts of a wallet, of both token programs. */
  async tokenAccountsByOwner(owner: Address): Promise<AddressedAccount[]> {
    const { db } = this.#parts;
    return this.#scan(inBothTokenPrograms('getTokenAccountsByOwner', owner), () => db.tokenAccountsByOwner(owner));
  }

  /** In a fork: the largest ones of the upstream, and those that were written here. */
  async tokenAccountsByMint(mint: Address): Promise<AddressedAccount[]> {
    return this.#scan([['getTokenLargestAccounts', [mint]]], () => this.#parts.db.tokenAccountsByMint(mint));
  }

  async tokenAccountsByDelegate(delegate: Address): Promise<AddressedAccount[]> {
    const { db } = this.#parts;
    const queries = inBothTokenPrograms('getTokenAccountsByDelegate', delegate);
    return this.#scan(queries, () => db.tokenAccountsByDelegate(delegate));
  }

  /**
   * Executes a transaction; when it resolves, that lasts. Throws a ChainError when it is refused, and without
   * `skipPreflight` when it would fail; nothing has happened then. With `skipPreflight` a transaction that fails is
   * executed, pays its fee and has its error in its status; and sending an executed one again answers its signature.
   */
  async send(wire: Uint8Array, options: { skipPreflight: boolean; minContextSlot?: bigint }): Promise<SendResult> {
    const transaction = parseTransaction(wire);
    this.tick();
    if (options.minContextSlot !== undefined && options.minContextSlot > this.slot) {
      throw new ChainError('min-context-slot', `minimum context slot ${options.minContextSlot} has not been reached`);
    }
    if (options.skipPreflight && this.status(transaction.signature)) return { signature: transaction.signature };
    await this.#execute(
      () => this.#parts.bank.needs(transaction),
      () => ({ transaction, skipPreflight: options.skipPreflight }),
    );
    return { signature: transaction.signature };
  }

  /**
   * Runs a transaction without any effect. What it is refused for is in the result's `err`, too. Without `sigVerify`
   * signatures may be missing; with `replaceRecentBlockhash` any blockhash will do.
   * Throws a ChainError of the kind `sanitize` for bytes that are no transaction.
   */
  async simulate(
    wire: Uint8Array,
    options: { sigVerify: boolean; replaceRecentBlockhash: boolean; innerInstructions?: boolean },
  ): Promise<SimulationResult> {
    const transaction = parseTransaction(wire);
    const { bank } = this.#parts;
    this.tick();
    return this.#with(
      () => bank.needs(transaction),
      () => bank.simulate(transaction, options),
    );
  }

  /** Transfers lamports from the faucet; answers the signature. Throws a ChainError of the kind `preflight`. */
  async airdrop(wallet: Address, lamports: bigint): Promise<string> {
    return this.#execute(
      () => [wallet, this.faucet],
      () => {
        const transaction = parseTransaction(airdropTransaction(wallet, lamports, this.#faucetContext()));
        return { transaction, skipPreflight: false };
      },
    );
  }

  /**
   * Mints tokens, in the mint's smallest unit, to the wallet's associated token account; answers the signature. Where
   * the faucet is not the mint's authority, it is made so for this one transaction.
   * Throws a ChainError: `invalid` when there is no such mint, `preflight` when it fails.
   */
  async airdropToken(wallet: Address, mint: Address, amount: bigint): Promise<string> {
    const { bank } = this.#parts;
    const build = () => {
      const account = bank.read(mint);
      const wire = tokenAirdropTransaction(wallet, mint, amount, account, this.#faucetContext());
      const substitute = account && withFaucetAuthority(mint, account, this.faucet);
      return { transaction: parseTransaction(wire), skipPreflight: false, ...(substitute && { substitute }) };
    };
    // Which accounts there are besides the mint depends on the mint's token program.
    const needs = () => (bank.read(mint) ? bank.needs(build().transaction) : [mint]);
    return this.#execute(needs, build);
  }

  /** Writes an account as it is given; undefined deletes it. Throws a ChainError of the kind `invalid`. */
  async setAccount(address: Address, account: Account | undefined): Promise<void> {
    this.#checkOpen();
    this.tick();
    this.#parts.bank.write(address, account);
    this.#emit({ type: 'accounts', slot: this.slot, changed: [address] });
    this.#compactWhenLong();
  }

  /** Throws a ChainError of the kind `data` where it could not keep what it executes, as on a full disk. */
  assertWritable(): void {
    this.#parts.storage.assertWritable();
  }

  status(signature: string): SignatureStatus | undefined {
    return this.#parts.storage.history.status(signature);
  }

  transaction(signature: string): StoredTransaction | undefined {
    return this.#parts.storage.history.transaction(signature);
  }

  /** Newest first, from the one older than `before` to the one newer than `until`. */
  signaturesFor(address: Address, options: { before?: string; until?: string; limit: number }): SignatureRow[] {
    const { bank, storage } = this.#parts;
    return storage.history.signaturesFor(address, options, (slot) => bank.blockTime(slot) ?? 0n);
  }

  /**
   * For each of the last 150 slots the lowest price in micro-lamports per compute unit of the transactions that wrote
   * all the given accounts; 0 where there was none.
   */
  recentFees(writable: Address[]): { slot: bigint; fee: bigint }[] {
    return this.#parts.bank.fees(writable);
  }

  /** Calls the listener with all that happens, in its order; answers the function that ends it. */
  on(listener: (event: ChainEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives the data folder back. What is still waiting for an upstream is not executed any more. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#parts.bank.close();
  }

  /** Executes what `build` makes, in one go, once all accounts that it needs are known. */
  async #execute(
    needs: () => Address[],
    build: () => { transaction: ChainTransaction; skipPreflight: boolean; substitute?: Substitute },
  ): Promise<string> {
    this.#checkOpen();
    const { bank, remote } = this.#parts;
    const execute = () => {
      this.#checkOpen();
      this.tick();
      const { transaction, skipPreflight, substitute } = build();
      const event = bank.execute(transaction, skipPreflight, substitute);
      this.#emit(event);
      this.#compactWhenLong();
      return transaction.signature;
    };
    return remote ? remote.with(needs, execute) : execute();
  }

  #compactWhenLong(): void {
    const { bank, storage } = this.#parts;
    if (!storage.isLong) return;
    // The answer goes out first.
    setImmediate(() => {
      if (this.#closed || !storage.isLong) return;
      try {
        bank.compact();
      } catch (error) {
        // On a full disk, say; the journal goes on, and the next commit tries again.
        process.emitWarning(`the chain has no new snapshot: ${error instanceof Error ? error.message : error}`);
      }
    });
  }

  #faucetContext(): FaucetContext {
    const { bank, state } = this.#parts;
    return {
      faucet: sandboxKeypair(state.faucetName),
      blockhash: bank.latestBlockhash.blockhash,
      unique: bank.transactionCount,
    };
  }

  async #with<T>(needs: () => Address[], run: () => T): Promise<T> {
    this.#checkOpen();
    return this.#parts.remote ? this.#parts.remote.with(needs, run) : run();
  }

  async #scan(queries: ScanQuery[], known: () => AddressedAccount[]): Promise<AddressedAccount[]> {
    this.#checkOpen();
    const { remote } = this.#parts;
    if (!remote) return known();
    const found = await remote.scan(queries);
    // What is known here but was neither found now nor written here may be gone upstream.
    return known().filter(({ address }) => found.has(address) || remote.isLocal(address));
  }

  #checkOpen(): void {
    if (this.#closed) throw new ChainError('closed', 'the chain is closed');
  }

  #emitSlot(parent: bigint): void {
    this.#emit({ type: 'slot', slot: this.slot, parent, root: this.slot });
  }

  #emit(event: ChainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // The transaction is confirmed, whatever becomes of those who watch.
        this.#log(`a listener of the chain failed: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  }
}

type ScanQuery = Parameters<Upstream['scan']>;

function inBothTokenPrograms(method: ScanQuery[0], address: Address): ScanQuery[] {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((programId) => [method, [address, { programId }]]);
}
