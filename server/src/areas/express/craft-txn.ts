import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { BLOCK_MS, BLOCKHASH_LIFE, type ChainAccount } from '../../chain/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../../crafting/budget.js';
import { craftPayment, type Payment } from '../../crafting/payment.js';
import { type Budget, type Crafted, feeOf } from '../../crafting/transaction.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { explain } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import { type Currency, readCurrency } from './currency.js';
import { AREA, type ExpressDeps, GRACE_MS, PRICE_IN_TOKENS } from './deps.js';
import type { CraftTxnAnswer, CraftTxnQuery } from './schema.js';

const LAMPORTS_PER_SOL = 1_000_000_000;
/** A wallet that pays must keep this much, or the chain refuses to take the fee: the rent of an empty account. */
const WALLET_MINIMUM = rentExemptLamports(0);
/** Space of a token account that the associated token program makes, with the extension that Token-2022 adds. */
const TOKEN_ACCOUNT_SPACE = 170;

const NO_BUDGET: Budget = { computeUnitLimit: 0, computeUnitPrice: 0n };

/** Why there is nothing to sign, with the code that the contract gives it. */
interface Obstacle {
  code: number;
  error: string;
}

interface Quote {
  payment: Payment;
  feeLamports: bigint;
  rentLamports: bigint;
}

/** Crafts the payment of a verification: 1000 platform tokens from the sender to the operator's receiver. */
export async function craftTxn(deps: ExpressDeps, query: CraftTxnQuery): Promise<CraftTxnAnswer> {
  const started = performance.now();
  const sender = requireAddress('senderAddress', query.senderAddress);
  const currency = readCurrency(query.paymentCurrency ?? 'PLATFORM_TOKEN', {
    platform: deps.platform.symbol,
    stable: deps.stable.symbol,
  });
  if (currency !== 'PLATFORM_TOKEN') throw noRoute(deps, currency);

  if (sender === deps.receiver) {
    throw new AppError('INVALID_REQUEST', { message: 'senderAddress: the receiver of the payment cannot pay itself' });
  }
  // Nobody but the service would have to sign it.
  if (sender === deps.gasWallet) {
    throw new AppError('INVALID_REQUEST', { message: 'senderAddress: the gas wallet of this server cannot pay' });
  }

  const payment = await paymentFrom(deps, sender, uuidv7(deps.clock));
  const [source, payer, destination] = await Promise.all([
    deps.chain.account(payment.source),
    deps.chain.account(payment.feePayer),
    deps.chain.account(payment.destination),
  ]);
  payment.createDestination = destination === undefined;
  const rentLamports = payment.createDestination ? rentExemptLamports(TOKEN_ACCOUNT_SPACE) : 0n;
  const quote: Quote = { payment, rentLamports, feeLamports: feeOf(deps.gasless ? 2 : 1, NO_BUDGET) };
  const tooPoor = checkTokens(source, payment, deps.platform.symbol) ?? checkLamports(payer, quote, deps.gasless);
  if (tooPoor) return answer(deps, started, quote, tooPoor);

  const budget = await budgetFor(deps, payment);
  if ('error' in budget) return answer(deps, started, quote, budget);
  quote.feeLamports = feeOf(deps.gasless ? 2 : 1, budget);
  const tooDear = checkLamports(payer, quote, deps.gasless);
  if (tooDear) return answer(deps, started, quote, tooDear);

  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash();
  const crafted = craftPayment(payment, blockhash, budget);
  const now = deps.clock.now();
  const expiresAt = now + Number(BLOCKHASH_LIFE) * BLOCK_MS;
  await deps.remember({
    id: payment.reference,
    area: AREA,
    wallet: sender,
    messageHash: crafted.messageHash,
    cosigners: deps.gasless ? ['gas'] : [],
    lastValidBlockHeight,
    payload: { currency, amount: payment.amount.toString() },
    createdAt: new Date(now),
    expiresAt: new Date(expiresAt + GRACE_MS),
  });
  return answer(deps, started, quote, undefined, { crafted, lastValidBlockHeight, expiresAt });
}

function noRoute(deps: ExpressDeps, currency: Currency): AppError {
  const symbol = currency === 'PLATFORM_STABLE' ? deps.stable.symbol : currency;
  return new AppError('NO_ROUTE', {
    message: `No route is available from ${symbol} to ${deps.platform.symbol}: this server does not route swaps yet; pay in ${deps.platform.symbol}`,
  });
}

