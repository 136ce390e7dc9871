import { MAX_TRANSACTION_SIZE } from '@slipway/wire';
import { Type } from 'typebox';

/** A transaction in base64: nothing longer is decoded. */
export const transactionText = (description: string, maxBytes: number = MAX_TRANSACTION_SIZE) =>
  Type.String({ maxLength: Math.ceil(maxBytes / 3) * 4, description });
