import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ExecuteBody as ExpressBody } from './express/schema.js';
import { ExecuteClaimBody } from './send/schema.js';
import { SubmitPoolBody } from './studio/schema.js';
import { ExecuteBody as SwapBody } from './swap/schema.js';
import { ExecuteBody as TransferBody } from './transfers/schema.js';
import { ExecuteBody as LimitOrderBody } from './trigger-v1/schema.js';
import { ConfirmBody, OrderBody, VerifyBody } from './trigger-v2/schema.js';

/** 1,232 bytes in base64. */
const LONGEST = 1_644;

const BODIES: Record<string, [TSchema, string]> = {
  express: [ExpressBody, 'transaction'],
  claim: [ExecuteClaimBody, 'signedTransaction'],
  launch: [SubmitPoolBody, 'transaction'],
  swap: [SwapBody, 'signedTransaction'],
  transfer: [TransferBody, 'signedTransaction'],
  'limit order': [LimitOrderBody, 'signedTransaction'],
  deposit: [OrderBody, 'depositSignedTx'],
  withdrawal: [ConfirmBody, 'signedTransaction'],
  login: [VerifyBody, 'signedTransaction'],
};

for (const [what, [schema, field]] of Object.entries(BODIES)) {
  test(`a signed ${what} that is longer than the chain takes is refused before it is decoded`, () => {
    const isRefused = (length: number) =>
      Value.Errors(schema, { [field]: 'A'.repeat(length) }).some(
        ({ instancePath, keyword }) => instancePath === `/${field}` && keyword === 'maxLength',
      );
    assert.deepEqual([isRefused(LONGEST), isRefused(LONGEST + 1)], [false, true]);
  });
}
