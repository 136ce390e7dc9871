import { readFileSync } from 'node:fs';

/** Where the system lists its sockets, by the version of the address. */
const TABLES = { 4: '/proc/net/tcp', 6: '/proc/net/tcp6' } as const;
const LISTENS = '0A';
const ANY = { 4: '00000000', 6: '0'.repeat(32) };
const LOOPBACK_6 = '00000000000000000000000001000000';

/** Reads one of the tables. @throws Error where the system has none */
export type ReadTable = (path: string) => string;
const readTable: ReadTable = (path) => readFileSync(path, 'latin1');

/**
 * The numbers of the users who have something that listens where a URL of this machine leads; undefined for another URL, and
 * where the system does not tell.
 */
export function usersListening(url: string, read: ReadTable = readTable): number[] | undefined {
  const { hostname, port, protocol } = new URL(url);
  const wanted = addressesOf(hostname);
  if (wanted === undefined) return undefined;
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const suffix = `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const places = new Set(wanted.map((address) => address + suffix));
  try {
    return Object.values(TABLES).flatMap((path) =>
      read(path)
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local = '', , state]) => state === LISTENS && places.has(local))
        .map((fields) => Number(fields[7])),
    );
  } catch {
    return undefined;
  }
}

/** As the tables write them, those included at which everything arrives; undefined for a host that is not this machine. */
function addressesOf(hostname: string): string[] | undefined {
  if (hostname === 'localhost') return [...addressesOf('127.0.0.1')!, LOOPBACK_6];
  if (hostname === '[::1]') return [LOOPBACK_6, ANY[6]];
  const bytes = /^127\.(\d+)\.(\d+)\.(\d+)$/.exec(hostname)?.slice(1).map(Number);
  if (bytes === undefined) return undefined;
  const written = [127, ...bytes]
    .reverse()
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    .join('');
  return [written, ANY[4], ANY[6], `0000000000000000FFFF0000${written}`];
}
