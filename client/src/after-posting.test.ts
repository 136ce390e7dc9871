import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from './call.js';
import { SlipwayError } from './errors.js';
import { answered } from './flow.js';

const SIGNATURE = 'the-signature';

/** What a flow tells that has posted what was signed, by what the service answers to each try. */
async function posted(answers: (() => Response)[], signal?: AbortSignal): Promise<SlipwayError> {
  const fetch = async () => answers.shift()!();
  const api = createApi({ url: 'http://127.0.0.1:1', fetch, attempts: 2 });
  const body = { signedTransaction: '', requestId: '' };
  const error = await answered(SIGNATURE, api.post('/ultra/v1/execute', { body, signal, repeatable: true })).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SlipwayError, String(error));
  return error;
}

const cut = (): Response => {
  throw new TypeError('fetch failed');
};

test('what is refused after a try whose answer was lost may have landed, and its signature is told: also where a login has ended meanwhile', async () => {
  for (const status of [400, 401, 403, 404, 409]) {
    const refused = () => Response.json({ error: 'no more' }, { status });
    const { code, retryable, signature, message, cause } = await posted([cut, refused]);
    assert.deepEqual([code, retryable, signature], ['network', false, SIGNATURE]);
    assert.match(message, /^no more; the-signature may have landed/);
    assert.equal((cause as SlipwayError).status, status);
    const away = () => Response.json({}, { status: 503, headers: { 'retry-after': '0' } });
    const busy = await posted([away, refused]);
    assert.deepEqual([busy.status, busy.retryable, busy.signature], [503, false, SIGNATURE]);
    const plain = await posted([refused]);
    assert.deepEqual([plain.status, plain.message, plain.signature], [status, 'no more', undefined]);
  }
});

test('who ends the wait for what was posted is told its signature, with the reason', async () => {
  const ended = new AbortController();
  const end = (): Response => {
    ended.abort();
    throw ended.signal.reason;
  };
  for (const answers of [[end], [cut, end]]) {
    const { code, retryable, signature, message, cause } = await posted(answers, ended.signal);
    assert.deepEqual([code, retryable, signature], ['network', false, SIGNATURE]);
    assert.match(message, /aborted; the-signature may have landed/);
    assert.equal(cause, ended.signal.reason);
  }
});
