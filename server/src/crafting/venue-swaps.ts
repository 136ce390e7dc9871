import { hash } from 'node:crypto';
import { type Address, type Instruction, address as toAddress } from '@slipway/wire';

export const RAYDIUM_CPMM_PROGRAM = toAddress('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C');
export const DAMM_V2_PROGRAM = toAddress('cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG');
export const DBC_PROGRAM = toAddress('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN');

/** What the swap instruction of a venue moves. */
export interface VenueSwap {
  authority: Address;
  source: Address;
  destination: Address;
  /** The most that leaves the source. */
  amountIn: bigint;
  minimumAmountOut: bigint;
}

interface VenueProgram {
  /** The program's own error when less than the least output would come out. */
  slippage: number;
  /** Undefined for another instruction. */
  parse(instruction: Instruction): VenueSwap | undefined;
}

/** The eight bytes with which an Anchor instruction of this name starts. */
export const instructionTag = (name: string): Buffer => hash('sha256', `global:${name}`, 'buffer').subarray(0, 8);

/** Programs of other companies whose swaps the aggregator makes. */
const PROGRAMS: Readonly<Record<Address, VenueProgram>> = {
  [RAYDIUM_CPMM_PROGRAM]: {
    slippage: 6005,
    parse: swapParser({ name: 'swap_base_input', accounts: 13, authority: 0, source: 4, destination: 5 }),
  },
  [DAMM_V2_PROGRAM]: {
    slippage: 6002,
    parse: swapParser({ name: 'swap', accounts: 14, authority: 8, source: 2, destination: 3 }),
  },
  [DBC_PROGRAM]: {
    slippage: 6002,
    // A partial fill: it takes what the curve can of the amount.
    parse: swapParser({ name: 'swap2', rest: [1], accounts: 15, authority: 9, source: 3, destination: 4 }),
  },
};

/** What a swap instruction of another company's venue moves, whoever made it; undefined for any other instruction. */
export const parseVenueSwap = (instruction: Instruction): VenueSwap | undefined =>
  PROGRAMS[instruction.program]?.parse(instruction);

/** Whether this is the error of a venue's program for less than the least output. */
export const isVenueSlippage = (program: Address, code: number): boolean => PROGRAMS[program]?.slippage === code;

interface SwapForm {
  name: string;
  /** Data behind the tag, the amount and the least output. */
  rest?: readonly number[];
  accounts: number;
  /** Places in the list of accounts. */
  authority: number;
  source: number;
  destination: number;
}

function swapParser({ name, rest = [], accounts, ...places }: SwapForm): VenueProgram['parse'] {
  const tag = instructionTag(name);
  return ({ accounts: metas, data }) => {
    const isSwap = data.length === 24 + rest.length && tag.every((byte, i) => byte === data[i]);
    if (!isSwap || !rest.every((byte, i) => byte === data[24 + i]) || metas.length !== accounts) return undefined;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const at = (place: number) => metas[place]!.address;
    return {
      ...{ authority: at(places.authority), source: at(places.source), destination: at(places.destination) },
      ...{ amountIn: view.getBigUint64(8, true), minimumAmountOut: view.getBigUint64(16, true) },
    };
  };
}
