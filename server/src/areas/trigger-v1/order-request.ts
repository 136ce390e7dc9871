import { type Address, isAddress } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import type { CreateOrderBody } from './schema.js';

/** A client's parsed request, not yet checked against the chain. */
export interface OrderRequest {
  inputMint: Address;
  outputMint: Address;
  maker: Address;
  payer: Address;
  makingAmount: bigint;
  takingAmount: bigint;
  /** Unix seconds. */
  expiredAt: bigint | undefined;
  slippageBps: number;
  fee: { account: Address; bps: number } | undefined;
  /** Micro-lamports; undefined for `auto`. */
  computeUnitPrice: bigint | undefined;
  wrapAndUnwrapSol: boolean;
}

/** The end of the year 9999, by which some say "never". Milliseconds of any time since 1978 are beyond it. */
const LATEST_EXPIRY = 253_402_300_799n;
const ALL_BPS = 10_000;

/** @throws AppError INVALID_REQUEST that names the field. */
export function readCreateOrder(body: CreateOrderBody, nowSeconds: number, gasWallet: Address): OrderRequest {
  const { params, wrapAndUnwrapSol = true } = body;
  const inputMint = requireAddress('inputMint', body.inputMint);
  const outputMint = requireAddress('outputMint', body.outputMint);
  if (inputMint === outputMint) throw refuse('outputMint: expected another mint than inputMint');
  const [maker, payer] = (['maker', 'payer'] as const).map((field) => {
    const address = requireAddress(field, body[field]);
    if (address === gasWallet) throw refuse(`${field}: expected a wallet of yours; this one is the server's`);
    return address;
  }) as [Address, Address];
  return {
    inputMint,
    outputMint,
    maker,
    payer,
    wrapAndUnwrapSol,
    makingAmount: requireAmount('params.makingAmount', params.makingAmount),
    takingAmount: requireAmount('params.takingAmount', params.takingAmount),
    expiredAt: readExpiry(params.expiredAt, nowSeconds),
    slippageBps: readBps('params.slippageBps', params.slippageBps ?? '0', 0, ALL_BPS - 1),
    fee: readFee(body),
    computeUnitPrice: readUnitPrice(body.computeUnitPrice),
  };
}

function readExpiry(value: string | undefined, nowSeconds: number): bigint | undefined {
  if (value === undefined) return undefined;
  const expiredAt = /^[1-9]\d{0,18}$/.test(value) ? BigInt(value) : 0n;
  if (expiredAt > LATEST_EXPIRY) {
    throw refuse(
      `params.expiredAt: expected unix seconds, of the year 9999 at the latest; these look like milliseconds. It is ${nowSeconds} now`,
    );
  }
  if (expiredAt > BigInt(nowSeconds)) return expiredAt;
  throw refuse(`params.expiredAt: expected unix seconds in the future, as a decimal string; it is ${nowSeconds} now`);
}

function readFee({ feeAccount, params: { feeBps } }: CreateOrderBody): OrderRequest['fee'] {
  if (feeAccount === undefined && feeBps === undefined) return undefined;
  if (feeAccount === undefined) throw refuse('feeAccount: required with params.feeBps');
  const bps = readBps('params.feeBps', feeBps ?? '0', 0, ALL_BPS);
  return { account: requireAddress('feeAccount', feeAccount), bps };
}

function readBps(field: string, value: string, least: number, most: number): number {
  const bps = /^(?:0|[1-9]\d{0,4})$/.test(value) ? Number(value) : Number.NaN;
  if (bps >= least && bps <= most) return bps;
  throw refuse(`${field}: expected basis points from ${least} to ${most}, as a decimal string`);
}

/** Undefined for `auto`. @throws AppError INVALID_REQUEST */
export function readUnitPrice(value = 'auto'): bigint | undefined {
  if (value === 'auto') return undefined;
  if (/^(?:0|[1-9]\d{0,19})$/.test(value) && BigInt(value) < 2n ** 64n) return BigInt(value);
  throw refuse('computeUnitPrice: expected auto, or micro-lamports as a decimal string');
}

/** @throws AppError INVALID_REQUEST in the words of the contract. */
export function requireMaker(value: string): Address {
  if (isAddress(value)) return value;
  throw new AppError('INVALID_REQUEST', { message: 'invalid maker pubkey' });
}

export function refuse(message: string): AppError {
  return new AppError('INVALID_REQUEST', { message });
}
