import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';

/** Where the system lists its sockets, by the version of the address. */
const TABLES = { 4: '/proc/net/tcp', 6: '/proc/net/tcp6' } as const;
const LISTENS = '0A';
const ANY = { 4: '00000000', 6: '0'.repeat(32) };

/** Reads one of the tables. @throws Error where the system has none */
export type ReadTable = (path: string) => string;
const readTable: ReadTable = (path) => readFileSync(path, 'latin1');

/**
 * The numbers of the users who have something that listens where a URL of this machine leads; undefined where the system does
 * not tell. Of a name, which may stand for any address of the machine, all who listen at the port.
 */
export function usersListening(url: string, read: ReadTable = readTable): number[] | undefined {
  const { hostname, port, protocol } = new URL(url);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const suffix = `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const wanted = addressesOf(hostname)?.map((address) => address + suffix);
  const isThere = (local: string) => wanted?.includes(local) ?? local.endsWith(suffix);
  const found = Object.values(TABLES).map((path) => {
    try {
      return read(path);
    } catch {
      return undefined;
    }
  });
  // Without IPv6 there is one table only.
  if (found.every((table) => table === undefined)) return undefined;
  return found.flatMap((table = '') =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => state === LISTENS && isThere(local))
      .map((fields) => Number(fields[7])),
  );
}

/** As the tables write them, those included at which everything arrives; undefined for a name. */
function addressesOf(hostname: string): string[] | undefined {
  if (hostname === 'localhost') return [...addressesOf('127.0.0.1')!, ...addressesOf('[::1]')!];
  if (isIPv4(hostname)) {
    const written = inWords(Buffer.from(hostname.split('.').map(Number)));
    return [written, ANY[4], ANY[6], `0000000000000000FFFF0000${written}`];
  }
  if (!hostname.startsWith('[')) return undefined;
  // As a URL writes it: without zeros at the beginning of a group, and with :: for groups that are zero.
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0');
  const hex = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join('');
  return [inWords(Buffer.from(hex, 'hex')), ANY[6]];
}

/** The tables have each four bytes the other way round. */
function inWords(bytes: Buffer): string {
  return Buffer.from(bytes).swap32().toString('hex').toUpperCase();
}
