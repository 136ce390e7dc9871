import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ownText } from '../lib/own-text.js';

/** Tells whom a request without a key is counted for. */
export type ClientOf = (request: FastifyRequest) => string;

/**
 * The client's address: an IPv4 address, or the first 64 bits of an IPv6 address, which belong to one client. It is the
 * socket's, unless that is one of `trustedProxies` (addresses and CIDR ranges); then it is the last one in
 * X-Forwarded-For that is not. What stands before that one could have been made up.
 */
export function createClientOf(trustedProxies: readonly string[]): ClientOf {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  return ({ socket, headers }) => {
    let client = withoutZone(socket.remoteAddress ?? '');
    if (isIP(client) === 0) return 'unknown';
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    while (isTrusted(client)) {
      const before = forwarded.pop()?.trim() ?? '';
      if (isIP(before) === 0) break;
      client = withoutZone(before);
    }
    return clientIn(client);
  };
}

const withoutZone = (address: string) => address.replace(/%.*$/, '');

function clientIn(address: string): string {
  // It is kept for longer than the header, of which it is a part.
  if (isIPv4(address)) return ownText(address);
  const groups = groupsOf(address);
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
}
