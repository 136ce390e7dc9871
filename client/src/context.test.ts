import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from './client.js';

test('hosts for uploads are hosts: a URL, or a path, in their place is refused when the client is made', () => {
  const clientFor = (...uploadHosts: string[]) => createClient({ url: 'https://api.example.com', uploadHosts });
  clientFor('minio:9000', 'minio', 'minio:80', '[::1]:9000', '10.0.0.7:9000');
  for (const host of ['http://minio:9000', 'https://minio', 'minio:9000/bucket', 'minio:port', 'user@minio', '']) {
    const refusal = { code: 'invalid_request', field: 'uploadHosts' };
    assert.throws(() => clientFor('minio', host), { ...refusal, message: /expected hosts, .* and not "/ }, host);
  }
});
