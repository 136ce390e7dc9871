import type { Address } from '@slipway/wire';
import { type Static, Type } from 'typebox';
import { requireAddress } from '../../errors/index.js';
import type { ListedPool } from './listed-pools.js';

export const PoolsQuery = Type.Object({
  token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'Only pools of this token: its mint, or a listed symbol' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
});
export type PoolsQuery = Static<typeof PoolsQuery>;

const PoolToken = Type.Object({
  mint: Type.String(),
  symbol: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  decimals: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  reserve: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'How much of it can be traded, roughly, in the smallest unit; null while nobody can trade with the pool',
  }),
});

const PoolAnswer = Type.Object({
  address: Type.String(),
  venue: Type.String({ description: 'The kind of pool, as `excludeDexes` takes it' }),
  tokens: Type.Array(PoolToken, { minItems: 2, maxItems: 2, description: 'Its two tokens' }),
  price: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Whole units of the second token for one of the first, without the fee',
  }),
  feePercent: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'What the pool and its owner keep of a trade, roughly',
  }),
  refusal: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Why nobody can trade with it now' }),
});
export const PoolsPage = Type.Object({
  count: Type.Integer({ description: 'How many there are, of this token or of all' }),
  pools: Type.Array(PoolAnswer, { description: 'The deepest first' }),
});
export type PoolsPage = Static<typeof PoolsPage>;

type ListPools = (wanted: { mint: Address | undefined; most: number }) => { pools: ListedPool[]; count: number };
type Listed = ReadonlyMap<Address, { symbol: string; mint: Address }>;

/** The watched pools as the API answers them, with the symbols of listed tokens. @throws AppError for what names no token */
export function poolsPage(pools: ListPools, listed: Listed, { token, limit }: PoolsQuery): PoolsPage {
  const page = pools({ mint: token === undefined ? undefined : mintOf(token, listed), most: limit });
  return {
    count: page.count,
    pools: page.pools.map(({ sides, price, feeShare, refusal, ...pool }) => ({
      ...pool,
      tokens: sides.map(({ mint, decimals, reserve }) => ({
        mint,
        symbol: listed.get(mint)?.symbol ?? null,
        decimals: decimals ?? null,
        reserve: reserve === undefined ? null : BigInt(Math.floor(reserve)).toString(),
      })),
      price: price ?? null,
      feePercent: feeShare === undefined ? null : feeShare * 100,
      refusal: refusal ?? null,
    })),
  };
}

const mintOf = (token: string, listed: Listed): Address =>
  [...listed.values()].find(({ symbol }) => symbol.toLowerCase() === token.toLowerCase())?.mint ??
  requireAddress('token', token);
