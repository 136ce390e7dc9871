import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import {
  type Address,
  address,
  addressFromBytes,
  addressToBytes,
  associatedTokenAddress,
  BPF_LOADER_UPGRADEABLE,
  compileMessage,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  findProgramAddress,
  generateKeypair,
  type Instruction,
  type Keypair,
  type LookupTable,
  SYSTEM_PROGRAM,
  sign,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { Chain } from './chain.js';
import { createUpstream } from './fork.js';
import { genesisPools } from './genesis-pools.js';
import { createCall } from './rpc/call.js';
import { Subscriptions } from './rpc/subscriptions.js';
import { type RunningServer, startServer } from './server.js';
import type { Account } from './types.js';
import { programDataAddress } from './vm.js';

export const SOL = 1_000_000_000n;
export const USDC = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
export const JUP = address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN');
export const DECIMALS = 6;

export const randomAddress = () => addressFromBytes(randomBytes(32));

/** The bytes of the token program that every chain brings along. */
async function tokenProgramElf(chain: Chain): Promise<Uint8Array> {
  const program = await chain.account(TOKEN_PROGRAM);
  const code = await chain.account(programDataAddress(program!));
  return code!.data.subarray(45);
}

export function accountOf(owner: Address, data: Uint8Array, lamports = 10n * SOL): Account {
  return { lamports, owner, executable: false, data };
}

export function mintOf(mintAuthority: Address, supply: bigint): Uint8Array {
  return encodeMint({ decimals: DECIMALS, supply, mintAuthority, initialized: true });
}

export function tokensOf(mint: Address, owner: Address, amount: bigint): Uint8Array {
  return encodeTokenAccount({ mint, owner, amount, state: 'initialized', delegatedAmount: 0n, isNative: false });
}

/** An active table that nobody may extend any more. */
export function lookupTableOf(addresses: Address[]): Uint8Array {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4);
  return new Uint8Array(Buffer.concat([head, ...addresses.map(addressToBytes)]));
}

/** The token program once more, as the upgradeable loader leaves a program at an address of its own. */
export async function deployTokenProgram(chain: Chain): Promise<Address> {
  const elf = await tokenProgramElf(chain);
  const program = randomAddress();
  const programData = findProgramAddress([addressToBytes(program)], BPF_LOADER_UPGRADEABLE).address;
  const pointer = new Uint8Array(36);
  pointer[0] = 2;
  pointer.set(addressToBytes(programData), 4);
  const code = new Uint8Array(45 + elf.length);
  code[0] = 3;
  code.set(elf, 45);
  await chain.setAccount(programData, accountOf(BPF_LOADER_UPGRADEABLE, code));
  await chain.setAccount(program, { ...accountOf(BPF_LOADER_UPGRADEABLE, pointer), executable: true });
  return program;
}

interface Fixture {
  upstream: Chain;
  /** Of the upstream's RPC. */
  server: RunningServer;
  /** Milliseconds; the fork's wall time. */
  time: { now: number };
  openFork(dataDir?: string): Promise<Chain>;
  /** Owner of everything below. */
  holder: Keypair;
  mintAuthority: Address;
  mint: Address;
  holderTokens: Address;
  otherTokens: Address;
}

export const MINT_SUPPLY = 5_000n;
const USDC_SUPPLY = 77_000_000n;

/** An upstream that knows nothing of our genesis but has a USDC mint of its own, a token, and two holders of it. */
export async function startUpstream(t: TestContext): Promise<Fixture> {
  const upstream = await Chain.open({ tickMs: 0 });
  await removeGenesis(upstream);
  const server = await serve(upstream);
  const forks: Chain[] = [];
  t.after(async () => {
    for (const fork of forks) await fork.close();
    await server.close();
    await upstream.close();
  });
  const time = { now: Date.now() };
  const holder = generateKeypair();
  const [mint, mintAuthority, holderTokens, otherTokens] = [
    randomAddress(),
    randomAddress(),
    randomAddress(),
    randomAddress(),
  ];
  await upstream.setAccount(holder.address, accountOf(SYSTEM_PROGRAM, new Uint8Array()));
  await upstream.setAccount(mint, accountOf(TOKEN_PROGRAM, mintOf(mintAuthority, MINT_SUPPLY)));
  await upstream.setAccount(USDC, accountOf(TOKEN_PROGRAM, mintOf(mintAuthority, USDC_SUPPLY)));
  await upstream.setAccount(holderTokens, accountOf(TOKEN_PROGRAM, tokensOf(mint, holder.address, 4_000n)));
  await upstream.setAccount(otherTokens, accountOf(TOKEN_PROGRAM, tokensOf(mint, randomAddress(), 1_000n)));
  const openFork = async (dataDir?: string) => {
    const fork = await Chain.open({
      upstream: createUpstream({ url: server.rpcUrl, sleep: async () => {} }),
      tickMs: 0,
      now: () => time.now,
      ...(dataDir === undefined ? {} : { dataDir }),
    });
    forks.push(fork);
    return fork;
  };
  return { upstream, server, time, openFork, holder, mintAuthority, mint, holderTokens, otherTokens };
}

function serve(chain: Chain) {
  const log = () => {};
  const subscriptions = new Subscriptions(chain, log);
  return startServer({ host: '127.0.0.1', rpcPort: 0, call: createCall(chain, null, log), subscriptions });
}

async function removeGenesis(chain: Chain): Promise<void> {
  const { wallets, mints, receiver, programs } = chain.genesis;
  const pools = genesisPools(mints, chain.faucet).flatMap(({ accounts }) => accounts);
  for (const { address } of [...pools, ...programs]) await chain.setAccount(address, undefined);
  const owners = [...wallets.map((wallet) => wallet.address), receiver, chain.faucet];
  const tokenAccounts = owners.flatMap((owner) => mints.map(({ mint }) => associatedTokenAddress(owner, mint)));
  for (const address of [...owners, ...tokenAccounts, ...mints.map(({ mint }) => mint)]) {
    await chain.setAccount(address, undefined);
  }
}

export async function execute(
  chain: Chain,
  payer: Keypair,
  instructions: Instruction[],
  lookupTables: LookupTable[] = [],
): Promise<void> {
  const { blockhash } = chain.latestBlockhash();
  const message = compileMessage({ version: 0, feePayer: payer.address, instructions, blockhash, lookupTables });
  const wire = encodeTransaction({ signatures: [sign(payer, message)], message });
  const { signature } = await chain.send(wire, { skipPreflight: false });
  assert.equal(chain.status(signature)?.err, null);
}

export async function tokens(chain: Chain, address: Address): Promise<bigint | undefined> {
  const account = await chain.account(address);
  return account && decodeTokenAccount(account.data)?.amount;
}
