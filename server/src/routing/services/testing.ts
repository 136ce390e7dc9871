import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodePool, poolAuthority, poolSwap } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  type Instruction,
  rentExemptLamports,
  setComputeUnitLimit,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { Rpc } from '../../chain/index.js';
import { FREE } from '../aggregator/testing.js';
import type { Token } from '../router.js';

export const KEYS = { apiKey: 'key', secretKey: 'sesame', passphrase: 'open' };

/** A pool of constant product at another company's program, which the double of its service trades with. */
interface ServicePool {
  tokens: [Token, Token];
  out(from: 0 | 1, amount: bigint): Promise<bigint>;
  swap(from: 0 | 1, trade: PoolTrade): Instruction;
}

interface PoolTrade {
  owner: Address;
  source: Address;
  destination: Address;
  amountIn: bigint;
  minimumAmountOut: bigint;
}

/** Writes such a pool, without fees, into the chain; `program` runs our pool program. */
export async function openServicePool(
  rpc: Rpc,
  program: Address,
  tokens: [Token, Token],
  reserves: [bigint, bigint],
): Promise<ServicePool> {
  const put = async (owner: Address, data: Uint8Array, address: Address = generateKeypair().address, extra = 0n) => {
    const lamports = rentExemptLamports(data.length) + extra;
    const account = { lamports, owner, executable: false, data: Buffer.from(data).toString('base64') };
    await rpc.call('localnet_setAccount', [address, account]);
    return address;
  };
  const pool = generateKeypair().address;
  const { address: authority, bump } = poolAuthority(pool, program);
  const hold = (mint: Address, owner: Address, amount: bigint) => {
    const isNative = mint === WRAPPED_SOL_MINT;
    const base = { mint, owner, amount, state: 'initialized' as const, delegatedAmount: 0n, isNative };
    const held = isNative ? { ...base, rentExemptReserve: rentExemptLamports(165) } : base;
    return put(TOKEN_PROGRAM, encodeTokenAccount(held), undefined, isNative ? amount : 0n);
  };
  const mint = { decimals: 8, supply: 10n ** 9n, initialized: true, mintAuthority: authority };
  const poolMint = await put(TOKEN_PROGRAM, encodeMint(mint));
  const feeAccount = await hold(poolMint, generateKeypair().address, 0n);
  const [vaultA, vaultB] = [
    await hold(tokens[0].mint, authority, reserves[0]),
    await hold(tokens[1].mint, authority, reserves[1]),
  ];
  const mints = { mintA: tokens[0].mint, mintB: tokens[1].mint };
  const state = { bump, tokenProgram: TOKEN_PROGRAM, vaultA, vaultB, poolMint, ...mints, feeAccount, fees: FREE };
  await put(program, encodePool(state), pool);
  const balance = async (vault: Address) => {
    type Answer = { value: { data: [string, string] } };
    const { value } = await rpc.call<Answer>('getAccountInfo', [vault, { encoding: 'base64' }]);
    return decodeTokenAccount(Buffer.from(value.data[0], 'base64'))!.amount;
  };
  const accounts = {
    program,
    pool,
    authority,
    vaultA,
    vaultB,
    poolMint,
    feeAccount,
    ...mints,
    programA: tokens[0].tokenProgram,
    programB: tokens[1].tokenProgram,
  };
  return {
    tokens,
    async out(from, amount) {
      const [a, b] = await Promise.all([balance(vaultA), balance(vaultB)]);
      const [reserve, other] = from === 0 ? [a, b] : [b, a];
      // What is left rounds up.
      return other - (reserve * other + reserve + amount - 1n) / (reserve + amount);
    },
    swap: (from, { owner, ...trade }) => poolSwap({ accounts, aToB: from === 0, authority: owner, ...trade }),
  };
}

export interface ServiceDouble {
  url: string;
  /** What is answered instead, where it returns something. */
  instead: { answer?: (path: string, usual: object | undefined) => { status?: number; body: unknown } | 'nothing' };
  /** Changes the instructions of a trade. */
  tamper: {
    instructions?: (usual: Instruction[], trade: { from: 0 | 1; pool: ServicePool } & PoolTrade) => Instruction[];
  };
  close(): Promise<void>;
}

type Route = { from: 0 | 1; pool: ServicePool; amount: bigint };

