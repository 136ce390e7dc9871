import { type ClaimCreatorFee, claimCreatorFee, parseClaimCreatorFee } from '@slipway/programs';
import {
  type Address,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  type Instruction,
  mostRentLamports,
  parseCloseAccount,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
} from '@slipway/wire';
import { openWrapped } from './swap.js';
import { type Budget, CraftCheckFailed, type Crafted, craftTransaction } from './transaction.js';

/**
 * The account that one side of a claim is paid to: the creator's associated token account, created if it is missing, or
 * one that exists only while the transaction runs and then gives its SOL and rent back.
 */
export type ClaimPlace =
  | { kind: 'associated'; account: Address; create: boolean }
  | { kind: 'temporary'; account: Address; seed: string };

/** A payout of a creator's trading fees. The creator signs and pays. */
export interface FeeClaim {
  pool: ClaimCreatorFee['pool'];
  creator: Address;
  base: ClaimPlace;
  quote: ClaimPlace;
  /** The most to pay out, in the smallest unit. */
  maxBase: bigint;
  maxQuote: bigint;
}

/**
 * Crafts the transaction of a claim and checks what its bytes say. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftFeeClaim(claim: FeeClaim, blockhash: string, budget: Budget): Crafted {
  const { creator } = claim;
  const sides = sidesOf(claim);
  const instructions = [
    ...sides.flatMap(({ mint, place }) => open(creator, mint, place)),
    claimCreatorFee(claimOf(claim)),
    ...sides.flatMap(({ place }) => close(creator, place)),
  ];
  const crafted = craftTransaction({ feePayer: creator, instructions, blockhash, budget });
  checkFeeClaim(crafted, claim, budget);
  return crafted;
}

function sidesOf({ pool, base, quote }: FeeClaim): { mint: Address; place: ClaimPlace }[] {
  return [
    { mint: pool.baseMint, place: base },
    { mint: pool.quoteMint, place: quote },
  ];
}

function claimOf({ pool, creator, base, quote, maxBase, maxQuote }: FeeClaim): ClaimCreatorFee {
  return { pool, creator, baseAccount: base.account, quoteAccount: quote.account, maxBase, maxQuote };
}

function open(creator: Address, mint: Address, place: ClaimPlace): Instruction[] {
  if (place.kind === 'temporary') return openWrapped(creator, creator, { ...place, kind: 'wrapped' }, 0n, mint);
  return place.create ? [createAssociatedTokenIdempotent({ payer: creator, owner: creator, mint })] : [];
}

function close(creator: Address, { kind, account }: ClaimPlace): Instruction[] {
  return kind === 'temporary' ? [tokenCloseAccount({ account, destination: creator, authority: creator })] : [];
}

/** @throws CraftCheckFailed */
function checkFeeClaim({ signers, instructions }: Crafted, claim: FeeClaim, budget: Budget): void {
  const { creator } = claim;
  expect(signers.length === 1 && signers[0] === creator, 'signers');
  const rest = [...instructions];
  expect(parseComputeUnitLimit(next(rest)) === budget.computeUnitLimit, 'compute unit limit');
  expect(parseComputeUnitPrice(next(rest)) === budget.computeUnitPrice, 'compute unit price');
  for (const { mint, place } of sidesOf(claim)) checkOpening(rest, creator, mint, place);
  const read = parseClaimCreatorFee(next(rest));
  const wanted = claimOf(claim);
  expect(read?.creator === creator && read.pool.pool === wanted.pool.pool, 'pool');
  expect(read?.baseAccount === wanted.baseAccount && read.quoteAccount === wanted.quoteAccount, 'destination');
  expect(read?.maxBase === wanted.maxBase && read.maxQuote === wanted.maxQuote, 'amount');
  for (const { place } of sidesOf(claim)) {
    if (place.kind !== 'temporary') continue;
    const closed = parseCloseAccount(next(rest));
    expect(closed?.account === place.account && closed.destination === creator, 'closing');
  }
  expect(rest.length === 0, 'number of instructions');
}

function checkOpening(rest: Instruction[], creator: Address, mint: Address, place: ClaimPlace): void {
  const { account } = place;
  if (place.kind === 'temporary') {
    const made = parseSystemCreateAccountWithSeed(next(rest));
    expect(made?.newAccount === account && made.base === creator && made.payer === creator, 'temporary account');
    expect(account === createAddressWithSeed(creator, place.seed, TOKEN_PROGRAM), 'temporary address');
    expect(made && made.lamports <= mostRentLamports(TOKEN_ACCOUNT_SPACE), 'rent');
    const opened = parseInitializeAccount3(next(rest));
    expect(opened?.account === account && opened.owner === creator && opened.mint === mint, 'temporary account');
  } else if (place.create) {
    const made = parseCreateAssociatedTokenIdempotent(next(rest));
    expect(made?.owner === creator && made.payer === creator && made.mint === mint, 'token account');
  }
}

function next(rest: Instruction[]): Instruction {
  const instruction = rest.shift();
  if (!instruction) throw new CraftCheckFailed('crafted claim: an instruction is missing');
  return instruction;
}

function expect(truth: boolean | undefined, what: string): void {
  if (!truth) throw new CraftCheckFailed(`crafted claim: wrong ${what}`);
}
