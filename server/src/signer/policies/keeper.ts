import {
  type LimitOrderAddresses,
  limitOrderAddresses,
  type PreFlashFillOrder,
  parseCancelOrder,
  parseCreateLocker,
  parseFlashFillOrder,
  parseInviteInstruction,
  parseMigrateToDammV2,
  parsePreFlashFillOrder,
} from '@slipway/programs/formats';
import {
  type AccountMeta,
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  closeLookupTable,
  createLookupTable,
  deactivateLookupTable,
  extendLookupTable,
  INSTRUCTIONS_SYSVAR,
  type Instruction,
  mostRentLamports,
  parseSystemTransfer,
  SYSTEM_PROGRAM,
} from '@slipway/wire/formats';
import { allow } from './refusal.js';
import { Rents } from './rents.js';
import { type KnownPrograms, type ReadTrade, readTrade } from './trade.js';
import { isUnknown, isWrappedSolOf, naming, standsOnlyAt, type ToSign } from './transaction.js';

/** Rent that the payer of a step of a migration does not get back: see its keeper. */
const LOCK_RENT = [296, 165].reduce((sum, space) => sum + mostRentLamports(space), 0n);
const MIGRATION_RENT = [465, 165, 1_112, 408, 165, 165].reduce((sum, space) => sum + mostRentLamports(space), 0n);
/** Of an empty table, and of each address in it. */
const TABLE_RENT = mostRentLamports(56);
const ENTRY_RENT = mostRentLamports(32) - mostRentLamports(0);
/** Own accounts of both sides of a fill, the maker's, and the order's fee account. */
const MOST_MADE = 4;

/**
 * The keeper pays the fees of fills, cancels, claims, expiries, lookup tables of its own and migrations, by programs that
 * are known, and their rents. It trades only what an order lends it in the same transaction, for at least what it pays
 * for that. It sends nobody anything else, and approves nobody.
 *
 * @returns the lamports that it may lose
 */
export function checkKeeper(keeper: Address, transaction: ToSign, programs: KnownPrograms): bigint {
  const { signers, feeLamports } = transaction;
  allow(signers[0] === keeper, 'somebody else pays the fee');
  const rents = new Rents(keeper, transaction, (each, owner) => isTradeOf(each, owner, programs));
  const isBase = (base: Address) => signers.includes(base);
  const loan = new Loan(
    keeper,
    programs,
    (account) => rents.hasLent(account) && isWrappedSolOf(transaction, account, keeper),
  );
  let lamports = feeLamports;
  for (const instruction of naming(transaction, keeper)) {
    const cost = rents.read(instruction, isBase, { ownsSome: true })
      ? 0n
      : (loan.read(instruction) ?? deedOf(instruction, keeper, loan.addresses, programs));
    allow(cost !== undefined, `an instruction of ${instruction.program} that the keeper never needs`);
    lamports += cost;
  }
  allow(loan.isSettled, 'a loan that is not paid for');
  allow(!loan.isTaken || signers.length === 1, 'somebody else takes part in a fill');
  allow(rents.isPaidBack, 'a rent that is lent does not come back');
  allow(rents.everGiven <= MOST_MADE, 'it would make more token accounts than a fill needs');
  return lamports + rents.lamports;
}

/**
 * Whether the keeper pays for a claim of an invite, which the key of the invite signs, and for nothing else: the one thing that users
 * ask of it.
 */
export function isClaim(keeper: Address, transaction: ToSign, { invite }: KnownPrograms): boolean {
  const claims = (instruction: Instruction) => {
    const invited = parseInviteInstruction(instruction, invite);
    const isOne = invited?.name === 'claim' || invited?.name === 'claimToken';
    return isOne && transaction.signers.includes(invited.inviteSigner);
  };
  const named = naming(transaction, keeper);
  return named.length > 0 && named.every(claims);
}

/**
 * A key that the keeper had before gives up the lookup tables that it made, which no other key can. The keeper pays for that,
 * and gets their rent.
 */