/** The HTTP APIs of DFlow (`/dflow`) and of OKX, as they are published, over these pools. */
export async function startServices(pools: { dflow: ServicePool[]; okx: ServicePool[] }): Promise<ServiceDouble> {
  const instead: ServiceDouble['instead'] = {};
  const tamper: ServiceDouble['tamper'] = {};

  const routeOf = (list: ServicePool[], input: unknown, output: unknown, amount: unknown): Route | undefined => {
    for (const pool of list) {
      const from = pool.tokens.findIndex(({ mint }) => mint === input);
      if (from >= 0 && pool.tokens[1 - from]!.mint === output) {
        return { pool, from: from as 0 | 1, amount: BigInt(String(amount)) };
      }
    }
    return undefined;
  };
  const instructionsOf = (route: Route, owner: Address, receiver: Address, least: bigint): Instruction[] => {
    const [input, output] = [route.pool.tokens[route.from], route.pool.tokens[(1 - route.from) as 0 | 1]];
    const trade = {
      owner,
      amountIn: route.amount,
      minimumAmountOut: least,
      source: associatedTokenAddress(owner, input.mint, input.tokenProgram),
      destination: associatedTokenAddress(receiver, output.mint, output.tokenProgram),
    };
    const usual = [
      setComputeUnitLimit(300_000),
      createAssociatedTokenIdempotent({ payer: owner, owner: receiver, ...output }),
      route.pool.swap(route.from, trade),
    ];
    return tamper.instructions?.(usual, { ...route, ...trade }) ?? usual;
  };

  async function dflow(path: string, query: URLSearchParams, body: Record<string, unknown>) {
    if (path === '/dflow/quote') {
      const route = routeOf(pools.dflow, query.get('inputMint'), query.get('outputMint'), query.get('amount'));
      if (!route) return { status: 400, body: { code: 'route_not_found', msg: 'Route not found' } };
      const out = await route.pool.out(route.from, route.amount);
      const slippageBps = Number(query.get('slippageBps'));
      const least = `${(out * BigInt(10_000 - slippageBps)) / 10_000n}`;
      return {
        body: {
          inputMint: query.get('inputMint'),
          outputMint: query.get('outputMint'),
          inAmount: `${route.amount}`,
          outAmount: `${out}`,
          minOutAmount: least,
          otherAmountThreshold: least,
          slippageBps,
          priceImpactPct: '0.001',
          contextSlot: 1,
          routePlan: [{ venue: 'Obric', marketKey: 'x' }],
        },
      };
    }
    const quote = body.quoteResponse as Record<string, string>;
    const route = routeOf(pools.dflow, quote.inputMint, quote.outputMint, quote.inAmount)!;
    const to = body.destinationTokenAccount as { associatedTokenAccount: { owner: Address } };
    const receiver = to.associatedTokenAccount.owner;
    const all = instructionsOf(route, body.userPublicKey as Address, receiver, BigInt(quote.minOutAmount!));
    return {
      body: {
        computeBudgetInstructions: all.filter(isBudget).map(written),
        setupInstructions: all
          .slice(0, -1)
          .filter((each) => !isBudget(each))
          .map(written),
        swapInstruction: written(all.at(-1)!),
        cleanupInstructions: [],
        otherInstructions: [],
        addressLookupTableAddresses: [],
      },
    };
  }

  async function okx(path: string, query: URLSearchParams) {
    const [input, output] = [query.get('fromTokenAddress'), query.get('toTokenAddress')];
    const route = routeOf(pools.okx, input, output, query.get('amount'));
    if (query.get('chainIndex') !== '501') return { body: { code: '82105', msg: 'no such chain', data: [] } };
    if (!route) return { body: { code: '82000', msg: 'Insufficient liquidity', data: [] } };
    const out = await route.pool.out(route.from, route.amount);
    const routerResult = {
      chainIndex: '501',
      fromTokenAmount: `${route.amount}`,
      toTokenAmount: `${out}`,
      priceImpactPercent: '-0.1',
      fromToken: { tokenContractAddress: input },
      toToken: { tokenContractAddress: output },
      dexRouterList: [{ dexProtocol: { dexName: 'SolFi', percent: '100' } }],
    };
    if (path.endsWith('/quote')) return { body: { code: '0', msg: '', data: [routerResult] } };
    const slippage = BigInt(Math.round(Number(query.get('slippagePercent')) * 100));
    const owner = query.get('userWalletAddress') as Address;
    const receiver = (query.get('swapReceiverAddress') ?? owner) as Address;
    const least = (out * (10_000n - slippage)) / 10_000n;
    const instructionLists = instructionsOf(route, owner, receiver, least).map(written);
    return { body: { code: '0', msg: '', data: { addressLookupTableAccount: [], instructionLists, routerResult } } };
  }

  const server = createServer(async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url!, 'http://double');
    const text = await textOf(request);
    const isDflow = pathname.startsWith('/dflow/');
    let usual: { status?: number; body: object };
    if (isDflow && request.headers['x-api-key'] !== KEYS.apiKey) usual = { status: 403, body: { msg: 'forbidden' } };
    else if (!isDflow && !isSigned(request, `${pathname}${search}`)) usual = { status: 401, body: { code: '50113' } };
    else if (isDflow) usual = await dflow(pathname, searchParams, text === '' ? {} : JSON.parse(text));
    else usual = await okx(pathname, searchParams);
    const answer = instead.answer?.(pathname, usual.body) ?? usual;
    if (answer === 'nothing') return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    instead,
    tamper,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isSigned({ headers }: IncomingMessage, target: string): boolean {
  const timestamp = String(headers['ok-access-timestamp']);
  const signature = createHmac('sha256', KEYS.secretKey).update(`${timestamp}GET${target}`).digest('base64');
  return (
    headers['ok-access-key'] === KEYS.apiKey &&
    headers['ok-access-passphrase'] === KEYS.passphrase &&
    headers['ok-access-sign'] === signature
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const isBudget = ({ program }: Instruction) => program === COMPUTE_BUDGET_PROGRAM;

const written = ({ program, accounts, data }: Instruction) => ({
  programId: program,
  accounts: accounts.map(({ address, signer, writable }) => ({
    pubkey: address,
    isSigner: signer,
    isWritable: writable,
  })),
  data: Buffer.from(data).toString('base64'),
});
