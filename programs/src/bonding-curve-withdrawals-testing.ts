import {
  type Address,
  type Instruction,
  readonlyAccount,
  readonlySigner,
  TOKEN_PROGRAM,
  writableAccount,
} from '@slipway/wire';
import { BONDING_CURVE_EVENTS } from './bonding-curve-addresses.js';
import { discriminator } from './borsh.js';
import { BONDING_CURVE_AUTHORITY, BONDING_CURVE_PROGRAM, type BondingCurvePool } from './index.js';
import type { Random, TestVm } from './test-vm.js';

const LEFTOVER = discriminator('14c6caedebf3b742');
const PARTNER_SURPLUS = discriminator('a8ad4864c962265c');
const CREATOR_SURPLUS = discriminator('a50389071c864c50');
const TRANSFER_CREATOR = discriminator('1407a9213a93a621');

const QUOTE_RESERVE_AT = 240;
const CREATOR_PERCENTAGE_AT = 245;
const PROGRAM = [BONDING_CURVE_EVENTS, BONDING_CURVE_PROGRAM].map(readonlyAccount);

/** A withdrawal of what a sold-out pool holds beyond what migrates; `receiver` is who may have it, with this token account. */
interface Withdrawal {
  pool: BondingCurvePool;
  receiver: Address;
  account: Address;
}

/** The base that was neither sold nor migrated, to whom the configuration names; anybody may send it. */
export function withdrawLeftover({ pool, receiver, account }: Withdrawal): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      ...[BONDING_CURVE_AUTHORITY, pool.config].map(readonlyAccount),
      ...[pool.pool, account, pool.baseVault].map(writableAccount),
      ...[pool.baseMint, receiver, TOKEN_PROGRAM].map(readonlyAccount),
      ...PROGRAM,
    ],
    data: LEFTOVER,
  };
}

/** The quote that was paid beyond the threshold: the part of the creator, or of the operator. */
export function withdrawSurplus(who: 'creator' | 'operator', { pool, receiver, account }: Withdrawal): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      ...[BONDING_CURVE_AUTHORITY, pool.config].map(readonlyAccount),
      ...[pool.pool, account, pool.quoteVault].map(writableAccount),
      readonlyAccount(pool.quoteMint),
      readonlySigner(receiver),
      readonlyAccount(TOKEN_PROGRAM),
      ...PROGRAM,
    ],
    data: who === 'creator' ? CREATOR_SURPLUS : PARTNER_SURPLUS,
  };
}

/** Makes somebody else the creator of a pool, whom its fees go to from then on. */
export function transferCreator({ pool, config }: BondingCurvePool, creator: Address, next: Address): Instruction {
  return {
    program: BONDING_CURVE_PROGRAM,
    accounts: [
      writableAccount(pool),
      readonlyAccount(config),
      readonlySigner(creator),
      readonlyAccount(next),
      ...PROGRAM,
    ],
    data: TRANSFER_CREATOR,
  };
}

/** Who may ask for something of a pool, and an account of the quote of each. */
export interface Entitled {
  pool: BondingCurvePool;
  people: Record<'creator' | 'operator' | 'trader', Address>;
  quoteAccounts: Record<'creator' | 'operator' | 'trader', Address>;
  /** Whom the configuration names, and its associated account of the base. */
  leftover: { receiver: Address; account: Address };
}

/** One of the withdrawals, or a new creator; seldom for somebody who may not. */
export function randomWithdrawal(random: Random, { pool, people, quoteAccounts, leftover }: Entitled): Instruction {
  const kind = random(5);
  if (kind < 2) return withdrawLeftover({ pool, ...leftover });
  const who = kind === 2 ? 'creator' : 'operator';
  const asks = random(10) === 0 ? 'trader' : who;
  if (kind < 4) return withdrawSurplus(who, { pool, receiver: people[asks], account: quoteAccounts[asks] });
  const [from, to] = random(2) === 0 ? [people.creator, people.trader] : [people.trader, people.creator];
  return transferCreator(pool, from, random(10) === 0 ? from : to);
}

/** As if more had been paid than the pool needs, and tokens been sent to it; and a part of it were the creator's. */
export function addSurplus(
  vm: TestVm,
  random: Random,
  { pool, config, baseVault, quoteVault }: BondingCurvePool,
): void {
  const surplus = BigInt(random(1_000_000)) ** BigInt(random(3));
  const reserve = vm.data(pool).subarray(QUOTE_RESERVE_AT, QUOTE_RESERVE_AT + 8);
  reserve.writeBigUInt64LE(reserve.readBigUInt64LE() + surplus);
  vm.patch(pool, QUOTE_RESERVE_AT, reserve);
  vm.setAmount(quoteVault, vm.amount(quoteVault) + surplus);
  vm.setAmount(baseVault, vm.amount(baseVault) + BigInt(random(1_000_000)));
  vm.patch(config, CREATOR_PERCENTAGE_AT, Uint8Array.of(random(101)));
}