export function checkEarlierKeeper(earlier: Address, keeper: Address, transaction: ToSign): void {
  const { signers } = transaction;
  allow(signers.length === 2 && signers[0] === keeper && signers[1] === earlier, 'somebody else takes part');
  for (const instruction of naming(transaction, earlier)) {
    const isKnown = instruction.program === ADDRESS_LOOKUP_TABLE_PROGRAM && standsOnlyAt(instruction, earlier, [1]);
    const isGivenUp =
      isKnown && (isDeactivation(instruction) || (isClosing(instruction) && repays(instruction, keeper)));
    allow(isGivenUp, 'a key that the keeper had before only gives up lookup tables');
  }
}

/** Whether it trades for the owner of an account that the keeper lends; what is refused as that is none. */
function isTradeOf(instruction: Instruction, owner: Address, programs: KnownPrograms): boolean {
  try {
    return readTrade(instruction, owner, programs) !== undefined;
  } catch {
    return false;
  }
}

const repays = (closing: Instruction, keeper: Address): boolean => closing.accounts[2]?.address === keeper;

/** What an instruction costs the keeper, in lamports; undefined for one that it never needs. */
function deedOf(
  instruction: Instruction,
  keeper: Address,
  addresses: LimitOrderAddresses,
  { invite }: KnownPrograms,
): bigint | undefined {
  const stands = (...places: number[]) => standsOnlyAt(instruction, keeper, places);
  if (parseCancelOrder(instruction, addresses)) return stands(0) ? 0n : undefined;
  const invited = parseInviteInstruction(instruction, invite);
  if (invited) {
    const isKeepers = 'keeper' in invited && invited.keeper === keeper;
    const named = instruction.accounts.filter(({ address }) => address === keeper);
    return isKeepers && named.length === 1 ? 0n : undefined;
  }
  const locked = parseCreateLocker(instruction);
  if (locked) return stands(9) && locked.payer === keeper ? LOCK_RENT : undefined;
  const migrated = parseMigrateToDammV2(instruction);
  if (migrated) return stands(19) && migrated.payer === keeper ? MIGRATION_RENT : undefined;
  if (instruction.program === ADDRESS_LOOKUP_TABLE_PROGRAM) return tableCost(instruction, keeper);
  // SOL that somebody sends it.
  return parseSystemTransfer(instruction) && stands(1) ? 0n : undefined;
}

/** A table whose authority and payer the keeper is, or an earlier key of it; its rent comes back to it. */
function tableCost(instruction: Instruction, keeper: Address): bigint | undefined {
  const { data } = instruction;
  const stands = (...places: number[]) => standsOnlyAt(instruction, keeper, places);
  if (isDeactivation(instruction) && stands(1)) return 0n;
  if (isClosing(instruction) && (stands(2) || stands(1, 2))) return 0n;
  if (!stands(1, 2)) return undefined;
  if (isTable(instruction, createLookupTable({ ...SOME_TABLE, recentSlot: 0n }), 13)) return TABLE_RENT;
  if (isTable(instruction, extendLookupTable({ ...SOME_TABLE, addresses: [] }), 12)) {
    return ENTRY_RENT * BigInt((data.length - 12) >> 5);
  }
  return undefined;
}

/** What the instructions begin with does not depend on whose they are. */
const SOME_TABLE = {
  table: SYSTEM_PROGRAM,
  authority: SYSTEM_PROGRAM,
  payer: SYSTEM_PROGRAM,
  recipient: SYSTEM_PROGRAM,
};
const isTable = ({ data }: Instruction, other: Instruction, length: number): boolean =>
  data.length >= length && other.data.subarray(0, 4).every((byte, i) => byte === data[i]);
const isDeactivation = (instruction: Instruction): boolean =>
  isTable(instruction, deactivateLookupTable(SOME_TABLE), 4);
const isClosing = (instruction: Instruction): boolean => isTable(instruction, closeLookupTable(SOME_TABLE), 4);

