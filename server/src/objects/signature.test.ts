import assert from 'node:assert/strict';
import { it } from 'node:test';
import { verifyV4 } from '../lib/aws-signature-testing.js';
import { BUCKET, credentials, REGION } from './s3/testing.js';
import { createS3Store } from './s3-store.js';

it('the verifier of the tests agrees with the example in the documentation of S3', () => {
  // "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)", with the keys of that page.
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request',
    'X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host',
    'X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  ];
  const request = {
    method: 'GET',
    url: `/test.txt?${query.join('&')}`,
    body: Buffer.alloc(0),
    headers: { host: 'examplebucket.s3.amazonaws.com' },
  };
  const by = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 's3',
    now: Date.UTC(2013, 4, 24, 12),
  };
  assert.equal(verifyV4(request, by), undefined);
  assert.equal(verifyV4({ ...request, method: 'PUT' }, by), 'SignatureDoesNotMatch');
  assert.equal(verifyV4(request, { ...by, now: Date.UTC(2013, 4, 25) }), 'AccessDenied');
});

it('a URL of AWS itself is signed for the host of the bucket, the type and the length, and for no checksum', async () => {
  const store = createS3Store({ bucket: BUCKET, region: REGION, credentials, publicUrl: 'https://cdn.example' });
  const upload = { key: 'incoming/images/x', contentType: 'image/png', expiresInSeconds: 900 };
  const url = new URL(await store.presignPut({ ...upload, length: { exact: 10 } }));
  await store.close();
  assert.equal(`${url.host}${url.pathname}`, `${BUCKET}.s3.${REGION}.amazonaws.com/incoming/images/x`);
  assert.ok(!/checksum/i.test(url.search), 'S3 would refuse every body but an empty one');
  assert.ok(!url.href.includes(credentials.secretAccessKey));
  const request = { method: 'PUT', url: url.pathname + url.search, body: Buffer.alloc(0) };
  const headers = { host: url.host, 'content-type': 'image/png', 'content-length': '10' };
  const by = { ...credentials, region: REGION, service: 's3', now: Date.now() };
  const verdict = (changed: object) => verifyV4({ ...request, headers: { ...headers, ...changed } }, by);
  assert.equal(verdict({}), undefined);
  const changes = [{ host: `other.${url.host}` }, { 'content-type': 'text/html' }, { 'content-length': '11' }];
  for (const change of changes) assert.equal(verdict(change), 'SignatureDoesNotMatch', JSON.stringify(change));
  assert.equal(verdict({ 'x-amz-acl': 'public-read' }), 'AccessDenied');
  assert.equal(store.publicUrl('images/x'), 'https://cdn.example/images/x');
});
