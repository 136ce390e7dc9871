import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { createClientOf } from './client-address.js';

function clientOf(trusted: string[], remoteAddress: string | undefined, forwardedFor?: string | string[]): string {
  const headers = { 'x-forwarded-for': forwardedFor };
  return createClientOf(trusted)({ socket: { remoteAddress }, headers } as unknown as FastifyRequest);
}

test('a client is an IPv4 address, or a network of 64 bits', () => {
  for (const [address, client] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ] as const) {
    assert.equal(clientOf([], address), client, address);
  }
});

test('attack: a caller without a key says in X-Forwarded-For that he is somebody else: without a trusted proxy, it counts for nothing', () => {
  assert.equal(clientOf([], '203.0.113.7', '198.51.100.1'), '203.0.113.7');
  assert.equal(clientOf(['10.0.0.0/8'], '203.0.113.7', '198.51.100.1'), '203.0.113.7');
  assert.equal(clientOf(['2001:db8::/32'], '2001:db9::1', '198.51.100.1'), '2001:db9:0:0::/64');
});

test('behind trusted proxies, the client is the last address that is none of them', () => {
  const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'];
  for (const [socket, header, client] of [
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    // What a client writes itself stands before what the proxy has seen.
    ['127.0.0.1', '192.0.2.1, 10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '192.0.2.1,198.51.100.1,10.0.0.2', '198.51.100.1'],
    ['2001:db8::5', '192.0.2.1 ,2a02:1:2:3:4::', '2a02:1:2:3::/64'],
    ['127.0.0.1', ['192.0.2.1', '198.51.100.1'], '198.51.100.1'],
    ['127.0.0.1', '10.0.0.7', '10.0.0.7'],
    // Nothing that can be read: the proxy's own address, which all share.
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1:4711', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1, 10.0.0.2, ', '127.0.0.1'],
  ] as const) {
    assert.equal(clientOf(proxies, socket, header as string | string[]), client, String(header));
  }
});
