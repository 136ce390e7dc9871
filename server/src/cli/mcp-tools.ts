import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type Answer,
  type Client,
  type FlowOptions,
  type Login,
  minOutputOf,
  type Progress,
  SOL,
  type SwapRequest,
} from '@slipway/client';
import { isAddress } from '@slipway/wire';
import { z } from 'zod';
import { decimalString } from '../lib/decimal.js';
import { requireDecimals, toSmallestUnit, unitsOf } from './amount.js';
import { CommandError } from './context.js';
import { createQuotes, type Purse, type Quoted } from './mcp-purse.js';

/**
 * More than the checks before signing let through for fees and rents of one transaction: a fee of 0.01 SOL, and the rents of three
 * token accounts, which are 0.005 SOL each at most.
 */
const FEES = { mint: SOL, amount: 30_000_000n };
const HOUR_MS = 3_600_000;
const SOL_DECIMALS = 9;

export type Token = Answer<'get', '/tokens/v2/search'>[number];

export interface ToolDeps {
  client: Client;
  /**
   * How many decimals a token has, as a node says; undefined if there is none. Without a node the service's word is taken, which is
   * good enough to read only.
   */
  decimalsOf: ((mint: string) => Promise<number | undefined>) | undefined;
  /** Of the key that it was given; without one it only reads. */
  wallet: string | undefined;
  purse: Purse;
  version: string;
  /** Milliseconds that never step back. */
  steadyNow: () => number;
  /** Milliseconds of the chain's clock. */
  chainTime: () => Promise<number>;
}

const token = z.string().describe('A symbol such as USDC, or the address of a mint');
const amount = z.string().describe('In whole tokens, such as 1.5');

/** A server whose tools are the flows: each is quoted first, and then executed by the id of its quote. */
export function createTools(deps: ToolDeps): McpServer {
  const instructions =
    'Quote first, show the quote to your user, then call execute with its quoteId. The operator has set limits: see wallet.';
  const server = new McpServer({ name: 'slipway', version: deps.version }, { instructions });
  addReading(server, deps);
  if (deps.wallet !== undefined) addSpending(server, deps, deps.wallet);
  return server;
}

function addReading(server: McpServer, deps: ToolDeps): void {
  const { client, wallet, purse } = deps;
  const annotations = { readOnlyHint: true };
  server.registerTool(
    'wallet',
    { description: 'Whose money this is, what it has, and what may be spent of it', annotations },
    async () => {
      const limits = purse.left().map(({ mint, symbol, decimals, most, left }) => {
        return { token: symbol, mint, most: decimalString(most, decimals), left: decimalString(left, decimals) };
      });
      if (wallet === undefined) return answer({ wallet: 'none: this server only reads', limits });
      const path = { address: wallet };
      return answer({ wallet, balances: await client.api.get('/ultra/v1/balances/{address}', { path }), limits });
    },
  );
  server.registerTool(
    'find_tokens',
    { description: 'Tokens by symbol, name or mint', inputSchema: { query: z.string() }, annotations },
    async ({ query }) => answer(await client.api.get('/tokens/v2/search', { query: { query } })),
  );
  server.registerTool(
    'price_of_swap',
    {
      description: 'What a swap would give now. It cannot be executed: quote_swap can',
      inputSchema: { sell: token, buy: token, amount },
      annotations,
    },
    async (asked) => {
      const { sell, buy, request } = await swapOf(deps, asked);
      return answer(toldSwap(await client.quote(request), request, sell, buy));
    },
  );
}

