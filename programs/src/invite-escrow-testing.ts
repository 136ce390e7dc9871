import assert from 'node:assert/strict';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  associatedTokenAddress,
  associatedTokenRent,
  findProgramAddress,
  type Instruction,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import {
  claimInvite,
  claimTokenInvite,
  clawbackInvite,
  clawbackTokenInvite,
  expireInvite,
  expireTokenInvite,
  INVITE_PROGRAM,
  initializeInvite,
  initializeTokenInvite,
  inviteAddress,
  inviteEscrow,
} from './invite-escrow.js';
import { INVITE_ERRORS } from './invite-escrow-errors.js';
import { INVITE_INFO_SIZE, INVITE_INFO_TOKEN_SIZE } from './invite-escrow-state.js';
import { newAddress, type Outcome, programUnderTest, refusedWith, succeeded, TestVm } from './test-vm.js';

export const NOW = 1_700_000_000n;
export const U64_MAX = 2n ** 64n - 1n;
/** What an account without data must hold, and so the least that an invite of SOL can be of. */
export const LEAST_LAMPORTS = rentExemptLamports(0);
const INFO_RENT = rentExemptLamports(INVITE_INFO_SIZE);
export const TOKEN_INFO_RENT = rentExemptLamports(INVITE_INFO_TOKEN_SIZE);
const WALLET_LAMPORTS = 10n ** 11n;

export const KINDS = ['sol', 'spl', 'token-2022', 'wrapped'] as const;
export type Kind = (typeof KINDS)[number];

interface InviteOptions {
  kind?: Kind;
  /** Token-2022 extensions of the mint, and of the sender's token account. */
  mintExtensions?: Uint8Array;
  accountExtensions?: Uint8Array;
  amount?: bigint;
  expiry?: bigint;
  program?: Address;
  /** Bump of the invite's address; the default costs the least. */
  bump?: number;
}

export interface InviteWorld {
  vm: TestVm;
  kind: Kind;
  program: Address;
  sender: Address;
  inviteSigner: Address;
  /** A wallet that has nothing. */
  claimer: Address;
  keeper: Address;
  inviteInfo: Address;
  amount: bigint;
  expiry: bigint;
  mint: Address;
  tokenProgram: Address;
  /** Rent of the invite's account, and of its escrow: 0 for SOL. */
  infoRent: bigint;
  escrowRent: bigint;
  escrow: Address;
  /** The sender's associated token account. */
  senderTokenAccount: Address;
  /** The claimer's; not there yet. */
  claimerTokenAccount: Address;
}

/** A machine with the program as the upgradeable loader deploys it. With all features it is stricter. */
export function inviteVm(features: 'default' | 'all' = 'default', program = INVITE_PROGRAM): TestVm {
  const vm = new TestVm(features);
  vm.deploy(program, programUnderTest('invite-escrow'));
  vm.setTime(NOW);
  vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
  return vm;
}

export function wallet(vm: TestVm, lamports = WALLET_LAMPORTS): Address {
  return vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, lamports);
}

function mintOf(vm: TestVm, kind: Kind, extensions: Uint8Array | undefined): Address {
  if (kind === 'sol' || kind === 'wrapped') return WRAPPED_SOL_MINT;
  if (kind === 'spl') return vm.mint();
  return vm.mint({ tokenProgram: TOKEN_2022_PROGRAM, ...(extensions && { extensions }) });
}

/** A token account of this mint; one of wrapped SOL has the lamports that belong to its amount. */
export function holding(
  vm: TestVm,
  mint: Address,
  owner: Address,
  amount: bigint,
  more: { address?: Address; extensions?: Uint8Array } = {},
): Address {
  const { address = newAddress(), extensions } = more;
  const isNative = mint === WRAPPED_SOL_MINT;
  const rent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const native = isNative && { isNative, rentExemptReserve: rent };
  const tokenProgram = isNative ? TOKEN_PROGRAM : vm.owner(mint);
  vm.tokenAccount({ address, mint, owner, amount, tokenProgram, ...native, ...(extensions && { extensions }) });
  if (isNative) vm.put(address, vm.data(address), TOKEN_PROGRAM, rent + amount);
  return address;
}

function keyOfBump(program: Address, bump: number): Address {
  for (;;) {
    const key = newAddress();
    if (inviteBump(key, program) === bump) return key;
  }
}
const inviteBump = (key: Address, program: Address) =>
  findProgramAddress([Buffer.from('invite'), addressToBytes(key)], program).bump;

