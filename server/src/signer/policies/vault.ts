import {
  type Address,
  associatedTokenAddress,
  holdsSol,
  type Instruction,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSyncNative,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  parseUnwrapLamports,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { orderAccounts } from '../order-accounts.js';
import type { SealedOrder } from '../order-seal.js';
import { allow } from './refusal.js';
import { type KnownPrograms, type ReadTrade, readTrade } from './trade.js';
import { isUnknown, isWrappedSolOf, naming, standsOnlyAt, type ToSign } from './transaction.js';

/** What decides what a vault signs. */
export interface VaultParties {
  vault: Address;
  wallet: Address;
  keeper: Address;
  /** The order that a fill is for. The caller has checked its seal, and that it is one of the wallet. */
  order?: SealedOrder | undefined;
  programs: KnownPrograms;
}

/**
 * The vault of a wallet owns accounts that others pay for. What leaves them goes to the wallet, its associated token
 * accounts or, by a trade of an order that the wallet has made, to where that order says. Its rent goes to the wallet
 * too, except where the keeper makes an account for the wallet with it. The vault pays nothing and approves nobody.
 */
export function checkVault(parties: VaultParties, transaction: ToSign): void {
  const { vault, wallet } = parties;
  allow(transaction.signers[0] !== vault, 'it would pay the fee');
  const story = new Story(parties, transaction);
  for (const instruction of naming(transaction, vault)) {
    const understood =
      story.opens(instruction) ||
      sendsHome(instruction, vault, wallet) ||
      story.closes(instruction) ||
      story.trades(instruction);
    allow(understood, `an instruction of ${instruction.program} that no vault needs`);
  }
  story.ends();
}

/** Tokens or SOL that go to the wallet. */
function sendsHome(instruction: Instruction, vault: Address, wallet: Address): boolean {
  const tokens = parseTransferChecked(instruction);
  if (tokens) {
    const { mint, tokenProgram, destination } = tokens;
    allow(standsOnlyAt(instruction, vault, [3]), 'tokens of the vault that another may send');
    allow(destination === associatedTokenAddress(wallet, mint, tokenProgram), 'tokens go elsewhere');
    return true;
  }
  const sol = parseSystemTransfer(instruction);
  if (sol) allow(standsOnlyAt(instruction, vault, [0]) && sol.to === wallet, 'SOL goes elsewhere');
  return sol !== undefined;
}

/** What happens to the vault's accounts, instruction by instruction. */
class Story {
  readonly #parties: VaultParties;
  readonly #transaction: ToSign;
  /** Accounts that the keeper has paid for in this transaction. */
  readonly #lent = new Set<Address>();
  readonly #trades: ReadTrade[] = [];
  /** Temporary accounts that hold what a trade has bought, or has left of SOL, until it is unwrapped for the wallet. */
  readonly #owed = new Set<Address>();
  /** Accounts on the way of a trade that hold another token: the token program closes only those that are empty. */
  readonly #unclosed = new Set<Address>();
  /** Accounts of wrapped SOL whose whole amount has gone to the wallet since the last trade. */
  readonly #unwrapped = new Set<Address>();
  readonly #closed = new Set<Address>();

  constructor(parties: VaultParties, transaction: ToSign) {
    this.#parties = parties;
    this.#transaction = transaction;
  }

  /** Accounts of the vault that others pay for. */
  opens(instruction: Instruction): boolean {
    const { vault, keeper } = this.#parties;
    const seeded = parseSystemCreateAccountWithSeed(instruction);
    if (seeded) {
      allow(standsOnlyAt(instruction, vault, [2]) && seeded.base === vault, 'it would pay for an account');
      if (seeded.payer === keeper) this.#lent.add(seeded.newAccount);
    }
    return seeded !== undefined;
  }

  closes(instruction: Instruction): boolean {
    const { vault, wallet, keeper } = this.#parties;
    const unwrapped = parseUnwrapLamports(instruction);
    if (unwrapped) {
      const { source, destination } = unwrapped;
      // Before a trade, what the chain's rent leaves of the lamports that the keeper has lent.
      const isLent = destination === keeper && this.#lent.has(source) && !this.#owed.has(source);
      allow(standsOnlyAt(instruction, vault, [2]) && (destination === wallet || isLent), 'SOL goes elsewhere');
      this.#owed.delete(source);
      if (destination === wallet && this.#isCountedBefore(instruction, source)) this.#unwrapped.add(source);
      return true;
    }
    const closed = parseCloseAccount(instruction);
    if (!closed) return false;
    allow(standsOnlyAt(instruction, vault, [2]), 'an account of the vault that another may close');
    const { account, destination } = closed;
    this.#unclosed.delete(account);
    this.#closed.add(account);
    if (destination === wallet) this.#owed.delete(account);
    else {
      allow(destination === keeper, 'the rent goes elsewhere');
      allow(!this.#owed.has(account), 'what the trade has bought goes to the keeper');
      allow(this.#lent.has(account) || this.#paysForWallet(account), 'the keeper would take the rent');
    }
    return true;
  }

  /** Whether the emptied source of a fill pays for the account that the keeper makes for the wallet. */
  #paysForWallet(source: Address): boolean {
    const { wallet, keeper, order } = this.#parties;
    const [trade] = this.#trades;
    if (trade?.source !== source || !order) return false;
    const made = this.#transaction.instructions.map(parseCreateAssociatedTokenIdempotent);
    if (!made.some((each) => each?.payer === keeper && each.owner === wallet)) return false;
    const isEntry = source === order.inputAccount;
    // Closing wrapped SOL pays out what is in it.
    if (!holdsSol(isEntry ? order.inputMint : order.outputMint) || this.#unwrapped.has(source)) return true;
    const isAll = trade.takesAll && trade.most >= order.progress.entry.initial;
    return isEntry && this.#trades.length === 1 && isAll;
  }

  /** Whether the instruction before has the token program count the SOL of an account: only what it counts is unwrapped. */
  #isCountedBefore(instruction: Instruction, account: Address): boolean {
    const { instructions } = this.#transaction;
    const before = instructions[instructions.indexOf(instruction) - 1];
    return before !== undefined && parseSyncNative(before)?.account === account;
  }

  /** The trade of a fill: between the accounts of one order of the wallet. */
  trades(instruction: Instruction): boolean {
    const { vault, order, programs } = this.#parties;
    const trade = readTrade(instruction, vault, programs);
    if (!trade) return false;
    allow(order, 'a trade without an order of the wallet');
    const sold = this.#sideOf(order, trade.source);
    this.#checkDestination(order, sold, trade.destination);
    allow(trade.least > 0n, 'it would sell for nothing');
    this.#trades.push(trade);
    this.#unwrapped.clear();
    for (const account of trade.left) this.#leave(account);
    return true;
  }

  /** What a route may leave in an account on its way is the wallet's. */
  #leave(account: Address): void {
    const { vault } = this.#parties;
    const refused = 'a route that may leave something in an account on its way';
    allow(this.#lent.has(account), refused);
    if (isWrappedSolOf(this.#transaction, account, vault)) {
      this.#owed.add(account);
      return;
    }
    const made = this.#transaction.instructions
      .map(parseInitializeAccount3)
      .filter((each) => each?.account === account);
    const [only] = made;
    const isOther = made.length === 1 && only?.owner === vault && !isUnknown(only.mint) && !holdsSol(only.mint);
    allow(isOther, refused);
    this.#unclosed.add(account);
  }

  #sideOf({ depositRequestId, inputAccount, outputAccount }: SealedOrder, source: Address): 'in' | 'out' {
    const { vault } = this.#parties;
    for (const [side, account] of [
      ['in', inputAccount],
      ['out', outputAccount],
    ] as const) {
      if (source === account && orderAccounts(vault, depositRequestId, [side]).includes(source)) return side;
    }
    return allow(false, 'it would sell from another account than the order’s') as never;
  }

  #checkDestination(order: SealedOrder, sold: 'in' | 'out', destination: Address): void {
    const { vault, wallet } = this.#parties;
    const mint = (sold === 'in' ? order.outputMint : order.inputMint) as Address;
    const programs = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
    const isKept = sold === 'in' && order.progress.type === 'otoco' && destination === order.outputAccount;
    if (isKept) {
      const own = orderAccounts(vault, order.depositRequestId, ['out']);
      allow(own.includes(destination), 'what it buys goes elsewhere');
      return;
    }
    if (mint === WRAPPED_SOL_MINT && this.#lent.has(destination)) {
      allow(isWrappedSolOf(this.#transaction, destination, vault), 'what it buys goes to an account of another');
      this.#owed.add(destination);
      return;
    }
    const isHome = programs.some((program) => destination === associatedTokenAddress(wallet, mint, program));
    allow(isHome, 'what it buys goes elsewhere');
  }

  ends(): void {
    if (this.#trades.length === 0) return;
    const { vault, keeper, order } = this.#parties;
    const { signers } = this.#transaction;
    allow(this.#owed.size === 0, 'what the trade has bought stays in a temporary account');
    allow(this.#unclosed.size === 0, 'what a route has left stays in a temporary account');
    allow(signers.length === 2 && signers[0] === keeper && signers[1] === vault, 'somebody else takes part in a fill');
    const sources = new Set(this.#trades.map(({ source }) => source));
    const destinations = new Set(this.#trades.map(({ destination }) => destination));
    allow(sources.size === 1 && destinations.size === 1, 'more than one trade');
    if (!order || !sources.has(order.inputAccount as Address)) return;
    const sold = this.#trades.reduce((sum, { most }) => sum + most, 0n);
    // What others have sent to an account that it closes goes along.
    const isClosed = this.#closed.has(order.inputAccount as Address);
    allow(isClosed || sold <= order.progress.entry.initial, 'it would sell more than the order has');
  }
}
