import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNotTo } from './addresses.js';

const METADATA = [
  ...['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::a%eth0', 'febf::1', '::ffff:169.254.169.254'],
  ...['::ffff:a9fe:a9fe', '::169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', 'fd00:ec2::254'],
  ...['fd20:ce::254', 'fd00:42::42', 'fd00:c1::a9fe:a9fe', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['::ffff:192.0.0.192', '::ffff:0:169.254.169.254', '::ffff:0:a9fe:a9fe', '::ffff:0:7f00:1'],
];
const NO_HOST = ['0.0.0.0', '0.1.2.3', '::', '224.0.0.1', '255.255.255.255', 'ff02::1', '::ffff:0.0.0.0'];
const PRIVATE = [
  ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
  ...['::1', 'fc00::1', 'fd12:3456::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:c0a8:101'],
];
const PUBLIC = ['1.1.1.1', '172.32.0.1', '169.253.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'];

test('attack: a free key has events sent to the metadata service of the cloud, or to nowhere', () => {
  for (const address of [...METADATA, ...NO_HOST]) {
    assert.match(whyNotTo(address, true) ?? '', /never allowed/, address);
    assert.match(whyNotTo(address, false) ?? '', /never allowed/, address);
  }
});

test('attack: a free key has events sent into the private network of the service', () => {
  for (const address of PRIVATE) {
    assert.match(whyNotTo(address, false) ?? '', /private network/, address);
    assert.equal(whyNotTo(address, true), undefined, address);
  }
});

test('events are sent to public addresses, and to nothing that is none', () => {
  for (const address of PUBLIC) assert.equal(whyNotTo(address, false), undefined, address);
  for (const text of ['', 'localhost', '1.1.1', '0x7f000001']) assert.match(whyNotTo(text, true) ?? '', /no address/);
});
