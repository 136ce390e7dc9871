import type { PriceOrderRequest } from '@slipway/client';
import { commaProblem, usd } from '../lib/format.js';
import type { Mint } from '../lib/sandbox.js';

/** What can be placed, as it is called here. */
export const KINDS = {
  stop: 'Stop loss',
  profit: 'Take profit',
  oco: 'Both',
  trailing: 'Trailing stop',
  otoco: 'Buy, then both',
} as const;
export type Kind = keyof typeof KINDS;

/** The fields of the form. */
export type Field = 'entry' | 'low' | 'high' | 'distance';
export const FIELDS: Readonly<Record<Kind, readonly Field[]>> = {
  stop: ['low'],
  profit: ['high'],
  oco: ['low', 'high'],
  trailing: ['distance'],
  otoco: ['entry', 'low', 'high'],
};
export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  entry: 'buy when the price falls to, in USD',
  low: 'when the price falls to, in USD',
  high: 'when the price rises to, in USD',
  distance: 'when it falls from its highest by, in %',
};

/** What is shown until something is typed: ten percent away. */
export const defaultsAt = (price: number): Readonly<Record<Field, string>> => ({
  entry: (price * 0.95).toPrecision(5),
  low: (price * 0.9).toPrecision(5),
  high: (price * 1.1).toPrecision(5),
  distance: '10',
});

/** What is wrong with what was typed, by field. */
export function problemsOf(kind: Kind, typed: Readonly<Record<Field, string>>, price: number) {
  const { entry, low, high, distance } = numbersOf(typed);
  // What an order sells after it has bought lies around the price of the purchase.
  const middle = kind === 'otoco' ? entry : price;
  const all: Record<Field, string | undefined> = {
    entry: entry > 0 && entry < price ? undefined : `below ${usd(price)}`,
    low: low > 0 && low < middle ? undefined : `below ${usd(middle)}`,
    high: high > middle ? undefined : `above ${usd(middle)}`,
    distance: distance >= 0.5 && distance <= 90 ? undefined : 'from 0.5 to 90',
  };
  return Object.fromEntries(FIELDS[kind].map((field) => [field, commaProblem(typed[field]) ?? all[field]])) as Partial<
    typeof all
  >;
}

type Terms = Omit<PriceOrderRequest, 'inputAmount' | 'expiresAt'>;

/** The order that the service is asked for: of `token`, which is sold for `money` or, of an OTOCO, first bought with it. */
export function termsOf(kind: Kind, typed: Readonly<Record<Field, string>>, token: Mint, money: Mint): Terms {
  const { entry, low, high, distance } = numbersOf(typed);
  const sells = { inputMint: token.mint, outputMint: money.mint };
  const exits = { slPriceUsd: low, tpPriceUsd: high };
  switch (kind) {
    case 'stop':
      return { ...sells, orderType: 'single', triggerCondition: 'below', triggerPriceUsd: low };
    case 'profit':
      return { ...sells, orderType: 'single', triggerCondition: 'above', triggerPriceUsd: high };
    case 'oco':
      return { ...sells, orderType: 'oco', ...exits };
    case 'trailing':
      return { ...sells, orderType: 'single', triggerCondition: 'below', trailingBps: Math.round(distance * 100) };
    case 'otoco':
      return {
        inputMint: money.mint,
        outputMint: token.mint,
        triggerMint: token.mint,
        orderType: 'otoco',
        triggerCondition: 'below',
        triggerPriceUsd: entry,
        ...exits,
      };
  }
}

const numbersOf = (typed: Readonly<Record<Field, string>>) =>
  Object.fromEntries(Object.entries(typed).map(([field, text]) => [field, Number(text)])) as Record<Field, number>;
