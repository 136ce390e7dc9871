import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Address,
  address,
  addressFromBytes,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  CLOCK_SYSVAR,
  compileMessage,
  decodeMessage,
  decodeMint,
  encodeMint,
  encodeTokenAccount,
  findProgramAddress,
  type Instruction,
  type Mint,
  RENT_SYSVAR,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemCreateAccount,
  TOKEN_PROGRAM,
  type TokenAccount,
  unsignedTransaction,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { Clock, FailedTransactionMetadata, FeatureSet, LiteSvm, Account as VmAccount } from 'litesvm/dist/internal.js';
import { type ProgramName, programFile } from './program-files.js';

export interface Outcome {
  /** Of a transaction that failed: the program that failed first and its reason in the runtime's words. */
  failure: { program: Address | undefined; reason: string } | undefined;
  logs: string[];
  computeUnits: number;
  /** What the programs called, in their order. */
  calls: () => { program: Address; data: Uint8Array }[];
}

const AMOUNT_AT = 64;
const BUFFER_HEADER = 37;
let serial = 0;

/** An address that no other call returns; the same ones in every run. */
export function newAddress(): Address {
  const bytes = Buffer.alloc(32, 0xa5);
  bytes.writeUInt32BE(++serial, 0);
  return addressFromBytes(bytes);
}

/** The program under test: SLIPWAY_PROGRAMS names a folder in which changed ones are. */
export function programUnderTest(name: ProgramName): Buffer {
  const folder = process.env.SLIPWAY_PROGRAMS;
  const changed = folder && join(folder, `${name}.so`);
  return readFileSync(changed && existsSync(changed) ? changed : programFile(name));
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
    const data = this.data(address);
    return data.length < AMOUNT_AT + 8 ? 0n : data.readBigUInt64LE(AMOUNT_AT);
  }

  supply(mint: Address): bigint {
    return decodeMint(this.data(mint))?.supply ?? 0n;
  }

  /** Sets the chain's time, in unix seconds, and its slot. */
  setTime(unixTimestamp: bigint, slot?: bigint): void {
    const { slot: current, epochStartTimestamp, epoch, leaderScheduleEpoch } = this.svm.getClock();
    this.svm.setClock(new Clock(slot ?? current, epochStartTimestamp, epoch, leaderScheduleEpoch, unixTimestamp));
  }

  /**
   * Deploys a program with the upgradeable loader's own instruction, from a buffer that is already written. The payer is
   * its upgrade authority.
   */
  deploy(program: Address, elf: Uint8Array): void {
    const header = Buffer.alloc(BUFFER_HEADER);
    header.writeUInt32LE(1, 0); // a buffer …
    header[4] = 1; // … with an authority
    header.set(addressToBytes(this.payer), 5);
    const buffer = findProgramAddress([Buffer.from('buffer')], program).address;
    const size = BUFFER_HEADER + elf.length;
    this.put(buffer, Buffer.concat([header, elf]), BPF_LOADER_UPGRADEABLE, rentExemptLamports(size + 8));
    const programData = findProgramAddress([addressToBytes(program)], BPF_LOADER_UPGRADEABLE).address;
    const create = { payer: this.payer, newAccount: program, lamports: rentExemptLamports(36), space: 36 };
    succeeded(
      this.run(systemCreateAccount({ ...create, owner: BPF_LOADER_UPGRADEABLE }), {
        program: BPF_LOADER_UPGRADEABLE,
        accounts: [
          writableSigner(this.payer),
          ...[programData, program, buffer].map(writableAccount),
          ...[RENT_SYSVAR, CLOCK_SYSVAR, SYSTEM_PROGRAM].map(readonlyAccount),
          readonlySigner(this.payer),
        ],
        data: Buffer.concat([Buffer.from([2, 0, 0, 0]), u64(BigInt(elf.length))]),
      }),
    );
    this.svm.warpToSlot(this.svm.getClock().slot + 1n);
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
      calls: () => {
        const keys = decodeMessage(message).accounts;
        const inner = meta.innerInstructions().flat();
        return inner
          .map((one) => one.instruction())
          .map((call) => ({ program: keys[call.programIdIndex()]!, data: call.data() }));
      },
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

export function succeeded(outcome: Outcome): Outcome {
  assert.equal(outcome.failure, undefined, outcome.logs.join('\n'));
  return outcome;
}

/** The named program failed first, with this reason in the runtime's words. */
export function failedWith(outcome: Outcome, reason: string, program: Address): void {
  assert.deepEqual(outcome.failure, { program, reason }, outcome.logs.join('\n'));
}

/** The named program itself refused, with the error of this name in its table. */
export function refusedWith(
  outcome: Outcome,
  name: string,
  errors: Readonly<Record<number, string>>,
  program: Address,
): void {
  const number = Object.entries(errors).find(([, value]) => value === name)?.[0];
  failedWith(outcome, `custom program error: 0x${Number(number).toString(16)}`, program);
}

/** Compute units of a program without those of the other programs that it called and that say so. */
export function ownUnits(outcome: Outcome, program: Address): number {
  return ownUnitsOfEach(outcome, program).reduce((all, units) => all + units, 0);
}

/** The same for each instruction of the program in the transaction. */
export function ownUnitsOfEach({ logs }: Outcome, program: Address): number[] {
  const each: number[] = [];
  let others = 0;
  let depth = 0;
  for (const line of logs) {
    depth = Number(/^Program \w+ invoke \[(\d+)\]/.exec(line)?.[1] ?? depth);
    const [, who, units] = /^Program (\w+) consumed (\d+) of/.exec(line) ?? [];
    if (depth === 2 && units && who !== program) others += Number(units);
    if (depth === 1 && units) {
      if (who === program) each.push(Number(units) - others);
      others = 0;
    }
    if (/^Program \w+ (success|failed)/.test(line)) depth--;
  }
  return each;
}

/** The instruction with some accounts replaced, by their places. */
export function withAccounts(instruction: Instruction, replaced: Partial<Record<number, Address>>): Instruction {
  const accounts = instruction.accounts.map((meta, i) => ({ ...meta, address: replaced[i] ?? meta.address }));
  return { ...instruction, accounts };
}

export type Random = (below: number) => number;

/** Numbers below 2^32 from a seed (xorshift), the same in every run. */
export function randomNumbers(seed: number): Random {
  let x = seed;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}
