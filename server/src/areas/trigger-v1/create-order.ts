import { randomBytes } from 'node:crypto';
import { decodeLimitOrderFees, type InitializeOrder, LIMIT_ORDER_SIZE, limitOrderAddress } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import {
  type ChainAccount,
  hasCpiGuard,
  type MintInfo,
  mintFacts,
  readMintExtensions,
  requiresMemo,
} from '../../chain/index.js';
import { craftOrderOpening, type OrderOpening, wrappedOrderId } from '../../crafting/limit-order.js';
import { temporaryWrappedSol } from '../../crafting/swap.js';
import { base64Of } from '../../crafting/transaction.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { AppError } from '../../errors/index.js';
import type { Working } from '../../landing/index.js';
import { askedBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { type TriggerV1Deps, tags, triggerV1Route } from './deps.js';

import { type OrderRequest, readCreateOrder, refuse } from './order-request.js';
import { CreateOrderAnswer, CreateOrderBody } from './schema.js';
import { priceOf, rememberAll, tryOutAt } from './try-out.js';

const LEAST_USD = 5;
const CHEAPEST_BUMP = 255;
const ALL_BPS = 10_000;

export function registerCreateOrder(app: TypedServer, deps: TriggerV1Deps): void {
  app.post(
    '/trigger/v1/createOrder',
    {
      config: { ...triggerV1Route, crafts: true },
      schema: {
        tags,
        summary: 'Create a limit order (unsigned)',
        description:
          'The order holds the input on the chain until a keeper fills it or the maker cancels it. Sign `transaction` and post it to `execute`.',
        body: CreateOrderBody,
        response: { 200: CreateOrderAnswer },
      },
    },
    (request) => createOrder(askedBy(deps, request), request.body),
  );
}

/** Crafts the transaction that opens an order. */
export async function createOrder(deps: TriggerV1Deps, body: CreateOrderBody): Promise<CreateOrderAnswer> {
  try {
    return await craft(deps, readCreateOrder(body, Math.floor(deps.clock.now() / 1_000), deps.gasWallet));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST') throw error;
    throw new AppError('INVALID_REQUEST', {
      message: 'invalid create order request',
      details: { cause: error.message },
    });
  }
}

async function craft(deps: TriggerV1Deps, asked: OrderRequest): Promise<CreateOrderAnswer> {
  const [input, output] = await Promise.all([
    readMint(deps, 'inputMint', asked.inputMint),
    readMint(deps, 'outputMint', asked.outputMint),
  ]);
  requireWorth(deps, asked, input);
  const requestId = uuidv7(deps.clock);
  const { opening, lamports } = await plan(deps, asked, { input, output, requestId });
  const price = await priceOf(deps, asked.computeUnitPrice);
  const tried = await tryOutAt(deps, (blockhash, budget) => craftOrderOpening(opening, blockhash, budget), price);
  if ('failure' in tried) {
    const { message, name } = tried.failure;
    throw refuse(`the chain would refuse this order: ${name ?? message}`);
  }
  requireLamports(asked, lamports, tried);
  const { maker, uniqueId } = opening.order;
  const { address: order } = limitOrderAddress(maker, uniqueId, deps.addresses.program);
  await rememberAll(deps, requestId, maker, [{ ...tried, order }]);
  return { requestId, transaction: base64Of(tried.crafted), order, code: 0 };
}

async function readMint({ chain }: TriggerV1Deps, field: string, mint: Address): Promise<MintInfo> {
  const account = await chain.account(mint);
  const facts = mintFacts(account);
  if (!account || !facts) throw refuse(`${field}: there is no such token on this chain`);
  const extensions = readMintExtensions(account.data);
  const { transferFee, transferHook, nonTransferable } = extensions ?? {};
  if (transferFee && (transferFee.olderBps > 0 || transferFee.newer.bps > 0)) {
    throw refuse(`${field}: expected a token without a transfer tax; part of every transfer of this one is kept`);
  }
  if (!extensions || transferHook || nonTransferable) {
    throw refuse(`${field}: expected a token that can be held in escrow; transfers of this one are restricted`);
  }
  return facts;
}

function requireWorth({ prices }: TriggerV1Deps, { inputMint, makingAmount }: OrderRequest, input: MintInfo): void {
  const price = prices.usd(inputMint);
  if (price === undefined) {
    throw refuse(`inputMint: no price of it is known, so that it cannot be told whether it is worth ${LEAST_USD} USD`);
  }
  const usd = Number(decimalString(makingAmount, input.decimals)) * price;
  if (usd >= LEAST_USD) return;
  // Rounded down, so that it never reads as enough.
  const received = Math.floor(usd * 100) / 100;
  throw refuse(`input mint making amount must be at least ${LEAST_USD} USD, received: ${received}`);
}

// ---- what is to be crafted ----------------------------------------------------------------------------------------

/** The lamports that each party has and pays, without the network fee. */
interface Lamports {
  maker: { has: bigint; needed: bigint };
  payer: { has: bigint; needed: bigint };
}

async function plan(
  deps: TriggerV1Deps,
  asked: OrderRequest,
  { input, output, requestId }: { input: MintInfo; output: MintInfo; requestId: string },
): Promise<{ opening: OrderOpening; lamports: Lamports }> {
  const { inputMint, outputMint, maker, payer, makingAmount, takingAmount, expiredAt, slippageBps, fee } = asked;
  const { chain, addresses } = deps;
  const wrapped =
    inputMint === WRAPPED_SOL_MINT && asked.wrapAndUnwrapSol
      ? temporaryWrappedSol(maker, requestId.replaceAll('-', ''))
      : undefined;
  const source = wrapped?.account ?? associatedTokenAddress(maker, inputMint, input.tokenProgram);
  const staysWrapped = !asked.wrapAndUnwrapSol && [inputMint, outputMint].includes(WRAPPED_SOL_MINT);
  // Unless it stays wrapped, SOL is paid to the maker's wallet, which needs no token account.
  const destination =
    outputMint === WRAPPED_SOL_MINT && !staysWrapped
      ? undefined
      : associatedTokenAddress(maker, outputMint, output.tokenProgram);
  const read = async (address: Address | undefined) => address && chain.account(address);
  const [makerFound, payerFound, sourceFound, destinationFound, feeFound, programFound] = await Promise.all(
    [maker, payer, wrapped ? undefined : source, destination, fee?.account, addresses.fee].map(read),
  );
  requireWallet('maker', makerFound);
  requireWallet('payer', payerFound);
  if (!wrapped) requireInput(sourceFound, asked, input);
  const feeBps = feeBpsOf(deps, asked, programFound);
  if (fee) requireFeeAccount(feeFound, outputMint, output.tokenProgram);
  const createOutput = destination !== undefined && !isDestination(destinationFound, maker, outputMint);
  const order: InitializeOrder = {
    payer,
    maker,
    uniqueId: cheapId(maker, addresses.program, staysWrapped),
    makerInputMintAccount: source,
    inputMint,
    outputMint,
    inputTokenProgram: input.tokenProgram,
    outputTokenProgram: output.tokenProgram,
    makingAmount,
    takingAmount,
    slippageBps,
    feeBps,
    ...(expiredAt !== undefined && { expiredAt }),
    ...(fee && { referral: fee.account }),
  };
  const tokenRent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const rents = rentExemptLamports(LIMIT_ORDER_SIZE) + tokenRent + (createOutput ? tokenRent : 0n);
  const lamports = {
    maker: { has: makerFound?.lamports ?? 0n, needed: wrapped ? makingAmount : 0n },
    payer: { has: payerFound?.lamports ?? 0n, needed: rents + (wrapped ? tokenRent : 0n) },
  };
  const tooPoor = lackOf(asked, lamports, 0n);
  if (tooPoor) throw refuse(tooPoor);
  return { opening: { order, ...(wrapped && { wrapSeed: wrapped.seed }), createOutput, addresses }, lamports };
}

/** The program's own fee, which is lower between stables, plus the integrator's. */
function feeBpsOf(
  { addresses, stables }: TriggerV1Deps,
  asked: OrderRequest,
  account: ChainAccount | undefined,
): number {
  const fees = account?.owner === addresses.program ? decodeLimitOrderFees(account.data) : undefined;
  if (!fees) {
    throw new AppError('CRAFT_FAILED', { message: 'The limit order program takes no orders on this chain yet' });
  }
  const isStable = stables.has(asked.inputMint) && stables.has(asked.outputMint);
  const base = isStable ? fees.stableFeeBps : fees.normalFeeBps;
  const total = base + (asked.fee?.bps ?? 0);
  if (total <= ALL_BPS) return total;
  throw refuse(`params.feeBps: expected at most ${ALL_BPS - base} basis points; the program takes ${base} itself`);
}

/** A random id whose address has the first bump, so that the program need not search for one. */
function cheapId(maker: Address, program: Address, staysWrapped: boolean): bigint {
  for (;;) {
    const random = randomBytes(8).readBigUInt64LE();
    const uniqueId = staysWrapped ? wrappedOrderId(random) : random;
    if (limitOrderAddress(maker, uniqueId, program).bump === CHEAPEST_BUMP) return uniqueId;
  }
}

// ---- what the accounts must be ------------------------------------------------------------------------------------

/** An empty address may become a wallet; an account of a program never does. */
function requireWallet(field: string, account: ChainAccount | undefined): void {
  if (account && account.owner !== SYSTEM_PROGRAM)
    throw refuse(`${field}: expected a wallet, not an account of a program`);
}

function requireInput(account: ChainAccount | undefined, asked: OrderRequest, { tokenProgram }: MintInfo): void {
  const { maker, inputMint, makingAmount } = asked;
  const held = account?.owner === tokenProgram ? decodeTokenAccount(account.data) : undefined;
  const isUsable = held?.owner === maker && held.mint === inputMint && held.state === 'initialized';
  const amount = isUsable ? held.amount : 0n;
  if (amount < makingAmount) {
    throw refuse(
      `insufficient funds: params.makingAmount is ${makingAmount}, and the maker's token account holds ${amount}`,
    );
  }
  if (!account || !hasCpiGuard(account.data)) return;
  throw refuse(
    'maker: its token account for the input has CPI Guard on, which lets no order take from it: turn that off first',
  );
}

function requireFeeAccount(account: ChainAccount | undefined, outputMint: Address, tokenProgram: Address): void {
  const held = account?.owner === tokenProgram ? decodeTokenAccount(account.data) : undefined;
  const takes = account && held?.mint === outputMint && held.state === 'initialized' && !requiresMemo(account.data);
  if (takes) return;
  throw refuse('feeAccount: expected a token account of the outputMint that is not frozen and requires no memos');
}

function isDestination(account: ChainAccount | undefined, maker: Address, outputMint: Address): boolean {
  // The address may hold lamports before the account is created.
  if (!account || account.owner === SYSTEM_PROGRAM) return false;
  const held = decodeTokenAccount(account.data);
  if (requiresMemo(account.data))
    throw refuse('maker: its token account for the output requires memos, which no fill adds: turn that off first');
  if (held?.owner === maker && held.mint === outputMint && held.state === 'initialized') return true;
  throw refuse('maker: its associated token account for the output belongs to somebody else or is frozen');
}

function requireLamports(asked: OrderRequest, lamports: Lamports, { crafted }: Working): void {
  const tooPoor = lackOf(asked, lamports, crafted.feeLamports);
  if (tooPoor) throw refuse(tooPoor);
}

/** Says who has too little SOL; undefined if nobody has. */
function lackOf({ maker, payer }: OrderRequest, lamports: Lamports, feeLamports: bigint): string | undefined {
  const fee = { ...lamports.payer, needed: lamports.payer.needed + feeLamports };
  const parts =
    maker === payer
      ? [{ field: 'maker', has: fee.has, needed: fee.needed + lamports.maker.needed }]
      : [
          { field: 'maker', ...lamports.maker },
          { field: 'payer', ...fee },
        ];
  for (const { field, has, needed } of parts) {
    const missing = needed === 0n ? 0n : needed + walletMinimum() - has;
    if (missing > 0n) return `insufficient funds: ${field} needs ${decimalString(missing, 9)} SOL more`;
  }
  return undefined;
}
