import assert from 'node:assert/strict';
import { startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { pino } from 'pino';
import { createChain, createLocalRpc, type Rpc } from '../../chain/index.js';
import { startTestServer } from '../../http/testing.js';
import { Landing } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { testSigner, USDC } from '../../sandbox/maker/testing.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { signed } from '../trigger-v1/testing.js';
import type { TransfersDeps } from './deps.js';
import { registerTransfers } from './index.js';
import type { CraftReclaimAnswer, ExecuteAnswer, TransferAnswer } from './schema.js';

export { USDC } from '../../sandbox/maker/testing.js';

export { signed };

const headers = { 'x-api-key': 'good-key' };
const SOL_USD = 150;

/** The sandbox's chain, and the area behind HTTP. `wrapRpc` changes what the area reads, not what it sends. */
export async function openTransfersWorld(wrapRpc: (rpc: Rpc) => Rpc = (rpc) => rpc) {
  const net = await startLocalnet({ rpcPort: 0 });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const chain = createChain({ rpc: wrapRpc(rpc), steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  const store = await openAnyStore();
  const log = pino({ level: 'silent' });
  const signer = testSigner();
  const given = { store, clock, steadyNow, chain, signer, log };
  const landing = new Landing({ ...given, sendRpcs: [rpc], settlements: {}, observe: () => {} });
  const usd = (mint: Address) => (mint === WRAPPED_SOL_MINT ? SOL_USD : undefined);
  const deps: TransfersDeps = {
    clock,
    chain,
    landing,
    prices: { usd, quote: () => undefined },
    remember: (request) => store.transaction((tx) => insertCrafted(tx, [request])),
    findRequest: (id) => findRequest(store, id),
  };
  const { app } = await startTestServer((server) => registerTransfers(server, deps));
  const get = async (url: string, query: Record<string, string>) => {
    const answer = await app.inject({ url: `${url}?${new URLSearchParams(query)}`, headers });
    return { status: answer.statusCode, body: answer.json() as TransferAnswer & { error?: string } };
  };
  const post = async <T>(url: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url, headers, payload });
    return { status: answer.statusCode, body: answer.json() as T & { error?: string; code?: number } };
  };
  return {
    rpc,
    clock,
    chain,
    store,
    deps,
    craftNative: (query: Record<string, string>) => get('/ultra/v1/transfer/craft-native', query),
    craftToken: (query: Record<string, string>) => get('/ultra/v1/transfer/craft-token', query),
    execute: (body: object) => post<ExecuteAnswer>('/ultra/v1/transfer/execute', body),
    craftReclaim: (body: object) => post<CraftReclaimAnswer>('/ultra/v1/reclaim/craft', body),
    executeReclaim: (body: object) => post<ExecuteAnswer>('/ultra/v1/reclaim/execute', body),
    async close() {
      await app.close();
      landing.close();
      await store.close();
      await net.close();
    },
  };
}
export type TransfersWorld = Awaited<ReturnType<typeof openTransfersWorld>>;

export async function newWallet({ rpc }: TransfersWorld, lamports: bigint, usdc = 0n): Promise<Keypair> {
  const wallet = generateKeypair();
  await rpc.call('requestAirdrop', [wallet.address, Number(lamports)]);
  if (usdc > 0n) await rpc.call('localnet_airdropToken', [wallet.address, USDC.mint, `${usdc}`]);
  return wallet;
}

export async function setAccount({ rpc }: TransfersWorld, at: Address, owner: Address, data: Uint8Array) {
  const lamports = Number(rentExemptLamports(data.length));
  const account = { lamports, owner, executable: false, data: Buffer.from(data).toString('base64') };
  await rpc.call('localnet_setAccount', [at, account]);
}

/** Extensions of Token-2022, by their type, as they follow a mint (padded) or a token account. */
export type Extensions = [type: number, data: Uint8Array][];

function extended(base: Uint8Array, accountType: 1 | 2, extensions: Extensions): Uint8Array {
  if (extensions.length === 0) return base;
  const parts = extensions.flatMap(([type, data]) => [Buffer.of(type, 0, data.length, 0), data]);
  return Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.of(accountType), ...parts]);
}

/** A new mint with 6 decimals. */
export async function newMint(world: TransfersWorld, tokenProgram = TOKEN_PROGRAM, extensions: Extensions = []) {
  const mint = generateKeypair().address;
  const base = encodeMint({ decimals: 6, supply: 2n ** 63n, initialized: true });
  await setAccount(world, mint, tokenProgram, extended(base, 1, extensions));
  return mint;
}

export const newMint2022 = (world: TransfersWorld, extensions: Extensions = []) =>
  newMint(world, TOKEN_2022_PROGRAM, extensions);

interface Held extends Partial<TokenAccount> {
  mint: Address;
  owner: Address;
  amount: bigint;
}

/** A token account; the associated one of its owner unless `at` names another. */
export async function hold(
  world: TransfersWorld,
  held: Held,
  options: { tokenProgram?: Address; at?: Address; extensions?: Extensions } = {},
): Promise<Address> {
  const { tokenProgram = TOKEN_PROGRAM, extensions = [] } = options;
  const at = options.at ?? associatedTokenAddress(held.owner, held.mint, tokenProgram);
  const plain = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
  await setAccount(world, at, tokenProgram, extended(encodeTokenAccount({ ...plain, ...held }), 2, extensions));
  return at;
}

export async function lamportsOf({ chain }: TransfersWorld, address: Address): Promise<bigint> {
  return (await chain.account(address))?.lamports ?? 0n;
}

/** In a token account; undefined if there is none. */
export async function tokensIn({ chain }: TransfersWorld, account: Address): Promise<bigint | undefined> {
  const found = await chain.account(account);
  return found && decodeTokenAccount(found.data)?.amount;
}

/** Signs and executes what was crafted, which must land; the crafted answer. */
export async function land(
  world: TransfersWorld,
  { status, body }: Awaited<ReturnType<TransfersWorld['craftToken']>>,
  by: Keypair,
): Promise<TransferAnswer> {
  assert.equal(status, 200, JSON.stringify(body));
  const post = { requestId: body.requestId, signedTransaction: signed(body.transaction, by) };
  const done = await world.execute(post);
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.deepEqual([done.body.status, done.body.code, done.body.error], ['Success', 0, undefined]);
  return body;
}
