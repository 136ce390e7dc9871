import { randomUUID } from 'node:crypto';
import { type Address, associatedTokenAddress, associatedTokenRent, WRAPPED_SOL_MINT } from '@slipway/wire';
import { BLOCKHASH_LIFE_MS, isMade } from '../../chain/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../../crafting/budget.js';
import { craftPayment, type Payment, PRICE_IN_TOKENS } from '../../crafting/payment.js';
import { type Budget, base64Of, feeOf } from '../../crafting/transaction.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { askedBy, explain, newRequest } from '../../landing/index.js';
import { roundedUsd, usdValue } from '../../lib/decimal.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { checkLamports, checkTokens, type Obstacle, type Ready } from './checks.js';
import { type Currency, readCurrency } from './currency.js';
import { AREA, type ExpressDeps, expressRoute, tags } from './deps.js';
import type { PaymentPayload } from './payload.js';
import { CraftTxnAnswer, CraftTxnQuery } from './schema.js';
import { craftSwapPayment, type SwapPayment } from './swap-payment.js';
import { readToken } from './token.js';

const NO_BUDGET: Budget = { computeUnitLimit: 0, computeUnitPrice: 0n };

/** What a payment's answer tells the sender. */
interface PaymentSummary {
  requestId: string;
  /** Platform tokens that the receiver gets, in the smallest unit. */
  amount: bigint;
  tokenDecimals: number;
  feeLamports: bigint;
  rentLamports: bigint;
  gasless: boolean;
  swap?: SwapPayment;
  outcome: { ready: Ready } | { obstacle: Obstacle };
}

export function registerCraftTxn(app: TypedServer, deps: ExpressDeps): void {
  app.get(
    '/tokens/v2/verify/express/craft-txn',
    {
      config: { ...expressRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft the payment of a verification',
        description:
          'Sign `transaction` and post it to `execute` with the `requestId`. With a `code` other than 0, `transaction` is empty and `error` says why.',
        querystring: CraftTxnQuery,
        response: { 200: CraftTxnAnswer },
      },
    },
    (request) => craftTxn(askedBy(deps, request), request.query),
  );
}

/** Crafts the payment for a verification: 1000 platform tokens to the operator's receiver, directly or by a swap. */
export async function craftTxn(deps: ExpressDeps, query: CraftTxnQuery): Promise<CraftTxnAnswer> {
  const started = performance.now();
  const sender = requireAddress('senderAddress', query.senderAddress);
  const currency = readCurrency(query.paymentCurrency ?? 'PLATFORM_TOKEN', {
    platform: deps.platform.symbol,
    stable: deps.stable.symbol,
  });
  if (sender === deps.receiver) {
    throw new AppError('INVALID_REQUEST', { message: 'senderAddress: the receiver of the payment cannot pay itself' });
  }
  // With the gas wallet as the sender, only the service would have to sign.
  if (sender === deps.gasWallet) {
    throw new AppError('INVALID_REQUEST', { message: 'senderAddress: the gas wallet of this server cannot pay' });
  }
  const requestId = uuidv7(deps.clock);
  const summary =
    currency === 'PLATFORM_TOKEN'
      ? await payDirectly(deps, sender, requestId)
      : await payBySwap(deps, sender, currency, requestId);
  const { outcome } = summary;
  const expiresAt = deps.clock.now() + BLOCKHASH_LIFE_MS;
  if ('ready' in outcome) await remember(deps, sender, currency, summary, outcome.ready);
  return answer(deps, summary, { started, expiresAt });
}

async function payBySwap(
  deps: ExpressDeps,
  sender: Address,
  currency: Exclude<Currency, 'PLATFORM_TOKEN'>,
  requestId: string,
): Promise<PaymentSummary> {
  const { payment, tokenDecimals, ...outcome } = await craftSwapPayment(deps, sender, currency);
  const { outputAmount: amount, feeLamports, rentLamports } = payment;
  return { requestId, amount, tokenDecimals, feeLamports, rentLamports, gasless: false, swap: payment, outcome };
}

