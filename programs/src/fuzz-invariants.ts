import assert from 'node:assert/strict';
import { type Address, type Instruction, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { kindOf, type Seen, supplyOf, tokenOf } from './fuzz-accounts.js';

// What must hold after any transaction that succeeded, whatever the program.

/** A transaction that succeeded: the accounts that it named, before and after. */
export interface Change {
  instructions: Instruction[];
  signers: ReadonlySet<Address>;
  /** One of the accounts was written by the fuzzer, such as with an amount that is more than the supply. */
  isForged: boolean;
  accounts: Map<Address, { before: Seen; after: Seen }>;
  what: string;
}

/** How much more each owner has since: lamports under `sol`, tokens under their mint. Native tokens are lamports. */
export function flowsOf({ accounts }: Change, ownerOf: (account: Address) => Address | undefined = () => undefined) {
  const flows = new Map<string, bigint>();
  const add = (owner: Address, what: string, amount: bigint) => {
    if (amount === 0n) return;
    const key = `${owner} ${what}`;
    flows.set(key, (flows.get(key) ?? 0n) + amount);
  };
  for (const [address, { before, after }] of accounts) {
    for (const [seen, sign] of [
      [before, -1n],
      [after, 1n],
    ] as const) {
      const token = tokenOf(seen);
      const owner = ownerOf(address) ?? token?.owner ?? address;
      if (seen) add(owner, 'sol', sign * seen.lamports);
      if (token && token.reserve === undefined) add(owner, token.mint, sign * token.amount);
    }
  }
  return (owner: Address, what: string) => flows.get(`${owner} ${what}`) ?? 0n;
}

/** Lamports and tokens are conserved, mints keep their terms, and who has not signed loses nothing and no power. */
export function checkChange(change: Change, isProgramOwned: (address: Address) => boolean): void {
  const { accounts, what } = change;
  let lamports = 0n;
  const tokens = new Map<Address, bigint>();
  const add = (mint: Address, amount: bigint) => tokens.set(mint, (tokens.get(mint) ?? 0n) + amount);
  for (const [address, { before, after }] of accounts) {
    lamports += (after?.lamports ?? 0n) - (before?.lamports ?? 0n);
    const [had, has] = [tokenOf(before), tokenOf(after)];
    // A forged account may say that it is native where its mint is not: it has tokens all the same.
    if (had) add(had.mint, -had.amount);
    if (has) add(has.mint, has.amount);
    const [supplied, supply] = [supplyOf(before), supplyOf(after)];
    if (supplied !== undefined || supply !== undefined) add(address, (supplied ?? 0n) - (supply ?? 0n));
    if (!change.isForged) checkBacking(change, address, before, after);
    checkMint(change, address, before, after);
    if (!isProgramOwned(address)) checkStranger(change, address, before, after, isProgramOwned);
  }
  assert.equal(lamports, 0n, `${what}: lamports were made or lost`);
  tokens.delete(WRAPPED_SOL_MINT); // those are lamports
  for (const [mint, difference] of tokens) {
    // The token programs do not look for overflows that the supply rules out.
    const missing = change.isForged ? BigInt.asUintN(64, difference) : difference;
    assert.equal(missing, 0n, `${what}: tokens of ${mint} were made or lost`);
  }
}

/** A native token account that had the lamports of its amount still has them. */
function checkBacking({ what }: Change, address: Address, before: Seen, after: Seen): void {
  const [had, has] = [tokenOf(before), tokenOf(after)];
  if (has?.reserve === undefined || (had && before!.lamports < had.amount + (had.reserve ?? 0n))) return;
  assert.ok(after!.lamports >= has.amount + has.reserve, `${what}: ${address} has not the lamports of its amount`);
}

/** Everything of a mint but its supply stays. */
function checkMint({ what }: Change, address: Address, before: Seen, after: Seen): void {
  if (kindOf(before) !== 'mint') return;
  const terms = (seen: Seen) => [seen!.owner, seen!.data.subarray(0, 36), seen!.data.subarray(44)];
  assert.deepEqual(after && terms(after), terms(before), `${what}: the mint ${address} changed`);
}

/** An account of somebody who has signed nothing has not become less, nor changed hands. */
function checkStranger(
  { signers, what, isForged }: Change,
  address: Address,
  before: Seen,
  after: Seen,
  isProgramOwned: (address: Address) => boolean,
): void {
  if (!before || kindOf(before) === 'mint') return;
  const token = tokenOf(before);
  if (signers.has(token?.owner ?? address) || (token && isProgramOwned(token.owner))) return;
  if (!token && before.owner !== SYSTEM_PROGRAM) return; // no program but its own can change it
  if (token?.closeAuthority && signers.has(token.closeAuthority)) return;
  const has = tokenOf(after);
  const isDelegated = token?.delegate !== undefined && signers.has(token.delegate);
  assert.equal(after?.owner, before.owner, `${what}: ${address} of a stranger is another program's`);
  if (isDelegated) return;
  assert.ok(after!.lamports >= before.lamports, `${what}: ${address} of a stranger lost lamports`);
  if (!token) return;
  // As above: an amount that was forged, and is more than the supply, may overflow.
  const gain = (has?.amount ?? -1n) - token.amount;
  assert.ok(has && (isForged ? BigInt.asIntN(64, gain) : gain) >= 0n, `${what}: ${address} of a stranger lost tokens`);
  assert.deepEqual(has.powers, token.powers, `${what}: somebody got power over ${address} without its owner`);
}
