import {
  type Address,
  holdsSol,
  type Instruction,
  leastRentLamports,
  mostRentLamports,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  parseUnwrapLamports,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
} from '@slipway/wire/formats';
import { allow } from './refusal.js';
import { isUnknown, naming, standsOnlyAt, type ToSign } from './transaction.js';

/** In lamports. Whoever owns the account may take out what is above its rent before it is closed. */
const MOST_RENT = mostRentLamports(TOKEN_ACCOUNT_SPACE);

/**
 * The most bytes that the account of a token of Token-2022 has at first: a byte for its type, and what the program asks of
 * accounts for any extensions of the mint, which is not known here. Each has a header of four bytes: ImmutableOwner,
 * TransferFeeAmount with eight bytes, NonTransferableAccount, TransferHookAccount with one, PausableAccount.
 */
const MOST_2022_SPACE = TOKEN_ACCOUNT_SPACE + 1 + 5 * 4 + 8 + 1;

/** The most that an associated token account can cost its payer, in lamports. */
function mostRent(tokenProgram: Address): bigint {
  if (tokenProgram === TOKEN_PROGRAM) return MOST_RENT;
  // One of a lookup table is either of them, or the chain makes no account.
  allow(tokenProgram === TOKEN_2022_PROGRAM || isUnknown(tokenProgram), 'an account of another token program');
  return mostRentLamports(MOST_2022_SPACE);
}

/** And the least: with the byte for its type, and ImmutableOwner. */
const LEAST_2022_SPACE = TOKEN_ACCOUNT_SPACE + 1 + 4;

/**
 * What may be missing where an associated token account that the payer has made is closed to it, in lamports. It may be another one
 * by then: whoever owns it can close it, close its mint, make both again without extensions, and keep the difference.
 * All accounts of SPL Token have one size.
 */
function mostMissing(tokenProgram: Address): bigint {
  return tokenProgram === TOKEN_PROGRAM ? 0n : mostRent(tokenProgram) - mostRentLamports(LEAST_2022_SPACE);
}

/** What the chain's rent, which is not known here, may leave of this rent; lamports. */
function spareOf(lamports: bigint): bigint {
  const spare = lamports - leastRentLamports(TOKEN_ACCOUNT_SPACE);
  return spare > 0n ? spare : 0n;
}

/** The rents that one of our wallets pays in a transaction, until the accounts are closed to it again. */
export class Rents {
  readonly #payer: Address;
  readonly #instructions: readonly Instruction[];
  readonly #lent = new Map<Address, bigint>();
  readonly #everLent = new Set<Address>();
  readonly #given = new Map<Address, bigint>();
  readonly #everGiven = new Set<Address>();
  /** Of what is lent, what may be above the chain's rent, and is its owner's to take out. */
  #spare = 0n;
  /** What may be missing of the accounts that it was given back. */
  #missing = 0n;
  readonly #isTrade: (instruction: Instruction, owner: Address) => boolean;

  /** `isTrade`: whether an instruction does no more than trade for this owner, by programs that are known. */
  constructor(
    payer: Address,
    { instructions }: Pick<ToSign, 'instructions'>,
    isTrade: (instruction: Instruction, owner: Address) => boolean = () => false,
  ) {
    this.#payer = payer;
    this.#instructions = instructions;
    this.#isTrade = isTrade;
  }

  /** The associated token accounts that it pays for, and does not get back. */
  get given(): number {
    return this.#given.size;
  }

  /** All those that it pays for. */
  get everGiven(): number {
    return this.#everGiven.size;
  }

  /** Lamports that it does not get back. */
  get lamports(): bigint {
    return [...this.#given.values()].reduce((sum, rent) => sum + rent, this.#spare + this.#missing);
  }

  /** Whether every account that it has lent the rent of is closed to it again. */
  get isPaidBack(): boolean {
    return this.#lent.size === 0;
  }

  /** Whether it has lent the rent of this account at any time. */
  hasLent(account: Address): boolean {
    return this.#everLent.has(account);
  }

  /**
   * Reads an instruction that names the payer; false if it is none of these: making a token account at its cost, closing
   * one to it, unwrapping SOL for it. `isBase`: whose accounts it may lend the rent of. `ownsSome`: it may have token
   * accounts of its own.
   */
  read(instruction: Instruction, isBase: (base: Address) => boolean, { ownsSome = false } = {}): boolean {
    const stands = (...places: number[]) => standsOnlyAt(instruction, this.#payer, places);
    const associated = parseCreateAssociatedTokenIdempotent(instruction);
    if (associated) {
      if (!stands(0) && !(ownsSome && stands(0, 2))) return false;
      // Its owner may close it in between, and keep each of the rents.
      allow(!this.#everGiven.has(associated.account), 'the same account twice');
      this.#everGiven.add(associated.account);
      this.#given.set(associated.account, mostRent(associated.tokenProgram));
      return true;
    }
    const seeded = parseSystemCreateAccountWithSeed(instruction);
    if (seeded) {
      allow(stands(0) && isBase(seeded.base), 'an account of somebody else');
      allow(seeded.owner === TOKEN_PROGRAM || seeded.owner === TOKEN_2022_PROGRAM, 'an account of another program');
      allow(seeded.lamports <= MOST_RENT, 'more rent than a token account needs');
      allow(!this.#everLent.has(seeded.newAccount), 'the same account twice');
      this.#everLent.add(seeded.newAccount);
      this.#lent.set(seeded.newAccount, seeded.lamports);
      if (!this.#keepsSpare(instruction, seeded.newAccount)) this.#spare += spareOf(seeded.lamports);
      return true;
    }
    const closed = parseCloseAccount(instruction);
    if (closed) {
      // One that somebody else has paid for is a gain.
      this.#lent.delete(closed.account);
      if (this.#given.delete(closed.account)) this.#missing += mostMissing(closed.tokenProgram);
      return stands(1) || (ownsSome && stands(1, 2));
    }
    return parseUnwrapLamports(instruction) !== undefined && stands(1);
  }

  /**
   * Whether what is lent beyond the chain's rent comes back: the account is the payer's own, it is taken out at once, or nothing
   * takes it out before the account is closed to the payer.
   */
  #keepsSpare(creation: Instruction, account: Address): boolean {
    const at = this.#instructions.indexOf(creation);
    const [opening, next] = this.#instructions.slice(at + 1, at + 3);
    const opened = opening && parseInitializeAccount3(opening);
    if (opened?.account !== account) return false;
    const taken = next && parseUnwrapLamports(next);
    if (opened.owner === this.#payer || (taken?.source === account && taken.destination === this.#payer)) return true;
    // Of an account for SOL it is an amount, which a trade may sell.
    if (isUnknown(opened.mint) || holdsSol(opened.mint)) return false;
    // What a lookup table names is another account: the chain takes none twice.
    const others = naming({ instructions: this.#instructions }, account).filter(
      (each) => each !== creation && each !== opening,
    );
    return others.every((each) => this.#closesToPayer(each) || this.#isTrade(each, opened.owner));
  }

  #closesToPayer(instruction: Instruction): boolean {
    return parseCloseAccount(instruction)?.destination === this.#payer;
  }
}
