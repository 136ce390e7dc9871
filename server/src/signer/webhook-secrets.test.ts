import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signWebhook } from './webhook-secrets.js';

const at = Math.floor(Date.now() / 1_000) * 1_000;

test("the specification's own library accepts what is signed, with the new and with the old secret", () => {
  const [secret, old] = [newWebhookSecret(), newWebhookSecret()];
  const body = JSON.stringify({ number: 1, text: 'é€🎈' });
  const headers = signWebhook([secret, old], { id: 'w_1', at, body });
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  assert.deepEqual(new Webhook(old).verify(body, headers), JSON.parse(body));
  assert.equal(headers['webhook-signature']!.split(' ')[0], new Webhook(secret).sign('w_1', new Date(at), body));
});

test('nothing else is accepted', () => {
  const secret = newWebhookSecret();
  const headers = signWebhook([secret], { id: 'w_1', at, body: '{}' });
  assert.throws(() => new Webhook(newWebhookSecret()).verify('{}', headers));
  assert.throws(() => new Webhook(secret).verify('{ }', headers));
  assert.throws(() => new Webhook(secret).verify('{}', { ...headers, 'webhook-id': 'w_2' }));
});
