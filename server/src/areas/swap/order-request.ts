import type { Address } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import { VENUE_LABELS } from '../../routing/aggregator/index.js';
import { ROUTER_IDS, type RouterId, routerIdOf } from '../../routing/router.js';
import type { OrderQuery } from './schema.js';

/** A client's parsed request; its accounts have not been checked on the chain yet. */
export interface OrderRequest {
  inputMint: Address;
  outputMint: Address;
  amount: bigint;
  taker?: Address | undefined;
  /** Defaults to the taker. */
  receiver?: Address | undefined;
  /** Pays instead of the taker. */
  payer?: Address | undefined;
  closeAuthority?: Address | undefined;
  referral?: { account: Address; bps: number } | undefined;
  exclude: ReadonlySet<RouterId>;
  excludeVenues: ReadonlySet<string>;
  manual?: Manual | undefined;
}

/** What a client overrides; the rest stays automatic. */
interface Manual {
  slippageBps?: number | undefined;
  /** Lamports: the maximum, or with `exact` the exact fee. */
  priorityFee?: { lamports: bigint; exact: boolean } | undefined;
  tipLamports?: bigint | undefined;
}

/** @throws AppError INVALID_REQUEST that names the field. */
export function readOrderQuery(query: OrderQuery, gasWallet: Address): OrderRequest {
  const inputMint = requireAddress('inputMint', query.inputMint);
  const outputMint = requireAddress('outputMint', query.outputMint);
  if (inputMint === outputMint) throw refuse('outputMint', 'expected another mint than inputMint');
  const amount = requireAmount('amount', query.amount);
  const party = (name: 'taker' | 'receiver' | 'payer' | 'closeAuthority') => {
    const value = query[name];
    if (value === undefined) return undefined;
    const address = requireAddress(name, value);
    // The service signs with it, so clients must not name it as a party.
    if (address === gasWallet) throw refuse(name, "the server's gas wallet cannot take part in a swap");
    return address;
  };
  const taker = party('taker');
  const receiver = party('receiver');
  const payer = party('payer');
  const closeAuthority = party('closeAuthority');
  const exclude = readRouters(query.excludeRouters);
  const hasPayer = payer !== undefined && payer !== taker;
  return {
    inputMint,
    outputMint,
    amount,
    taker,
    receiver: receiver ?? taker,
    payer: hasPayer ? payer : undefined,
    closeAuthority: hasPayer && closeAuthority !== taker ? closeAuthority : undefined,
    referral: readReferral(query),
    exclude,
    excludeVenues: readVenues(query.excludeDexes),
    manual: readManual(query),
  };
}

function readReferral({ referralAccount, referralFee }: OrderQuery): OrderRequest['referral'] {
  if (referralAccount === undefined && referralFee === undefined) return undefined;
  if (referralAccount === undefined) throw refuse('referralAccount', 'required with referralFee');
  if (referralFee === undefined) throw refuse('referralFee', 'required with referralAccount, from 50 to 255');
  return { account: requireAddress('referralAccount', referralAccount), bps: referralFee };
}

function readRouters(list: string | undefined): ReadonlySet<RouterId> {
  const excluded = new Set<RouterId>();
  for (const name of split(list)) {
    const known = routerIdOf(name);
    if (!known) throw refuse('excludeRouters', `expected a comma list of ${ROUTER_IDS.join(', ')}`);
    excluded.add(known);
  }
  return excluded;
}

function readVenues(list: string | undefined): ReadonlySet<string> {
  const excluded = new Set<string>();
  for (const name of split(list?.replaceAll('+', ' '))) {
    const known = VENUE_LABELS.some((label) => label.toLowerCase() === name.toLowerCase());
    if (!known) throw refuse('excludeDexes', `expected a comma list of ${VENUE_LABELS.join(', ')}`);
    excluded.add(name.toLowerCase());
  }
  return excluded;
}

function split(list = ''): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function readManual(query: OrderQuery): Manual | undefined {
  const { slippageBps, broadcastFeeType, priorityFeeLamports, jitoTipLamports } = query;
  const given = [slippageBps, broadcastFeeType, priorityFeeLamports, jitoTipLamports];
  if (given.every((value) => value === undefined)) return undefined;
  return {
    slippageBps,
    ...(priorityFeeLamports !== undefined && {
      priorityFee: { lamports: BigInt(priorityFeeLamports), exact: broadcastFeeType === 'exactFee' },
    }),
    ...(jitoTipLamports !== undefined && { tipLamports: BigInt(jitoTipLamports) }),
  };
}

export function refuse(field: string, expected: string): AppError {
  return new AppError('INVALID_REQUEST', { message: `${field}: ${expected}`, details: { [field]: expected } });
}
