import { BlockList, isIP, isIPv4 } from 'node:net';

/** Where nothing is ever sent: link-local addresses and the metadata services of clouds, and what is no single host. */
const never = listOf(
  [
    '0.0.0.0/8',
    '169.254.0.0/16',
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  // Also what stands for an IPv4 address in ways that only translators know.
  [
    '::/128',
    'fe80::/10',
    'fd00:42::/32',
    'fd00:c1::/32',
    'fd00:ec2::/32',
    'fd20:ce::/32',
    'ff00::/8',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '::ffff:0:0:0/96',
  ],
  ['2001::/32', '2002::/16'],
);
never.addRange('::2', '::ffff:ffff', 'ipv6');

/** Addresses of private networks, and of this machine. */
const nonPublic = listOf(
  ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16'],
  ['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '::1/128', 'fc00::/7', 'fec0::/10', '2001:db8::/32'],
);

function listOf(...ranges: string[][]): BlockList {
  const list = new BlockList();
  for (const range of ranges.flat()) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Why nothing is sent to an IP address; undefined if something may be. An IPv4 address may be mapped into an IPv6 one. */
export function whyNotTo(address: string, allowsPrivate: boolean): string | undefined {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 0) return `${address} is no address`;
  if (never.check(plain, familyOf(plain))) return `${address} is link-local, or of a metadata service: never allowed`;
  if (!allowsPrivate && nonPublic.check(plain, familyOf(plain))) {
    return `${address} is of a private network; the operator allows none (events.privateWebhooks)`;
  }
  return undefined;
}
