// Swaps a token for another: quote, compare the routers, look, sign, execute, and see the balances move.
// Usage: npm run example:swap [-- <wallet of the sandbox> <amount> <from> <to>], with "npm start" in another terminal.

import { SlipwayError, SOL } from '@slipway/client';
import {
  address,
  createSolanaRpc,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { fetchMaybeToken, findAssociatedTokenPda } from '@solana-program/token';
import { openSandbox } from './sandbox.js';
import { fail, say } from './service.js';

const [name = 'alice', wholeAmount = '1', from = 'SOL', to = 'JUPUSD'] = process.argv.slice(2);
const { client, info, wallet } = await openSandbox(name);
const rpc = createSolanaRpc(info.rpcUrl);

// 1. Symbols become mints.
const [input, output] = [await findToken(from), await findToken(to)];
const wanted = { inputMint: input.id, outputMint: output.id, amount: smallestUnit(wholeAmount, input.decimals) };

// 2. The order is the best quote of all routers, as a transaction.
const order = await client.orderSwap(wanted);
say('Best quote', `${shown(order.inAmount, input)} -> ${shown(order.outAmount, output)} by ${order.router}`);
say('At least', shown(order.otherAmountThreshold, output));
say('Price impact, fee', `${order.priceImpact} %, ${order.feeBps / 100} %`);
const passed = await tokensOf(order);
for (const { swapInfo, percent } of order.routePlan) {
  const [sold, bought] = [passed.get(swapInfo.inputMint), passed.get(swapInfo.outputMint)];
  say(
    `  ${percent} % by ${swapInfo.label}`,
    `${shown(swapInfo.inAmount, sold)} -> ${shown(swapInfo.outAmount, bought)}`,
  );
}

// 3. What each router would have given: one quote with all others left out.
const routers = await client.api.get('/ultra/v1/order/routers');
for (const router of routers) {
  const others = routers.filter(({ id }) => id !== router.id).map(({ id }) => id);
  const quoted = await client
    .quote({ ...wanted, ...(others.length > 0 && { excludeRouters: others.join(',') }) })
    .then(({ outAmount }) => shown(outAmount, output), reasonOf);
  say(`Quote of ${router.name}`, quoted);
}

// 4. Look at the transaction: whatever the service says, these bytes are what happens.
if (!order.transaction) fail(`Nothing to sign: ${order.errorMessage}`);
const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(order.transaction));
const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
const signers = message.staticAccounts.slice(0, message.header.numSignerAccounts);
say('Must sign', signers.map((each) => (each === wallet.address ? name : each)).join(', '));
for (const { programAddressIndex } of 'instructions' in message ? message.instructions : []) {
  say('Instruction of', message.staticAccounts[programAddressIndex]);
}

// 5. The client checks that it does what was asked, signs with the wallet's key, which the service never sees, and has it
// landed.
const before = [await balance(input), await balance(output)] as const;
const done = await client.executeSwap(wanted, order);
const after = [await balance(input), await balance(output)] as const;

say('Signature', done.signature);
for (const [index, token] of [input, output].entries()) {
  const change = after[index]! - before[index]!;
  say(`${token.symbol} of ${name}`, `${shown(before[index]!, token)} -> ${shown(after[index]!, token)} (${change})`);
}
say('Swapped', `${done.inputAmount} -> ${done.outputAmount} of the smallest unit`);

function reasonOf(error: unknown): string {
  if (error instanceof SlipwayError) return error.message;
  throw error;
}

type Token = Awaited<ReturnType<typeof search>>[number];

function search(query: string) {
  return client.api.get('/tokens/v2/search', { query: { query } });
}

async function findToken(symbol: string): Promise<Token> {
  const found = await search(symbol);
  const exact = found.find((each) => each.id === symbol || each.symbol.toLowerCase() === symbol.toLowerCase());
  return exact ?? fail(`No token is called ${symbol} here`);
}

/** The tokens that the route passes, by mint. */
async function tokensOf({ routePlan }: typeof order): Promise<Map<string, Token>> {
  const mints = new Set(routePlan.flatMap(({ swapInfo }) => [swapInfo.inputMint, swapInfo.outputMint]));
  const tokens = await search([...mints].join(','));
  return new Map(tokens.map((token) => [token.id, token]));
}

/** SOL is counted in the wallet itself. */
async function balance({ id, tokenProgram }: Token): Promise<bigint> {
  const owner = wallet.address;
  if (id === SOL) return (await rpc.getBalance(owner).send()).value;
  const place = { owner, mint: address(id), tokenProgram: address(tokenProgram) };
  const [account] = await findAssociatedTokenPda(place);
  const token = await fetchMaybeToken(rpc, account);
  return token.exists ? token.data.amount : 0n;
}

function smallestUnit(amount: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  if (!/^\d+$/.test(whole + fraction) || fraction.length > decimals) fail(`${amount} is no amount of this token`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function shown(amount: string | bigint, token: Token | undefined): string {
  if (!token) return `${amount} of the smallest unit`;
  const digits = amount.toString().padStart(token.decimals + 1, '0');
  const split = digits.length - token.decimals;
  const number = `${digits.slice(0, split)}.${digits.slice(split)}`.replace(/\.?0*$/, '');
  return `${number} ${token.symbol}`;
}
