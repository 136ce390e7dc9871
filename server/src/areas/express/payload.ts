import { type Static, Type } from 'typebox';
import { digits, payloadReader } from '../../landing/index.js';
import type { Currency } from './currency.js';

/** What `execute` needs to know of a payment; stored in the ledger. */
const PaymentPayload = Type.Object({
  currency: Type.Unsafe<Currency>(Type.String()),
  /** Platform tokens that the receiver gets, in the smallest unit. */
  amount: digits,
  /** The most that leaves the sender, in the smallest unit of the currency; of a swap only. */
  paid: Type.Optional(digits),
  /** What the sender's wallet must have for it, the fee and all rent included; absent where the gas wallet pays those. */
  lamports: Type.Optional(digits),
});
export type PaymentPayload = Static<typeof PaymentPayload>;

/** @throws PayloadMismatch */
export const readPayload = payloadReader(PaymentPayload);
