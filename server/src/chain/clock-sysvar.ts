import { SYSVAR_OWNER } from '@slipway/wire';
import type { ChainAccount } from './accounts.js';

const CLOCK_SIZE = 40;

/** The chain's time, as programs see it. */
export interface ClockTime {
  slot: bigint;
  epoch: bigint;
  /** Unix seconds. */
  unixTimestamp: bigint;
}

/** Reads the account at CLOCK_SYSVAR; undefined if it is not the clock. */
export function readClock(account: ChainAccount | undefined): ClockTime | undefined {
  if (account?.owner !== SYSVAR_OWNER || account.data.length !== CLOCK_SIZE) return undefined;
  const view = new DataView(account.data.buffer, account.data.byteOffset, CLOCK_SIZE);
  return {
    slot: view.getBigUint64(0, true),
    epoch: view.getBigUint64(16, true),
    unixTimestamp: view.getBigInt64(32, true),
  };
}
