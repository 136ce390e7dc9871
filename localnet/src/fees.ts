import { type DecodedMessage, networkFee, unitPrice } from '@slipway/wire';

/** The price of a compute unit in micro-lamports; 0 when the message names none. */
export const computeUnitPrice = (message: DecodedMessage): bigint => unitPrice(calledBy(message));

/** What the transaction costs its fee payer in lamports, whether it succeeds or not. */
export const transactionFee = (message: DecodedMessage): bigint =>
  networkFee(message.header.requiredSignatures, calledBy(message));

/** No program of a message comes from a lookup table. */
const calledBy = ({ accounts, instructions }: DecodedMessage) =>
  instructions.map(({ programIndex, data }) => ({ program: accounts[programIndex]!, data }));
