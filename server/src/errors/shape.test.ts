import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressError } from '../areas/express/error-shape.js';
import { predictionError } from '../areas/prediction/error-shape.js';
import { studioError } from '../areas/studio/error-shape.js';
import { triggerV1Error } from '../areas/trigger-v1/error-shape.js';
import { triggerV2Error } from '../areas/trigger-v2/error-shape.js';
import {
  AppError,
  type ErrorCode,
  type ErrorShape,
  errorTable,
  gatewayError,
  plainError,
  renderError,
  statusIn,
} from './index.js';

const render = (shape: ErrorShape, error: AppError) => renderError(shape, error, 'request-1');

test('every area gets its own body for the same error', () => {
  const error = new AppError('INVALID_REQUEST', { message: 'maker: required', details: { maker: 'required' } });
  assert.deepEqual(render(expressError, error), {
    status: 400,
    message: 'maker: required',
    error: 'maker: required',
    code: 'INVALID_REQUEST',
  });
  assert.deepEqual(render(triggerV1Error, error), { error: 'maker: required', code: 400 });
  assert.deepEqual(render(triggerV2Error, error), {
    error: 'Request validation failed',
    details: { maker: 'required' },
  });
  assert.deepEqual(render(studioError, error), { errors: { maker: ['required'] }, error: 'maker: required' });
  assert.deepEqual(render(plainError, error), { error: 'maker: required' });
  assert.deepEqual(render(predictionError, error), {
    type: 'invalid_request_error',
    message: 'maker: required',
    code: 'invalid_request',
    param: 'maker',
    request_id: 'request-1',
  });
  assert.deepEqual(render(gatewayError, error), { code: 400, message: 'maker: required' });
});

test('details appear only where the area has a place for them', () => {
  const cause = new AppError('INVALID_REQUEST', {
    message: 'invalid create order request',
    details: { cause: 'input mint making amount must be at least 5 USD' },
  });
  assert.deepEqual(render(triggerV1Error, cause), {
    error: 'invalid create order request',
    cause: 'input mint making amount must be at least 5 USD',
    code: 400,
  });
  const used = new AppError('INVALID_REQUEST', { message: 'Challenge not found', details: { challenge: 'ask again' } });
  assert.deepEqual(render(triggerV2Error, used), { error: 'Challenge not found', details: { challenge: 'ask again' } });
  const pool = new AppError('CRAFT_FAILED', { details: { details: 'the pool exists' } });
  assert.deepEqual(render(studioError, pool), { error: errorTable.CRAFT_FAILED.message, details: 'the pool exists' });
  const swap = new AppError('EXECUTION_FAILED', { message: 'Slippage tolerance exceeded', details: { code: 6001 } });
  assert.deepEqual(render(plainError, swap), { error: 'Slippage tolerance exceeded', code: 6001 });
  assert.equal(JSON.stringify(render(gatewayError, swap)).includes('6001'), false);
});

test('a wire code differs from the table where the contract says so', () => {
  const body = render(expressError, new AppError('EXPRESS_UNAUTHORIZED')) as { status: number; code: string };
  assert.equal(body.status, 403);
  assert.equal(body.code, 'UNAUTHORIZED');
});

test('an area whose contract has no 503 answers 500, in status and body alike', () => {
  const error = new AppError('CHAIN_UNAVAILABLE');
  assert.equal(statusIn(plainError, error), 503);
  assert.equal(statusIn(expressError, error), 500);
  assert.equal((render(expressError, error) as { status: number }).status, 500);
  assert.equal((render(triggerV1Error, error) as { code: number }).code, 500);
});

test('the cause is never part of a body', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const error = new AppError(code, { cause: new Error('postgres://user:secret@host') });
    for (const shape of [
      expressError,
      triggerV1Error,
      triggerV2Error,
      studioError,
      plainError,
      predictionError,
      gatewayError,
    ]) {
      assert.equal(JSON.stringify(render(shape, error)).includes('secret'), false);
    }
  }
});