async function payDirectly(deps: ExpressDeps, sender: Address, requestId: string): Promise<PaymentSummary> {
  // After a payment of this wallet has failed at the gas wallet's cost, it pays for itself.
  const gasless = deps.gasless && (await deps.landing.barOf(AREA, sender)) === undefined;
  const payment = await paymentFrom(deps, sender, gasless);
  const [source, payer, destination] = await Promise.all([
    deps.chain.account(payment.source),
    deps.chain.account(payment.feePayer),
    deps.chain.account(payment.destination),
  ]);
  payment.createDestination = !isMade(destination);
  const rentLamports = payment.createDestination ? associatedTokenRent(payment.tokenProgram) : 0n;
  const { amount, decimals: tokenDecimals } = payment;
  const summary = (feeLamports: bigint, outcome: PaymentSummary['outcome']): PaymentSummary => {
    return { requestId, amount, tokenDecimals, feeLamports, rentLamports, gasless, outcome };
  };
  const leastFee = feeOf(gasless ? 2 : 1, NO_BUDGET);
  const tooPoor =
    checkTokens(source, payment, deps.platform.symbol) ?? checkLamports(payer, leastFee + rentLamports, gasless);
  if (tooPoor) return summary(leastFee, { obstacle: tooPoor });

  const budget = await budgetFor(deps, payment);
  if ('error' in budget) return summary(leastFee, { obstacle: budget });
  const feeLamports = feeOf(gasless ? 2 : 1, budget);
  const tooDear = checkLamports(payer, feeLamports + rentLamports, gasless);
  if (tooDear) return summary(feeLamports, { obstacle: tooDear });
  const { blockhash, lastValidBlockHeight } = await deps.chain.latestBlockhash();
  const crafted = craftPayment(payment, blockhash, budget);
  return summary(feeLamports, { ready: { crafted, lastValidBlockHeight } });
}

async function remember(
  deps: ExpressDeps,
  wallet: Address,
  currency: Currency,
  { requestId, amount, feeLamports, rentLamports, gasless, swap }: PaymentSummary,
  { crafted, lastValidBlockHeight }: Ready,
): Promise<void> {
  const lamports = swap?.neededLamports ?? feeLamports + rentLamports;
  const request = {
    id: requestId,
    area: AREA,
    wallet,
    crafted,
    lastValidBlockHeight,
    cosigners: gasless ? (['gas'] as const) : [],
    payload: {
      currency,
      amount: amount.toString(),
      ...(swap && { paid: swap.inputAmount.toString() }),
      ...(!gasless && { lamports: lamports.toString() }),
    } satisfies PaymentPayload,
  };
  await deps.remember(newRequest(request, deps.clock));
}

async function paymentFrom(deps: ExpressDeps, sender: Address, gasless: boolean): Promise<Payment> {
  const { platform, receiver } = deps;
  const { mint, tokenProgram, decimals } = await readToken(deps.chain, platform);
  return {
    feePayer: gasless ? deps.gasWallet : sender,
    sender,
    source: associatedTokenAddress(sender, mint, tokenProgram),
    receiver,
    destination: associatedTokenAddress(receiver, mint, tokenProgram),
    createDestination: false,
    mint,
    tokenProgram,
    decimals,
    amount: PRICE_IN_TOKENS * 10n ** BigInt(decimals),
    // Not the request id, which nothing on the chain may tell: whoever knows it says what a payment is for, if he posts it first.
    reference: randomUUID(),
  };
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
  { platform, receiver, prices }: ExpressDeps,
  { requestId, amount, tokenDecimals, feeLamports, rentLamports, gasless, swap, outcome }: PaymentSummary,
  { started, expiresAt }: { started: number; expiresAt: number },
): CraftTxnAnswer {
  const tokenUsdRate = prices.usd(platform.mint);
  const solUsd = prices.usd(WRAPPED_SOL_MINT);
  const ready = 'ready' in outcome ? outcome.ready : undefined;
  const obstacle = 'obstacle' in outcome ? outcome.obstacle : undefined;
  return {
    transaction: ready ? base64Of(ready.crafted) : '',
    requestId,
    receiverAddress: receiver,
    mint: platform.mint,
    amount: amount.toString(),
    tokenDecimals,
    ...(tokenUsdRate !== undefined && { tokenUsdRate: roundedUsd(tokenUsdRate) }),
    feeLamports: Number(feeLamports),
    ...(solUsd !== undefined && { feeUsdAmount: roundedUsd(usdValue(feeLamports, 9, solUsd)) }),
    feeMint: gasless ? platform.mint : WRAPPED_SOL_MINT,
    feeTokenDecimals: gasless ? tokenDecimals : 9,
    feeAmount: gasless ? 0 : Number(feeLamports),
    ...(rentLamports > 0n && { rentFeeLamports: Number(rentLamports) }),
    totalTime: Math.round(performance.now() - started),
    ...(ready && {
      expireAt: new Date(expiresAt).toISOString(),
      lastValidBlockHeight: ready.lastValidBlockHeight.toString(),
    }),
    ...(obstacle && { error: obstacle.error }),
    code: obstacle?.code ?? 0,
    gasless,
    ...(swap && {
      inputMint: swap.input.mint,
      inputDecimals: swap.input.decimals,
      quotedInputAmount: swap.inputAmount.toString(),
      maxInputAmount: swap.inputAmount.toString(),
    }),
  };
}
