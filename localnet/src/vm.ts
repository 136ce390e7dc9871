import {
  type Address,
  addressFromBytes,
  addressToBytes,
  BPF_LOADER_2,
  BPF_LOADER_UPGRADEABLE,
  NATIVE_LOADER,
  SLOT_HASHES_SYSVAR,
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  address as toAddress,
} from '@slipway/wire';
import {
  Clock,
  EpochSchedule,
  FailedTransactionMetadata,
  LiteSvm,
  Rent,
  type TransactionMetadata,
  Account as VmAccount,
} from 'litesvm/dist/internal.js';
import { asBuffer, rawKey } from './bytes.js';
import { ChainError } from './chain-error.js';
import { transactionErrorJson } from './errors.js';
import type { Account, AddressedAccount, InnerInstructionGroup, ReturnData, TransactionErrorJson } from './types.js';

export const SLOTS_PER_EPOCH = 432_000n;

// Owners of the accounts that the virtual machine comes with; what the System program owns is its faucet, not ours.
const BUILTIN_OWNERS = [
  NATIVE_LOADER,
  toAddress('BPFLoader1111111111111111111111111111111111'),
  BPF_LOADER_2,
  BPF_LOADER_UPGRADEABLE,
  toAddress('Config1111111111111111111111111111111111111'),
  toAddress('Feature111111111111111111111111111111111111'),
];

export interface ExecutionResult {
  err: TransactionErrorJson | null;
  logs: string[];
  unitsConsumed: bigint;
  returnData: ReturnData | null;
  innerInstructions: InnerInstructionGroup[];
}

interface SimulationRun extends ExecutionResult {
  /** The wanted accounts after it; none when it failed. */
  postAccounts: AddressedAccount[];
}

/**
 * The Solana virtual machine. It holds copies of accounts and is told before each run which ones it needs; what it
 * does not do for itself (blockhash age, replay protection) its caller does before a run.
 */
export class Vm {
  readonly #svm = new LiteSvm();
  // What the machine holds of accounts that were put into it: the very objects, so that identity tells what is stale.
  readonly #held = new Map<Address, Account>();
  readonly #addresses = new Map<string, Address>();
  readonly #sysvars = new Set<Address>();

  /** @param lamportsPerByte - the rent that it asks for */
  constructor(lamportsPerByte: bigint) {
    // Since SIMD-0194, the threshold in years is 1, and the rate holds it.
    this.#svm.setRent(new Rent(lamportsPerByte, 1, 50));
    this.#svm.setTransactionHistory(0n);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setEpochSchedule(new EpochSchedule(SLOTS_PER_EPOCH, SLOTS_PER_EPOCH, false, 0n, 0n));
    for (const { address } of this.#svm.getProgramAccounts(addressToBytes(SYSVAR_OWNER))) {
      this.#sysvars.add(addressFromBytes(address));
    }
  }

  /** The slot that the machine's set of features belongs to. */
  get slot(): bigint {
    return this.#svm.getClock().slot;
  }