async function paymentFrom(deps: ExpressDeps, sender: Address, reference: string): Promise<Payment> {
  const { platform, receiver } = deps;
  const mint = await deps.chain.mint(platform.mint);
  if (!mint) throw new AppError('CRAFT_FAILED', { message: `The mint of ${platform.symbol} is not on this chain` });
  return {
    feePayer: deps.gasless ? deps.gasWallet : sender,
    sender,
    source: associatedTokenAddress(sender, platform.mint, mint.tokenProgram),
    receiver,
    destination: associatedTokenAddress(receiver, platform.mint, mint.tokenProgram),
    createDestination: false,
    mint: platform.mint,
    tokenProgram: mint.tokenProgram,
    decimals: mint.decimals,
    amount: PRICE_IN_TOKENS * 10n ** BigInt(mint.decimals),
    reference,
  };
}

function checkTokens(account: ChainAccount | undefined, payment: Payment, symbol: string): Obstacle | undefined {
  const tokens = account && decodeTokenAccount(account.data);
  if (!tokens || account.owner !== payment.tokenProgram)
    return { code: 1, error: `Insufficient funds: the wallet holds no ${symbol}` };
  if (tokens.owner !== payment.sender)
    return { code: 3000, error: `The ${symbol} account of the wallet belongs to somebody else` };
  if (tokens.state === 'frozen') return { code: 2017, error: `The ${symbol} account of the wallet is frozen` };
  if (tokens.amount < payment.amount) {
    return { code: 1, error: `Insufficient funds: ${payment.amount} needed, the wallet holds ${tokens.amount}` };
  }
  return undefined;
}

function checkLamports(
  payer: ChainAccount | undefined,
  { feeLamports, rentLamports }: Quote,
  gasless: boolean,
): Obstacle | undefined {
  if (payer && payer.owner !== SYSTEM_PROGRAM)
    return { code: 2004, error: 'The account is not a wallet: it cannot pay fees' };
  const missing = feeLamports + rentLamports + WALLET_MINIMUM - (payer?.lamports ?? 0n);
  if (missing <= 0n) return undefined;
  if (gasless) return { code: 1001, error: 'The gas wallet of this server is empty' };
  return { code: 2, error: `Top up ${Number(missing) / LAMPORTS_PER_SOL} SOL for gas` };
}

async function budgetFor(deps: ExpressDeps, payment: Payment): Promise<Budget | Obstacle> {
  const [{ blockhash }, computeUnitPrice] = await Promise.all([
    deps.chain.latestBlockhash(),
    deps.chain.computeUnitPrice(),
  ]);
  const shape = `payment:${payment.tokenProgram}:${payment.createDestination}`;
  const units = await deps.unitsOf(shape, () => {
    return craftPayment(payment, blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n }).wire;
  });
  if (typeof units === 'number') return { computeUnitLimit: unitLimitFrom(units), computeUnitPrice };
  return { code: 2001, error: `The chain would refuse this payment: ${explain(units.err).message}` };
}

function answer(
  { platform, receiver, prices, gasless }: ExpressDeps,
  started: number,
  { payment, feeLamports, rentLamports }: Quote,
  obstacle: Obstacle | undefined,
  ready?: { crafted: Crafted; lastValidBlockHeight: bigint; expiresAt: number },
): CraftTxnAnswer {
  const tokenUsdRate = prices.usd(platform.mint);
  const solUsd = prices.usd(WRAPPED_SOL_MINT);
  return {
    transaction: ready ? Buffer.from(ready.crafted.wire).toString('base64') : '',
    requestId: payment.reference,
    receiverAddress: receiver,
    mint: platform.mint,
    amount: payment.amount.toString(),
    tokenDecimals: payment.decimals,
    ...(tokenUsdRate !== undefined && { tokenUsdRate }),
    feeLamports: Number(feeLamports),
    ...(solUsd !== undefined && { feeUsdAmount: (Number(feeLamports) / LAMPORTS_PER_SOL) * solUsd }),
    feeMint: gasless ? platform.mint : WRAPPED_SOL_MINT,
    feeTokenDecimals: gasless ? payment.decimals : 9,
    feeAmount: gasless ? 0 : Number(feeLamports),
    ...(rentLamports > 0n && { rentFeeLamports: Number(rentLamports) }),
    totalTime: Math.round(performance.now() - started),
    ...(ready && {
      expireAt: new Date(ready.expiresAt).toISOString(),
      lastValidBlockHeight: ready.lastValidBlockHeight.toString(),
    }),
    ...(obstacle && { error: obstacle.error }),
    code: obstacle?.code ?? 0,
    gasless,
  };
}
