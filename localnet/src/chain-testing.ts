import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type Address,
  addressToBytes,
  compileMessage,
  encodeTransaction,
  type Instruction,
  type Keypair,
  type LookupTable,
  sign,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { LiteSvm } from 'litesvm/dist/internal.js';
import { Chain, type ChainOptions } from './chain.js';

export const SOL = 1_000_000_000n;
const START_MS = Date.UTC(2026, 0, 1);

export interface TestChain {
  chain: Chain;
  /** Wall time in milliseconds; the chain's slots follow it. */
  time: { now: number };
  alice: Keypair;
  bob: Keypair;
  usdc: Address;
  /** Lets this many slots pass. */
  passSlots(count: number): void;
}

/** A chain without a timer, whose wall clock the test moves. Closed when the test ends. */
export async function openTestChain(t: TestContext, options: ChainOptions = {}): Promise<TestChain> {
  const time = { now: START_MS };
  const chain = await Chain.open({ tickMs: 0, now: () => time.now, ...options });
  t.after(() => chain.close());
  return testChain(chain, time);
}

function testChain(chain: Chain, time: { now: number }): TestChain {
  const [alice, bob] = chain.genesis.wallets;
  const usdc = chain.genesis.mints.find(({ symbol }) => symbol === 'USDC');
  if (!alice || !bob || !usdc) throw new Error('the genesis lacks what the tests need');
  const passSlots = (count: number) => {
    time.now += 400 * count;
    chain.tick();
  };
  return { chain, time, alice, bob, usdc: usdc.mint, passSlots };
}

/** A folder that is deleted when the test ends. */
export function tempFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-chain-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface TransactionInput {
  signers: [Keypair, ...Keypair[]];
  instructions: Instruction[];
  blockhash?: string;
  lookupTables?: LookupTable[];
}

/** The wire bytes of a transaction; the first signer pays the fee. */
export function signedTransaction(chain: Chain, input: TransactionInput): Uint8Array {
  const { signers, instructions, lookupTables } = input;
  const message = compileMessage({
    version: lookupTables ? 0 : 'legacy',
    feePayer: signers[0].address,
    instructions,
    blockhash: input.blockhash ?? chain.latestBlockhash().blockhash,
    ...(lookupTables && { lookupTables }),
  });
  return encodeTransaction({ signatures: signers.map((signer) => sign(signer, message)), message });
}

/** Sends a transaction; answers its signature. */
export async function execute(
  chain: Chain,
  signers: [Keypair, ...Keypair[]],
  ...instructions: Instruction[]
): Promise<string> {
  const wire = signedTransaction(chain, { signers, instructions });
  return (await chain.send(wire, { skipPreflight: false })).signature;
}

export async function lamportsOf(chain: Chain, address: Address): Promise<bigint> {
  return (await chain.account(address))?.lamports ?? 0n;
}

/** The code of a real program: that of the token program, which the virtual machine brings along. */
export function programCode(): Buffer {
  const svm = new LiteSvm();
  const program = svm.getAccount(addressToBytes(TOKEN_PROGRAM));
  const code = program && svm.getAccount(program.data().subarray(4, 36));
  if (!code) throw new Error('the virtual machine has no token program');
  return Buffer.from(code.data().subarray(45));
}
