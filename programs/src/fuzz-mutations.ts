import { type Address, addressToBytes, type Instruction, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@slipway/wire';
import { type Kind, kindOf, type Seen } from './fuzz-accounts.js';
import type { Random } from './test-vm.js';

// Spoils transactions and accounts in the ways of the trade.

const BOUNDARIES = [0n, 1n, 2n, 255n, 10_000n, 2n ** 31n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
const MOST_ACCOUNTS = 40;

export const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)]!;

/** Addresses that a transaction can name, by what lies there. */
export type Known = { all: Address[]; kinds: Map<Address, Kind>; byKind: Map<Kind, Address[]> };

export function knownOf(accounts: Map<Address, Seen>): Known {
  const kinds = new Map([...accounts].map(([address, seen]) => [address, kindOf(seen)]));
  const byKind = new Map<Kind, Address[]>();
  for (const [address, kind] of kinds) byKind.set(kind, [...(byKind.get(kind) ?? []), address]);
  return { all: [...accounts.keys()], kinds, byKind };
}

export function mutatedBytes(bytes: Uint8Array, random: Random): Buffer {
  const data = Buffer.from(bytes);
  if (data.length === 0) return Buffer.alloc(random(16), random(256));
  switch (random(7)) {
    case 0:
      return data.subarray(0, random(data.length));
    case 1:
      return Buffer.concat([data, Buffer.alloc(1 + random(40), random(3) === 0 ? 255 : random(256))]);
    case 2:
    case 3: {
      if (data.length < 8) break;
      data.writeBigUInt64LE(pick(BOUNDARIES, random), random(data.length - 7));
      return data;
    }
    case 4: {
      const start = random(data.length);
      for (let i = start; i < data.length; i++) data[i] = random(256);
      return data;
    }
    case 5: {
      data[random(data.length)]! ^= 1 << random(8);
      return data;
    }
  }
  data[random(data.length)] = random(256);
  return data;
}

/** An account with other bytes, another owner, or other lamports. */
export function mutatedAccount(seen: NonNullable<Seen>, program: Address, known: Known, random: Random): Seen {
  switch (random(5)) {
    case 0:
      return { ...seen, owner: pick([SYSTEM_PROGRAM, TOKEN_PROGRAM, program], random) };
    case 1:
      return { ...seen, lamports: pick([1n, 890_880n, 2_039_280n, 2n ** 40n], random) };
    case 2: {
      // Another mint or owner of a token account, or some other key.
      const data = Buffer.from(seen.data);
      if (data.length < 64) break;
      data.set(addressToBytes(pick(known.all, random)), random(3) === 0 ? random(data.length - 31) : 32 * random(2));
      return { ...seen, data };
    }
  }
  return { ...seen, data: mutatedBytes(seen.data, random) };
}

/** The transaction with accounts, data and instructions changed. */
export function mutated(seeds: Instruction[][], known: Known, random: Random, isAlone: boolean): Instruction[] {
  let all = [...pick(seeds, random)];
  if (!isAlone && random(4) === 0) all.splice(random(all.length + 1), 0, ...pick(seeds, random));
  if (!isAlone && random(8) === 0) all = all.filter(() => random(3) > 0);
  if (!isAlone && random(8) === 0) all.sort(() => random(3) - 1);
  const copies = all.slice(0, 6).map((one) => ({ ...one, accounts: one.accounts.map((meta) => ({ ...meta })) }));
  if (copies.length === 0) return copies;
  for (let changes = random(2) === 0 ? 1 : 1 + random(4); changes > 0; changes--)
    mutateOne(copies, seeds, known, random);
  return copies;
}

function mutateOne(copies: Instruction[], seeds: Instruction[][], known: Known, random: Random): void {
  const one = pick(copies, random);
  const { accounts } = one;
  const other = pick(pick(copies, random).accounts, random);
  const meta = pick(accounts, random);
  if (!meta || !other) return;
  switch (random(12)) {
    case 0:
      [meta.address, other.address] = [other.address, meta.address];
      break;
    case 1:
      meta.address = other.address;
      break;
    case 2:
      if (random(2) === 0) accounts.splice(random(accounts.length), 1);
      else accounts.pop();
      break;
    case 3:
      if (accounts.length < MOST_ACCOUNTS) accounts.splice(random(accounts.length + 1), 0, { ...other });
      break;
    case 4:
      meta.signer = !meta.signer;
      break;
    case 5:
      meta.writable = !meta.writable;
      break;
    case 6:
    case 7:
    case 8:
      meta.address = pick(known.byKind.get(known.kinds.get(meta.address) ?? 'wallet')!, random);
      break;
    case 9:
      meta.address = pick(known.all, random);
      break;
    case 10:
      one.data = mutatedBytes(one.data, random);
      break;
    default:
      one.data = random(8) === 0 ? pick(pick(seeds, random), random).data : mutatedBytes(one.data, random);
  }
}
