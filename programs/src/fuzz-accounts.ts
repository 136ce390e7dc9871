import {
  type Address,
  addressFromBytes,
  addressToBytes,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { Account as VmAccount } from 'litesvm/dist/internal.js';
import type { TestVm } from './test-vm.js';

// The accounts of a fuzzed machine: as they were, as they are, and back again.

/** An account as it was at one time; undefined for one that is not there. */
export type Seen = { lamports: bigint; owner: Address; data: Buffer; executable: boolean } | undefined;
export type Kind = 'token' | 'mint' | 'wallet' | 'other';

const TOKEN_LENGTH = 165;
const MINT_LENGTH = 82;
const isTokenProgram = (owner: Address) => owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;

export function kindOf(seen: Seen): Kind {
  if (!seen || (seen.owner === SYSTEM_PROGRAM && seen.data.length === 0)) return 'wallet';
  if (!isTokenProgram(seen.owner)) return 'other';
  const { length } = seen.data;
  if (length === MINT_LENGTH || (length > TOKEN_LENGTH && seen.data[TOKEN_LENGTH] === 1)) return 'mint';
  return length === TOKEN_LENGTH || (length > TOKEN_LENGTH && seen.data[TOKEN_LENGTH] === 2) ? 'token' : 'other';
}

/** A token account's fields, as its bytes stand; undefined for any other account, and for one that is not in use. */
export function tokenOf(seen: Seen) {
  if (!seen || kindOf(seen) !== 'token') return undefined;
  const { data } = seen;
  if (data[108] === 0) return undefined;
  return {
    mint: addressFromBytes(data, 0),
    owner: addressFromBytes(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: data.readUInt32LE(72) === 1 ? addressFromBytes(data, 76) : undefined,
    reserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : undefined,
    closeAuthority: data.readUInt32LE(129) === 1 ? addressFromBytes(data, 133) : undefined,
    /** Owner, delegate, state and close authority. */
    powers: Buffer.concat([data.subarray(32, 64), data.subarray(72, 109), data.subarray(121, 165)]),
  };
}

export const supplyOf = (seen: Seen) => (seen && kindOf(seen) === 'mint' ? seen.data.readBigUInt64LE(36) : undefined);

export function look(vm: TestVm, address: Address): Seen {
  const account = vm.svm.getAccount(addressToBytes(address));
  if (!account || account.lamports() === 0n) return undefined;
  const [lamports, owner] = [account.lamports(), addressFromBytes(account.owner())];
  return { lamports, owner, data: Buffer.from(account.data()), executable: account.executable() };
}

/** Puts an account back as it was seen. */
export function restore(vm: TestVm, address: Address, seen: Seen): void {
  const owner = addressToBytes(seen?.owner ?? SYSTEM_PROGRAM);
  vm.svm.setAccount(
    addressToBytes(address),
    new VmAccount(seen?.lamports ?? 0n, seen?.data ?? Buffer.alloc(0), owner, seen?.executable ?? false, 0n),
  );
}

/** A program, what a loader has of it, or a sysvar: nobody writes it. */
export const isRuntimes = (seen: Seen) => seen !== undefined && /^(Native|BPFLoader|Sysvar)/.test(seen.owner);

export const isSame = (a: Seen, b: Seen) =>
  a === b || (!!a && !!b && a.lamports === b.lamports && a.owner === b.owner && a.data.equals(b.data));