function addSpending(server: McpServer, deps: ToolDeps, wallet: string): void {
  const { client, purse, steadyNow, chainTime } = deps;
  const quotes = createQuotes<FlowOptions>(steadyNow);
  const quoted = (told: object, quote: Quoted<FlowOptions>) => answer({ quoteId: quotes.keep(quote), ...told });
  let session: Promise<Login> | undefined;
  /** Logs in once. A login ends after 24 hours, or by the operator: after what fails, the next call logs in anew. */
  const loggedIn = async <T>(work: (login: Login) => Promise<T>): Promise<T> => {
    session ??= client.login();
    try {
      return await work(await session);
    } catch (error) {
      session = undefined;
      throw error;
    }
  };

  server.registerTool(
    'quote_swap',
    { description: 'Quotes a swap, for execute', inputSchema: { sell: token, buy: token, amount } },
    async (asked) => {
      const { sell, buy, request } = await swapOf(deps, asked);
      const order = await client.quote(request);
      const told = toldSwap(order, request, sell, buy);
      const minOutput = minOutputOf(order);
      return quoted(told, {
        spends: [{ mint: sell.id, amount: request.amount }, FEES],
        run: async (options) => {
          const { signature, outputAmount } = await client.swap({ ...request, minOutput }, options);
          return { signature, got: `${decimalString(outputAmount, buy.decimals)} ${buy.symbol}` };
        },
      });
    },
  );
  server.registerTool(
    'quote_price_order',
    {
      description: 'Quotes an order that waits for a price, such as a stop loss, for execute. It locks what it sells',
      inputSchema: {
        sell: token,
        buy: token,
        amount,
        condition: z.enum(['above', 'below']),
        priceUsd: z.number().positive().describe('Price of one whole token of what is sold, in USD'),
        hours: z
          .number()
          .positive()
          .max(24 * 30)
          .default(24)
          .describe('After how many hours it expires'),
      },
    },
    async ({ condition, priceUsd, hours, ...asked }) => {
      const { sell, buy, request } = await swapOf(deps, asked);
      const { inputMint, outputMint, amount: inputAmount } = request;
      const expiresAt = new Date((await chainTime()) + hours * HOUR_MS);
      const terms = { orderType: 'single' as const, triggerCondition: condition, triggerPriceUsd: priceUsd };
      const told = {
        sells: `${asked.amount} ${sell.symbol}`,
        for: buy.symbol,
        tokens: { sold: named(sell), bought: named(buy) },
        when: `${condition} ${priceUsd} USD`,
        expiresAt,
      };
      return quoted(told, {
        spends: [{ mint: sell.id, amount: inputAmount }, FEES],
        run: (options) => {
          const order = { ...terms, inputMint, outputMint, inputAmount, expiresAt };
          return loggedIn((login) => client.placePriceOrder(login, order, options));
        },
      });
    },
  );
  server.registerTool(
    'quote_send',
    {
      description:
        'Quotes money for whoever gets a code, for execute. Its answer has the code: whoever has it has the money',
      inputSchema: { token, amount },
    },
    async (asked) => {
      const sent = await tokenOf(deps, asked.token);
      const lamports = toSmallestUnit(asked.amount, sent.decimals);
      return quoted(
        { locks: `${asked.amount} ${sent.symbol}`, token: named(sent) },
        {
          spends: [{ mint: sent.id, amount: lamports }, FEES],
          run: (options) => client.send({ amount: lamports, ...(sent.id !== SOL && { mint: sent.id }) }, options),
        },
      );
    },
  );
  server.registerTool(
    'execute',
    {
      description: 'Does what a quote says, once, within a minute; signs with the key that the operator gave',
      inputSchema: { quoteId: z.string() },
      annotations: { destructiveHint: true },
    },
    async ({ quoteId }, { signal }) => answer(await spend(purse, quotes.take(quoteId), signal)),
  );
  server.registerTool(
    'price_orders',
    { description: `The orders of ${wallet} that wait for a price`, annotations: { readOnlyHint: true } },
    async () => answer(await loggedIn(({ token }) => client.api.get('/trigger/v2/orders/history', { token }))),
  );
  server.registerTool(
    'cancel_price_order',
    {
      description:
        'Cancels an order that waits for a price, and takes back what it holds; with orderState pending_withdraw only a part came back: call it again for the rest',
      inputSchema: { orderId: z.string() },
    },
    async ({ orderId }, { signal }) => {
      const run = (options: FlowOptions) => loggedIn((login) => client.cancelPriceOrder(login, orderId, options));
      return answer(await spend(purse, { spends: [FEES], run }, signal));
    },
  );
}