/** What a limit order lends, the trades of it, and what is paid for it. */
class Loan {
  readonly #keeper: Address;
  readonly #programs: KnownPrograms;
  /** Whether an account takes SOL for the keeper in this transaction. */
  readonly #takesSol: (account: Address) => boolean;
  readonly addresses: LimitOrderAddresses;
  #lent: PreFlashFillOrder | undefined;
  #isPaid = false;
  readonly #trades: ReadTrade[] = [];

  constructor(keeper: Address, programs: KnownPrograms, takesSol: (account: Address) => boolean) {
    this.#keeper = keeper;
    this.#programs = programs;
    this.#takesSol = takesSol;
    this.addresses = addressesOf(programs.limitOrder);
  }

  /** Undefined for an instruction that is no part of a fill. */
  read(given: Instruction): bigint | undefined {
    const instruction = withFixedAccounts(given, this.addresses);
    const lent = parsePreFlashFillOrder(instruction, this.addresses);
    if (lent) {
      allow(!this.#lent && standsOnlyAt(instruction, this.#keeper, [0]), 'a second loan');
      this.#lent = lent;
      return 0n;
    }
    const trade = readTrade(instruction, this.#keeper, this.#programs);
    if (trade) {
      allow(this.#lent && !this.#isPaid, 'a trade of what no order has lent');
      allow(trade.source === this.#lent.takerInputMintAccount, 'a trade of its own tokens');
      this.#trades.push(trade);
      return 0n;
    }
    const paid = parseFlashFillOrder(instruction, this.addresses);
    if (!paid) return undefined;
    allow(this.#lent && !this.#isPaid && paid.order === this.#lent.order, 'a payment for another order');
    allow(standsOnlyAt(instruction, this.#keeper, [0]), 'a payment to itself');
    const [into, ...others] = new Set(this.#trades.map(({ destination }) => destination));
    allow(into !== undefined && others.length === 0, 'more than one trade, or none');
    // Without an account it pays SOL of the wallet: what the trade has brought there, from an account of its own.
    const from = paid.takerOutputMintAccount;
    allow(from === undefined ? this.#takesSol(into) : from === into, 'it would pay with other tokens');
    // A maker without an account gets SOL of the wallet, whatever account is named, and whoever owns that.
    const isOfWallet = from !== undefined && paid.makerOutputMintAccount === undefined;
    allow(!isOfWallet, 'it would pay SOL of the wallet for what an account gets');
    const [sold, bought] = [sumOf(this.#trades, 'most'), sumOf(this.#trades, 'least')];
    allow(sold <= this.#lent.makingAmount, 'it would sell more than the order lends');
    allow(bought >= paid.maxTakingAmount, 'it would pay more than the trade is sure to bring');
    this.#isPaid = true;
    return 0n;
  }

  get isTaken(): boolean {
    return this.#lent !== undefined;
  }

  get isSettled(): boolean {
    return this.isTaken === this.#isPaid;
  }
}

const sumOf = (trades: readonly ReadTrade[], which: 'most' | 'least'): bigint =>
  trades.reduce((sum, trade) => sum + trade[which], 0n);

/** By the number of accounts, those that the program compares with constants itself: they may come from a table. */
function withFixedAccounts(instruction: Instruction, { program, eventAuthority }: LimitOrderAddresses): Instruction {
  const { accounts } = instruction;
  if (instruction.program !== program) return instruction;
  const fixed: Readonly<Record<number, Readonly<Record<number, Address>>>> = {
    7: { 6: INSTRUCTIONS_SYSVAR },
    13: { 10: SYSTEM_PROGRAM, 11: eventAuthority },
  };
  const known = (meta: AccountMeta, i: number) => ({
    ...meta,
    address: (isUnknown(meta.address) && fixed[accounts.length]?.[i]) || meta.address,
  });
  return { ...instruction, accounts: accounts.map(known) };
}

const derived = new Map<Address, LimitOrderAddresses>();

/** Derived once for a program, because it is slow. */
function addressesOf(program: Address): LimitOrderAddresses {
  const known = derived.get(program) ?? limitOrderAddresses(program);
  derived.set(program, known);
  return known;
}
