import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Address,
  address,
  addressFromBytes,
  addressToBytes,
  compileMessage,
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  type Instruction,
  type Mint,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  unsignedTransaction,
} from '@slipway/wire';
import { FailedTransactionMetadata, FeatureSet, LiteSvm, Account as VmAccount } from 'litesvm/dist/internal.js';
import { type ProgramName, programFile } from './program-files.js';

export interface Outcome {
  /** Of a transaction that failed: the program that failed first and its reason in the runtime's words. */
  failure: { program: Address | undefined; reason: string } | undefined;
  logs: string[];
  computeUnits: number;
}

const AMOUNT_AT = 64;
let serial = 0;

/** An address that no other call returns; the same ones in every run. */
export function newAddress(): Address {
  const bytes = Buffer.alloc(32, 0xa5);
  bytes.writeUInt32BE(++serial, 0);
  return addressFromBytes(bytes);
}

/** The program under test: SLIPWAY_PROGRAMS names a folder of changed ones. */
export function programUnderTest(name: ProgramName): Buffer {
  const folder = process.env.SLIPWAY_PROGRAMS;
  return readFileSync(folder ? join(folder, `${name}.so`) : programFile(name));
}

/**
 * A Solana virtual machine whose accounts the test writes as it likes. Signatures are not checked: an account has
 * signed when the instruction says so.
 */
export class TestVm {
  readonly svm: LiteSvm;
  readonly payer = newAddress();
  readonly #blockhash: string;

  /** With every feature of the machine on, or with those that it has by default. */
  constructor(features: 'default' | 'all' = 'default') {
    this.svm = new LiteSvm();
    if (features === 'all') {
      this.svm.setFeatureSet(FeatureSet.allEnabled());
      this.svm.setBuiltins();
      this.svm.setSysvars();
      this.svm.setDefaultPrograms();
    }
    this.svm.setSigverify(false);
    this.svm.setBlockhashCheck(false);
    this.svm.setTransactionHistory(0n);
    this.#blockhash = this.svm.latestBlockhash();
    this.put(this.payer, new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000_000_000n);
  }

  addProgram(address: Address, elf: Uint8Array): void {
    this.svm.addProgram(addressToBytes(address), elf);
  }

  put(address: Address, data: Uint8Array, owner: Address, lamports = rentExemptLamports(data.length)): Address {
    this.svm.setAccount(addressToBytes(address), new VmAccount(lamports, data, addressToBytes(owner), false, 0n));
    return address;
  }

  data(address: Address): Buffer {
    return Buffer.from(this.svm.getAccount(addressToBytes(address))?.data() ?? []);
  }

  owner(address: Address): Address {
    return addressFromBytes(this.svm.getAccount(addressToBytes(address))?.owner() ?? new Uint8Array(32));
  }

  lamports(address: Address): bigint {
    return this.svm.getAccount(addressToBytes(address))?.lamports() ?? 0n;
  }

  /** Changes bytes of an account in place. */
  patch(address: Address, at: number, bytes: Uint8Array): void {
    const data = this.data(address);
    data.set(bytes, at);
    this.put(address, data, this.owner(address), this.lamports(address));
  }

  mint(mint: Partial<Mint> & { address?: Address; tokenProgram?: Address; extensions?: Uint8Array } = {}): Address {
    const { address: at = newAddress(), tokenProgram = TOKEN_PROGRAM, extensions, ...fields } = mint;
    const data = encodeMint({ decimals: 6, supply: 0n, initialized: true, ...fields });
    return this.put(at, extended(data, 1, extensions), tokenProgram);
  }

  tokenAccount(
    account: Partial<TokenAccount> & {
      mint: Address;
      owner: Address;
      address?: Address;
      tokenProgram?: Address;
      extensions?: Uint8Array;
    },
  ): Address {
    const { address: at = newAddress(), tokenProgram = TOKEN_PROGRAM, extensions, ...fields } = account;
    const state: TokenAccount = { amount: 0n, state: 'initialized', delegatedAmount: 0n, isNative: false, ...fields };
    return this.put(at, extended(encodeTokenAccount(state), 2, extensions), tokenProgram);
  }

  /** Sets the balance of a token account as if it had been minted, without the mint's supply. */
  setAmount(address: Address, amount: bigint): void {
    this.patch(address, AMOUNT_AT, u64(amount));
  }

  setSupply(mint: Address, supply: bigint): void {
    this.patch(mint, 36, u64(supply));
  }

  /** Balance of a token account; 0 where there is none. */
  amount(address: Address): bigint {
    return decodeTokenAccount(this.data(address))?.amount ?? 0n;
  }

  supply(mint: Address): bigint {
    return decodeMint(this.data(mint))?.supply ?? 0n;
  }

  /** Runs the instructions as one transaction, and keeps what it did when it succeeds. */
  run(...instructions: Instruction[]): Outcome {
    const message = compileMessage({ version: 0, feePayer: this.payer, instructions, blockhash: this.#blockhash });
    const result = this.svm.sendVersionedTransaction(unsignedTransaction(message));
    const failed = result instanceof FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    const logs = meta.logs();
    return {
      failure: failed ? failureOf(result, logs) : undefined,
      logs,
      computeUnits: Number(meta.computeUnitsConsumed()),
    };
  }
}

function failureOf(result: FailedTransactionMetadata, logs: string[]): Outcome['failure'] {
  for (const line of logs) {
    const [, program, reason] = /^Program (\w+) failed: (.*)$/.exec(line) ?? [];
    if (program && reason) return { program: address(program), reason };
  }
  return { program: undefined, reason: String(result.err()) };
}

function extended(base: Uint8Array, kind: number, extensions: Uint8Array | undefined): Uint8Array {
  if (!extensions) return base;
  const data = new Uint8Array(166 + extensions.length);
  data.set(base);
  data[165] = kind;
  data.set(extensions, 166);
  return data;
}

/** One Token-2022 extension in the form in which accounts hold it. */
export function extension(kind: number, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(kind, 0);
  header.writeUInt16LE(data.length, 2);
  return Buffer.concat([header, data]);
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