/** What was reserved stays spent once it is signed, whatever comes of it: it may land later. */
async function spend(purse: Purse, { spends, run }: Quoted<FlowOptions>, signal: AbortSignal): Promise<object> {
  purse.reserve(spends);
  let isSigned = false;
  const onProgress = ({ step }: Progress) => {
    isSigned ||= step === 'signed';
  };
  try {
    return await run({ signal, onProgress });
  } catch (error) {
    if (!isSigned) purse.release(spends);
    throw error;
  }
}

async function swapOf(deps: Namer, asked: { sell: string; buy: string; amount: string }) {
  const [sell, buy] = await Promise.all([tokenOf(deps, asked.sell), tokenOf(deps, asked.buy)]);
  const units = toSmallestUnit(asked.amount, sell.decimals);
  return { sell, buy, request: { inputMint: sell.id, outputMint: buy.id, amount: units } };
}

export type Namer = Pick<ToolDeps, 'client' | 'decimalsOf'>;

/**
 * A token by its mint, or by its symbol if the operator of the service vouches for it: anybody launches a token that is called
 * like another one. @throws CommandError where there is none of this name, or more than one
 */
export async function tokenOf({ client, decimalsOf }: Namer, name: string): Promise<Token> {
  const found = await client.api.get('/tokens/v2/search', { query: { query: name } });
  // A mint names itself only: a token may have it for its symbol.
  const isCalled = ({ id, symbol }: Token) =>
    isAddress(name) ? id === name : symbol.toLowerCase() === name.toLowerCase();
  const called = found.filter(isCalled);
  const exact = called.filter(({ id, isVerified }) => id === name || isVerified);
  if (exact.length === 1) return asOnChain(asKnown(exact[0]!, name), name, decimalsOf);
  if (called.length === 0) throw new CommandError(`no token is called ${name}: find_tokens knows which there are`);
  const mints = called.map(({ id }) => id).join(', ');
  if (exact.length === 0)
    throw new CommandError(
      `${name} is a name that anybody may have given a token, and none of these is verified: give the mint of the one that is meant, of ${mints}`,
    );
  throw new CommandError(`${called.length} tokens are called ${name}: give the mint, one of ${mints}`);
}

/** By its decimals, an amount in whole tokens means a thousand times as much, or as little. */
async function asOnChain(found: Token, name: string, decimalsOf: ToolDeps['decimalsOf']): Promise<Token> {
  const decimals = decimalsOf === undefined ? found.decimals : await decimalsOf(found.id);
  if (decimals === found.decimals) return found;
  const other = decimals === undefined ? 'that there is no such token' : decimals;
  throw new CommandError(
    `the service says that ${name} is ${found.id} with ${found.decimals} decimals, and the node says ${other}`,
  );
}

/** What SOL is does not depend on the service: limits and amounts in it mean what they say. */
function asKnown(found: Token, name: string): Token {
  requireDecimals(name, found.decimals);
  const isSol = found.id === SOL;
  const isMeant = name === SOL || name.toLowerCase() === 'sol';
  if (isSol === isMeant && (!isSol || found.decimals === SOL_DECIMALS)) return found;
  throw new CommandError(
    `the service says that ${name} is ${found.id} with ${found.decimals} decimals, which is ${isMeant ? 'not SOL' : 'SOL'}`,
  );
}

/** What each quote says of a token: its symbol is a text that its issuer has chosen. */
const named = ({ symbol, id, isVerified }: Token) => ({ symbol, mint: id, isVerified });

function toldSwap(order: Answer<'get', '/ultra/v1/order'>, { amount: most }: SwapRequest, sell: Token, buy: Token) {
  const out = (units: string) => `${decimalString(unitsOf(units), buy.decimals)} ${buy.symbol}`;
  return {
    // What may leave, and not what the service says of it.
    sells: `${decimalString(most, sell.decimals)} ${sell.symbol}`,
    for: out(order.outAmount),
    tokens: { sold: named(sell), bought: named(buy) },
    atLeast: out(`${minOutputOf(order)}`),
    priceImpactPercent: order.priceImpact,
    router: order.router,
  };
}

function answer(value: object) {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? each.toString() : each), 2);
  return { content: [{ type: 'text' as const, text }] };
}
