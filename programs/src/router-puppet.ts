import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AccountMeta,
  type Address,
  addressFromBytes,
  findProgramAddress,
  type Instruction,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  type TokenAccount,
  tokenTransferChecked,
} from '@slipway/wire';
import { compileProgram, installedToolchain, TOOLCHAIN } from '../tools/toolchain.mjs';
import { type RouteHop, routeInstruction } from './router.js';
import { holding, newToken, routerVm, type Token } from './router-testing.js';
import { extension, newAddress, type Outcome } from './test-vm.js';

// A venue for tests that does what it is told: router/test/puppet.
const installed = installedToolchain();
const skip =
  installed.clang === TOOLCHAIN.clang && installed.ld === TOOLCHAIN.ld
    ? false
    : `needs clang-19 ${TOOLCHAIN.clang} and bpf-ld ${TOOLCHAIN.ld} (clang-19, binutils-bpf)`;
/** Options of a test that needs the puppet. */
export const withPuppet = { skip };

export const PUPPET_PROGRAM: Address = addressFromBytes(Buffer.alloc(32, 'puppet'));
/** It signs for this address, beside what it is given. */
export const PUPPET = findProgramAddress([Buffer.from('puppet')], PUPPET_PROGRAM);

/** The puppet's program, built from router/test when it is first needed. */
function buildPuppet(): Buffer {
  const programs = fileURLToPath(new URL('..', import.meta.url));
  const root = mkdtempSync(join(tmpdir(), 'slipway-puppet-'));
  try {
    cpSync(join(programs, 'base'), join(root, 'base'), { recursive: true });
    cpSync(join(programs, 'router/test/puppet'), join(root, 'puppet'), { recursive: true });
    return compileProgram('puppet', root).file;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

let built: Buffer | undefined;
const puppet = () => (built ??= buildPuppet());

/** What the puppet does: a call, or bytes that it writes into an account of its own. */
export type Step = Instruction | { write: Uint8Array; into: Address; at: number };

/** A payment of a token with 6 decimals. */
export function payment(token: Token, source: Address, destination: Address, authority: Address, amount: bigint): Step {
  const { mint, program: tokenProgram } = token;
  return tokenTransferChecked({ source, mint, destination, authority, amount, decimals: 6, tokenProgram });
}

/** A hop over the puppet with the taker's signature, and with every account writable that a step writes to. */
export function puppetHop(taker: Address, from: Address, to: Address, steps: Step[], shareBps = 10_000): RouteHop {
  const accounts: AccountMeta[] = [];
  const number = (address: Address, writable: boolean) => {
    const known = accounts.findIndex((meta) => meta.address === address);
    if (known >= 0) accounts[known]!.writable ||= writable;
    return known >= 0 ? known : accounts.push({ address, signer: address === taker, writable }) - 1;
  };
  const bytes = steps.flatMap((step) => {
    if ('write' in step) return [1, number(step.into, true), step.at, step.write.length, ...step.write];
    const roles = step.accounts.map(
      (meta) => number(meta.address, meta.writable) | ((Number(meta.writable) | (Number(meta.signer) << 1)) << 6),
    );
    return [0, number(step.program, false), roles.length, step.data.length, ...roles, ...step.data];
  });
  const data = Uint8Array.from([...new Uint8Array(8), PUPPET.bump, ...bytes]);
  return { program: PUPPET_PROGRAM, accounts, data, amountOffset: 0, from, to, shareBps };
}

/** What each of the taker's token accounts holds, and the puppet's till for what it pays. */
export const FUNDS = 10_000n;
/** Lamports of the taker. */
export const WALLET = 10n ** 9n;
const IMMUTABLE_OWNER = 7;

/** A taker with tokens of two mints, in the accounts of the route and in others; the puppet has plenty of both. */
export function openPuppetWorld() {
  const vm = routerVm();
  vm.addProgram(PUPPET_PROGRAM, puppet());
  const taker = vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, WALLET);
  const spender = newAddress();
  const ins = newToken(vm);
  const outs = newToken(vm, TOKEN_2022_PROGRAM);
  const own = (token: typeof ins, more: Partial<TokenAccount> & { extensions?: Uint8Array } = {}) =>
    vm.tokenAccount({ mint: token.mint, owner: taker, amount: FUNDS, tokenProgram: token.program, ...more });
  const accounts = {
    source: own(ins, { delegate: spender, delegatedAmount: 5n, closeAuthority: spender }),
    destination: own(outs),
    spare: own(ins),
    spare2022: own(outs, { extensions: extension(IMMUTABLE_OWNER) }),
    empty: own(ins, { amount: 0n }),
    frozen: own(ins, { amount: 0n, state: 'frozen' }),
    till: holding(vm, ins, PUPPET.address),
    till2022: holding(vm, outs, PUPPET.address, FUNDS),
  };
  const fair: Step[] = [
    payment(ins, accounts.source, accounts.till, taker, 1_000n),
    payment(outs, accounts.till2022, accounts.destination, PUPPET.address, 500n),
  ];
  const run = (steps: Step[], parts: { amountIn?: bigint; minOut?: bigint } = {}): Outcome => {
    const { source, destination } = accounts;
    const { amountIn = 1_000n, minOut = 500n } = parts;
    const hops = [puppetHop(taker, source, destination, steps)];
    return vm.run(routeInstruction({ taker, source, destination, amountIn, minOut, hops }));
  };
  return { vm, taker, spender, ins, outs, accounts, fair, run };
}
export type PuppetWorld = ReturnType<typeof openPuppetWorld>;

export const meta = (address: Address, signer = false, writable = true): AccountMeta => ({ address, signer, writable });
