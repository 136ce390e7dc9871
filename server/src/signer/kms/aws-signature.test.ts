import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedHeaders } from './aws-signature.js';

/** The credentials and the time of the test suite that AWS has published for Signature Version 4. */
const SUITE = {
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  scope: { region: 'us-east-1', service: 'service', now: Date.UTC(2015, 7, 30, 12, 36) },
};
const SESSION_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

test("requests are signed as AWS's own test suite has it", () => {
  const cases: [string, { headers?: Record<string, string>; body?: string; sessionToken?: string }, string, string][] =
    [
      ['post-vanilla', {}, 'host;x-amz-date', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
      [
        'post-header-value-case',
        { headers: { 'my-header1': 'VALUE1' } },
        'host;my-header1;x-amz-date',
        'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
      ],
      [
        'post-x-www-form-urlencoded',
        { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Param1=value1' },
        'content-type;host;x-amz-date',
        'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
      ],
      [
        'post-sts-header-before',
        { sessionToken: SESSION_TOKEN },
        'host;x-amz-date;x-amz-security-token',
        '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
      ],
    ];
  for (const [name, { headers = {}, body = '', sessionToken }, names, signature] of cases) {
    const unsigned = { method: 'POST', host: 'example.amazonaws.com', headers, body };
    const signed = signedHeaders(unsigned, { ...SUITE.credentials, sessionToken }, SUITE.scope);
    assert.equal(signed['x-amz-date'], '20150830T123600Z');
    assert.equal(signed['x-amz-security-token'], sessionToken);
    assert.equal(
      signed.authorization,
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
      name,
    );
  }
});
