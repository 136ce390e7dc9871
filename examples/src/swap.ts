// Swaps a token for another: quote, compare the routers, look, sign, execute, and see the balances move.
// Usage: npm run example:swap [-- <wallet of the sandbox> <amount> <from> <to>], with "npm start" in another terminal.

import {
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit';
import { fetchMaybeToken, findAssociatedTokenPda } from '@solana-program/token';
import { attempt, call, fail, type SandboxInfo, say } from './service.js';

interface Token {
  id: string;
  symbol: string;
  decimals: number;
  tokenProgram: string;
}

interface Order {
  inAmount: string;
  outAmount: string;
  otherAmountThreshold: string;
  priceImpact: number;
  routePlan: {
    swapInfo: { label: string; inputMint: string; outputMint: string; inAmount: string; outAmount: string };
    percent: number;
  }[];
  router: string;
  feeBps: number;
  transaction: string | null;
  requestId: string;
  errorMessage?: string;
}

interface Executed {
  status: 'Success' | 'Failed';
  signature?: string;
  code: number;
  error?: string;
  inputAmountResult?: string;
  outputAmountResult?: string;
}

const SOL = 'So11111111111111111111111111111111111111112';

const [name = 'alice', wholeAmount = '1', from = 'SOL', to = 'JUPUSD'] = process.argv.slice(2);
const info = await call<SandboxInfo>('/sandbox/info');
const wallet =
  info.wallets.find((each) => each.name === name) ??
  fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const rpc = createSolanaRpc(info.rpcUrl);
const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));

// 1. Symbols become mints.
const [input, output] = [await findToken(from), await findToken(to)];
const wanted = new URLSearchParams({
  inputMint: input.id,
  outputMint: output.id,
  amount: smallestUnit(wholeAmount, input.decimals).toString(),
});

// 2. The order is the best quote of all routers, as a transaction.
const order = await call<Order>(`/ultra/v1/order?${wanted}&taker=${wallet.address}`);
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
const routers = await call<{ id: string; name: string }[]>('/ultra/v1/order/routers');
for (const router of routers) {
  const others = routers.filter(({ id }) => id !== router.id).map(({ id }) => id);
  const exclude = others.length === 0 ? '' : `&excludeRouters=${others.join(',')}`;
  const quote = await attempt<Order>(`/ultra/v1/order?${wanted}${exclude}`);
  say(`Quote of ${router.name}`, 'reason' in quote ? quote.reason : shown(quote.body.outAmount, output));
}

// 4. Look at the transaction before signing: whatever the service says, these bytes are what happens.
if (!order.transaction) fail(`Nothing to sign: ${order.errorMessage}`);
const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(order.transaction));
const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
const signers = message.staticAccounts.slice(0, message.header.numSignerAccounts);
say('Must sign', signers.map((each) => (each === wallet.address ? name : each)).join(', '));
for (const { programAddressIndex } of 'instructions' in message ? message.instructions : []) {
  say('Instruction of', message.staticAccounts[programAddressIndex]);
}

// 5. Sign with the wallet's key, which the service never sees, and execute.
const signed = await partiallySignTransaction([signer.keyPair], transaction);
const before = [await balance(input), await balance(output)] as const;
const executed = await call<Executed>('/ultra/v1/execute', {
  signedTransaction: getBase64EncodedWireTransaction(signed),
  requestId: order.requestId,
});
if (executed.status !== 'Success') fail(`The swap failed (${executed.code}): ${executed.error}`);
const after = [await balance(input), await balance(output)] as const;

say('Signature', executed.signature);
for (const [index, token] of [input, output].entries()) {
  const change = after[index]! - before[index]!;
  say(`${token.symbol} of ${name}`, `${shown(before[index]!, token)} -> ${shown(after[index]!, token)} (${change})`);
}
say('Swapped', `${executed.inputAmountResult} -> ${executed.outputAmountResult} of the smallest unit`);

async function findToken(symbol: string): Promise<Token> {
  const found = await call<Token[]>(`/tokens/v2/search?query=${encodeURIComponent(symbol)}`);
  const exact = found.find((each) => each.id === symbol || each.symbol.toLowerCase() === symbol.toLowerCase());
  return exact ?? fail(`No token is called ${symbol} here`);
}

/** The tokens that the route passes, by mint. */
async function tokensOf({ routePlan }: Order): Promise<Map<string, Token>> {
  const mints = new Set(routePlan.flatMap(({ swapInfo }) => [swapInfo.inputMint, swapInfo.outputMint]));
  const tokens = await call<Token[]>(`/tokens/v2/search?query=${[...mints].join(',')}`);
  return new Map(tokens.map((token) => [token.id, token]));
}

/** SOL is counted in the wallet itself. */
async function balance({ id, tokenProgram }: Token): Promise<bigint> {
  const owner = address(wallet.address);
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
