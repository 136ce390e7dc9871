import { type Address, type Instruction, sha256, address as toAddress } from '@slipway/wire/formats';

export const RAYDIUM_CPMM_PROGRAM = toAddress('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C');
export const DAMM_V2_PROGRAM = toAddress('cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG');
export const DLMM_PROGRAM = toAddress('LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo');
export const WHIRLPOOL_PROGRAM = toAddress('whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc');
/** The same program, deployed immutably. */
export const IMMUTABLE_WHIRLPOOL_PROGRAM = toAddress('iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN');
export const DBC_PROGRAM = toAddress('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN');

/** What the swap instruction of a venue moves. */
export interface VenueSwap {
  authority: Address;
  source: Address;
  destination: Address;
  /** The most that leaves the source. */
  amountIn: bigint;
  minimumAmountOut: bigint;
  /** The pool's own token accounts: its program compares them with those that the pool names. */
  vaults: Address[];
  /** Whether all of the amount leaves the source, or else the swap fails. */
  takesAll: boolean;
}

interface VenueProgram {
  /** The program's own error when less than the minimum output would come out. */
  slippage: number;
  /** Undefined for any other instruction. */
  parse(instruction: Instruction): VenueSwap | undefined;
}

/** Anchor's eight-byte discriminator of an instruction of this name. */
export const instructionTag = (name: string): Uint8Array =>
  sha256(new TextEncoder().encode(`global:${name}`)).subarray(0, 8);

/**
 * The data says whether the first token comes in. Only swaps without a price limit or further accounts are understood. At
 * the end of all prices one takes less than it is offered.
 */
const whirlpool: VenueProgram = {
  slippage: 6036,
  parse(instruction) {
    const aToB = instruction.data[41] === 1;
    const rest = [...new Array<number>(16).fill(0), 1, aToB ? 1 : 0, 0];
    const [source, destination] = aToB ? ([7, 9] as const) : ([9, 7] as const);
    const places = { authority: 3, source, destination, vaults: [8, 10] };
    return swapParser({ name: 'swap_v2', rest, accounts: 15, ...places, takesAll: false })(instruction);
  },
};

const DLMM_ACCOUNTS = 16;
/** Index of the account that gets a part of the fee; the program itself stands for none. */
const DLMM_HOST = 9;
/** The bin arrays follow the accounts that every swap has. */
const dlmm: VenueProgram = {
  slippage: 6003,
  parse({ accounts, ...instruction }) {
    if (accounts[DLMM_HOST]?.address !== DLMM_PROGRAM) return undefined;
    const places = { authority: 10, source: 4, destination: 5, vaults: [2, 3] };
    const form = { name: 'swap2', rest: [0, 0, 0, 0], accounts: DLMM_ACCOUNTS, ...places, takesAll: true };
    return swapParser(form)({
      ...instruction,
      accounts: accounts.slice(0, DLMM_ACCOUNTS),
    });
  },
};
/** Other companies' programs whose swaps the aggregator builds. */
const PROGRAMS: Readonly<Record<Address, VenueProgram>> = {
  [RAYDIUM_CPMM_PROGRAM]: {
    slippage: 6005,
    parse: swapParser({
      name: 'swap_base_input',
      accounts: 13,
      authority: 0,
      source: 4,
      destination: 5,
      vaults: [6, 7],
      takesAll: true,
    }),
  },
  [DAMM_V2_PROGRAM]: {
    slippage: 6002,
    parse: swapParser({
      name: 'swap',
      accounts: 14,
      authority: 8,
      source: 2,
      destination: 3,
      vaults: [4, 5],
      takesAll: true,
    }),
  },
  [DBC_PROGRAM]: {
    slippage: 6002,
    // A partial fill: takes as much of the amount as the curve can.
    parse: swapParser({
      name: 'swap2',
      rest: [1],
      accounts: 15,
      authority: 9,
      source: 3,
      destination: 4,
      vaults: [5, 6],
      takesAll: false,
    }),
  },
  [DLMM_PROGRAM]: dlmm,
  [WHIRLPOOL_PROGRAM]: whirlpool,
  [IMMUTABLE_WHIRLPOOL_PROGRAM]: whirlpool,
};

/** What a swap instruction of another company's venue moves, whoever made it; undefined for any other instruction. */
export const parseVenueSwap = (instruction: Instruction): VenueSwap | undefined =>
  PROGRAMS[instruction.program]?.parse(instruction);

/** Whether this is the venue program's error for less than the minimum output. */
export const isVenueSlippage = (program: Address, code: number): boolean => PROGRAMS[program]?.slippage === code;

interface SwapForm {
  name: string;
  /** Data after the tag, the amount and the minimum output. */
  rest?: readonly number[];
  accounts: number;
  /** Indexes in the list of accounts. */
  authority: number;
  source: number;
  destination: number;
  vaults: readonly number[];
  takesAll: boolean;
}

function swapParser({ name, rest = [], accounts, takesAll, ...places }: SwapForm): VenueProgram['parse'] {
  const tag = instructionTag(name);
  return ({ accounts: metas, data }) => {
    const isSwap = data.length === 24 + rest.length && tag.every((byte, i) => byte === data[i]);
    if (!isSwap || !rest.every((byte, i) => byte === data[24 + i]) || metas.length !== accounts) return undefined;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const at = (place: number) => metas[place]!.address;
    return {
      authority: at(places.authority),
      source: at(places.source),
      destination: at(places.destination),
      amountIn: view.getBigUint64(8, true),
      minimumAmountOut: view.getBigUint64(16, true),
      vaults: places.vaults.map(at),
      takesAll,
    };
  };
}
