import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalnet } from '@slipway/localnet';
import { ORDER_ENGINE_PROGRAM, programFile } from '@slipway/programs';
import {
  type Address,
  address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  rentExemptLamports,
  sign,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  transactionSignature,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { pino } from 'pino';
import { type Chain, createChain, createLocalRpc } from '../../chain/index.js';
import { type Crafted, craftTransaction } from '../../crafting/transaction.js';
import { Landing } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { createMakers, type MakersDeps } from '../../routing/makers/index.js';
import {
  isRefused,
  type Quote,
  type QuoteRequest,
  type Router,
  type SwapParties,
  type Token,
} from '../../routing/router.js';
import {
  createSecretBox,
  firstWallets,
  guardKeys,
  type KeyName,
  type LossLimits,
  SANDBOX_PROGRAMS,
  type SecretKeeper,
  type Signer,
} from '../../signer/index.js';
import { findRequest, insertCrafted, type LedgerRow } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { fundMaker, type MakerDeps, startMaker } from './index.js';

export const SOL: Token = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
export const USDC: Token = {
  mint: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
};
export const JUP: Token = { ...USDC, mint: address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN') };
/** A Token-2022 token without extensions. */
export const T22: Token = { mint: generateKeypair().address, tokenProgram: TOKEN_2022_PROGRAM, decimals: 8 };
const TOKENS = [SOL, USDC, JUP, T22];

export const USD = new Map<Address, number>([
  [SOL.mint, 150],
  [USDC.mint, 1],
  [JUP.mint, 0.42],
  [T22.mint, 3.7],
]);

export const BUDGET = { computeUnitLimit: 100_000, computeUnitPrice: 1_000n };
const quiet = pino({ level: 'silent' });

/** Signs with keys that the test knows. */
export function testSigner(
  limits?: LossLimits,
): Signer & SecretKeeper & { keys: Record<'gas' | 'maker' | 'keeper', Keypair> } {
  const keys = {
    gas: generateKeypair(),
    maker: generateKeypair(),
    keeper: generateKeypair(),
    seal: generateKeypair(),
  };
  const keyOf = (name: KeyName): Keypair => {
    const key = (keys as Partial<Record<KeyName, Keypair>>)[name];
    if (!key) throw new RangeError(`this test has no key ${name}`);
    return key;
  };
  const bare = {
    publicKey: async (name: KeyName) => keyOf(name).address,
    sign: async (name: KeyName, message: Uint8Array) => sign(keyOf(name), message),
  };
  return {
    ...bare,
    keys,
    secrets: createSecretBox(Buffer.alloc(32, 1)),
    address: (role) => keyOf(role).address,
    wallets: () => firstWallets((role) => (role === 'tracker' ? keys.seal : keyOf(role)).address),
    ...guardKeys(bare, { programs: SANDBOX_PROGRAMS, clock: createClock(), limits }),
  };
}

/** A real chain with the order engine, the sandbox's maker with inventory, a store and a landing. */
export async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-maker-'));
  copyFileSync(programFile('order-engine'), join(folder, `${ORDER_ENGINE_PROGRAM}.so`));
  const net = await startLocalnet({ rpcPort: 0, programsDir: folder });
  const rpc = createLocalRpc((method, params) => net.call(method, params));
  const clock = createClock();
  const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
  await rpc.call('localnet_setAccount', [
    T22.mint,
    {
      lamports: Number(rentExemptLamports(82)),
      owner: TOKEN_2022_PROGRAM,
      executable: false,
      data: Buffer.from(encodeMint({ decimals: T22.decimals, supply: 0n, initialized: true })).toString('base64'),
    },
  ]);
  const store = await openAnyStore();
  const signer = testSigner();
  await fundMaker(chain, signer.address('maker'), TOKENS);
  const makerDeps: MakerDeps = {
    chain,
    signer,
    clock,
    tokens: TOKENS,
    log: quiet,
    orderEngine: ORDER_ENGINE_PROGRAM,
    spreadBps: 10,
    usd: (mint) => USD.get(mint),
  };
  const maker = await startMaker(makerDeps);
  const landings: { close(): void }[] = [];
  const newLanding = (on: { chain?: Chain } = {}) => {
    const landing = new Landing({
      store,
      clock,
      steadyNow,
      signer,
      log: quiet,
      chain: on.chain ?? chain,
      sendRpcs: [rpc],
      settlements: { swap: { keys: ['gas'] } },
      observe: () => {},
    });
    landings.push(landing);
    return landing;
  };
  const router = (own: { id: string; url: string }[], changes: Partial<MakersDeps> = {}) =>
    createMakers({
      store,
      box: signer.secrets,
      signer,
      chain,
      clock,
      steadyNow,
      log: quiet,
      timeoutMs: PATIENCE_MS,
      own: own.map((each) => ({ name: each.id, ...each })),
      usd: ({ mint }) => USD.get(mint),
      orderEngine: ORDER_ENGINE_PROGRAM,
      ...changes,
    });
  return {
    net,
    rpc,
    chain,
    clock,
    store,
    signer,
    maker,
    makerDeps,
    newLanding,
    router,
    async close() {
      for (const landing of landings) landing.close();
      await maker.close();
      await store.close();
      await net.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A new wallet with 10 SOL and 1,000 of each of the tokens. */
export async function newTaker({ rpc }: World, tokens: readonly Token[]): Promise<Keypair> {
  const taker = generateKeypair();
  await Promise.all([
    rpc.call('requestAirdrop', [taker.address, 10_000_000_000]),
    ...tokens.map(({ mint, decimals }) =>
      rpc.call('localnet_airdropToken', [taker.address, mint, (1_000n * 10n ** BigInt(decimals)).toString()]),
    ),
  ]);
  return taker;
}

export function ata(owner: Address, { mint, tokenProgram }: Token): Address {
  return associatedTokenAddress(owner, mint, tokenProgram);
}

/** Tokens of an account; 0 where there is none. */
export async function tokens({ chain }: World, account: Address): Promise<bigint> {
  const found = await chain.account(account);
  return (found && decodeTokenAccount(found.data)?.amount) ?? 0n;
}

export async function lamports({ chain }: World, wallet: Address): Promise<bigint> {
  return (await chain.account(wallet))?.lamports ?? 0n;
}

/** A quote, as soon as there is one: on a busy machine the makers can be too late for one request. */
export async function quoted(router: Router, request: QuoteRequest): Promise<Quote> {
  for (let attempt = 1; ; attempt++) {
    const quote = await router.quote(request, AbortSignal.timeout(PATIENCE_MS));
    if (!isRefused(quote)) return quote;
    if (attempt === 20) throw new Error(JSON.stringify(quote));
  }
}

export function requestOf(owner: Address | undefined, input: Token, output: Token, amount: bigint): QuoteRequest {
  return { mode: 'exact-in', input, output, amount, ...(owner && { owner }), excludeVenues: new Set() };
}

/** What the area does with a quote: whose accounts, the destination's creation, bytes, and the row in the ledger. */
export async function craftOrder(
  world: World,
  request: QuoteRequest,
  quote: Quote,
  changes: Partial<SwapParties> & { rentPayer?: Address; cosigners?: string[] } = {},
): Promise<{ row: LedgerRow; crafted: Crafted; transaction: Transaction }> {
  const owner = request.owner!;
  const receiver = changes.receiver ?? owner;
  const { cosigners = [], ...parties } = changes;
  const rentPayer = parties.rentPayer ?? owner;
  const native = (token: Token) => token.mint === WRAPPED_SOL_MINT;
  const destination = native(request.output) ? undefined : ata(receiver, request.output);
  const built = await quote.build({
    owner,
    receiver,
    rentPayer,
    feePayer: owner,
    minOut: quote.outAmount,
    absentSigners: new Set(),
    ...(!native(request.input) && { source: ata(owner, request.input) }),
    ...(destination && { destination }),
    ...parties,
  });
  if (isRefused(built)) throw new Error(JSON.stringify(built));
  const { mint, tokenProgram } = request.output;
  const before: Instruction[] =
    destination && !(await world.chain.account(destination))
      ? [createAssociatedTokenIdempotent({ payer: rentPayer, owner: receiver, mint, tokenProgram })]
      : [];
  return remember(world, owner, built.feePayer!, [...before, ...built.instructions], cosigners);
}

export async function remember(
  { chain, store, clock }: World,
  taker: Address,
  feePayer: Address,
  instructions: Instruction[],
  cosigners: string[] = [],
) {
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash();
  const crafted = craftTransaction({ feePayer, firstSigners: [taker], instructions, blockhash, budget: BUDGET });
  const now = clock.now();
  const request = {
    id: uuidv7(clock),
    area: 'swap',
    wallet: taker,
    cosigners,
    lastValidBlockHeight,
    payload: {},
    messageHash: crafted.messageHash,
    createdAt: new Date(now),
    expiresAt: new Date(now + 180_000),
  };
  await store.transaction((tx) => insertCrafted(tx, [request]));
  const row = (await findRequest(store, request.id))!;
  return { row, crafted, transaction: decodeTransaction(crafted.wire) as Transaction };
}

export function signedBy(keypair: Keypair, { message, signatures }: Transaction): Transaction {
  return withSignature({ message, signatures }, keypair.address, sign(keypair, message));
}

const HANG_UP = Symbol('hang up');

export type Handler = (body: Record<string, string>) => unknown;

/**
 * A maker of a test, whose answers the test decides: a handler gives what is answered as JSON, a text that is answered
 * as it is, a number for a status; it may throw to hang up, or never answer.
 */
export async function scriptedMaker(handlers: { tokens?: Handler; quote?: Handler; swap?: Handler }) {
  const asked: { path: string; body: Record<string, string>; headers: IncomingMessage['headers'] }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.slice(1) as keyof typeof handlers;
    let text = '';
    for await (const part of request) text += part;
    const body = text === '' ? {} : JSON.parse(text);
    asked.push({ path, body, headers: request.headers });
    // A client that kept the line could write on it after `close`, and not know whether that was read.
    response.setHeader('connection', 'close');
    const tokens = () => TOKENS.map(({ mint }) => mint);
    const handler = { tokens, ...handlers }[path] ?? (() => 404);
    const said = await Promise.resolve(body)
      .then(handler)
      .catch(() => HANG_UP);
    if (said === HANG_UP) request.socket.destroy();
    else if (typeof said === 'number') response.writeHead(said).end();
    else
      response
        .setHeader('content-type', 'application/json')
        .end(typeof said === 'string' ? said : JSON.stringify(said));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An honest answer to a request. */
export function offer(body: Record<string, string>, maker: Address, outAmount: bigint) {
  const { requestId, quoteId, tokenIn, tokenOut, quoteType, protocol, amount, taker } = body;
  return {
    requestId,
    quoteId,
    tokenIn,
    tokenOut,
    quoteType,
    protocol,
    taker,
    maker,
    amountIn: amount,
    amountOut: outAmount.toString(),
  };
}

/** What a maker does with a transaction before it sends it. */
export function signAsMaker(maker: Keypair, base64: string): { wire: string; signature: string } {
  const { message, signatures } = decodeTransaction(Buffer.from(base64, 'base64'));
  const signed = signedBy(maker, { message, signatures });
  return {
    wire: Buffer.from(encodeTransaction(signed)).toString('base64'),
    signature: transactionSignature(signed),
  };
}