  /** The programs and other accounts that the machine comes with, without the sysvars. */
  takeBuiltins(): AddressedAccount[] {
    const builtins = BUILTIN_OWNERS.flatMap((owner) => this.#svm.getProgramAccounts(addressToBytes(owner))).map(
      (entry) => ({ address: addressFromBytes(entry.address), account: this.#account(entry.account()) }),
    );
    for (const { address, account } of builtins) this.#held.set(address, account);
    return builtins;
  }

  get sysvars(): Iterable<Address> {
    return this.#sysvars;
  }

  isSysvar(address: Address): boolean {
    return this.#sysvars.has(address);
  }

  /** Sets the clock and the `SlotHashes` sysvar, given in the sysvar's own form. */
  setTime(slot: bigint, unixTimestamp: bigint, slotHashes: Buffer): void {
    const epoch = slot / SLOTS_PER_EPOCH;
    this.#svm.setClock(new Clock(slot, unixTimestamp, epoch, epoch + 1n, unixTimestamp));
    this.#put(SLOT_HASHES_SYSVAR, { lamports: 1n, owner: SYSVAR_OWNER, executable: false, data: slotHashes });
  }

  /** The account as the machine holds it; `known` itself where it is no other. */
  read(address: Address, known?: Account): Account | undefined {
    const found = this.#svm.getAccount(addressToBytes(address));
    if (!found || found.lamports() === 0n) return undefined;
    const account = this.#account(found);
    return known && isSameAccount(account, known) ? known : account;
  }

  /** Like `read`, of an account that a run may have changed: the machine's copy counts as up to date from now on. */
  readBack(address: Address, known: Account | undefined): Account | undefined {
    const account = this.read(address, known);
    if (account) this.#held.set(address, account);
    else this.#held.delete(address);
    return account;
  }

  /**
   * Brings the machine's copies of these accounts up to date with `lookup`, and with them the code of upgradeable
   * programs. Throws a ChainError of the kind `invalid` when a program's code cannot be loaded.
   */
  sync(addresses: Iterable<Address>, lookup: (address: Address) => Account | undefined): void {
    const programs: [Address, Account][] = [];
    for (const address of addresses) {
      const account = lookup(address);
      if (account && isUpgradeableProgram(account)) programs.push([address, account]);
      else if (this.#held.get(address) !== account) this.put(address, account);
    }
    for (const [address, account] of programs) {
      const code = programDataAddress(account);
      const codeAccount = lookup(code);
      const codeChanged = this.#held.get(code) !== codeAccount;
      // The code must be there first: the machine loads it when it is given the program's account.
      if (codeChanged) this.put(code, codeAccount);
      if (codeChanged || this.#held.get(address) !== account) this.put(address, account);
    }
  }

  /** Overwrites the machine's copy of an account; undefined removes it. */
  put(address: Address, account: Account | undefined): void {
    try {
      this.#put(address, account ?? { lamports: 0n, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ChainError('invalid', `${address} is no program that can be loaded: ${reason}`);
    }
    if (account) this.#held.set(address, account);
    else this.#held.delete(address);
  }

  /** Runs a transaction for good. Of a refused one nothing remains; a failed one has still paid its fee. */
  execute(wire: Uint8Array): ExecutionResult {
    const result = this.#svm.sendVersionedTransaction(wire);
    return result instanceof FailedTransactionMetadata
      ? this.#result(result.meta(), transactionErrorJson(result.err()))
      : this.#result(result, null);
  }

  /** Runs a transaction and forgets its effects, but for what it leaves of the `wanted` accounts. */
  simulate(wire: Uint8Array, sigVerify: boolean, wanted: Set<Address>): SimulationRun {
    this.#svm.setSigverify(sigVerify);
    try {
      const result = this.#svm.simulateVersionedTransaction(wire);
      if (result instanceof FailedTransactionMetadata) {
        return { ...this.#result(result.meta(), transactionErrorJson(result.err())), postAccounts: [] };
      }
      const postAccounts = result.postAccounts().flatMap((entry) => {
        const address = addressFromBytes(entry.address);
        return wanted.has(address) ? [{ address, account: this.#account(entry.account()) }] : [];
      });
      return { ...this.#result(result.meta(), null), postAccounts };
    } finally {
      this.#svm.setSigverify(true);
    }
  }

  #put(address: Address, { lamports, owner, executable, data }: Account): void {
    this.#svm.setAccount(addressToBytes(address), new VmAccount(lamports, data, addressToBytes(owner), executable, 0n));
  }

  #account(account: VmAccount): Account {
    return {
      lamports: account.lamports(),
      owner: this.#address(account.owner()),
      executable: account.executable(),
      data: account.data(),
    };
  }

  // Few programs own all accounts: their base58 is made once.
  #address(bytes: Uint8Array): Address {
    const key = rawKey(bytes);
    let address = this.#addresses.get(key);
    if (address === undefined) {
      address = addressFromBytes(bytes);
      if (this.#addresses.size < 10_000) this.#addresses.set(key, address);
    }
    return address;
  }

  #result(meta: TransactionMetadata, err: TransactionErrorJson | null): ExecutionResult {
    const returned = meta.returnData();
    const data = returned.data();
    return {
      err,
      logs: meta.logs(),
      unitsConsumed: meta.computeUnitsConsumed(),
      returnData: data.length > 0 ? { programId: this.#address(returned.programId()), data } : null,
      innerInstructions: innerInstructionGroups(meta),
    };
  }
}

/** Whether the account is a program of the upgradeable loader, whose code stands in another account. */
export function isUpgradeableProgram({ executable, owner, data }: Account): boolean {
  return executable && owner === BPF_LOADER_UPGRADEABLE && data.length >= 36;
}

/** The account that holds the code of an upgradeable program. */
export function programDataAddress(program: Account): Address {
  return addressFromBytes(program.data, 4);
}

export function isSameAccount(a: Account, b: Account): boolean {
  return (
    a.lamports === b.lamports &&
    a.owner === b.owner &&
    a.executable === b.executable &&
    a.data.length === b.data.length &&
    asBuffer(a.data).equals(b.data)
  );
}

function innerInstructionGroups(meta: TransactionMetadata): InnerInstructionGroup[] {
  const groups: InnerInstructionGroup[] = [];
  for (const [index, inner] of meta.innerInstructions().entries()) {
    if (inner.length === 0) continue;
    const instructions = inner.map((entry) => {
      const instruction = entry.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: instruction.data(),
        stackHeight: entry.stackHeight(),
      };
    });
    groups.push({ index, instructions });
  }
  return groups;
}
