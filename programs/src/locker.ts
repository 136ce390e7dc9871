import {
  type Address,
  address,
  addressFromBytes,
  type Instruction,
  readonlyAccount,
  TOKEN_PROGRAM,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';
import { concatBytes, discriminator, u64 } from './borsh.js';

/** The lock program, which holds what the creator of a launch gets later. */
export const LOCKER_PROGRAM: Address = address('LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn');
/** Signs the events that the program writes into its own instructions. */
export const LOCKER_EVENTS: Address = address('AqUDk3wybxjZujrNbKmjr2YTUZ8RA1a1nyGgs1zSmvTG');

const CLAIM = discriminator('3ec6d6c1d59f6cd2');
const LOCK = discriminator('f477b704497487c3');
const LOCK_SIZE = 296;

/** The paying out of locked tokens that have come free. */
export interface LockerClaim {
  /** The lock, and its token account. */
  lock: Address;
  tokens: Address;
  /** Signs. */
  recipient: Address;
  /** Gets the tokens. */
  account: Address;
  /** In the smallest unit, the most that is paid. */
  most: bigint;
}

/** Pays out what has come free and has not been paid; nothing where there is nothing. */
export function claimLocked({ lock, tokens, recipient, account, most }: LockerClaim): Instruction {
  return {
    program: LOCKER_PROGRAM,
    accounts: [
      ...[lock, tokens].map(writableAccount),
      writableSigner(recipient),
      writableAccount(account),
      ...[TOKEN_PROGRAM, LOCKER_EVENTS, LOCKER_PROGRAM].map(readonlyAccount),
    ],
    data: concatBytes(CLAIM, u64.encode(most, 'most')),
  };
}

/** What a lock's account says. Unix seconds, and amounts in the smallest unit. */
export interface LockState {
  recipient: Address;
  mint: Address;
  cliffTime: bigint;
  /** Seconds of a period. */
  frequency: bigint;
  atCliff: bigint;
  /** What comes free at the end of each period after the cliff. */
  perPeriod: bigint;
  periods: bigint;
  /** What has been paid out. */
  claimed: bigint;
}

/** The lock in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeLock(data: Uint8Array): LockState | undefined {
  if (data.length !== LOCK_SIZE || LOCK.some((byte, i) => data[i] !== byte)) return undefined;
  const at = (offset: number) => u64.decode(data, offset)!.value;
  return {
    recipient: addressFromBytes(data, 8),
    mint: addressFromBytes(data, 40),
    cliffTime: at(144),
    frequency: at(152),
    atCliff: at(160),
    perPeriod: at(168),
    periods: at(176),
    claimed: at(184),
  };
}
