import type { AccountMeta, Address } from '@slipway/wire/formats';

export interface RouteHop {
  /** The venue, and its instruction's accounts; of those only the taker can be a signer. */
  program: Address;
  accounts: AccountMeta[];
  /** The venue's instruction; the program writes the amount into it, whatever stands there. */
  data: Uint8Array;
  /** Where in `data` the amount (u64) is. */
  amountOffset: number;
  /** Token account of the taker that it takes from. */
  from: Address;
  /** Token account that it pays into. */
  to: Address;
  /**
   * Share of what there is to spend in `from`, in basis points, rounded down. Those of neighboring hops with the same
   * `from` add up to 10000; the last of them takes what is left.
   */
  shareBps: number;
  /**
   * Where what the venue leaves of it goes, so that `from` can be closed: a token account of its mint. Only for the last
   * of a split. What is left in the source without it stays there.
   */
  rest?: RouteRest;
}

export interface RouteRest {
  account: Address;
  mint: Address;
  decimals: number;
  tokenProgram: Address;
}

/** A hop as the program knows it: a fee is one too, and the last of a split has the share of all that is left. */
export interface CodedHop extends RouteHop {
  startsSplit: boolean;
}

/** The share that means everything that is left. */
export const ALL_BPS = 10_000;
/** Accounts that one hop can pass on. */
const MAX_HOP_ACCOUNTS = 40;

const HEADER_SIZE = 8;
const AMOUNT_SIZE = 8;
const STARTS_SPLIT = 0x8000;
// In the byte of an account, beside its number.
const WRITABLE = 1 << 6;
const SIGNER = 2 << 6;
const NUMBER_MASK = 63;

/** The router's own accounts: each once, as it is first named, writable if any hop writes to it. */
export class AccountList {
  readonly metas: AccountMeta[] = [];
  readonly #numbers = new Map<Address, number>();

  number(address: Address): number {
    const known = this.#numbers.get(address);
    if (known !== undefined) return known;
    const number = this.metas.push({ address, signer: false, writable: false }) - 1;
    this.#numbers.set(address, number);
    return number;
  }

  /** The byte of an account of a hop. */
  code({ address, signer, writable }: AccountMeta): number {
    const number = this.number(address);
    if (writable) this.metas[number]!.writable = true;
    return number | (writable ? WRITABLE : 0) | (signer ? SIGNER : 0);
  }
}

/** A hop's bytes. Throws RangeError when its data or accounts have no room, or the amount does not lie in its data. */
export function encodeHop(hop: CodedHop, accounts: AccountList): Uint8Array {
  const { data, amountOffset } = hop;
  const afterAt = amountOffset + AMOUNT_SIZE;
  if (!Number.isInteger(amountOffset) || amountOffset < 0 || afterAt > data.length) {
    throw new RangeError(`amountOffset: no u64 at ${amountOffset} of ${data.length} bytes`);
  }
  const before = data.subarray(0, amountOffset);
  const after = data.subarray(afterAt);
  if (before.length > 255 || after.length > 255) throw new RangeError(`a hop with ${data.length} bytes of data`);
  if (hop.accounts.length > MAX_HOP_ACCOUNTS) throw new RangeError(`a hop with ${hop.accounts.length} accounts`);
  const numbers = [hop.program, hop.from, hop.to].map((address) => accounts.number(address));
  const codes = hop.accounts.map((meta) => accounts.code(meta));
  const share = hop.shareBps | (hop.startsSplit ? STARTS_SPLIT : 0);
  const lengths = [codes.length, before.length, after.length];
  return Uint8Array.from([...numbers, share & 0xff, share >> 8, ...lengths, ...codes, ...before, ...after]);
}

/** The hops in these bytes, with zeros for the amounts; undefined when they end too early or name accounts not there. */
export function decodeHops(bytes: Uint8Array, accounts: readonly AccountMeta[]): CodedHop[] | undefined {
  const hops: CodedHop[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [program, from, to] = [...bytes.subarray(at, at + 3)].map((number) => accounts[number]?.address);
    const [shareLow, shareHigh, count, before, after] = bytes.subarray(at + 3, at + HEADER_SIZE);
    if (!program || !from || !to || after === undefined) return undefined;
    const codesAt = at + HEADER_SIZE;
    const beforeAt = codesAt + count!;
    const afterAt = beforeAt + before!;
    at = afterAt + after;
    const metas = [...bytes.subarray(codesAt, beforeAt)].map((code) => decodeMeta(code, accounts));
    if (at > bytes.length || !metas.every((meta) => meta !== undefined)) return undefined;
    const data = new Uint8Array(before! + AMOUNT_SIZE + after);
    data.set(bytes.subarray(beforeAt, afterAt));
    data.set(bytes.subarray(afterAt, at), before! + AMOUNT_SIZE);
    const share = shareLow! | (shareHigh! << 8);
    const startsSplit = share >= STARTS_SPLIT;
    const shareBps = share % STARTS_SPLIT;
    hops.push({ program, accounts: metas, data, amountOffset: before!, from, to, shareBps, startsSplit });
  }
  return hops;
}

function decodeMeta(code: number, accounts: readonly AccountMeta[]): AccountMeta | undefined {
  const address = accounts[code & NUMBER_MASK]?.address;
  return address && { address, signer: (code & SIGNER) !== 0, writable: (code & WRITABLE) !== 0 };
}