/** A sender, a claimer, a keeper and all that an invite needs, before it is made. */
export function newInvite(vm: TestVm, options: InviteOptions = {}): InviteWorld {
  const { kind = 'spl', program = INVITE_PROGRAM, expiry = NOW + 100n } = options;
  const amount = options.amount ?? (kind === 'sol' ? 5_000_000n : 1_000_000n);
  const mint = mintOf(vm, kind, options.mintExtensions);
  const tokenProgram = kind === 'token-2022' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
  const inviteSigner = keyOfBump(program, options.bump ?? 255);
  const inviteInfo = inviteAddress(inviteSigner, program);
  const [sender, keeper, claimer] = [wallet(vm), wallet(vm), newAddress()];
  const senderTokenAccount = associatedTokenAddress(sender, mint, tokenProgram);
  if (kind !== 'sol') {
    const extensions = options.accountExtensions;
    const held = amount > U64_MAX - 777n || kind === 'wrapped' ? amount : amount + 777n;
    holding(vm, mint, sender, held, { address: senderTokenAccount, ...(extensions && { extensions }) });
  }
  return {
    vm,
    kind,
    program,
    sender,
    inviteSigner,
    claimer,
    keeper,
    inviteInfo,
    amount,
    expiry,
    mint,
    tokenProgram,
    infoRent: kind === 'sol' ? INFO_RENT : TOKEN_INFO_RENT,
    escrowRent: kind === 'sol' ? 0n : associatedTokenRent(tokenProgram),
    escrow: inviteEscrow(inviteInfo, mint, tokenProgram),
    senderTokenAccount,
    claimerTokenAccount: associatedTokenAddress(claimer, mint, tokenProgram),
  };
}

/** The same, made. */
export function openInvite(vm: TestVm, options: InviteOptions = {}): InviteWorld {
  const world = newInvite(vm, options);
  succeeded(vm.run(openingOf(world)));
  return world;
}

export const openingOf = (world: InviteWorld): Instruction =>
  (world.kind === 'sol' ? initializeInvite : initializeTokenInvite)(world, world.program);

/** What ends an invite, by its name; `who` stands for accounts that are others. */
export const ENDS = {
  claim: (world: InviteWorld, who: Partial<InviteWorld> = {}): Instruction =>
    (world.kind === 'sol' ? claimInvite : claimTokenInvite)({ ...world, ...who }, world.program),
  clawback: (world: InviteWorld, who: Partial<InviteWorld> = {}): Instruction =>
    (world.kind === 'sol' ? clawbackInvite : clawbackTokenInvite)({ ...world, ...who }, world.program),
  expire: (world: InviteWorld, who: Partial<InviteWorld> = {}): Instruction =>
    (world.kind === 'sol' ? expireInvite : expireTokenInvite)({ ...world, ...who }, world.program),
};
export type End = keyof typeof ENDS;
export const END_NAMES = Object.keys(ENDS) as End[];

/** Runs what follows at a time when this end of the invite is allowed. */
export function atTimeOf(world: InviteWorld, end: End, run: () => void): void {
  world.vm.setTime(end === 'expire' ? world.expiry : world.expiry - 1n);
  try {
    run();
  } finally {
    world.vm.setTime(NOW);
  }
}

const WALLETS = ['sender', 'claimer', 'keeper', 'inviteSigner', 'inviteInfo'] as const;
const TOKENS = ['senderTokenAccount', 'claimerTokenAccount', 'escrow'] as const;

/**
 * Remembers what everybody has now. The function that it gives says what has changed since: lamports by the wallet's name
 * and by `<token account> lamports`, tokens by the token account's name.
 */
export function watch(world: InviteWorld): () => Record<string, bigint> {
  const { vm } = world;
  const now = () => [
    ...WALLETS.map((name) => [name, vm.lamports(world[name])] as const),
    ...TOKENS.map((name) => [`${name} lamports`, vm.lamports(world[name])] as const),
    ...TOKENS.map((name) => [name, vm.amount(world[name])] as const),
  ];
  const before = new Map<string, bigint>(now());
  return () => nonZero(Object.fromEntries(now().map(([name, held]) => [name, held - before.get(name)!])));
}

/** Changes as `watch` tells them. */
export function nonZero(changes: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== 0n));
}

type ErrorName = (typeof INVITE_ERRORS)[keyof typeof INVITE_ERRORS];

/** The program itself refused, with the error of this name. */
export function refused(outcome: Outcome, name: ErrorName): void {
  refusedWith(outcome, name, INVITE_ERRORS, INVITE_PROGRAM);
}

/** The program itself refuses the instructions with the error of this name, and nobody has more or less. */
export function refuses(world: InviteWorld, name: ErrorName, ...instructions: Instruction[]): void {
  const moved = watch(world);
  refused(world.vm.run(...instructions), name);
  assert.deepEqual(moved(), {});
}

/** Addresses that differ from this one by a bit. */
export const near = (address: Address) =>
  Array.from({ length: 32 }, (_, i) => {
    const bytes = addressToBytes(address);
    bytes[i]! ^= 1;
    return addressFromBytes(bytes);
  });
